package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
)

// unobserved says whether a test runs where nothing can be observed. Else it runs the test there: in a process that is observed itself, of which Linux refuses
// a second observer.
func unobserved(t *testing.T) bool {
	t.Helper()
	const inner = "PERFGATE_TEST_UNOBSERVED"
	if os.Getenv(inner) == t.Name() {
		return true
	}
	observed(t)
	self, err := os.Executable()
	must(t, err)
	p, err := child.Start(child.Spec{
		Path: self, Args: []string{"-test.v", "-test.run", "^" + t.Name() + "$"}, Env: append(os.Environ(), inner+"="+t.Name()), Observe: &observe.Options{},
	})
	must(t, err)
	if out, err := p.Wait(t.Context()); err != nil || !strings.Contains(out.Stdout, "--- PASS: "+t.Name()) {
		t.Errorf("where nothing is observed: %v\n%s%s", err, out.Stdout, out.Stderr)
	}
	return false
}

// provedElsewhere is what a side of the one kernel of a run loaded in place of what its tree has, and what it should have.
func provedElsewhere(t *testing.T, opt Options) (loaded, own string) {
	t.Helper()
	ended, k, note := proved(t, opt)
	if asked := k.Base.Library.Asked; len(asked.Incomplete) > 0 && asked.Incomplete[0].Kind != observe.NotObserved {
		t.Errorf("%+v", asked.Incomplete)
	}
	if ended == nil {
		return "", note
	}
	if ended.Status != result.KernelError || ended.Reason.Kind != result.ReasonElsewhere || ended.Reason.Side != result.SideBase {
		t.Errorf("%s, %+v", ended.Status, ended.Reason)
	}
	return ended.Reason.Message, ended.Reason.Name
}

// Where nothing can be observed, an interpreter tells which modules it has imported, those of a launch among them.
func TestInstalledCopyWithoutObserver(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	if !unobserved(t) {
		return
	}
	python := kernelstest.PythonWith(t, "numpy")
	site := filepath.Join(t.TempDir(), "site-packages")
	write(t, filepath.Join(site, "mykern/__init__.py"), "factor = 2\n")
	for name, c := range map[string]struct{ before, imports, want string }{
		"with the adapter": {"import mykern\n", "pass", "mykern/__init__.py"},
		"in a launch":      {"", "import mykern", "mykern/__init__.py"},
		"never":            {"", "pass", ""},
	} {
		adapter := fmt.Sprintf("import sys\nsys.path.insert(0, %q)\nimport numpy as np\nimport perfgate as pg\n%s", site, c.before) +
			"def tensors(case):\n    return {'x': pg.In(case.n), 'y': pg.Out(case.n)}\n" +
			"def launch(case, t):\n    " + c.imports + "\n    np.multiply(t.x, 2, out=t.y)\n"
		files := func(factor string) map[string]string {
			return map[string]string{"k.pg.py": adapter, "src/mykern/__init__.py": "factor = " + factor + "\n"}
		}
		opt := benchSides(t, repo.TrustWorktree, "    adapter: k.pg.py\n    python: "+python+"\n    params: {n: {values: [7]}}\n    parity: off\n", files("2"), files("3"))
		loaded, own := provedElsewhere(t, opt)
		if c.want != "" && (loaded != filepath.Join(site, c.want) || own != filepath.Join("src", c.want)) {
			t.Errorf("%s: %q, and not %q", name, loaded, own)
		}
		if c.want == "" && (loaded != "" || !strings.Contains(own, "not-observed") || strings.Contains(own, "not checked")) {
			t.Errorf("%s: %q, %q", name, loaded, own)
		}
	}
}

// Where nothing can be observed, the libraries that a process has mapped tell what a run path found, whether the adapter's library is the same on both
// sides or another each time.
func TestLibraryOfARunPathWithoutObserver(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	if !unobserved(t) {
		return
	}
	elsewhere := libraryElsewhere(t, `extern "C" float factor() { return 2; }`)
	for name, c := range map[string]struct{ flags, path, want string }{
		"equal adapters":    {"", elsewhere, "build/libk.so"},
		"with the time":     {`-DTIME=\"$(date +%s%N)\"`, elsewhere, "build/libk.so"},
		"its own":           {"", "'$ORIGIN'", ""},
		"allowed by a name": {"", elsewhere, ""},
	} {
		files := func(factor string) map[string]string {
			return map[string]string{
				"k.cc":     "extern \"C\" float factor() { return " + factor + "; }\n",
				"k.pg.cc":  strings.Replace(twiceAdapter, "void twice(", "extern \"C\" float factor();\nvoid twice(", 1) + "float by() { return factor(); }\n#ifdef TIME\nconst char *built() { return TIME; }\n#endif\n" + twiceCode,
				"build.sh": `mkdir -p build && c++ -shared -fPIC k.cc -o build/libk.so && c++ -shared -fPIC -I"$PERFGATE_INCLUDE" ` + c.flags + ` "$PERFGATE_ADAPTER" -Lbuild -lk -Wl,-rpath,` + c.path + " -o build/k.so\n",
			}
		}
		yaml := "    adapter: k.pg.cc\n    build: {command: sh build.sh, output: build/k.so}\n    params: {n: {values: [7]}}\n    parity: off\n"
		if name == "allowed by a name" {
			yaml += "installed: [libk.so]\n"
		}
		loaded, own := provedElsewhere(t, benchSides(t, repo.TrustWorktree, yaml, files("2"), files("3")))
		if c.want != "" && (loaded != filepath.Join(elsewhere, "libk.so") || own != c.want) {
			t.Errorf("%s: %q, and not %q", name, loaded, own)
		}
		if c.want == "" && loaded != "" {
			t.Errorf("%s: %q", name, loaded)
		}
	}
}

// A benchmark is looked at while it runs. What it has loaded from elsewhere by then is found; that nothing was found says little.
func TestBenchmarkWithoutObserver(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	if !unobserved(t) {
		return
	}
	elsewhere := libraryElsewhere(t, nsCode)
	for path, found := range map[string]bool{elsewhere: true, "'$ORIGIN'": false} {
		yaml, files := benchOfLibrary(path, "sleep(1); ")
		_, v := foundRun(t, benchSides(t, repo.TrustWorktree, yaml, files, files))
		switch notes := strings.Join(v.Builds.Notes, "\n"); {
		case found && (len(v.Builds.Ended) != 1 || v.Builds.Ended[0].Reason.Kind != result.ReasonElsewhere || v.Builds.Ended[0].Reason.Message != filepath.Join(elsewhere, "libk.so")):
			t.Errorf("%+v, %q", v.Builds.Ended, notes)
		case !found && (len(v.Builds.On) != 1 || !strings.Contains(notes, "not checked") || !strings.Contains(notes, "k (not-observed")):
			t.Errorf("%+v, %q", v.Builds.Ended, notes)
		}
	}
}
