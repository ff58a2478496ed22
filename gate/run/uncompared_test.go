package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

const (
	tritonKernel = "    bench: {script: bench.py, format: triton}\n    files: [bench.py]\n"
	ownScripts   = "    bench: {script: bench.py, format: triton}\n"
	nativeKernel = "    adapter: k.pg.cc\n    sources: [k.cc]\n    params: {n: {values: [7]}}\n"
	builtKernel  = "    adapter: k.pg.cc\n    build: {command: make, output: k.so}\n    params: {n: {values: [7]}}\n"
	inPython     = "    adapter: ops/k.pg.py\n    params: {n: {values: [7]}}\n"
	builtPython  = "    adapter: ops/k.pg.py\n    build: {command: python setup.py build_ext --inplace}\n    params: {n: {values: [7]}}\n"
)

// uncomparedOf is what a change of files leaves uncompared.
func uncomparedOf(t *testing.T, trust, yaml string, changed []string, change func(*Options)) []result.Uncompared {
	t.Helper()
	common := map[string]string{"bench.py": "b", "k.pg.cc": "a", "k.cc": "k", "ops/k.pg.py": "p", "ops/impl.py": "i", "README.md": "r", "data.bin": "d"}
	base, head := with(common, nil), with(common, nil)
	for _, file := range changed {
		base[file], head[file] = "before", "after"
	}
	opt := benchSides(t, trust, yaml, base, head)
	if change != nil {
		change(&opt)
	}
	out, err := findLeftOut(opt.Question, opt.Trusted.Config.Kernels[0])
	must(t, err)
	return out.uncompared()
}

// otherIs gives a run the configuration whose policy does not count.
func otherIs(o *Options, c *config.Config) {
	if o.Trusted.Base = c; o.Trusted.Trust == repo.TrustBase {
		o.Trusted.Base, o.Trusted.Head = o.Trusted.Config, c
	}
}

// A file of the benchmark that head changes is the same on both sides, whoever rules: it was not compared, and where nothing else differs that the
// kernel may read, nothing was.
func TestSharedBenchmarkFilesAreNotCompared(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		yaml    string
		changed []string
		change  func(*Options)
		names   []string
		only    bool
	}{
		"kernel and benchmark in one file": {tritonKernel, []string{"bench.py"}, nil, []string{"bench.py"}, true},
		"with a document":                  {tritonKernel, []string{"bench.py", "README.md", "docs/a.md"}, nil, []string{"bench.py"}, true},
		"with a workflow":                  {tritonKernel, []string{"bench.py", ".github/workflows/ci.yml"}, nil, []string{"bench.py"}, true},
		"with the packages":                {tritonKernel, []string{"bench.py", "uv.lock"}, nil, []string{"bench.py", "uv.lock"}, true},
		"with the file of another kernel":  {tritonKernel + "  - name: other\n    bench: {script: other.py, format: triton}\n    files: [other.py]\n", []string{"bench.py", "other.py"}, nil, []string{"bench.py"}, true},
		"with a module":                    {tritonKernel, []string{"bench.py", "impl.py"}, nil, []string{"bench.py"}, false},
		"with data":                        {tritonKernel, []string{"bench.py", "data.bin"}, nil, []string{"bench.py"}, false},
		"with flags of one side":           {tritonKernel, []string{"bench.py"}, func(o *Options) { o.Head.Info.Flags = []string{"-O1"} }, []string{"bench.py"}, false},
		"a document alone":                 {tritonKernel, []string{"README.md"}, nil, nil, false},
		"each side runs its own":           {ownScripts, []string{"bench.py"}, nil, nil, false},
		"by git's word":                    {tritonKernel, []string{"bench.py"}, func(o *Options) { o.ChangedFiles, o.ChangesKnown = []string{"bench.py"}, true }, []string{"bench.py"}, true},
		"base has none": {tritonKernel, []string{"bench.py"}, func(o *Options) {
			if err := os.Remove(filepath.Join(o.Base.Tree, "bench.py")); err != nil {
				t.Error(err)
			}
		}, nil, false},
		"there is no base": {tritonKernel, []string{"bench.py"}, func(o *Options) { o.Base = Side{} }, nil, false},
	} {
		for _, trust := range []string{repo.TrustBase, repo.TrustWorktree} {
			for _, label := range []bool{false, true} {
				got := uncomparedOf(t, trust, tt.yaml, tt.changed, func(o *Options) {
					if o.MayDrop = label; tt.change != nil {
						tt.change(o)
					}
				})
				var names []string
				for _, u := range got {
					names = append(names, u.Reason.Names...)
					if want := map[string]result.Side{repo.TrustBase: result.SideBase, repo.TrustWorktree: result.SideHead}[trust]; u.Reason.Kind == result.ReasonBenchmarkFiles && u.Reason.Side != want {
						t.Errorf("%s, %s: %s's were used", name, trust, u.Reason.Side)
					}
					if u.Only != tt.only || u.Approved != label || u.LeavesNothing() != (tt.only && !label) {
						t.Errorf("%s, %s: %+v", name, trust, u)
					}
				}
				if !slices.Equal(names, tt.names) {
					t.Errorf("%s, %s: %q, want %q", name, trust, names, tt.names)
				}
			}
		}
	}
}

