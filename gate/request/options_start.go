package request

// startOptions are the start, and what is printed.
var startOptions = []Option{
	// The start.
	{Name: "quick", Help: "a fast, coarse answer without the longest checks", Verbs: "doctor"},
	{Name: "python", Help: "a kernel and an adapter in Python: numpy, or Triton with --device cuda", Verbs: "demo init"},
	{Name: "bench", Value: "COMMAND", Help: "command of your benchmark, gated as it is", Verbs: "init"},
	{Name: "build", Value: "COMMAND", Help: "with --bench, command that builds its program",
		Fallback: Fallback{Means: "found: make, CMake, meson or build.sh"}, Verbs: "init"},
	{Name: "tasks", Value: "DIR", Help: "folder with tasks of GPU MODE or KernelBench, gated as they are", Verbs: "init"},
	{Name: "github", Help: "write workflows for GitHub Actions", Verbs: "init"},
	{Name: "runs-on", Value: "LABEL,...", Help: "with --github, labels of the runner that measures", Fallback: Fallback{Means: "self-hosted,gpu, or self-hosted,linux with device: cpu"},
		Verbs: "init"},
	{Name: "action-ref", Value: "REV", Help: "with --github, tag or commit of the action",
		Fallback: Fallback{Means: "its release, or the commit that this perfgate was built from"}, Verbs: "init"},
	{Name: "baseline-branch", Value: "BRANCH", Help: "with --github, branch that keeps the records", Fallback: Fallback{Means: "perfgate-baseline"},
		Verbs: "init"},
	{Name: "forks", Help: "with --github, fork workflows: one measures without a token, another reports", Verbs: "init"},
	{Name: "shards", Value: "N", Help: "number of runners that share the cases of a pull request", Fallback: Fallback{Means: "1"},
		Verbs: "init", Input: true},
	{Name: "machine-labels", Value: "LABEL,...", Help: "labels of machines of different models that each measure all cases, such as l4,h100",
		Fallback: Fallback{Means: "one machine"}, Verbs: "init", Input: true},
	{Name: "precheck", Help: "with --github, compile both sides first, and use the GPU only if there is something to measure", Verbs: "init"},
	{Name: "arch", Value: "ARCH", Help: "architecture of the GPU that will measure, such as sm_89; kernels in CUDA need it",
		Verbs: "precheck init", Input: true},
	{Name: "precheck-image", Value: "IMAGE", Help: "with --precheck, container to compile in",
		Fallback: Fallback{Means: "with --arch, an image of NVIDIA's with nvcc"}, Verbs: "init"},

	// What is printed and kept.
	{Name: "out", Short: "o", Value: "DIR", Help: "folder for the files that are written", Output: true, Other: map[string]Fallback{
		"run": {Value: "perfgate-out"}, "merge": {Value: "perfgate-out"}, "rerun": {Value: "perfgate-rerun"}, "demo": {Value: "perfgate-demo"}, "report": {Value: "perfgate-report"},
		"versus": {Value: "perfgate-versus"}, "tune": {Value: "perfgate-tune"}, "bisect": {Value: "perfgate-bisect"}, "drift": {Value: "perfgate-drift"}, "compare": {Means: "none"},
	}, Verbs: "run merge rerun demo report versus tune bisect drift compare"},
	{Name: "format", Value: "WORD", Help: "how to print the answer", Output: true, Fallback: Fallback{Value: "text"},
		Other: map[string]Fallback{"export": {Value: "csv"}, "judge": {Means: "json, and text with --status"}},
		Choices: map[string]string{
			"run": "text|markdown|json", "rerun": "text|markdown|json", "merge": "text|markdown|json", "precheck": "text|markdown|json", "parity": "text|json", "compare": "text|json|markdown|csv",
			"versus": "text|markdown|json|html", "explain": "text|markdown|json|html", "tune": "text|markdown|json|html", "bisect": "text|markdown|json|html",
			"drift": "text|markdown|json|html",
			"judge": "text|json|html", "history": "text|json|csv|html", "show": "text|json", "record": "text|markdown|json",
			"list": "text|markdown|json", "accept": "text|markdown|json", "waivers": "text|markdown|json", "prune": "text|markdown|json", "import": "text|markdown|json",
			"export": "csv|jsonl", "doctor": "text|json|html",
		}, Verbs: formatted + " export"},
	{Name: "json", Sets: "format", Help: "the same as --format json", Output: true, Verbs: formatted},
	{Name: "quiet", Short: "q", Help: "no progress on standard error; the answer and errors stay", Output: true, Verbs: "perfgate"},
	{Name: "verbose", Short: "v", Help: "print more: every command with its time, and method, machine, compilers and rounds of a run", Output: true, Verbs: "perfgate"},
}
