package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// proved is what becomes of the one kernel of a run before it would be timed, and what is said of it. A nil kernel is timed.
func proved(t *testing.T, opt Options) (*result.Kernel, Kernel, string) {
	t.Helper()
	s, v := foundRun(t, opt)
	return provedOf(t, s, v)
}

func provedOf(t *testing.T, s *session, v *Values) (*result.Kernel, Kernel, string) {
	t.Helper()
	m := s.measuring(v.Asked)
	if len(v.Builds.On) != 1 {
		t.Fatalf("%+v", v.Builds.Ended)
	}
	k, a := v.Builds.On[0], Account{}
	ended, err := m.identical(t.Context(), &k, &a)
	must(t, err)
	return ended, k, strings.Join(a.Notes, "\n")
}

const (
	oneRow   = "echo kernel,ns; echo k,$((100000 + $$ % 100))\n"
	rowBench = "    bench: {command: sh bench.sh, format: csv}\n"
	rowBuild = "    build: {command: sh build.sh}\n" + rowBench
)

// A benchmark is left untimed where nothing that base's build and first run asked for differs on head, whatever asks for it and however.
func TestBenchmarksAreProvedByWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	observed(t)
	memory, err := os.CreateTemp("/dev/shm", "perfgate-test-")
	if err != nil {
		t.Skip(err)
	}
	memory.Close()
	shared := memory.Name()
	t.Cleanup(func() { os.Remove(shared) })
	reads := map[string]string{"bench.sh": "cat code.txt >/dev/null\n" + oneRow, "code.txt": "1"}
	builds := map[string]string{"bench.sh": "cat made/code >/dev/null\n" + oneRow, "build.sh": "mkdir -p made && cat code.txt >made/code && date +%N >>made/code", "code.txt": "1"}
	looks := map[string]string{"bench.sh": "[ -e flag ] && [ -e folder/flag ]\n" + oneRow, "folder/a": ""}
	lists := map[string]string{"bench.sh": "ls folder >/dev/null\n" + oneRow, "folder/a": ""}
	for name, c := range map[string]struct {
		yaml  string
		files map[string]string
		head  map[string]string // what it has besides, or otherwise
		same  bool
		note  string
	}{
		"nothing":                       {rowBench, reads, nil, true, ""},
		"a text beside":                 {rowBench, reads, map[string]string{"README.md": "new", "code.md": "new"}, true, ""},
		"a file that it reads":          {rowBench, reads, map[string]string{"code.txt": "2"}, false, ""},
		"its script":                    {rowBench, reads, map[string]string{"bench.sh": "true\ncat code.txt >/dev/null\n" + oneRow}, false, ""},
		"a product with the time in it": {rowBuild, builds, nil, true, ""},
		"a file that its build reads":   {rowBuild, builds, map[string]string{"code.txt": "2"}, false, ""},
		"a product that head has":       {rowBuild, builds, map[string]string{"made/code": "1"}, false, "base asks for made, which differs"},
		"a file only looked for":        {rowBench, looks, map[string]string{"flag": ""}, false, "base asks for flag, which differs"},
		"a folder of what is looked for is a link": {rowBench, map[string]string{"bench.sh": "[ -e gone/flag ]\n" + oneRow}, map[string]string{"gone": "link:."}, false,
			"base asks for gone/flag, which differs"},
		"a name in a folder":               {rowBench, lists, map[string]string{"folder/b": ""}, false, "base lists folder, where only one side has b"},
		"a text in a folder that it lists": {rowBench, lists, map[string]string{"folder/a": "new"}, true, ""},
		"a file that head's build gives base's content": {
			rowBuild, map[string]string{"bench.sh": oneRow, "build.sh": "grep -q 1 Makefile || echo 1 >Makefile", "Makefile": "1\n"}, map[string]string{"Makefile": "2\n"}, false,
			"base asks for Makefile, which the build rewrites",
		},
		"a script that git ignores": {
			rowBench, map[string]string{"bench.sh": ". ./gen.sh\n" + oneRow, "gen.sh": "", ".gitignore": "gen.sh\n"}, map[string]string{"gen.sh": "true"}, false, "",
		},
		"a row that head has besides": {rowBench, map[string]string{"bench.sh": oneRow + "case $PWD in */002) echo more,100000;; esac"}, nil, false, ""},
		"memory of others":            {rowBench, map[string]string{"bench.sh": "cat " + shared + "\n" + oneRow}, nil, false, "(shared-memory: " + shared + ")"},
		"memory of others in a build": {rowBuild, map[string]string{"bench.sh": oneRow, "build.sh": "cat " + shared}, nil, false, "(shared-memory: " + shared + ")"},
		"memory of others and a file": {rowBench, map[string]string{"bench.sh": "cat code.txt " + shared + ">/dev/null\n" + oneRow, "code.txt": "1"}, map[string]string{"code.txt": "2"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := benchSides(t, repo.TrustWorktree, c.yaml, c.files, with(c.files, c.head))
			for file, text := range c.head {
				if to, ok := strings.CutPrefix(text, "link:"); ok {
					must(t, relink(filepath.Join(opt.Head.Tree, file), to)())
				}
			}
			k, _, note := proved(t, opt)
			if (k != nil) != c.same || !strings.Contains(note, c.note) || c.note == "" && note != "" {
				t.Errorf("%+v, %q, want %v, %q", k, note, c.same, c.note)
			}
			if k != nil && (k.Status != result.KernelIdentical || k.Reason.Kind != result.ReasonSameFiles) {
				t.Errorf("%s, %+v", k.Status, k.Reason)
			}
		})
	}
}

