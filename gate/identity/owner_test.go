package identity

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// loadedRig is a tree, another version of it, and a folder of packages. In texts TREE and OTHER stand for the first two.
type loadedRig struct {
	*testing.T
	Owner
	top, other, site string
}

func newLoadedRig(t *testing.T) *loadedRig {
	top, err := checkout.RealPath(t.TempDir())
	must(t, err)
	tree, other := filepath.Join(top, "tree"), filepath.Join(top, "other")
	return &loadedRig{t, Owner{Tree: tree, Root: tree, Others: []string{other}}, top, other, filepath.Join(top, "venv/lib/python3.12/site-packages")}
}

// path is one in the rig: one that begins with site/ is of the folder of packages.
func (r *loadedRig) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "site/"); ok {
		return filepath.Join(r.site, rest)
	}
	return filepath.Join(r.top, name)
}

func (r *loadedRig) files(texts map[string]string) {
	for name, text := range texts {
		write(r.T, r.path(name), strings.NewReplacer("TREE", r.Tree, "OTHER", r.other).Replace(text))
	}
}

// opened is a report on a process that opened some files.
func (r *loadedRig) opened(names ...string) (out observe.Report) {
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = r.path(name)
		}
		out.Paths = append(out.Paths, observe.Access{Path: name, Asked: observe.Opened})
	}
	return out
}

const record = "pkg/__init__.py,sha256=x,1\npkg/a.py,,\npkg-1.dist-info/RECORD,,\n"

