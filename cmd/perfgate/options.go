package main

import (
	"strconv"

	"github.com/org/perfgate/gate/calibrate"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

const (
	records   = "record list show accept prune import export" // verbs of baseline
	unset     = "the configuration's"
	sandboxed = "run parity precheck rerun tune versus bisect drift judge"
	formatted = "run parity precheck rerun merge compare versus explain tune bisect drift judge history show doctor"
)

// simulated are what a simulation has where nothing else is asked.
var simulated = calibrate.Default()

// options are all of perfgate's, in the order of a line that repeats a run.
var options = []option{
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
	{name: "gpu", value: "INDEX|UUID", help: "GPU to use: index in PCI order, or UUID", fallback: fallback{means: "the first that CUDA sees"},
		verbs: sandboxed + " doctor", input: true},
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
		other: map[string]fallback{"compare": {value: "1.5%"}, "calibrate": {value: "1.5%"}, "init": {means: "1.5%"}},
		verbs: "run rerun tune bisect compare init calibrate", input: true},
	{name: "improvement", value: "PERCENT", help: "speedup that is called an improvement", fallback: fallback{value: "10%"}, verbs: "compare"},
	{name: "confidence", value: "PERCENT", help: "confidence of all decisions together", fallback: fallback{value: "99%"}, verbs: "compare"},
	{name: "on-inconclusive", value: "WORD", help: "what an inconclusive case does: stop, pass or fail",
		fallback: fallback{value: string(result.OnInconclusiveStop)}, verbs: "compare"},
	{name: "lock-gpu-clocks", value: "MHZ", bare: "base",
		help: "lock the GPU's SM clock while measuring, to its base clock or to a number of MHz, and unlock it afterwards (needs root)", verbs: "run"},
	{name: "budget", value: "DURATION", help: "time for all rounds, such as 10m", fallback: fallback{means: unset},
		verbs: "run rerun tune versus bisect drift judge", input: true},
	{name: "profile", value: "WORD", help: "profile to find the causes of a change: auto (where the configuration's thresholds say), always or never",
		allowed:  result.ProfilePolicies,
		fallback: fallback{value: result.ProfileAuto}, other: map[string]fallback{"judge": {value: result.ProfileNever}}, verbs: "run judge", input: true},
	{name: "profile-budget", value: "DURATION", help: "time for all profiles, such as 10m", fallback: fallback{value: "4m0s"},
		verbs: "run judge", input: true},
	{name: "time-identical", help: "time both sides even where they are proved to be the same", verbs: "run", repeats: true},
	{name: "manual-competitors", help: "also measure competitors with when: manual", verbs: "run", repeats: true},
	{name: "all-commits", help: "take every commit as a candidate, also those that change nothing that the kernel reads", verbs: "bisect"},
	{name: "all-cases", help: "time all cases, not only those that failed", verbs: "rerun"},
	{name: "no-record", help: "store no record", verbs: "drift"},
	{name: "check", help: "exit 1 where the kernel as it is shipped is slower than the best configuration by more than the tolerance", verbs: "tune"},
	{name: "min-gain", value: "PERCENT", help: "smallest gain worth finding, such as 1%", fallback: fallback{means: "the configuration's tolerance"},
		verbs: "judge"},
	{name: "seed", value: "SEED", help: "repeat the random choices of an earlier run", fallback: fallback{means: "a fresh seed"},
		other: map[string]fallback{"calibrate": {value: "1"}},
		verbs: "run parity tune versus calibrate"},

	// Parity.
	{name: "fuzz-cases", value: "N", help: "cases to draw for each kernel", fallback: fallback{means: unset}, verbs: "parity"},
	{name: "fuzz-time", value: "DURATION", help: "keep fuzzing each kernel for this long, such as 10m; also the limit of one case", verbs: "parity"},
	{name: "corpus", value: "FILE", help: "file of cases to try first", fallback: fallback{means: parity.CorpusFile + " next to the configuration"},
		verbs: "parity"},
	{name: "save-corpus", help: "add the case that fails to the corpus", verbs: "parity"},
	{name: "sanitize",
		help: "also find what a right result hides. On a CPU: accesses outside of buffers and undefined behaviour (AddressSanitizer and UndefinedBehaviorSanitizer, " +
			"which see no races, no uninitialised reads and no overrun of what the adapter itself allocates). On a GPU: those accesses, uninitialised reads, races and missed barriers " +
			"within a block (compute-sanitizer)", verbs: "parity"},

	// Records.
	{name: "store", value: "dir:PATH|git:BRANCH", help: "where records are kept", fallback: fallback{means: unset},
		verbs: "bisect drift history " + records, input: true},
	{name: "machine", value: "KEY", help: "machine whose records are meant", fallback: fallback{means: "this machine"}, verbs: "history record list show accept prune export"},
	{name: "since", value: "REV", help: "only records after this revision", verbs: "history"},
	{name: "limit", value: "N", help: "at most so many records", other: map[string]fallback{"list": {value: "20"}, "export": {means: "1"}},
		verbs: "list export"},
	{name: "from", value: "FILE", help: "store this saved result or record instead of measuring", verbs: "record"},
	{name: "side", value: "WORD", help: "with --from, the side of the result to store", allowed: []string{string(result.SideHead), string(result.SideBase)},
		fallback: fallback{value: string(result.SideHead)}, verbs: "record"},
	{name: "if-needed", help: "measure only if a record adds something", verbs: "record"},
	{name: "reason", value: "TEXT", help: "why, with --case", verbs: "accept"},
	{name: "by", value: "NAME", help: "who approves", fallback: fallback{means: "the user of this machine"}, verbs: "accept"},
	{name: "revoke", help: "take acceptances of the commit back, those of --case or all", verbs: "accept"},
	{name: "keep-last", value: "N", help: "records to leave, nearest to HEAD first", fallback: fallback{value: "500"}, zero: true, verbs: "prune"},
	{name: "unreachable", help: "also remove records of commits that are not ancestors of HEAD", verbs: "prune"},
	{name: "apply", help: "remove them", verbs: "prune"},
	{name: "replace", help: "replace records that the store has already", verbs: "import"},

	// Saved results, sample files and profiles.
	{name: "artifact", value: "NAME", help: "artifact of a run of GitHub Actions that has the result", fallback: fallback{value: "perfgate"},
		verbs: "rerun"},
	{name: "machine-count", value: "N", help: "how many different machines measured the whole plan each", fallback: fallback{value: "1"}, verbs: "merge"},
	{name: "repository", value: "URL", help: "address of the repository on the web, such as https://github.com/org/repo, to link commits to",
		verbs: "report"},
	{name: "paired", help: "processes pair up in file order: each pair ran next to each other", verbs: "compare"},
	{name: "cpu-time", help: "compare Google Benchmark's CPU time", verbs: "compare"},
	{name: "session-sd", value: "PERCENT", help: "standard deviation between sessions, such as 0.5%", fallback: fallback{means: "one session"},
		verbs: "compare"},
	{name: "timer-resolution", value: "NS", help: "step of the timer in ns, where the files do not say", verbs: "compare calibrate"},
	{name: "ratio", value: "RATIO", help: "measured time of head over that of base", fallback: fallback{means: "the ratio of profiled cycles"},
		verbs: "explain"},
	{name: "base-details", value: "FILE", help: "base's details page as CSV, for Nsight's own rules", verbs: "explain"},
	{name: "head-details", value: "FILE", help: "head's details page as CSV, for Nsight's own rules", verbs: "explain"},

	// A search.
	{name: "repo-dir", value: "DIR", help: "clone to work in", fallback: fallback{means: "the current folder"}, output: true, verbs: "bisect"},
	{name: "ledger", value: "DIR", help: "folder of the ledger; a new search begins where there is none", verbs: "judge"},
	{name: "recheck", help: "evaluate a content again that the ledger has an answer for", verbs: "judge"},
	{name: "status", help: "print where the search stands, and evaluate nothing", verbs: "judge"},
	{name: "resume", help: "evaluate what was begun and has no answer", verbs: "judge"},

	// The start.
	{name: "quick", help: "a fast and coarse answer, without what takes most of the time", verbs: "doctor calibrate"},
	{name: "python", help: "a kernel and an adapter in Python: numpy, or Triton with --device cuda", verbs: "demo init"},
	{name: "bench", value: "COMMAND", help: "command of your benchmark, to be gated as it is", verbs: "init"},
	{name: "build", value: "COMMAND", help: "with --bench, command that builds its program",
		fallback: fallback{means: "looked for: make, CMake, meson, build.sh"}, verbs: "init"},
	{name: "tasks", value: "DIR", help: "folder with tasks of GPU MODE or KernelBench, to be gated as they are", verbs: "init"},
	{name: "github", help: "write workflows for GitHub Actions", verbs: "init"},
	{name: "runs-on", value: "LABEL,...", help: "with --github, labels of the runner that measures", fallback: fallback{means: "self-hosted,gpu"},
		verbs: "init"},
	{name: "action-ref", value: "REV", help: "with --github, tag or commit of the action",
		fallback: fallback{means: "its release, or the commit that this perfgate was built from"}, verbs: "init"},
	{name: "baseline-branch", value: "BRANCH", help: "with --github, branch that keeps the records", fallback: fallback{means: "perfgate-baseline"},
		verbs: "init"},
	{name: "forks", help: "with --github, fork workflows: one measures without a token, another reports", verbs: "init"},
	{name: "shards", value: "N", help: "number of runners that share the cases of a pull request", fallback: fallback{means: "1"},
		verbs: "init", input: true},
	{name: "machine-labels", value: "LABEL,...", help: "labels of machines of different models that measure all cases each, such as l4,h100",
		fallback: fallback{means: "one machine"}, verbs: "init", input: true},
	{name: "precheck", help: "with --github, compile both sides without a GPU first: what builds to the same code needs no GPU", verbs: "init"},
	{name: "arch", value: "ARCH", help: "architecture of the GPU that will measure, such as sm_89; kernels in CUDA need it",
		verbs: "precheck init", input: true},
	{name: "precheck-image", value: "IMAGE", help: "with --precheck, container to compile in",
		fallback: fallback{means: "one of NVIDIA's with nvcc where there is an --arch"}, verbs: "init"},

	// Simulation.
	{name: "suites", value: "N", help: "suites of cases behind every error rate", fallback: fallback{means: strconv.Itoa(simulated.Suites)}, verbs: "calibrate"},
	{name: "suite-cases", value: "N", help: "cases of each suite", fallback: fallback{means: strconv.Itoa(simulated.SuiteCases)}, verbs: "calibrate"},
	{name: "trials", value: "N", help: "simulated trials behind every power", fallback: fallback{means: strconv.Itoa(simulated.Cases)}, verbs: "calibrate"},
	{name: "promises", help: "print what the rule promises in every noise model, at tolerances of 0.5, 1 and 1.5 %, from --trials cases a number", verbs: "calibrate"},
	{name: "noise", value: "NAME,...", help: "only noise models whose name contains one of these, such as middle-pair,two-clocks", verbs: "calibrate"},
	{name: "recordings", value: "FILE", help: "replay this sample file instead", verbs: "calibrate"},
	{name: "enough", help: "with --recordings, suites of all its cases, with all samples of a process and with as many as a run on a GPU takes",
		verbs: "calibrate"},
	{name: "injected", value: "FILE", bare: ownRecordings,
		help: "draw from this file of processes with an injected slowdown instead; without a file, from those that come with perfgate", verbs: "calibrate"},
	{name: "exact", help: "with --injected, scale the injected slowdown to exactly its percentage", verbs: "calibrate"},
	{name: "searches", value: "N", help: "simulate so many searches instead", verbs: "calibrate"},
	{name: "candidates", value: "N", help: "with --searches, equal candidates of each", fallback: fallback{means: "1000"}, verbs: "calibrate"},
	{name: "figure", value: "FILE", help: "write the operating curve to this SVG file", verbs: "calibrate"},
	{name: "no-other-rules", help: "leave out the decision rules of other tools", verbs: "calibrate"},
	{name: "no-curve", help: "leave out the operating curve", verbs: "calibrate"},

	// What is printed and kept.
	{name: "out", short: "o", value: "DIR", help: "folder for the files that are written", output: true, other: map[string]fallback{
		"run": {value: "perfgate-out"}, "merge": {value: "perfgate-out"}, "rerun": {value: "perfgate-rerun"}, "demo": {value: "perfgate-demo"}, "report": {value: "perfgate-report"},
		"versus": {value: "perfgate-versus"}, "tune": {value: "perfgate-tune"}, "bisect": {value: "perfgate-bisect"}, "drift": {value: "perfgate-drift"}, "compare": {means: "none"},
	}, verbs: "run merge rerun demo report versus tune bisect drift compare"},
	{name: "format", value: "WORD", help: "how to print the answer", output: true, fallback: fallback{value: "text"},
		other: map[string]fallback{"export": {value: "csv"}, "judge": {means: "json, and text with --status"}},
		choices: map[string]string{
			"run": "text|markdown|json", "rerun": "text|markdown|json", "merge": "text|markdown|json", "precheck": "text|markdown|json", "parity": "text|json", "compare": "text|json|markdown|csv",
			"versus": "text|markdown|json|html", "explain": "text|markdown|json|html", "tune": "text|markdown|json|html", "bisect": "text|markdown|json|html",
			"drift": "text|markdown|json|html",
			"judge": "text|json", "history": "text|json|csv|html", "show": "text|json", "export": "csv|jsonl", "doctor": "text|json|html",
		}, verbs: formatted + " export"},
	{name: "json", sets: "format", help: "the same as --format json", output: true, verbs: formatted},
	{name: "quiet", short: "q", help: "no progress on standard error; the answer and errors stay", output: true, verbs: "perfgate"},
	{name: "verbose", short: "v", help: "also print every command with its time: compilers, build commands and kernels; and where the time of a run went", output: true, verbs: "perfgate"},
}
