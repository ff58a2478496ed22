package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/kernelstest"
)

const (
	compiledKernel = "adapter: k.pg.cc\n    params: {n: {values: [1]}}\n"
	pythonKernel   = "adapter: k.pg.py\n    params: {n: {values: [1]}}\n"
)

// surroundingsOf are those of a run of one kernel, started in a checkout.
func surroundingsOf(t *testing.T, checkout, kernel string) (Options, *plan.Plan) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(checkout, ".git"), 0o755))
	c := parsed(t, "  - name: k\n    "+strings.ReplaceAll(kernel, "CHECKOUT", checkout))
	return Options{Question: Question{
		Trusted: repo.Trusted{Config: c, Trust: repo.TrustBase}, Checkout: checkout, Desk: filepath.Join(checkout, "bench"), Cache: t.TempDir(),
		Head: Side{Tree: t.TempDir()}, Scratch: t.TempDir(),
	}}, planned(t, c)
}

// With base's policy nothing of the checkout lies on the way of what both sides run: each way is refused, with exit code 3, before anything is
// built. With the working tree's, and where nothing is built, none is.
func TestNothingOfTheCheckoutIsOnTheWay(t *testing.T) {
	top, checkoutDir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(checkoutDir, "tools", "c++"), "")
	write(t, filepath.Join(top, "venv", "bin", "python3"), "")
	write(t, filepath.Join(top, "venv", "lib", "python3.12", "site-packages", "mine.pth"), checkoutDir+"/src\n")
	if err := errors.Join(os.Chmod(filepath.Join(checkoutDir, "tools", "c++"), 0o755), os.MkdirAll(filepath.Join(top, "bin"), 0o755),
		os.Symlink(filepath.Join(checkoutDir, "tools", "c++"), filepath.Join(top, "bin", "make"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kernel string
		env    string
		change func(*Options)
		says   string // "": nothing is refused
	}{
		"nothing":                        {kernel: compiledKernel},
		"a folder of the PATH":           {kernel: compiledKernel, env: "PATH=/usr/bin:" + checkoutDir + "/.venv/bin", says: "PATH"},
		"a link in a folder of the PATH": {kernel: compiledKernel, env: "PATH=" + top + "/bin:/usr/bin", says: "make"},
		"libraries":                      {kernel: compiledKernel, env: "LD_LIBRARY_PATH=" + checkoutDir + "/lib", says: "LD_LIBRARY_PATH"},
		"modules":                        {kernel: pythonKernel, env: "PYTHONPATH=" + checkoutDir + "/src", says: "PYTHONPATH"},
		"a compiler, tracked or not":     {kernel: compiledKernel, env: "CXX=" + checkoutDir + "/tools/c++", says: "CXX"},
		"a cache":                        {kernel: compiledKernel, change: func(o *Options) { o.Cache = filepath.Join(checkoutDir, "cache") }, says: "PERFGATE_CACHE"},
		"a cache around it":              {kernel: compiledKernel, change: func(o *Options) { o.Cache = filepath.Dir(checkoutDir) }, says: "PERFGATE_CACHE"},
		"an interpreter":                 {kernel: "python: ../.venv/bin/python\n    " + pythonKernel, says: "python: ../.venv/bin/python"},
		"an interpreter by its path":     {kernel: "python: CHECKOUT/.venv/bin/python\n    " + pythonKernel, says: "/.venv/bin/python"},
		"an editable install":            {kernel: pythonKernel, env: "PATH=" + top + "/venv/bin:/usr/bin", says: "mine.pth"},
		"no use for Python":              {kernel: compiledKernel, env: "PATH=" + top + "/venv/bin:/usr/bin"},
		"a build command":                {kernel: "build: {command: 'CHECKOUT/tools/make k.so', output: k.so}\n    " + compiledKernel, says: "kernel k: build"},
		"a benchmark":                    {kernel: "bench: {command: 'CHECKOUT/b', format: csv}\n", says: "kernel k: bench"},
		"flags":                          {kernel: "flags: ['-ICHECKOUT/include']\n    " + compiledKernel, says: "kernel k: flags"},
		"no checkout":                    {kernel: compiledKernel, env: "PATH=/usr/bin:" + top + "/.venv/bin", change: func(o *Options) { o.Checkout = top }},
		"another checkout":               {kernel: compiledKernel, env: "PATH=/usr/bin:" + top + "/.venv/bin", change: func(o *Options) { o.Head.Root = top }, says: "PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			if variable, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(variable, value)
			}
			o, p := surroundingsOf(t, checkoutDir, c.kernel)
			if c.change != nil {
				c.change(&o)
			}
			refused := func(o Options) *checkout.Lead {
				var asked Asked
				var lead *checkout.Lead
				err := o.ownSurroundings(p)
				if _, started := newSession(o, &asked); errors.As(started, &lead) != (err != nil) {
					t.Errorf("a session begins: %v, %v", started, err)
				}
				return lead
			}
			if lead := refused(o); (lead != nil) != (c.says != "") || lead != nil && !strings.Contains(lead.Error(), c.says) {
				t.Errorf("%v, want a word about %q", lead, c.says)
			}
			first := o
			first.Trusted.Trust, first.Trusted.NoBaseConfig = repo.TrustWorktree, true
			if lead := refused(first); (lead != nil) != (c.says != "") {
				t.Errorf("where base has no configuration yet: %v", lead)
			}
			first.Trusted.NoBaseConfig = false
			if lead := refused(first); lead != nil {
				t.Errorf("with the working tree's policy: %v", lead)
			}
			o.ChangesKnown = true
			if lead := refused(o); lead != nil {
				t.Errorf("where nothing is built: %v", lead)
			}
		})
	}
}

// An interpreter outside of the checkout is looked at where it is installed, wherever a shim has led.
func TestInterpreterThatImportsTheCheckout(t *testing.T) {
	o, _ := surroundingsOf(t, t.TempDir(), pythonKernel)
	top := t.TempDir()
	python := kernels.Interpreter{Path: filepath.Join(top, "python", "bin", "python3"), Folders: []string{filepath.Join(top, "apart", "site-packages")}}
	if err := o.ownPython("python3", python); err != nil {
		t.Error(err)
	}
	var lead *checkout.Lead
	for _, packages := range []string{filepath.Join(top, "python", "lib", "python3.12", "site-packages"), python.Folders[0]} {
		file := filepath.Join(packages, "mine.pth")
		write(t, file, o.Checkout+"/src\n")
		if err := o.ownPython("python3", python); !errors.As(err, &lead) {
			t.Errorf("%s: %v", file, err)
		}
		must(t, os.Remove(file))
	}
	write(t, filepath.Join(python.Folders[0], "mine.pth"), o.Checkout+"/src\n")
	o.Trusted.Trust = repo.TrustWorktree
	if err := o.ownPython("python3", python); err != nil {
		t.Errorf("with the working tree's policy: %v", err)
	}
}

// The environment of the tests themselves is one that base's policy takes.
func TestSurroundingsOfTheTests(t *testing.T) {
	kernelstest.Live(t)
	o, p := surroundingsOf(t, t.TempDir(), compiledKernel)
	if err := o.ownSurroundings(p); err != nil {
		t.Error(err)
	}
}