// A package that the tree has is not loaded from elsewhere: not from an installed copy, however it was installed, nor from another checkout. What
// only has the same name as something in the tree is not a copy of it.
func TestPackagesLoadedFromElsewhere(t *testing.T) {
	t.Parallel()
	src := map[string]string{"tree/src/pkg/__init__.py": "", "tree/src/pkg/a.py": ""}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{}
		for _, files := range []map[string]string{src, more} {
			maps.Copy(out, files)
		}
		return out
	}
	pip := map[string]string{"site/pkg/__init__.py": "", "site/pkg/a.py": "", "site/my_pkg-1.dist-info/RECORD": record}
	for name, c := range map[string]struct {
		files     map[string]string
		loaded    []string
		installed string
		own, says string // the file expected and the name; "" where nothing is found
	}{
		"by pip":                  {with(pip), []string{"site/pkg/__init__.py", "site/pkg/a.py"}, "", "src/pkg/__init__.py", "my_pkg"},
		"allowed by its name":     {with(pip), []string{"site/pkg/__init__.py"}, "My-Pkg", "", ""},
		"allowed by its package":  {with(pip), []string{"site/pkg/__init__.py"}, "pkg", "", ""},
		"as bytecode":             {with(map[string]string{"site/pkg/__init__.py": "", "site/pkg/__pycache__/__init__.cpython-312.pyc": "x", "site/x-1.dist-info/RECORD": record}), []string{"site/pkg/__pycache__/__init__.cpython-312.pyc"}, "", "src/pkg/__init__.py", "x"},
		"by a build that copies":  {with(map[string]string{"site/pkg/__init__.py": "", "site/pkg/a.py": ""}), []string{"site/pkg/__init__.py", "site/pkg/a.py"}, "", "src/pkg/__init__.py", "pkg"},
		"by a build with an egg":  {with(map[string]string{"site/pkg-1.egg/pkg/a.py": ""}), []string{"site/pkg-1.egg/pkg/a.py"}, "", "src/pkg/a.py", "pkg"},
		"in python/":              {map[string]string{"tree/python/pkg/__init__.py": "", "site/pkg/__init__.py": ""}, []string{"site/pkg/__init__.py"}, "", "python/pkg/__init__.py", "pkg"},
		"at the root":             {map[string]string{"tree/mod.py": "", "site/mod.py": ""}, []string{"site/mod.py"}, "", "mod.py", "mod"},
		"an extension by pip":     {map[string]string{"tree/fast.c": "", "site/fast.so": "", "site/fast-1.dist-info/RECORD": "fast.so,,\n", "site/fast-1.dist-info/direct_url.json": `{"url":"file://TREE"}`}, []string{"site/fast.so"}, "", "fast", "fast"},
		"an extension of others":  {map[string]string{"tree/fast.c": "", "site/fast.so": "", "site/fast-1.dist-info/RECORD": "fast.so,,\n", "site/fast-1.dist-info/direct_url.json": `{"url":"file:///elsewhere"}`}, []string{"site/fast.so"}, "", "", ""},
		"editable, head's":        {with(map[string]string{"other/src/pkg/__init__.py": "", "site/__editable__.pkg-1.pth": "OTHER/src\n"}), []string{"site/__editable__.pkg-1.pth", "other/src/pkg/__init__.py"}, "", "src/pkg/__init__.py", "pkg"},
		"editable, a third":       {with(map[string]string{"third/src/pkg/__init__.py": "", "site/pkg-1.dist-info/direct_url.json": `{"url":"file:///third","dir_info":{"editable":true}}`}), []string{"third/src/pkg/__init__.py"}, "", "src/pkg/__init__.py", "pkg"},
		"editable, not used":      {with(map[string]string{"site/__editable___pkg_finder.py": "", "site/pkg-1.dist-info/RECORD": "__editable___pkg_finder.py,,\n", "site/pkg-1.dist-info/direct_url.json": `{"url":"file://TREE"}`}), []string{"site/__editable___pkg_finder.py"}, "", "", ""},
		"PYTHONPATH":              {with(map[string]string{"path/pkg/a.py": ""}), []string{"path/pkg/a.py"}, "", "src/pkg/a.py", "pkg"},
		"in a namespace":          {map[string]string{"tree/src/ns/pkg/a.py": "", "path/ns/pkg/a.py": ""}, []string{"path/ns/pkg/a.py"}, "", "src/ns/pkg/a.py", "ns"},
		"of the tree":             {src, []string{"tree/src/pkg/__init__.py"}, "", "", ""},
		"in the tree's own .venv": {map[string]string{"tree/src/pkg/a.py": "", "tree/.venv/lib/site-packages/pkg/a.py": ""}, []string{"tree/.venv/lib/site-packages/pkg/a.py"}, "", "", ""},
		"in the other's .venv":    {map[string]string{"tree/x.py": "", "other/.venv/pyvenv.cfg": "", "other/.venv/lib/x.py": "", "other/.venv/lib/site-packages/numpy/x.py": ""}, []string{"other/.venv/lib/site-packages/numpy/x.py"}, "", "", ""},
		"another of its name": {map[string]string{"tree/triton/__init__.py": "", "tree/triton/softmax.py": "", "site/triton/__init__.py": "", "site/triton/core.py": "", "site/triton/jit.py": ""},
			[]string{"site/triton/__init__.py", "site/triton/core.py", "site/triton/jit.py"}, "", "", ""},
		"a module inside of another":   {map[string]string{"tree/utils.py": "", "site/torch/__init__.py": "", "site/torch/utils.py": ""}, []string{"site/torch/__init__.py", "site/torch/utils.py"}, "", "", ""},
		"a package of tests of others": {map[string]string{"tree/tests/__init__.py": "", "site/tests/__init__.py": "", "site/o/a.py": "", "site/o/b.py": "", "site/o-1.dist-info/RECORD": "tests/__init__.py,,\no/a.py,,\no/b.py,,\n"}, []string{"site/tests/__init__.py"}, "", "", ""},
		"Python's own":                 {map[string]string{"tree/random.py": "", "usr/lib/python3.12/os.py": "", "usr/lib/python3.12/random.py": ""}, []string{"usr/lib/python3.12/random.py"}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newLoadedRig(t)
			r.files(c.files)
			r.Installed = strings.Fields(c.installed)
			_, others := r.LoadedFiles(r.opened(c.loaded...))
			found, err := r.FromElsewhere(others)
			switch {
			case err != nil:
				t.Fatal(err)
			case found == nil && c.own != "", found != nil && (found.Own != c.own || found.Name != c.says || !isRegular(found.Loaded)):
				t.Errorf("%+v, want %q by %q", found, c.own, c.says)
			}
		})
	}
}

