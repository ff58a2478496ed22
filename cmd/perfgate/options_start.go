package main

import (
	"strconv"

	"github.com/org/perfgate/gate/calibrate"
)

// simulated are what a simulation has where nothing else is asked.
var simulated = calibrate.Default()

// startOptions are the start, simulation, and what is printed.
var startOptions = []option{
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
