package main

// startOptions are the start, and what is printed.
var startOptions = []option{
	// The start.
	{name: "quick", help: "a fast, coarse answer without the longest checks", verbs: "doctor"},
	{name: "python", help: "a kernel and an adapter in Python: numpy, or Triton with --device cuda", verbs: "demo init"},
	{name: "bench", value: "COMMAND", help: "command of your benchmark, gated as it is", verbs: "init"},
	{name: "build", value: "COMMAND", help: "with --bench, command that builds its program",
		fallback: fallback{means: "found: make, CMake, meson or build.sh"}, verbs: "init"},
	{name: "tasks", value: "DIR", help: "folder with tasks of GPU MODE or KernelBench, gated as they are", verbs: "init"},
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
	{name: "machine-labels", value: "LABEL,...", help: "labels of machines of different models that each measure all cases, such as l4,h100",
		fallback: fallback{means: "one machine"}, verbs: "init", input: true},
	{name: "precheck", help: "with --github, compile both sides first, and use the GPU only if there is something to measure", verbs: "init"},
	{name: "arch", value: "ARCH", help: "architecture of the GPU that will measure, such as sm_89; kernels in CUDA need it",
		verbs: "precheck init", input: true},
	{name: "precheck-image", value: "IMAGE", help: "with --precheck, container to compile in",
		fallback: fallback{means: "with --arch, an image of NVIDIA's with nvcc"}, verbs: "init"},

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
			"judge": "text|json|html", "history": "text|json|csv|html", "show": "text|json", "record": "text|markdown|json",
			"list": "text|markdown|json", "accept": "text|markdown|json", "waivers": "text|markdown|json", "prune": "text|markdown|json", "import": "text|markdown|json",
			"export": "csv|jsonl", "doctor": "text|json|html",
		}, verbs: formatted + " export"},
	{name: "json", sets: "format", help: "the same as --format json", output: true, verbs: formatted},
	{name: "quiet", short: "q", help: "no progress on standard error; the answer and errors stay", output: true, verbs: "perfgate"},
	{name: "verbose", short: "v", help: "print more: every command with its time, and method, machine, compilers and rounds of a run", output: true, verbs: "perfgate"},
}