// What both sides share is all of head's change where base asks for nothing else that differs, whatever a file beside is called.
func TestSharedPartsAreDecidedByWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	observed(t)
	const yaml = "    build: {command: cat built.py >made}\n" + rowBench + "    files: [bench.sh]\n"
	files := map[string]string{"bench.sh": "cat code.py made >/dev/null\n" + oneRow, "code.py": "1", "built.py": "1", "other.py": "1"}
	for name, c := range map[string]struct {
		head map[string]string
		only bool
	}{
		"alone":                       {nil, true},
		"with a comment beside":       {map[string]string{"other.py": "1 # one"}, true},
		"with what the benchmark ran": {map[string]string{"code.py": "2"}, false},
		"with what its build read":    {map[string]string{"built.py": "2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head := with(with(files, c.head), map[string]string{"bench.sh": "true\n" + files["bench.sh"]})
			ended, k, _ := proved(t, benchSides(t, repo.TrustWorktree, yaml, files, head))
			if ended != nil || len(k.Uncompared) != 1 || k.Uncompared[0].Only != c.only {
				t.Errorf("%+v, %+v", ended, k.Uncompared)
			}
		})
	}
}

const (
	twiceCode    = "void twice(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = 2 * x[i]; }\n"
	twiceAdapter = `#include "perfgate.h"
void twice(const float *x, float *y, long n);
int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}
int pg_launch(const pg_case *c, void *const *data, void *, void *) { twice((const float *)data[0], (float *)data[1], pg_param(c, "n")); return 0; }
`
)

// With an adapter that both sides share, a comment of a source is no change that was compared: the libraries are equal, and nothing else is asked for.
func TestSharedAdapterAndAComment(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	observed(t)
	const yaml = "    adapter: k.pg.cc\n    sources: [k.cc]\n    params: {n: {values: [7]}}\n    parity: off\n"
	opt := benchSides(t, repo.TrustBase, yaml, map[string]string{"k.pg.cc": twiceAdapter, "k.cc": twiceCode},
		map[string]string{"k.pg.cc": twiceAdapter + "int of_head;\n", "k.cc": "// new\n" + twiceCode})
	opt.Trusted.Changed = []result.RuleChange{{Kind: result.RuleAdapter, File: "k.pg.cc"}}
	for _, noSkip := range []bool{false, true} {
		opt.NoSkip = noSkip
		ended, k, note := proved(t, opt)
		if (ended == nil) != noSkip || len(k.Uncompared) != 1 || !k.Uncompared[0].Only || note != "" {
			t.Errorf("%+v, %+v, %q", ended, k.Uncompared, note)
		}
		if ended != nil && ended.Reason.Kind != result.ReasonIdentical {
			t.Errorf("%+v", ended.Reason)
		}
	}
}

