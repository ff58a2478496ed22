package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
)

func access(path string, asked observe.Kinds) observe.Access {
	return observe.Access{Path: path, Asked: asked}
}

// What was asked for is of the tree, of perfgate, of the system, of the checkout or of the environment, by where it lies.
func TestWhereWhatIsAskedForLies(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for _, name := range []string{"checkout/.venv/lib/x.so", "lib/libm.so.6", "scratch/tree/a", "scratch/adapter/k.pg.cc"} {
		write(t, at(name), name)
	}
	side := recordedSide{tree: at("scratch/tree"), checkout: at("checkout"), own: []string{at("scratch")}, system: []string{"/proc"}}
	built := observe.Report{Paths: []observe.Access{access(at("scratch/tree/a"), observe.Opened), access(at("scratch/adapter/k.pg.cc"), observe.Opened)}}
	ran := observe.Report{Paths: []observe.Access{
		access(at("scratch/tree/a"), observe.LookedUp), access(at("scratch/tree/sub/none"), observe.LookedUp), access(at("scratch/tree"), observe.Listed),
		access(at("lib/libm.so.6"), observe.Opened), access(at("lib/none"), observe.LookedUp), access("/proc/cpuinfo", observe.Opened),
		access(at("checkout"), observe.LookedUp), access(root, observe.LookedUp), access(at("made"), observe.Made),
	}}
	o := side.observation(built, ran, observe.OpenDigests(""))
	want := []observe.Access{access(".", observe.Listed), access("sub/none", observe.LookedUp), access("a", observe.Opened|observe.LookedUp)}
	if !o.Complete() || !slices.Equal(o.Paths(), want) {
		t.Errorf("%v, %v", o.Paths(), o.Incomplete)
	}
	if e := o.Environment; e == nil || len(e.Parts) != 1 || e.Parts[0].Name != "libm.so.6" {
		t.Errorf("%+v", e)
	}

	before := identity.TakeSnapshots("", side.tree, "")
	if side.before = before.Head; before.Err != nil {
		t.Fatal(before.Err)
	}
	write(t, at("scratch/tree/build/x.bin"), "made")
	ran.Paths = append(ran.Paths, access(at("scratch/tree/build/x.bin"), observe.Opened))
	if o = side.observation(built, ran, observe.OpenDigests("")); !slices.Equal(o.Incomplete, []observe.ReasonKind{baseline.OfOthers}) {
		t.Errorf("what another process left in the tree: %v", o.Incomplete)
	}
	built.Paths = append(built.Paths, access(at("scratch/tree/build"), observe.Made))
	if o = side.observation(built, ran, observe.OpenDigests("")); !o.Complete() {
		t.Errorf("what the build made: %v", o.Incomplete)
	}

	ran.Paths = append(ran.Paths, access(at("checkout/.venv/lib/x.so"), observe.Opened))
	if o = side.observation(built, ran, observe.OpenDigests("")); !slices.Equal(o.Incomplete, []observe.ReasonKind{baseline.OfCheckout}) || len(o.Environment.Parts) != 2 {
		t.Errorf("%v, %+v", o.Incomplete, o.Environment)
	}
	ran.Paths = ran.Paths[:0]
	if o = side.observation(observe.Unobserved("no"), ran, observe.OpenDigests("")); o.Complete() || o.Environment == nil {
		t.Errorf("a build that was not observed: %+v", o)
	}
	if o = side.observation(built, observe.Unobserved("no"), observe.OpenDigests("")); o.Complete() || o.Environment != nil {
		t.Errorf("processes that were not observed: %+v", o)
	}
	for i := range baseline.MostAsked + 1 {
		ran.Paths = append(ran.Paths, access(filepath.Join(side.tree, string(rune('a'+i%26)), filepath.Base(at(string(rune(0x4e00+i))))), observe.Opened))
	}
	if o = side.observation(built, ran, observe.OpenDigests("")); !slices.Equal(o.Incomplete, []observe.ReasonKind{observe.TooMany}) || len(o.Asked) != 0 {
		t.Errorf("more paths than a record keeps: %v", o.Incomplete)
	}
}

// A difference of the environment is named by the package, the library or the program that it is of.
func TestEnvironmentIsNamedByItsParts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	packages := filepath.Join(root, "venv/lib/python3.12/site-packages")
	write(t, filepath.Join(packages, "numpy-2.1.dist-info/RECORD"), "numpy/__init__.py,,\nnumpy.libs/libblas-1.so,,\n")
	files := map[string]string{
		filepath.Join(packages, "numpy/__init__.py"):          "numpy",
		filepath.Join(packages, "numpy.libs/libblas-1.so"):    "numpy",
		filepath.Join(packages, "loose/__init__.py"):          "loose",
		filepath.Join(packages, "six.py"):                     "six",
		filepath.Join(root, "lib/python3.12/json/decoder.py"): "python3.12",
		filepath.Join(root, "bin/python3.12"):                 "python3.12",
		filepath.Join(root, "cuda/lib64/libcublas.so.12.4.5"): "libcublas.so.12",
		filepath.Join(root, "cuda/bin/nvcc"):                  "nvcc",
	}
	var paths []string
	for path := range files {
		write(t, path, "as it was")
		paths = append(paths, path)
	}
	digests := observe.OpenDigests("")
	e := newEnvironment(slices.Concat(paths, paths, []string{root, filepath.Join(root, "none")}), "", digests)
	of := map[string]string{}
	for _, p := range e.Parts {
		for _, file := range p.Files {
			of[file] = p.Name
		}
	}
	for path, want := range files {
		if of[path] != want {
			t.Errorf("%s is of %q, want %q", path, of[path], want)
		}
	}
	if len(of) != len(files) {
		t.Errorf("%d files, want %d: folders and what is not there are not of the environment", len(of), len(files))
	}
	if names := changedParts(e, "", digests); len(names) != 0 {
		t.Errorf("nothing was changed, and %q are another", names)
	}
	write(t, filepath.Join(packages, "numpy.libs/libblas-1.so"), "another")
	must(t, os.Remove(filepath.Join(root, "cuda/lib64/libcublas.so.12.4.5")))
	if names := changedParts(e, "", digests); !slices.Equal(names, []string{"libcublas.so.12", "numpy"}) {
		t.Errorf("%q are another, want the library and the package", names)
	}
}

