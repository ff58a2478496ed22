//go:build perfgate_rehearsal

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
)

func init() {
	maxSamples = 5 // a rehearsal's faults are large: few samples of a process show them
	measureSides = func(ctx context.Context, opt run.Options) (*result.Result, error) {
		if res, err := rehearsed(opt); res != nil || err != nil {
			return res, err
		}
		return run.Run(ctx, opt)
	}
	measureCommit = func(ctx context.Context, opt run.Options, ifNeeded bool) (run.Recorded, error) {
		if res, err := rehearsed(opt); res != nil || err != nil {
			return run.Recorded{Result: res}, err
		}
		return run.Record(ctx, opt, ifNeeded)
	}
}

// rehearsed takes a saved result in place of measuring, so that a rehearsal of the workflows need not wait for kernels:
// PERFGATE_REHEARSE names it. Only a build with the tag perfgate_rehearsal knows that variable, and no release has it. The commits and the
// configuration are the run's own, for the report compares them with the event.
func rehearsed(opt run.Options) (*result.Result, error) {
	path := os.Getenv("PERFGATE_REHEARSE")
	if path == "" {
		return nil, nil
	}
	res, err := result.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dry run of the workflow: %w", err)
	}
	res.Base.Revision, res.Head.Revision, res.Seed = opt.Base.Info.Revision, opt.Head.Info.Revision, strconv.FormatUint(opt.Seed, 10)
	res.Config.SHA256, res.Config.Changed = opt.Trusted.Config.SHA256, opt.Trusted.Changed
	if opt.Shard != nil {
		part(res, *opt.Shard)
	}
	return res, nil
}

// part leaves of a result what a part of the plan would have measured.
func part(res *result.Result, s plan.Shard) {
	res.Shard = &result.Shard{Index: s.Index, Of: s.Of, Seed: strconv.FormatUint(s.Seed, 10)}
	res.Seed = strconv.FormatUint(s.OwnSeed(), 10)
	at := 0
	res.Cases = slices.DeleteFunc(res.Cases, func(result.Case) bool {
		at++
		return (at-1)%s.Of != s.Index-1
	})
	res.Conclusion = rule.Replay(res, res.Policy).Conclusion
}
