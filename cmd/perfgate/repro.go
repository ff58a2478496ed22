package main

import (
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// parityLine is the start of the command line that replays a case: the caller appends kernel, case and seed. Revisions are
// named by their commits, base's even where it was found and not asked for: errors are judged against its own, and the merge base
// or a branch is another one tomorrow.
func parityLine(f runFlags, opt run.Options) string {
	for typed, side := range map[*string]run.Side{&f.Base: opt.Base, &f.Head: opt.Head} {
		if side.Info.Kind == result.KindRevision {
			*typed = side.Info.Revision
		}
	}
	return f.replayLine()
}

// replayLine is the start of the command line that replays a case of these sides.
func (f runFlags) replayLine() string {
	f.Kernels, f.Cases, f.Seed = nil, nil, ""
	return commandLine("parity", f.targets())
}

// line is the command line that makes the same run.
func (f runFlags) line(verb string, seed uint64) string {
	f.Seed = strconv.FormatUint(seed, 10)
	return commandLine(verb, f.targets())
}
