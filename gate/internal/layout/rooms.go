package layout

// Room is a package of Go.
type Room struct {
	Path    string
	For     string // what it is for
	Budget  int    // most lines, as Source.Lines counts them; 0: none is stated
	With    string // the room whose budget covers it too
	Imports string // what of this module it imports: only what stands above it. Tests may import more
}

// Group is rooms that do one kind of work.
type Group struct {
	Name, For string
	Rooms     []Room
}

// IsProduct says whether its rooms are part of what users run.
func (g Group) IsProduct() bool { return g.Name != support.Name }

// What the whole may have: lines of product Go, its packages, lines of tests, lines of a file, and of one of the command: flags, one call, one document.
const (
	MostLines     = 54000
	MostPackages  = 32
	MostTestLines = 32000
	MostFileLines = 400
	MostVerbLines = 149
)

// Groups are all packages of the module, and which may import which. CONTRIBUTING.md, README.md and gate/doc.go have maps that
// are made from this table.
var Groups = []Group{
	{"ground", "types and arithmetic; no clock, no dice", []Room{
		{"stats", "statistics with their sources", 1250, "", ""},
		{"gate/text", "numbers, units, visible text, widths, lines that are safe in logs", 400, "", ""},
		{"gate/untrusted", "reads files that others may have made", 0, "", ""},
		{"gate/saved", "the codec of every JSON document that perfgate keeps", 350, "", "gate/text gate/untrusted"},
		{"gate/result", "a run as data: cases, processes, comparisons, findings, evidence", 1500, "", "gate/text gate/saved"},
		{"gate/rule", "samples to comparison, verdict, findings and exit code; replay and merge", 2200, "", "gate/result stats"},
	}},
	{"processes", "processes that perfgate starts, and where they run", []Room{
		{"gate/machine", "this machine, its GPUs, locks and clocks", 1050, "", "gate/result gate/text"},
		{"kernels/observe", "which files a process tree asks the Linux kernel for", 450, "", "gate/text gate/untrusted"},
		{"kernels/sandbox", "what a process may touch: Landlock, seccomp", 1000, "", "kernels/observe"},
		{"kernels/child", "supervised processes, some of them prestarted, that leave nothing behind", 800, "", "kernels/observe kernels/sandbox"},
		{"kernels/task", "tasks of kernel competitions: their formats", 0, "kernels", "gate/text gate/untrusted"},
		{"kernels/checkout", "what leads from this process into a checkout", 0, "gate/repo", "gate/text gate/untrusted"},
		{"kernels", "builds adapters, and talks to the processes that load them", 4600, "",
			"gate/text gate/untrusted gate/result kernels/checkout kernels/child kernels/observe kernels/sandbox kernels/task"},
	}},
	{"what to do", "what a run is asked for: configuration, cases, sides", []Room{
		{"gate/benchmark", "benchmarks and sample files that a team has: their formats", 1750, "", "gate/text gate/result kernels stats"},
		{"gate/config", "perfgate.yaml, read strictly", 2300, "", "gate/text gate/benchmark gate/result gate/untrusted kernels kernels/checkout kernels/task"},
		{"gate/plan", "cases that are timed, cases that are fuzzed, shards", 1050, "", "gate/config gate/result kernels"},
		{"gate/repo", "git: both sides, and what differs between them", 1100, "",
			"gate/text gate/config gate/result gate/saved gate/untrusted kernels/checkout kernels/child kernels/task"},
	}},
	{"over time", "what was measured before", []Room{
		{"gate/baseline", "records: what commits measured, stores, screening", 2100, "",
			"gate/text gate/untrusted gate/rule gate/repo gate/result gate/saved kernels/checkout kernels/observe stats"},
		{"gate/history", "levels of a case over time, their change points, drift", 1200, "", "gate/baseline gate/repo gate/result gate/rule stats"},
		{"gate/drift", "the default branch and its machine, compared with records", 0, "gate/history",
			"gate/baseline gate/history gate/result gate/saved stats"},
	}},
	{"stages", "a run, step by step", []Room{
		{"gate/parity", "is head right: fuzzing, shrinking, tolerance, the output checker", 2400, "",
			"gate/untrusted gate/config gate/plan gate/result gate/saved kernels"},
		{"gate/measure", "rounds of fresh processes, of adapters and of benchmarks, until a stop rule holds", 1600, "",
			"gate/benchmark gate/parity gate/result gate/rule gate/untrusted kernels kernels/child kernels/observe stats"},
		{"gate/profile", "Nsight Compute, counters and compiled code, as data", 2000, "",
			"gate/text gate/untrusted gate/result kernels kernels/child kernels/sandbox"},
		{"gate/profile/explain", "two profiles to a cause", 2600, "", "gate/config gate/profile gate/result stats"},
		{"gate/identity", "are both sides the same to the processes that run them?", 0, "gate/run",
			"gate/config gate/plan gate/repo gate/untrusted kernels/checkout kernels/observe"},
		{"gate/run", "the stages in order: build, parity, rounds, evidence, result", 2900, "",
			"gate/untrusted gate/rule gate/baseline gate/benchmark gate/config gate/history gate/identity gate/machine gate/measure " +
				"gate/parity gate/plan gate/profile gate/profile/explain gate/repo gate/result gate/saved gate/text " +
				"kernels kernels/checkout kernels/observe kernels/child kernels/sandbox"},
		{"gate/request", "the option table; flags or a job request, to the options of a run or to an open store", 0, "gate/run",
			"gate/text gate/baseline gate/config gate/machine gate/parity gate/run gate/plan gate/repo gate/result gate/rule kernels kernels/checkout"},
	}},
	{"around a run", "several runs, and what was saved", []Room{
		{"gate/search", "bisect, drift, judge, versus and compare: what is measured or compared", 2100, "",
			"gate/text gate/baseline gate/benchmark gate/config gate/drift gate/history gate/machine gate/run gate/plan gate/repo gate/request " +
				"gate/result gate/rule gate/saved gate/untrusted kernels kernels/checkout stats"},
	}},
	{"saying it", "results for people and other programs", []Room{
		{"gate/report", "what a report says: a document with every sentence, table and figure", 2900, "",
			"gate/text gate/rule gate/baseline gate/history gate/result gate/search gate/drift stats"},
		{"gate/render", "that document: terminal, Markdown, HTML, JUnit, CSV", 2400, "", "gate/text gate/untrusted gate/saved gate/report gate/result"},
		{"gate/github", "comment, check run, commit status; the event; the log of a job", 1700, "",
			"gate/text gate/untrusted gate/render gate/report gate/result"},
		{"gate/action", "steps of the GitHub action, trust, the workflows that init writes", 2700, "",
			"gate/text gate/untrusted gate/rule gate/baseline gate/config gate/github gate/parity gate/run gate/plan " +
				"gate/repo gate/render gate/report gate/request gate/result gate/saved gate/search gate/drift kernels kernels/checkout kernels/task"},
	}},
	{"without a run", "what a person does before the first run, and tests of perfgate itself", []Room{
		{"gate/trial", "tries a team's benchmark, to write its first configuration", 0, "",
			"gate/text gate/benchmark gate/config gate/machine gate/repo gate/result gate/rule gate/untrusted " +
				"kernels kernels/checkout kernels/child kernels/observe"},
		{"gate/simulate", "error rates and power of the rule, simulated", 0, "", "gate/rule gate/benchmark gate/render gate/result stats"},
		{"gate/doctor", "is this machine fit to measure?", 950, "",
			"gate/text gate/untrusted gate/benchmark gate/rule gate/config gate/machine gate/run gate/profile gate/repo gate/report gate/result " +
				"gate/saved kernels kernels/checkout kernels/child kernels/sandbox stats"},
	}},
	{"command line", "what a person types", []Room{
		{"cmd/perfgate", "a file for each verb: flags, one call, one answer", 3700, "",
			"gate/text gate/untrusted gate/rule gate/action gate/baseline gate/config " +
				"gate/doctor gate/github gate/history gate/machine gate/parity gate/run gate/plan gate/profile " +
				"gate/profile/explain gate/render gate/repo gate/report gate/request gate/result gate/saved gate/search gate/trial gate/drift " +
				"kernels kernels/child kernels/task"},
		{"cmd/simulate", "prints the tables of a simulation", 0, "", "gate/config gate/simulate"},
	}},
	support,
}

