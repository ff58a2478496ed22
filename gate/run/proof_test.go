package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
)

// askingAdapter reads and looks for files in ways that no list of functions, no log of Python's and no list of its modules has.
const askingAdapter = `import ctypes
import importlib.util
import os
import subprocess
import sys

import numpy as np
import perfgate as pg

HERE = os.path.dirname(os.path.abspath(__file__))
libc = ctypes.CDLL(None)

def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}

def launch(case, t):
    libc.open(os.path.join(HERE, "opened.bin").encode(), 0)
    import hidden
    del sys.modules["hidden"]
    importlib.util.find_spec("maybe")
    os.path.exists(os.path.join(HERE, "flag"))
    os.listdir(os.path.join(HERE, "configs"))
    subprocess.run(["cat", os.path.join(HERE, "shell.txt")], stdout=subprocess.DEVNULL)
    open(os.path.join(HERE, "current", "table")).close()
    np.multiply(t.x, 2, out=t.y)

def reference(case, t):
    return 2 * t.x
`

var askedTree = map[string]string{
	"k.pg.py": askingAdapter, "opened.bin": "1", "hidden.py": "", "configs/a": "1", "shell.txt": "1", "v1/table": "1", "v2/table": "1", "unread.txt": "1",
	"perfgate.yaml": "version: 1\nkernels:\n  - {name: k, adapter: k.pg.py, params: {n: {fuzz: {min: 1, max: 100}}}, measure: [{n: 100}], parity: off}\n",
}

// Whatever base's code asks for while it runs has to be the same on head, however it asks.
func TestWhatBaseAsksForIsCompared(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	side := func() Side {
		tree := t.TempDir()
		for name, text := range askedTree {
			write(t, filepath.Join(tree, name), text)
		}
		must(t, os.Symlink("v1", filepath.Join(tree, "current")))
		return Side{Tree: tree}
	}
	base, head := side(), side()
	cfg := configIn(t, head.Tree)
	cfg.Python = kernelstest.PythonWith(t, "numpy")
	opt := optionsFor(t, cfg, head.Tree, "")
	opt.Base, opt.Head, opt.Trusted = base, head, repo.Trusted{Config: cfg, Trust: repo.TrustWorktree}
	s, v := builtRun(t, opt)
	if len(v.Builds.On) != 1 {
		t.Fatalf("%+v", v.Builds.Ended)
	}
	m, k := s.measuring(v.Asked), v.Builds.On[0]
	r := m.runner(k)
	asked, why, err := r.observed(t.Context(), k, result.SideBase)
	if err != nil || why != "" || len(asked.Incomplete) > 0 {
		t.Fatalf("%q, %v, %+v", why, err, asked.Incomplete)
	}
	in := func(name string) string { return filepath.Join(head.Tree, name) }
	rewrite := func(name, text string) func() error {
		return func() error { return os.WriteFile(in(name), []byte(text), 0o644) }
	}
	for _, c := range []struct {
		what         string
		change, undo func() error
		differs      string
	}{
		{"nothing", rewrite("opened.bin", "1"), rewrite("opened.bin", "1"), ""},
		{"a file that nothing asks for", rewrite("unread.txt", "2"), rewrite("unread.txt", "1"), ""},
		{"opened by a library", rewrite("opened.bin", "2"), rewrite("opened.bin", "1"), "opened.bin, which differs"},
		{"a module that was taken out of the list", rewrite("hidden.py", "x = 1"), rewrite("hidden.py", ""), "hidden.py, which differs"},
		{"a module that was looked for", rewrite("maybe.py", ""), func() error { return os.Remove(in("maybe.py")) }, "base lists the top folder, where only one side has maybe.py"},
		{"a file that was looked for", rewrite("flag", ""), func() error { return os.Remove(in("flag")) }, "base lists the top folder, where only one side has flag"},
		{"a name in a folder", rewrite("configs/b", "1"), func() error { return os.Remove(in("configs/b")) }, "base lists configs, where only one side has b"},
		{"read by a program", rewrite("shell.txt", "2"), rewrite("shell.txt", "1"), "shell.txt, which differs"},
		{"behind a link", rewrite("v1/table", "2"), rewrite("v1/table", "1"), "v1/table, which differs"},
		{"behind another link", rewrite("v2/table", "2"), rewrite("v2/table", "1"), ""},
		{"a link", relink(in("current"), "v2"), relink(in("current"), "v1"), "current, which differs"},
		{"a right to run", func() error { return os.Chmod(in("shell.txt"), 0o755) }, func() error { return os.Chmod(in("shell.txt"), 0o644) }, "shell.txt, which differs"},
	} {
		must(t, c.change())
		s.workshop.before = identity.TakeSnapshots(opt.Base.root(), opt.Head.root(), opt.Scratch)
		s.workshop.before.Settle()
		of, err := s.workshop.treesOf(k, r.claim(k).libraries)
		must(t, err)
		got := ""
		if d := of.FirstDiffering(asked); d != nil {
			got = strings.TrimPrefix(d.String(), "base asks for ")
		}
		if got != c.differs {
			t.Errorf("%s: %q, want %q", c.what, got, c.differs)
		}
		must(t, c.undo())
	}
}

func relink(link, target string) func() error {
	return func() error {
		if err := os.Remove(link); err != nil {
			return err
		}
		return os.Symlink(target, link)
	}
}

// A kernel that imports an installed copy of what its tree has runs that on both sides: equal code, and nothing of either was run.
func TestAdapterThatImportsAnInstalledCopy(t *testing.T) {
	t.Parallel()
	packages := filepath.Join(t.TempDir(), "lib/python3.12/site-packages")
	base, head := t.TempDir(), t.TempDir()
	for _, dir := range []string{packages, filepath.Join(base, "python"), filepath.Join(head, "python")} {
		write(t, filepath.Join(dir, "mykern/__init__.py"), "")
		write(t, filepath.Join(dir, "mykern/fast.py"), "x = 1")
	}
	write(t, filepath.Join(head, "python/mykern/fast.py"), "x = 2")
	scratch := t.TempDir()
	write(t, filepath.Join(scratch, "build-0/k.pg.py"), "")
	write(t, filepath.Join(base, "k.pg.py"), "")
	m := &measuring{opt: Question{Base: Side{Tree: base}, Head: Side{Tree: head}, Scratch: scratch, Trusted: repo.Trusted{Config: &config.Config{}}}}
	opened := func(paths ...string) (r observe.Report) {
		for _, path := range paths {
			r.Paths = append(r.Paths, observe.Access{Path: path, Asked: observe.Opened})
		}
		return r
	}
	k := Kernel{Base: Build{Runs: m.opt.Base}, Head: Build{Runs: m.opt.Head}}
	adapter := filepath.Join(scratch, "build-0/k.pg.py")
	for name, c := range map[string]struct {
		asked     observe.Report
		elsewhere bool
	}{
		"installed": {opened(adapter, filepath.Join(packages, "mykern/__init__.py"), filepath.Join(packages, "mykern/fast.py")), true},
		"its own":   {opened(adapter, filepath.Join(base, "python/mykern/__init__.py"), filepath.Join(base, "python/mykern/fast.py")), false},
		"head's":    {opened(adapter, filepath.Join(head, "python/mykern/fast.py")), true},
	} {
		if found, err := m.loadedElsewhere(k, c.asked); err != nil || (found != nil) != c.elsewhere {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