// What is installed is the same for both sides. A kernel that runs in it was not compared by a change of its files alone.
func TestChangedEnvironmentIsNotCompared(t *testing.T) {
	t.Parallel()
	const watch = "paths: [ops/**, docker/requirements.txt]\n"
	for name, tt := range map[string]struct {
		yaml    string
		changed []string
		said    int
		only    bool
	}{
		"requirements":                          {inPython, []string{"requirements.txt"}, 1, true},
		"a lock":                                {inPython, []string{"uv.lock", "pyproject.toml"}, 1, true},
		"of the kernel's folder":                {inPython, []string{"ops/environment.yml"}, 1, true},
		"of a folder of requirements":           {inPython, []string{"requirements/gpu.txt"}, 1, true},
		"of that, and paths do not name it":     {inPython + watch, []string{"requirements/gpu.txt"}, 0, false},
		"a project's own, whatever paths names": {inPython + watch, []string{"poetry.lock"}, 1, true},
		"another folder's":                      {inPython, []string{"docs/requirements.txt"}, 1, false},
		"another's, and paths do not name it":   {inPython + watch, []string{"docs/requirements.txt"}, 0, false},
		"another's, and paths names it":         {inPython + watch, []string{"docker/requirements.txt"}, 1, true},
		"another's, and paths names everything": {inPython + "paths: ['**']\n", []string{"docs/requirements.txt"}, 1, false},
		"of a build command, and everything is": {builtKernel + "paths: ['**']\n", []string{"requirements.txt"}, 0, false},
		"with the kernel":                       {inPython, []string{"requirements.txt", "ops/impl.py"}, 1, false},
		"with a change of another kernel":       {inPython + "  - name: other\n    adapter: k.pg.cc\n    sources: [k.cc]\n    params: {n: {values: [7]}}\n", []string{"requirements.txt", "k.cc"}, 1, true},
		"a script's":                            {ownScripts, []string{"Pipfile.lock"}, 1, true},
		"of a command that is Python's":         {"    bench: {command: pytest, format: pytest-benchmark}\n", []string{"setup.cfg"}, 1, true},
		"of a command":                          {"    bench: {command: ./b, format: csv}\n", []string{"requirements.txt"}, 0, false},
		"of a command, and paths names it":      {"    bench: {command: ./b, format: csv}\npaths: [requirements.txt]\n", []string{"requirements.txt"}, 1, true},
		"of C++ without Python":                 {nativeKernel, []string{"requirements.txt", "pyproject.toml", "conanfile.txt"}, 0, false},
		"of that, and paths names it":           {nativeKernel + "paths: [requirements.txt]\n", []string{"requirements.txt"}, 0, false},
		"of a build command in C++":             {builtKernel, []string{"requirements.txt", "pyproject.toml"}, 0, false},
		"what each side's command reads":        {builtPython, []string{"setup.py"}, 1, false},
		"packages of C++ that it may read":      {builtKernel, []string{"conanfile.txt", "vcpkg.json"}, 1, false},
		"the machine's image":                   {inPython, []string{"Dockerfile"}, 1, false},
		"the machine's, and paths names it":     {nativeKernel + "paths: [Dockerfile]\n", []string{"Dockerfile"}, 1, true},
		"submodules are each side's":            {builtKernel, []string{".gitmodules", "CMakePresets.json"}, 0, false},
	} {
		for _, known := range []bool{false, true} {
			got := uncomparedOf(t, repo.TrustBase, tt.yaml, tt.changed, func(o *Options) { o.ChangedFiles, o.ChangesKnown = tt.changed, known })
			if len(got) != tt.said || tt.said > 0 && (got[0].Only != tt.only || got[0].Reason.Kind != result.ReasonEnvironmentFiles) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// An adapter may have the kernel in it, or a part of it: head's change of it is not compared, whatever else the kernel is made of.
func TestSharedAdaptersAreNotCompared(t *testing.T) {
	t.Parallel()
	const alone = "    adapter: k.pg.cc\n    params: {n: {values: [7]}}\n"
	for name, tt := range map[string]struct {
		yaml    string
		changed []string
		said    int
		only    bool
	}{
		"a kernel in its adapter": {inPython, []string{"ops/k.pg.py"}, 1, true}, "with a module": {inPython, []string{"ops/k.pg.py", "ops/impl.py"}, 1, false},
		"in C++": {alone, []string{"k.pg.cc"}, 1, true}, "with sources": {nativeKernel, []string{"k.pg.cc"}, 1, true},
		"with sources that differ": {nativeKernel, []string{"k.pg.cc", "k.cc"}, 1, false},
		"unchanged":                {inPython, []string{"ops/impl.py"}, 0, false}, "by a build command": {builtKernel, []string{"k.pg.cc"}, 1, true},
	} {
		for trust, side := range map[string]result.Side{repo.TrustBase: result.SideBase, repo.TrustWorktree: result.SideHead} {
			got := uncomparedOf(t, trust, tt.yaml, tt.changed, func(o *Options) {
				if adapter := o.Trusted.Config.Kernels[0].Adapter; slices.Contains(tt.changed, adapter) {
					o.Trusted.Changed = []result.RuleChange{{Kind: result.RuleAdapter, File: adapter}}
				}
			})
			if len(got) != tt.said || tt.said > 0 && (got[0].Only != tt.only || got[0].Reason.Kind != result.ReasonAdapterFile || got[0].Reason.Side != side) {
				t.Errorf("%s, %s: %+v", name, trust, got)
			}
		}
	}
	each := Kernel{Base: Build{Record: &result.Build{}}, BaseAdapter: "ops/k.pg.py"}
	if left := each.settled([]result.Uncompared{{Reason: result.Reason{Kind: result.ReasonAdapterFile}}}); len(left) > 0 {
		t.Errorf("each side was built with its own: %+v", left)
	}
}

// Both sides run what one configuration says, and where base's policy counts they are built by it too: what the other one says was not compared.
func TestSharedConfigurationIsNotCompared(t *testing.T) {
	t.Parallel()
	const bench, other = "    bench: {command: python3 bench.py 1, format: csv}\n", "    bench: {command: python3 bench.py 4, format: csv}\n"
	const everybodys = "environment: {fetch: a, build: VERSION=1 make, inputs: [r.txt]}\n"
	const installed = bench + "    " + everybodys
	flags := strings.Replace(nativeKernel, "sources", "flags: [-O0]\n    sources", 1)
	for name, tt := range map[string]struct {
		trust, now, other string
		changed           []string
		said              int
		only              bool
	}{
		"other arguments":           {repo.TrustWorktree, bench, other, nil, 1, true},
		"with a file":               {repo.TrustWorktree, bench, "    bench: {command: python3 other.py, format: csv}\n", []string{"bench.py"}, 1, false},
		"the same":                  {repo.TrustWorktree, bench, bench, nil, 0, false},
		"head's arguments":          {repo.TrustBase, bench, other, nil, 1, true},
		"head's flags":              {repo.TrustBase, nativeKernel, flags, nil, 1, true},
		"head's flags, with a file": {repo.TrustBase, nativeKernel, flags, []string{"k.cc"}, 1, false},
		"head's interpreter":        {repo.TrustBase, inPython, inPython + "python: python3.99\n", nil, 1, true},
		"a compiled one's":          {repo.TrustBase, nativeKernel, nativeKernel + "python: python3.99\n", nil, 0, false},
		"head's tolerance":          {repo.TrustBase, nativeKernel, nativeKernel + "gate: {tolerance: 8%}\n", nil, 0, false},
		"head's environment":        {repo.TrustBase, installed, strings.Replace(installed, "VERSION=1", "VERSION=2", 1), nil, 1, true},
		"what head fetches":         {repo.TrustBase, installed, strings.Replace(installed, "fetch: a", "fetch: b", 1), nil, 1, true},
		"head's inputs":             {repo.TrustBase, installed, strings.Replace(installed, "r.txt", "'*.txt'", 1), nil, 1, true},
		"an environment more":       {repo.TrustBase, bench, installed, nil, 1, true},
		"everybody's environment":   {repo.TrustBase, bench, bench + everybodys, nil, 1, true},
		"one written elsewhere":     {repo.TrustBase, installed, bench + everybodys, nil, 0, false},
		"each side's environment":   {repo.TrustWorktree, installed, bench, nil, 0, false},
		"a benchmark, each side's":  {repo.TrustWorktree, installed, other, nil, 1, false},    // of the environments there is something to compare
		"flags that base has":       {repo.TrustWorktree, nativeKernel, flags, nil, 0, false}, // each side is built by its own
	} {
		var hint string
		got := uncomparedOf(t, tt.trust, tt.now, tt.changed, func(o *Options) {
			otherIs(o, parsed(t, "  - name: k\n"+tt.other))
			w := workshop{Question: o.Question}
			hint = w.policyHint(o.Head, o.Trusted.Config.Kernels[0])
		})
		if (hint != "") != (tt.trust == repo.TrustBase && tt.said > 0) { // of a head that does not build
			t.Errorf("%s: hint %q", name, hint)
		}
		if len(got) != tt.said || tt.said > 0 && (got[0].Only != tt.only || got[0].Reason.Kind != result.ReasonConfiguration) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What an external contributor fetches waits for the label: head ran in base's environment, whatever its own configuration says of it.
func TestEnvironmentThatHeadDoesNotGetIsNotCompared(t *testing.T) {
	t.Parallel()
	const installed = "    bench: {command: python3 bench.py 1, format: csv}\n    environment: {fetch: a, build: VERSION=1 make, inputs: [r.txt]}\n"
	for was, said := range map[string]int{"VERSION=1": 0, "VERSION=0": 1} {
		for _, external := range []bool{true, false} {
			got := uncomparedOf(t, repo.TrustWorktree, installed, nil, func(o *Options) {
				its := parsed(t, "  - name: k\n"+strings.Replace(installed, "VERSION=1", was, 1))
				o.External, o.Trusted.Base = external, its
			})
			if want := said == 1 && external; (len(got) == 1) != want || want && (got[0].Reason.Kind != result.ReasonEnvironmentLabel || !got[0].Only) {
				t.Errorf("%s, external %v: %+v", was, external, got)
			}
		}
	}
}

// A change of the epoch is said of any kernel, whichever way it goes and whoever rules: nothing of what a run compares shows it.
func TestChangedEpochIsNotCompared(t *testing.T) {
	t.Parallel()
	const bench = "    bench: {command: python3 bench.py 1, format: csv}\n"
	for name, tt := range map[string]struct {
		trust, base, head string
		said              string
	}{
		"raised":                    {repo.TrustBase, nativeKernel, nativeKernel + "    epoch: 2\n", "1 to 2"},
		"raised, with the label":    {repo.TrustWorktree, nativeKernel, nativeKernel + "    epoch: 2\n", "1 to 2"},
		"lowered":                   {repo.TrustBase, nativeKernel + "    epoch: 3\n", nativeKernel + "    epoch: 2\n", "3 to 2"},
		"lowered, with the label":   {repo.TrustWorktree, nativeKernel + "    epoch: 3\n", nativeKernel, "3 to 1"},
		"of a benchmark":            {repo.TrustBase, bench, bench + "    epoch: 2\n", "1 to 2"},
		"written out":               {repo.TrustBase, nativeKernel, nativeKernel + "    epoch: 1\n", ""},
		"another kernel's":          {repo.TrustBase, nativeKernel, nativeKernel + "  - {name: o, adapter: k.pg.cc, params: {n: {values: [1]}}, epoch: 2}\n", ""},
		"the same on both branches": {repo.TrustBase, nativeKernel + "    epoch: 2\n", nativeKernel + "    epoch: 2\n", ""},
	} {
		rules, other := tt.base, tt.head
		if tt.trust == repo.TrustWorktree {
			rules, other = other, rules
		}
		for _, label := range []bool{false, true} {
			got := uncomparedOf(t, tt.trust, rules, []string{"k.cc"}, func(o *Options) {
				o.MayDrop = label
				otherIs(o, parsed(t, "  - name: k\n"+other))
			})
			if tt.said == "" && len(got) > 0 || tt.said != "" && (len(got) != 1 || got[0].Reason.Kind != result.ReasonEpoch || got[0].Reason.Name != tt.said || got[0].Approved != label) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	fresh := Kernel{Head: Build{Record: &result.Build{}}}
	if left := fresh.settled([]result.Uncompared{{Reason: result.Reason{Kind: result.ReasonEpoch}}, {Reason: result.Reason{Kind: result.ReasonBenchmarkFiles}}}); len(left) != 1 || left[0].Reason.Kind != result.ReasonEpoch {
		t.Errorf("of a kernel that base lacks: %+v", left)
	}
}

// What both sides were built to outranks what their files say: a library that came out otherwise was compared.
func TestUncomparedAfterBuilding(t *testing.T) {
	t.Parallel()
	all := []result.Uncompared{{Reason: result.Reason{Kind: result.ReasonEnvironmentFiles}, Only: true}, {Reason: result.Reason{Kind: result.ReasonBenchmarkFiles}, Only: true}}
	built := func(fingerprint string) Build {
		b := Build{Record: &result.Build{}}
		b.Library.Fingerprint = fingerprint
		return b
	}
	same, other := Kernel{Base: built("1"), Head: built("1")}, Kernel{Base: built("1"), Head: built("2")}
	bench, own := other, other
	bench.Plan.Kernel.Bench = &config.Bench{}
	own.Plan.Kernel.Bench, own.OwnBenchmarks = &config.Bench{}, true
	for name, tt := range map[string]struct {
		kernel Kernel
		only   []bool
	}{
		"equal libraries": {same, []bool{true, true}}, "other libraries": {other, []bool{false, false}}, "a benchmark": {bench, []bool{true, true}},
		"own files after all": {own, []bool{true}}, "a new kernel": {Kernel{Head: built("1")}, nil},
	} {
		var only []bool
		for _, u := range tt.kernel.settled(all) {
			only = append(only, u.Only)
		}
		if !slices.Equal(only, tt.only) {
			t.Errorf("%s: %v, want %v", name, only, tt.only)
		}
	}
}

// The tutorial's layout, run: a head that is slower in the file that both sides get is no pass; with the label it is one that says so. Without files
// each side runs its own, and head is slower.
func TestKernelInTheBenchmarksFile(t *testing.T) {
	t.Parallel()
	const yaml = "    bench: {command: sh bench.sh, format: csv}\n    files: [bench.sh]\ngate: {tolerance: 3%}\n"
	const built = "    build: {command: 'cat /bin/echo bench.sh > bench; chmod +x bench'}\n    bench: {command: './bench -e kernel,ns\\\\nk,100000', format: csv}\n"
	bench := func(ns string) string { return "echo kernel,ns; echo k,$((" + ns + " + $$ % 100))" }
	for name, tt := range map[string]struct {
		yaml  string
		label bool
		exit  result.ExitCode
		kind  result.FindingKind
		note  string // "" for none of benchmarks that differ
	}{
		"shared":    {yaml, false, result.ExitNotMeasurable, result.FindingNothingCompared, ""},
		"approved":  {yaml, true, result.ExitPassed, result.FindingNotCompared, ""},
		"own files": {strings.Replace(yaml, "    files: [bench.sh]\n", "", 1), false, result.ExitFailed, result.FindingRegression, "each side ran its own: bench.sh"},
		"built":     {built, false, result.ExitPassed, result.FindingSelfTimed, ""},
	} {
		opt := benchSides(t, repo.TrustWorktree, tt.yaml, map[string]string{"bench.sh": bench("100000")}, map[string]string{"bench.sh": bench("400000")})
		opt.MayDrop = tt.label
		res := benchRun(t, opt)
		if res.Conclusion.Exit != tt.exit || !slices.ContainsFunc(res.Conclusion.Findings, func(f result.Finding) bool { return f.Kind == tt.kind }) {
			t.Errorf("%s: exit %d, %+v", name, res.Conclusion.Exit, res.Conclusion.Findings)
		}
		notes := strings.Join(res.Notes, "\n")
		if !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "ran its own") {
			t.Errorf("%s: notes are %q", name, res.Notes)
		}
	}
}