// What the side's own environment has of its own inputs is not from elsewhere, however it was installed. What it has in the place of other files is.
func TestPackagesMadeOfTheTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		loaded, inputs string
		want           bool // from elsewhere
	}{
		{"site/pkg/__init__.py", "src/**", false},
		{"venv/tree/src/pkg/__init__.py", "src/**", false}, // editable
		{"site/pkg/__init__.py", "requirements.txt", true}, // from an index
		{"site/pkg/__init__.py", "", true},
		{"another/src/pkg/__init__.py", "src/**", true}, // of the other side's environment
		{"site/pkg/__init__.py site/pkg/a.py", "src/**", false},
		{"site/pkg/__init__.py site/pkg/a.py", "src/pkg/__init__.py", true}, // a.py is from an index
	} {
		r := newLoadedRig(t)
		r.files(map[string]string{"tree/src/pkg/__init__.py": "", "tree/src/pkg/a.py": ""})
		for _, file := range strings.Fields(c.loaded) {
			r.files(map[string]string{file: ""})
		}
		if r.Inputs = strings.Fields(c.inputs); c.inputs != "" {
			r.Environment = filepath.Join(r.top, "venv")
		}
		_, others := r.LoadedFiles(r.opened(strings.Fields(c.loaded)...))
		if found, err := r.FromElsewhere(others); err != nil || (found != nil) != c.want {
			t.Errorf("%s of %q: %+v, %v", c.loaded, c.inputs, found, err)
		}
	}
}

// A library or program that the build made is not taken from elsewhere under its name.
func TestProductsLoadedFromElsewhere(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("/bin/true")
	must(t, err)
	r := newLoadedRig(t)
	before := time.Now().Add(-time.Hour)
	r.files(map[string]string{
		"tree/build/libk.so": string(code), "lib/libk.so": string(code), "tree/old.so": string(code), "lib/old.so": string(code), "tree/run": "#!/bin/sh\n", "lib/run": "#!/bin/sh\n", "lib/libc.so": string(code),
		"tree/mine/_C.cpython-312.so": string(code), "site/mine/_C.cpython-312.so": string(code), "site/torch/_C.cpython-312.so": string(code),
		"tree/build/_core.cpython-312.so": string(code), "tree/bindings/py/pkg/__init__.py": "", "site/pkg/_core.cpython-312.so": string(code), "site/other/_core.cpython-312.so": string(code),
		"tree/mine/_D.abi3.so": string(code), "site/other/_D.abi3.so": string(code),
	})
	must(t, os.Chtimes(r.path("tree/old.so"), before, before))
	for _, c := range []struct {
		loaded, installed, own string
		built                  bool
	}{
		{"lib/libk.so", "", "build/libk.so", true}, {"lib/libk.so", "libk.so", "", true}, {"lib/libk.so", "", "", false},
		{"tree/build/libk.so", "", "", true}, {"lib/old.so", "", "", true}, {"lib/run", "", "", true}, {"lib/libc.so", "", "", true},
		{"site/mine/_C.cpython-312.so", "", "mine/_C.cpython-312.so", true}, {"site/torch/_C.cpython-312.so", "", "", true},
		{"site/pkg/_core.cpython-312.so", "", "build/_core.cpython-312.so", true}, {"site/other/_core.cpython-312.so", "", "", true}, {"site/other/_D.abi3.so", "", "", true},
	} {
		o := r.Owner
		o.Installed = strings.Fields(c.installed)
		if c.built {
			o.Built = before.Add(time.Minute)
		}
		_, others := o.LoadedFiles(r.opened(c.loaded))
		found, err := o.FromElsewhere(others)
		if err != nil || (found == nil) != (c.own == "") || found != nil && (found.Own != c.own || found.Loaded != r.path(c.loaded)) {
			t.Errorf("%+v: %+v, %v", c, found, err)
		}
	}
}

