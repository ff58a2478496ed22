package request

import (
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Verbs that share options.
const (
	BaselineVerbs  = "record list show accept waivers prune import export" // those of baseline
	MeasuringVerbs = "run parity precheck rerun tune versus bisect drift judge record"
	formatted      = "run parity precheck rerun merge compare versus explain tune bisect drift judge history record list show accept waivers prune import doctor"
)

const unset = "the configuration's"

// runOptions are what a run is asked for.
var runOptions = []Option{
	// What is built, and by whose policy.
	{Name: "config", Value: "FILE", Help: "configuration", Fallback: Fallback{Means: config.DefaultFile}, Other: map[string]Fallback{Action: {Value: config.DefaultFile}},
		Verbs: "run parity precheck rerun tune versus bisect drift judge history " + BaselineVerbs, Input: true},
	{Name: "base", Value: "REV|DIR", Help: "revision or folder to compare with", Fallback: Fallback{Means: "the merge base with the default branch"},
		Other: map[string]Fallback{"judge": {}, "rerun": {Means: "where head left the default branch"}},
		Verbs: "run parity precheck rerun judge", Input: true},
	{Name: "head", Value: "REV|DIR", Help: "revision or folder under test", Fallback: Fallback{Means: "the working tree"},
		Verbs: "run parity precheck tune versus"},
	{Name: "trust", Value: "WORD", Help: "take configuration and adapters from: worktree or base", Allowed: []string{repo.TrustWorktree, repo.TrustBase},
		Fallback: Fallback{Value: repo.TrustWorktree}, Other: map[string]Fallback{"rerun": {Value: repo.TrustBase}},
		Verbs: "run parity precheck rerun tune versus"},
	{Name: "base-flags", Value: "FLAGS", Help: "compiler flags added to base only", Empty: true, Verbs: "run parity precheck rerun"},
	{Name: "head-flags", Value: "FLAGS", Help: "compiler flags added to head only", Empty: true, Verbs: "run parity precheck rerun"},
	{Name: "a-flags", Value: "FLAGS", Help: "compiler flags added to A only", Empty: true, Verbs: "versus"},
	{Name: "b-flags", Value: "FLAGS", Help: "compiler flags added to B only", Empty: true, Verbs: "versus"},

	// Where it runs.
	{Name: "gpu", Value: "INDEX|UUID|idle", Help: "GPU to use: index in PCI order, UUID, or idle, the least used that CUDA sees", Fallback: Fallback{Means: "idle"},
		Verbs: MeasuringVerbs + " doctor", Input: true},
	{Name: "gpus", Value: "WORD", Help: "spread the cases over all GPUs of one model that CUDA sees, each case on one of them", Allowed: []string{"all"},
		Fallback: Fallback{Means: "one GPU"}, Verbs: "run"},
	{Name: "device", Value: "WORD", Help: "what the kernel runs on", Allowed: []string{"cpu", "cuda"}, Fallback: Fallback{Value: "cpu"},
		Verbs: "demo init"},
	{Name: "sandbox", Value: "WORD", Help: "sandbox for builds and kernels: auto (what this Linux kernel supports), on (all of it, or fail), off",
		Allowed:  result.Words(result.SandboxModes),
		Fallback: Fallback{Value: string(result.SandboxAuto)}, Other: map[string]Fallback{"judge": {Value: string(result.SandboxOn)}},
		Choices: map[string]string{"judge": "on|auto"}, // its candidates are untrusted
		Verbs:   MeasuringVerbs, Input: true},

	// Which cases.
	{Name: "kernel", Value: "NAME,...", Help: "kernels by name", Fallback: Fallback{Means: "all"}, Other: map[string]Fallback{"tune": {}, "versus": {}},
		Verbs: "run parity precheck rerun tune versus bisect drift judge record", Input: true, Repeats: true},
	{Name: "case", Value: "PATTERN...", Help: "cases by pattern or full name, such as 'gemm/**'", Fallback: Fallback{Means: "all"},
		Other:    map[string]Fallback{"rerun": {Means: "those that failed, or all where none did"}, "accept": {Means: "what the commit asks for"}},
		Repeated: true, Verbs: "run parity rerun tune versus bisect judge history accept", Input: true, Repeats: true},
	{Name: "param", Value: "NAME=VALUE,...", Help: "parameters of one case, such as B=1,S=65", Verbs: "parity explain"},
	{Name: "shard", Value: "I/N", Help: "measure a part of the cases: 2/3 is the second of three, auto/7 takes the next of seven every day",
		Other: map[string]Fallback{"drift": {Value: "auto/7"}},
		Verbs: "run drift", Input: true},
	{Name: "paths", Value: "PATTERN,...", Help: "patterns of the kernels' files, or with ! in front of files that none reads",
		Fallback: Fallback{Means: unset}, Verbs: "run"},

	// How it is measured.
	{Name: "tolerance", Value: "PERCENT", Help: "slowdown that passes, such as 2%", Fallback: Fallback{Means: unset},
		Other: map[string]Fallback{"compare": {Value: "1.5%"}, "init": {Means: "1.5%"}},
		Verbs: "run rerun tune bisect compare init", Input: true},
	{Name: "improvement", Value: "PERCENT", Help: "speedup that is called an improvement", Fallback: Fallback{Value: "10%"}, Verbs: "compare"},
	{Name: "confidence", Value: "PERCENT", Help: "confidence of all decisions together", Fallback: Fallback{Value: "99%"}, Verbs: "compare"},
	{Name: "on-inconclusive", Value: "WORD", Help: "what an inconclusive case does: stop, pass or fail",
		Fallback: Fallback{Value: string(result.OnInconclusiveStop)}, Verbs: "compare"},
	{Name: "lock-gpu-clocks", Value: "MHZ", Bare: "base",
		Help: "lock the GPU's SM clock to its base clock or to MHz while measuring (needs root)", Verbs: "run"},
	{Name: "budget", Value: "DURATION", Help: "time for all rounds, such as 10m", Fallback: Fallback{Means: unset},
		Verbs: "run rerun tune versus bisect drift judge record init", Input: true},
	{Name: "profile", Value: "WORD", Help: "profile to find the causes of a change: auto (by the configuration's thresholds), always or never",
		Allowed:  result.ProfilePolicies,
		Fallback: Fallback{Value: result.ProfileAuto}, Other: map[string]Fallback{"judge": {Value: result.ProfileNever}}, Verbs: "run judge", Input: true},
	{Name: "profile-budget", Value: "DURATION", Help: "time for all profiles, such as 10m", Fallback: Fallback{Value: "4m0s"}, Other: map[string]Fallback{Action: {}},
		Verbs: "run judge", Input: true},
	{Name: "time-identical", Help: "time both sides even if they are proved equal", Verbs: "run", Repeats: true},
	{Name: "manual-competitors", Help: "also measure competitors with when: manual", Verbs: "run", Repeats: true},
	{Name: "all-commits", Help: "try every commit, also those that change no file of the kernel", Verbs: "bisect"},
	{Name: "all-cases", Help: "time all cases, not only those that failed", Verbs: "rerun"},
	{Name: "no-record", Help: "store no record", Verbs: "drift"},
	{Name: "check", Help: "exit 1 if the shipped configuration is slower than the best by more than the tolerance", Verbs: "tune", Repeats: true},
	{Name: "min-gain", Value: "PERCENT", Help: "smallest gain worth finding, such as 1%", Fallback: Fallback{Means: "the configuration's tolerance"},
		Verbs: "judge"},
	{Name: "seed", Value: "SEED", Help: "repeat the random choices of an earlier run", Fallback: Fallback{Means: "a fresh seed"},
		Verbs: "run parity tune versus"},
}
