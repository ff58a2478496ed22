package main

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// randomSeed is fresh each run, so that no kernel can be tuned to it.
func randomSeed() uint64 { return rand.Uint64() }

// parityLine is the start of the command line that replays a case: the caller appends kernel, case and seed. Revisions are
// named by their commits, base's even where it was found and not asked for: errors are judged against its own, and the merge base
// or a branch is another one tomorrow.
func parityLine(f runFlags, pair repo.Pair) string {
	for typed, side := range map[*string]repo.Side{&f.Base: pair.Base, &f.Head: pair.Head} {
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

func kernelNames(cfg *config.Config) string {
	names := make([]string, len(cfg.Kernels))
	for i, k := range cfg.Kernels {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}
