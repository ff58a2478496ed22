package main

import (
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

const (
	records   = "record list show accept waivers prune import export" // verbs of baseline
	unset     = "the configuration's"
	sandboxed = "run parity precheck rerun tune versus bisect drift judge record"
	formatted = "run parity precheck rerun merge compare versus explain tune bisect drift judge history record list show accept waivers prune import doctor"
)

// runOptions are what a run is asked for.
var runOptions = []option{
	// What is built, and by whose policy.
	{name: "config", value: "FILE", help: "configuration", fallback: fallback{means: "perfgate.yaml"},
		verbs: "run parity precheck rerun tune versus bisect drift judge history " + records, input: true},
	{name: "base", value: "REV|DIR", help: "revision or folder to compare with", fallback: fallback{means: "the merge base with the default branch"},
		other: map[string]fallback{"judge": {}, "rerun": {means: "where head left the default branch"}},
		verbs: "run parity precheck rerun judge", input: true},
	{name: "head", value: "REV|DIR", help: "revision or folder under test", fallback: fallback{means: "the working tree"},
		verbs: "run parity precheck tune versus"},
	{name: "trust", value: "WORD", help: "take configuration and adapters from: worktree or base", allowed: []string{repo.TrustWorktree, repo.TrustBase},
		fallback: fallback{value: repo.TrustWorktree}, other: map[string]fallback{"rerun": {value: repo.TrustBase}},
		verbs: "run parity precheck rerun tune versus"},
	{name: "base-flags", value: "FLAGS", help: "compiler flags added to base only", empty: true, verbs: "run parity precheck rerun"},
	{name: "head-flags", value: "FLAGS", help: "compiler flags added to head only", empty: true, verbs: "run parity precheck rerun"},
	{name: "a-flags", value: "FLAGS", help: "compiler flags added to A only", empty: true, verbs: "versus"},
	{name: "b-flags", value: "FLAGS", help: "compiler flags added to B only", empty: true, verbs: "versus"},

	// Where it runs.
	{name: "gpu", value: "INDEX|UUID|idle", help: "GPU to use: index in PCI order, UUID, or idle, the least used that CUDA sees", fallback: fallback{means: "idle"},
		verbs: sandboxed + " doctor", input: true},
	{name: "gpus", value: "WORD", help: "spread the cases over all GPUs of one model that CUDA sees, each case on one of them", allowed: []string{"all"},
		fallback: fallback{means: "one GPU"}, verbs: "run"},
	{name: "device", value: "WORD", help: "what the kernel runs on", allowed: []string{"cpu", "cuda"}, fallback: fallback{value: "cpu"},
		verbs: "demo init"},
	{name: "sandbox", value: "WORD", help: "sandbox for builds and kernels: auto (what this Linux kernel supports), on (all of it, or fail), off",
		allowed:  result.Words(result.SandboxModes),
		fallback: fallback{value: string(result.SandboxAuto)}, other: map[string]fallback{"judge": {value: string(result.SandboxOn)}},
		choices: map[string]string{"judge": "on|auto"}, // its candidates are untrusted
		verbs:   sandboxed, input: true},

	// Which cases.
	{name: "kernel", value: "NAME,...", help: "kernels by name", fallback: fallback{means: "all"}, other: map[string]fallback{"tune": {}, "versus": {}},
		verbs: "run parity precheck rerun tune versus bisect drift judge record", input: true, repeats: true},
	{name: "case", value: "PATTERN...", help: "cases by pattern or full name, such as 'gemm/**'", fallback: fallback{means: "all"},
		other:    map[string]fallback{"rerun": {means: "those that failed, or all where none did"}, "accept": {means: "what the commit asks for"}},
		repeated: true, verbs: "run parity rerun tune versus bisect judge history accept", input: true, repeats: true},
	{name: "param", value: "NAME=VALUE,...", help: "parameters of one case, such as B=1,S=65", verbs: "parity explain"},
	{name: "shard", value: "I/N", help: "measure a part of the cases: 2/3 is the second of three, auto/7 takes the next of seven every day",
		other: map[string]fallback{"drift": {value: "auto/7"}},
		verbs: "run drift", input: true},
	{name: "paths", value: "PATTERN,...", help: "patterns of files that trigger a run: a change that touches none passes at once",
		fallback: fallback{means: unset}, verbs: "run"},

	// How it is measured.
	{name: "tolerance", value: "PERCENT", help: "slowdown that passes, such as 2%", fallback: fallback{means: unset},
		other: map[string]fallback{"compare": {value: "1.5%"}, "init": {means: "1.5%"}},
		verbs: "run rerun tune bisect compare init", input: true},
	{name: "improvement", value: "PERCENT", help: "speedup that is called an improvement", fallback: fallback{value: "10%"}, verbs: "compare"},
	{name: "confidence", value: "PERCENT", help: "confidence of all decisions together", fallback: fallback{value: "99%"}, verbs: "compare"},
	{name: "on-inconclusive", value: "WORD", help: "what an inconclusive case does: stop, pass or fail",
		fallback: fallback{value: string(result.OnInconclusiveStop)}, verbs: "compare"},
	{name: "lock-gpu-clocks", value: "MHZ", bare: "base",
		help: "lock the GPU's SM clock to its base clock or to MHz while measuring (needs root)", verbs: "run"},
	{name: "budget", value: "DURATION", help: "time for all rounds, such as 10m", fallback: fallback{means: unset},
		verbs: "run rerun tune versus bisect drift judge record", input: true},
	{name: "profile", value: "WORD", help: "profile to find the causes of a change: auto (by the configuration's thresholds), always or never",
		allowed:  result.ProfilePolicies,
		fallback: fallback{value: result.ProfileAuto}, other: map[string]fallback{"judge": {value: result.ProfileNever}}, verbs: "run judge", input: true},
	{name: "profile-budget", value: "DURATION", help: "time for all profiles, such as 10m", fallback: fallback{value: "4m0s"},
		verbs: "run judge", input: true},
	{name: "time-identical", help: "time both sides even where they are proved equal", verbs: "run", repeats: true},
	{name: "manual-competitors", help: "also measure competitors with when: manual", verbs: "run", repeats: true},
	{name: "all-commits", help: "try every commit, also those that change no file of the kernel", verbs: "bisect"},
	{name: "all-cases", help: "time all cases, not only those that failed", verbs: "rerun"},
	{name: "no-record", help: "store no record", verbs: "drift"},
	{name: "check", help: "exit 1 if the shipped configuration is slower than the best by more than the tolerance", verbs: "tune", repeats: true},
	{name: "min-gain", value: "PERCENT", help: "smallest gain worth finding, such as 1%", fallback: fallback{means: "the configuration's tolerance"},
		verbs: "judge"},
	{name: "seed", value: "SEED", help: "repeat the random choices of an earlier run", fallback: fallback{means: "a fresh seed"},
		verbs: "run parity tune versus"},
}
