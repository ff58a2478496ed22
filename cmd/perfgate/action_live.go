//go:build !perfgate_rehearsal

package main

import (
	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/result"
)

// rehearsed has no result to offer: a perfgate that was built to be used always measures.
func rehearsed(action.JobRequest, pipeline.Options) (*result.Result, error) { return nil, nil }
