package run

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
)

// observed skips a test where no process can be observed.
func observed(t *testing.T) {
	t.Helper()
	p, err := child.Start(child.Spec{Path: "/bin/true", Observe: &observe.Options{}})
	must(t, err)
	if r := p.Observed(); len(r.Incomplete) > 0 {
		kernelstest.Missing(t, fmt.Sprintf("no process can be observed here: %+v", r.Incomplete))
	}
}

// whyNotCompared is why the one kernel of a run was not compared, which is exit 3.
func whyNotCompared(t *testing.T, res *result.Result) result.Reason {
	t.Helper()
	k := res.Kernels[0]
	if k.Reason == nil || res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Fatalf("exit %d, %s: %+v, notes %q", res.Conclusion.Exit, k.Status, k.Reason, res.Notes)
	}
	return *k.Reason
}

// A benchmark that runs nothing but files which both sides share has compared nothing, however fast it is.
func TestBenchmarkThatRunsNothingOfItsTree(t *testing.T) {
	t.Parallel()
	observed(t)
	files := map[string]string{"bench/run.sh": "echo kernel,ns; echo k,$((100000 + $$ % 100))", "code.sh": fast}
	res := benchRun(t, benchSides(t, repo.TrustWorktree, csv, files, files))
	if why := whyNotCompared(t, res); why.Kind != result.ReasonRanNothing || why.Side != result.SideBase {
		t.Errorf("%+v", why)
	}
}

// A package that lies in the tree and is imported from an installed copy is not compared.
func TestBenchmarkThatImportsAnInstalledCopy(t *testing.T) {
	t.Parallel()
	observed(t)
	python := kernelstest.PythonWith(t)
	prefix := t.TempDir()
	site := filepath.Join(prefix, "site-packages")
	const code = "def ns():\n    return 100000\n"
	write(t, filepath.Join(site, "pkg", "__init__.py"), code)
	write(t, filepath.Join(site, "pkg-1.dist-info", "RECORD"), "pkg/__init__.py,,\n")
	script := "import os, sys\nsys.path.insert(0, '" + site + "')\nimport pkg\nprint('kernel,ns')\nprint(f'k,{pkg.ns() + os.getpid() % 100}')\n"
	yaml := "    bench: {command: '" + python + " bench.py', format: csv}\n"
	files := map[string]string{"bench.py": script, "src/pkg/__init__.py": code}
	why := whyNotCompared(t, benchRun(t, benchSides(t, repo.TrustWorktree, yaml, files, files)))
	if why.Kind != result.ReasonElsewhere || why.Side != result.SideBase || why.Name != "src/pkg/__init__.py" || !slices.Equal(why.Names, []string{"pkg"}) || !strings.HasSuffix(why.Message, "/site-packages/pkg/__init__.py") {
		t.Errorf("%+v", why)
	}
}

const nsCode = "int ns() { return 100000; }"

// libraryElsewhere is a folder with a library that is of no side.
func libraryElsewhere(t *testing.T, code string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("sh", "-c", "echo '"+code+"' | c++ -shared -fPIC -x c++ - -o "+dir+"/libk.so").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// benchOfLibrary is a benchmark that each side builds with its own library, which it looks for in a folder when it runs.
func benchOfLibrary(runPath, first string) (yaml string, files map[string]string) {
	build := "mkdir -p build && c++ -shared -fPIC k.cc -o build/libk.so && c++ bench.cc -Lbuild -lk -Wl,-rpath," + runPath + " -o build/bench"
	return "    build: {command: \"" + build + "\"}\n    bench: {command: ./build/bench, format: csv}\n", map[string]string{
		"k.cc":     nsCode,
		"bench.cc": "#include <cstdio>\n#include <unistd.h>\nint ns();\nint main() { " + first + "std::printf(\"kernel,ns\\nk,%d\\n\", ns() + getpid() % 100); }\n",
	}
}

// A library that each side builds, and that a run path finds elsewhere, is not compared.
func TestBenchmarkThatLoadsALibraryFromElsewhere(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	observed(t)
	yaml, files := benchOfLibrary(libraryElsewhere(t, nsCode), "")
	why := whyNotCompared(t, benchRun(t, benchSides(t, repo.TrustWorktree, yaml, files, files)))
	if why.Kind != result.ReasonElsewhere || why.Name != "build/libk.so" || !slices.Equal(why.Names, []string{"libk.so"}) || !strings.HasSuffix(why.Message, "/libk.so") {
		t.Errorf("%+v", why)
	}
}

// With base's policy nothing of head's folder is asked for by base: whoever changes it would decide what base does.
func TestBaseThatAsksForHeadsFile(t *testing.T) {
	t.Parallel()
	observed(t)
	files := map[string]string{"bench.sh": benchWith("1000"), "code.sh": fast}
	opt := benchSides(t, repo.TrustBase, "    bench: {command: sh bench.sh, format: csv}\n", files, files)
	write(t, filepath.Join(opt.Base.Tree, "bench.sh"), "[ -e "+opt.Head.Tree+"/flag ]\n"+benchWith("1000"))
	_, err := Run(t.Context(), opt)
	var lead *checkout.Lead
	if want := filepath.Join(opt.Head.Tree, "flag"); !errors.As(err, &lead) || lead.Path != want || lead.Name != "the benchmark of kernel k" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(opt.Head.Tree, "flag")); err == nil {
		t.Error("the file was there")
	}
}

// What cannot be seen is said to be not checked, and changes nothing else.
func TestBenchmarkThatCannotBeSeen(t *testing.T) {
	t.Parallel()
	f := &finding{opt: Question{}}
	asked := observe.Unobserved("a container forbids it")
	if why, err := f.ranElsewhere(Kernel{}, identity.Owner{}, measure.ProgramRun{Asked: asked, Launched: true}, nil, nil); why != nil || err != nil {
		t.Errorf("%+v, %v", why, err)
	}
	var a Account
	a.noteNotChecked(f.unseen...)
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "not checked") || !strings.Contains(a.Notes[0], "a container forbids it") {
		t.Errorf("%q", a.Notes)
	}
	if hides(observe.Report{Incomplete: []observe.Reason{{Kind: observe.SharedCache}, {Kind: observe.Connections}}}) != nil {
		t.Error("caches and connections hide no file that was loaded")
	}
}
