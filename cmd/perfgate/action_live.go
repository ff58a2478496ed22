//go:build !perfgate_rehearsal

package main

import (
	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// rehearsed has no result to offer: a perfgate that was built to be used always measures.
func rehearsed(action.JobRequest, run.Options) (*result.Result, error) { return nil, nil }