// A record says what its kernel asks for in its tree and around it: what it reads while it is launched too.
func TestRecordIsObserved(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	head := opt.Head
	adapter := filepath.Join(head.Tree, "k.pg.cc")
	write(t, filepath.Join(head.Tree, "table"), "1")
	write(t, adapter, `#include <cstdio>
static int reads() { if (FILE *f = std::fopen("`+filepath.Join(head.Tree, "table")+`", "r")) std::fclose(f); return 0; }
static int read = reads();
`+read(t, adapter))
	opt.Trusted.Config.Kernels[0].Parity.Cases = 1
	m, err := Record(t.Context(), opt, false)
	if err != nil || m.Result == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	o, ok := m.Observed["k"]
	if !o.Complete() || !slices.ContainsFunc(o.Paths(), func(a observe.Access) bool { return a.Path == "k/kernel.h" }) {
		t.Errorf("its build: %v, %v", o.Incomplete, o.Paths())
	}
	if !ok || o.Environment == nil || !slices.ContainsFunc(o.Paths(), func(a observe.Access) bool { return a.Path == "k/table" && a.Asked.Has(observe.Opened) }) {
		t.Fatalf("%+v", o)
	}
	names := map[string]bool{}
	for _, part := range o.Environment.Parts {
		names[part.Name] = true
	}
	if !names["libc.so.6"] || len(names) < 2 {
		t.Errorf("%v", names)
	}
}

// A record of code that reads files of its tree when it runs says what they held, and stands for no commit in which they are others.
func TestRecordKnowsWhatItsCodeReads(t *testing.T) {
	t.Parallel()
	observed(t)
	const yaml = "    bench: {command: sh bench.sh, format: csv}\n"
	files := map[string]string{"bench.sh": "echo 1 >made; cat made tuned.json other.json sizes/* >/dev/null 2>&1\n" + oneRow, "tuned.json": "1", "sizes/a": "1", "unread": "1"}
	for name, tt := range map[string]struct {
		change map[string]string // of the tree of a later commit
		same   bool
	}{
		"nothing": {nil, true}, "a file that it does not read": {map[string]string{"unread": "2"}, true}, "a file that it reads": {map[string]string{"tuned.json": "2"}, false},
		"a file that it looked for": {map[string]string{"other.json": "1"}, false}, "a name in a folder that it lists": {map[string]string{"sizes/b": "1"}, false},
		"a file that it makes": {map[string]string{"made": "2"}, true},
	} {
		opt := benchSides(t, repo.TrustWorktree, yaml, map[string]string{}, files)
		opt.Base, opt.Head.Info = Side{}, result.Version{Kind: result.KindRevision, Revision: commitName(1)}
		m, err := Record(t.Context(), opt, false)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := m.Record(opt.Trusted.Config)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range tt.change {
			write(t, filepath.Join(opt.Head.Tree, file), text)
		}
		opt.Base = opt.Head
		c := rec.Cases[0]
		now := newRecords(opt, new(device), result.Toolchain{}).now(plan.Case{Kernel: c.Kernel, Row: c.Name}, "")
		o, _ := rec.Observation(&c)
		if same := now.Reads != nil && c.Reads != "" && now.Reads(c.Observed, o) == c.Reads; same != tt.same {
			t.Errorf("%s changed: the same %v, and it asked for %v", name, same, o.Paths())
		}
	}
}

// A benchmark that runs what another kernel's build made depends on what that build read.
func TestRecordDependsOnWhatMadeItsFiles(t *testing.T) {
	t.Parallel()
	observed(t)
	const yaml = "    build: {command: cat source >made}\n    bench: {command: sh own.sh, format: csv}\n" +
		"  - name: other\n    bench: {command: sh bench.sh, format: csv}\n"
	opt := benchSides(t, repo.TrustWorktree, yaml, map[string]string{}, map[string]string{"own.sh": oneRow, "bench.sh": "cat made >/dev/null\n" + oneRow, "source": "1"})
	opt.Base = Side{}
	m, err := Record(t.Context(), opt, false)
	must(t, err)
	if o := m.Observed["other"]; !o.Complete() || !slices.ContainsFunc(o.Paths(), func(a observe.Access) bool { return a.Path == "source" }) {
		t.Errorf("%+v", o.Paths())
	}
	if o := m.Observed["k"]; !o.Complete() || !slices.ContainsFunc(o.Paths(), func(a observe.Access) bool { return a.Path == "source" }) {
		t.Errorf("%+v, %v", o.Paths(), o.Incomplete)
	}
}