// A library with the time in it is another each time, and is proved by what its build asked for and what runs it, whoever built it.
func TestBuildWithTheTimeInIt(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	observed(t)
	const kernel = "    adapter: k.pg.cc\n    params: {n: {values: [7]}}\n    parity: off\n"
	byCommand := map[string]string{
		"build.sh": `c++ -shared -fPIC -I"$PERFGATE_INCLUDE" -DTIME="$(date +%s%N)L" "$PERFGATE_ADAPTER" k.cc -o k.so`,
		"k.cc":     twiceCode + "long built() { return TIME; }\n",
		"k.pg.cc":  twiceAdapter,
	}
	byPerfgate := map[string]string{"k.cc": twiceCode + "const char *built() { return __TIMESTAMP__; }\n", "k.pg.cc": twiceAdapter}
	for _, builder := range []struct {
		yaml  string
		files map[string]string
	}{{kernel + "    build: {command: sh build.sh, output: k.so}\n", byCommand}, {kernel + "    sources: [k.cc]\n", byPerfgate}} {
		for name, c := range map[string]struct {
			head map[string]string
			same bool
		}{
			"nothing differs":       {map[string]string{"README.md": "new"}, true},
			"a source that differs": {map[string]string{"k.cc": builder.files["k.cc"] + "// new\n"}, false},
		} {
			opt := benchSides(t, repo.TrustWorktree, builder.yaml, builder.files, with(builder.files, c.head))
			must(t, os.Chtimes(filepath.Join(opt.Base.Tree, "k.cc"), time.Time{}, time.Unix(1e9, 0)))
			ended, k, note := proved(t, opt)
			if k.Base.Library.Fingerprint == k.Head.Library.Fingerprint || (ended != nil) != c.same || note != "" {
				t.Errorf("%s, %s: %+v, %q", builder.yaml, name, ended, note)
			}
			if ended != nil && ended.Reason.Kind != result.ReasonSameFiles {
				t.Errorf("%s: %+v", builder.yaml, ended.Reason)
			}
		}
	}
}

// A script of Triton only lists its cases in its first run. What it asks for when it launches them counts as well, and all of them have to be launched.
func TestScriptsAreProvedByWhatTheyLaunch(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	observed(t)
	yaml := "    bench: {script: b.py, format: triton}\n    python: " + kernelstest.PythonWith(t, "numpy") + "\ndevice: cpu\npaths: [\"**\"]\n"
	files := map[string]string{
		"b.py":               "import triton.testing\ndef launch():\n    open('table.txt').read()\n    sum(range(1000))\ntriton.testing.do_bench(launch)\n",
		"early.txt":          "1",
		"table.txt":          "1",
		"unread.txt":         "1",
		"triton/__init__.py": "open('early.txt').read()\n",
		"triton/testing.py":  "def do_bench(fn): pass\n",
	}
	const fails = "def other():\n    raise MemoryError\n    open('unread.txt').read()\ntriton.testing.do_bench(other)\n"
	for name, c := range map[string]struct {
		script, file string // that head changes
		same         bool
		note         string
		unused       []string
	}{
		"nothing asks for it":         {"", "unread.txt", true, "", []string{"unread.txt"}},
		"asked for when it is listed": {"", "early.txt", false, "", nil},
		"asked for when it is timed":  {"", "table.txt", false, "", nil},
		"the script":                  {"", "b.py", false, "", nil},
		"a case that is not launched": {fails, "unread.txt", false, "base's benchmark does not launch every case while it is observed", nil},
	} {
		base := with(files, map[string]string{"b.py": files["b.py"] + c.script})
		opt := changedSides(t, yaml, base, map[string]string{c.file: base[c.file] + "\n"})
		s, v := foundRun(t, opt)
		ended, _, note := provedOf(t, s, v)
		if (ended != nil) != c.same || !strings.Contains(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%s: %+v, %q", name, ended, note)
		}
		if unused := unusedOf(t, s, v); !slices.Equal(unused, c.unused) {
			t.Errorf("%s: unused %q, want %q", name, unused, c.unused)
		}
	}
}
