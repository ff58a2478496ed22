package main

import (
	"math/rand/v2"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// randomSeed is fresh each run, so that no kernel can be tuned to it.
func randomSeed() uint64 { return rand.Uint64() }

// parityLine is the start of the command line that replays a case: the caller appends kernel, case and seed. Revisions are
// named by their commits, base's even where it was found and not asked for: errors are judged against its own, and the merge base
// or a branch is another one tomorrow.
func parityLine(f runFlags, pair repo.Pair) string {
	for typed, side := range map[*string]repo.Side{&f.base: pair.Base, &f.head: pair.Head} {
		if side.Info.Kind == result.KindRevision {
			*typed = side.Info.Revision
		}
	}
	return reproLine("parity", f, "")
}

// reproLine is the command line that makes the same run; without a seed, one like it.
func reproLine(verb string, f runFlags, seed string) string {
	line := []string{"perfgate", verb}
	add := func(flag, value string) {
		if value != "" {
			line = append(line, "--"+flag+"="+kernels.ShellWord(value))
		}
	}
	add("config", f.config)
	add("base", f.base)
	add("head", f.head)
	if f.trust != repo.TrustWorktree {
		add("trust", f.trust)
	}
	add("base-flags", f.baseFlags)
	add("head-flags", f.headFlags)
	add("gpu", f.gpu)
	if f.sandbox != result.SandboxAuto {
		add("sandbox", string(f.sandbox))
	}
	if verb == "parity" {
		return strings.Join(line, " ")
	}
	add("kernel", strings.Join(f.kernels, ","))
	for _, pattern := range f.cases {
		add("case", pattern)
	}
	add("tolerance", f.tolerance)
	add("lock-clocks", f.clocks)
	if f.budget > 0 {
		add("budget", f.budget.String())
	}
	if f.profile != result.ProfileAuto {
		add("profile", f.profile)
	}
	if f.noSkip {
		line = append(line, "--no-skip")
	}
	if f.competitors {
		line = append(line, "--competitors")
	}
	add("shard", f.shard)
	add("seed", seed)
	return strings.Join(line, " ")
}

func kernelNames(cfg *config.Config) string {
	names := make([]string, len(cfg.Kernels))
	for i, k := range cfg.Kernels {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}