// What a process opened or started of its tree counts, but for what both sides share; what a build made is the side's own.
func TestRanNothingOfItsTree(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("/bin/true")
	must(t, err)
	r := newLoadedRig(t)
	r.Shared = []string{"bench/**"}
	r.files(map[string]string{
		"tree/bench/run.py": "", "tree/bench/__pycache__/run.cpython-312-pytest-8.pyc": "x", "tree/pyproject.toml": "", "tree/pytest.ini": "", "tree/kernel.py": "",
		"tree/bench/bench.out": string(code), "tree/bench/made.sh": "", "site/numpy/a.py": "",
	})
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"tree/bench/run.py", "tree/bench/bench.out"} {
		must(t, os.Chtimes(r.path(name), long, long))
	}
	shared := []string{"tree/bench/run.py", "tree/bench/__pycache__/run.cpython-312-pytest-8.pyc", "tree/pyproject.toml", "tree/pytest.ini", "site/numpy/a.py"}
	for _, c := range []struct {
		also  string
		built bool
		want  bool
	}{
		{"site/numpy/a.py", false, false}, {"tree/kernel.py", false, true}, {"tree/gone.py", false, false}, {"tree/bench/bench.out", false, false},
		{"tree/bench/bench.out", true, true}, {"tree/bench/made.sh", true, true}, {"tree/bench/made.sh", false, false},
	} {
		o := r.Owner
		names := shared
		if c.built {
			o.Built, names = long.Add(time.Minute), []string{"tree/bench/run.py"}
		}
		own, _ := o.LoadedFiles(r.opened(append(slices.Clip(names), c.also)...))
		if got := o.RanOwn(own); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	looked := observe.Report{Paths: []observe.Access{{Path: r.path("tree/kernel.py"), Asked: observe.LookedUp}}}
	if own, _ := r.LoadedFiles(looked); r.RanOwn(own) {
		t.Error("a file that was only looked for was run")
	}
	old := r.Owner
	old.Built = long.Add(time.Minute)
	ran, _ := old.LoadedFiles(r.opened("tree/bench/run.py", "tree/bench/bench.out"))
	made := func(name string) observe.Report {
		return observe.Report{Paths: []observe.Access{{Path: r.path(name), Asked: observe.Made}}}
	}
	if got := old.NotMade(ran, made("tree/kernel")); got != "bench/bench.out" {
		t.Errorf("%q was there before the build", got)
	}
	if got := old.NotMade(ran, made("tree/bench")); got != "" {
		t.Errorf("the build made %q, with an old time", got)
	}
	if also, _ := old.LoadedFiles(r.opened("tree/bench/bench.out", "tree/bench/made.sh")); old.NotMade(also, observe.Report{}) != "" {
		t.Error("the build made a script")
	}
	r.Shared = nil // a script that is not shared is what is compared
	if own, _ := r.LoadedFiles(r.opened("tree/bench/run.py")); !r.RanOwn(own) {
		t.Error("the side's own script is nothing")
	}
}

// What base's process asks for in head's folders or in the checkout is found, whatever became of it. Folders around base are on the way.
func TestBaseAsksInTheCheckout(t *testing.T) {
	t.Parallel()
	o := Owner{Tree: "/checkout/scratch/base/sub", Root: "/checkout/scratch/base"}
	for _, c := range []struct {
		path  string
		asked observe.Kinds
		found bool
	}{
		{"/checkout/src/a.py", observe.Opened, true}, {"/checkout/none", observe.LookedUp, true}, {"/head/lib.so", observe.Opened, true}, {"/head", observe.Listed, true},
		{"/head", observe.LookedUp, false}, {"/checkout/scratch", observe.LookedUp, false}, {"/checkout", observe.LookedUp, false},
		{"/checkout/scratch/base/x", observe.Opened, false}, {"/usr/lib/libm.so", observe.Opened, false}, {"/header", observe.Opened, false},
	} {
		got := o.OfCheckout(observe.Report{Paths: []observe.Access{{Path: c.path, Asked: c.asked}}}, "/head", "/checkout")
		if (got == c.path) != c.found {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