// support is no part of the product: what tests and contributors need.
var support = Group{"support of tests", "and of contributors; the product imports none of it", []Room{
	{"docs", "tests of what pages say of each other", 0, "", ""},
	{"docs/gallery", "a program for one of its pictures", 0, "", ""},
	{"gate", "the picture of all, as a package comment", 0, "", ""},
	{"cmd/perfgate/stories", "what users do with the command, from a shell", 0, "", ""},
	{"cmd/perfgate/usertest", "a user of the command", 0, "", "kernels"},
	{"gate/action/e2e", "the action and its workflows, run by a workflow engine", 0, "", ""},
	{"gate/internal/comments", "comments of types and fields, which pages are made of", 0, "", ""},
	{"gate/internal/fakegithub", "GitHub's REST API, with state", 0, "", ""},
	{"gate/internal/layout", "this table, and tests of the architecture", 0, "", ""},
	{"gate/internal/layout/count", "prints lines and budgets", 0, "", "gate/internal/layout"},
	{"gate/internal/machinetest", "NVIDIA drivers and GPUs that are mocks", 0, "", ""},
	{"gate/internal/markdowntest", "what GitHub would act on in Markdown", 0, "", ""},
	{"gate/internal/ruletest", "cases that the rule has decided", 0, "", "gate/rule gate/result stats"},
	{"kernels/kernelstest", "builds and runs kernels", 0, "", "kernels/sandbox"},
	{"kernels/kernelstest/fakeharness", "a harness process that times nothing: adapters say what launches take", 0, "", "kernels"},
}}
