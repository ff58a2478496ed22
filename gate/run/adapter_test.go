package run

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// That head needs another adapter is said only where base builds with this one: a slip in the adapter itself is no matter of head.
func TestWhoseFaultAnAdapterIsThatDoesNotBuild(t *testing.T) {
	kernelstest.Live(t)
	for what, c := range map[string]struct {
		base, adapter, head string
		trust               string
		want                result.AdapterFault
	}{
		"no base":                      {"", "#include <nope.h>", "", repo.TrustWorktree, result.AdapterNotCompiled},
		"base with its own":            {"base", "#include <nope.h>", "", repo.TrustWorktree, result.AdapterNotCompiled},
		"base is head":                 {"head", "#include <nope.h>", "", repo.TrustWorktree, result.AdapterNotCompiled},
		"nothing to link":              {"", "void nowhere(); void f() { nowhere(); }", "", repo.TrustWorktree, result.AdapterNotLinked},
		"head does not fit":            {"base", "#ifdef NEW\n#error new\n#endif", "#define NEW", repo.TrustWorktree, result.AdapterNeedsChange},
		"head does not fit base's own": {"base", "#ifdef NEW\n#error new\n#endif", "#define NEW", repo.TrustBase, result.AdapterNeedsLabel},
	} {
		t.Run(what, func(t *testing.T) {
			opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
			ours := opt.Head.Tree
			if c.trust == repo.TrustBase {
				ours = opt.Base.Tree
			}
			opt.Trusted.Trust, opt.Trusted.Config.Dir = c.trust, ours
			write(t, filepath.Join(ours, "k.pg.cc"), "#include \"kernel.h\"\n"+c.adapter+"\n")
			write(t, filepath.Join(opt.Head.Tree, "kernel.h"), c.head+"\n"+read(t, filepath.Join(opt.Head.Tree, "kernel.h")))
			for _, side := range []Side{opt.Base, opt.Head} {
				write(t, filepath.Join(side.Tree, "other.cc"), "\n")
			}
			opt.Trusted.Config.Kernels[0].Sources = []string{"other.cc"}
			switch c.base {
			case "":
				opt.Base = Side{}
			case "head":
				opt.Base = opt.Head
			}
			res := parityOf(t, opt)
			k := res.Kernels[0]
			if res.Conclusion.Exit != result.ExitFailed || k.Head.Cause != result.CauseAdapter || k.Adapter != c.want {
				t.Errorf("exit %d, cause %s, %q; want %q", res.Conclusion.Exit, k.Head.Cause, k.Adapter, c.want)
			}
		})
	}
}

// Builds of which not all was seen are named once for the run, with what that leaves undone.
func TestBuildsThatWereNotSeen(t *testing.T) {
	for trust, want := range map[string]string{repo.TrustBase: "tells compiler or linker", repo.TrustWorktree: "not kept for later runs: a (x), b (y)"} {
		w := &workshop{Question: Question{Trusted: repo.Trusted{Trust: trust}}, unseen: []string{"b (y)", "a (x)", "a (x)"}}
		var a Account
		if w.noteUnseen(&a); len(a.Notes) != 1 || !strings.Contains(a.Notes[0], want) {
			t.Errorf("%s: %q", trust, a.Notes)
		}
	}
}

// A kernel that is nothing but its adapter is built with base's own on base: that says nothing of head's.
func TestAdapterOfCodeInItDoesNotCompile(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	for _, side := range []Side{opt.Base, opt.Head} {
		write(t, filepath.Join(side.Tree, "k.pg.cc"), read(t, filepath.Join(side.Tree, "kernel.h")))
	}
	file := filepath.Join(opt.Head.Tree, "k.pg.cc")
	write(t, file, read(t, file)+"this is no C++;\n")
	opt.Trusted.Changed = []result.RuleChange{{Kind: result.RuleAdapter, File: "k.pg.cc"}}
	res := parityOf(t, opt)
	if k := res.Kernels[0]; res.Conclusion.Exit != result.ExitFailed || k.Adapter != result.AdapterNotCompiled || !strings.Contains(k.Head.Output, "k.pg.cc:") {
		t.Errorf("exit %d, %q: %s", res.Conclusion.Exit, k.Adapter, k.Head.Output)
	}
}

// Only base is kept for later runs, only where git laid it out, and only with an adapter of its own.
func TestOnlyBaseIsKept(t *testing.T) {
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	opt.Base.TreeID, opt.Head.TreeID = "base", "head"
	w := &workshop{Question: opt.Question}
	k := Kernel{Plan: plan.KernelPlan{Kernel: opt.Trusted.Config.Kernels[0]}}
	if base, head := w.spec(k, opt.Base), w.spec(k, opt.Head); !base.Keep || head.Keep || head.TreeID != "head" {
		t.Errorf("base is kept: %v, head: %v", base.Keep, head.Keep)
	}
	write(t, filepath.Join(opt.Head.Tree, k.Plan.Kernel.Adapter), read(t, filepath.Join(opt.Head.Tree, k.Plan.Kernel.Adapter))+"// other\n")
	if w.spec(k, opt.Base).Keep {
		t.Error("base is kept with head's adapter")
	}
	opt.Base.TreeID = ""
	if w.spec(k, opt.Base).Keep {
		t.Error("a folder is kept")
	}
}

// Where head's configuration rules, base is built as its own says; where base's rules, both sides are built as that says.
func TestBaseIsBuiltByItsOwnFlags(t *testing.T) {
	compiled := func(sources, flags string) config.Kernel {
		return config.Kernel{Name: "k", Adapter: "k.pg.cc", Sources: []string{sources}, Flags: []string{flags}}
	}
	commanded := func(command string) config.Kernel {
		return config.Kernel{Name: "k", Adapter: "k.pg.cc", Build: &config.Build{Command: command, Output: "k.so"}}
	}
	made := commanded("make")
	made.Sources = []string{"a.cc"} // by which base is known to have the kernel
	for name, c := range map[string]struct {
		base, head, want config.Kernel
		trust            string
	}{
		"flags":                {compiled("a.cc", "-O3"), compiled("a.cc", "-O0"), compiled("a.cc", "-O3"), repo.TrustWorktree},
		"sources":              {compiled("a.cc", "-O3"), compiled("b.cc", "-O3"), compiled("a.cc", "-O3"), repo.TrustWorktree},
		"a command":            {commanded("make"), commanded("make OPT=0"), commanded("make"), repo.TrustWorktree},
		"a command of late":    {compiled("a.cc", "-O3"), commanded("make"), made, repo.TrustWorktree},
		"where base's rules":   {compiled("a.cc", "-O3"), compiled("a.cc", "-O3"), compiled("a.cc", "-O3"), repo.TrustBase},
		"a kernel of late":     {config.Kernel{Name: "other"}, compiled("a.cc", "-O0"), compiled("a.cc", "-O0"), repo.TrustWorktree},
		"an adapter in Python": {config.Kernel{Name: "k", Adapter: "k.pg.py"}, compiled("a.cc", "-O3"), compiled("", "-O3"), repo.TrustWorktree},
	} {
		of := func(k config.Kernel) *config.Config { return &config.Config{Kernels: []config.Kernel{k}} }
		w := &workshop{Question: Question{
			Trusted: repo.Trusted{Base: of(c.base), Config: of(c.head), Trust: c.trust}, Base: Side{Tree: "base"}, Head: Side{Tree: "head"},
		}}
		k := Kernel{Plan: plan.KernelPlan{Kernel: c.head}}
		base, head := w.spec(k, w.Base), w.spec(k, w.Head)
		command := ""
		if c.want.Build != nil {
			command = c.want.Build.Command
		}
		if !slices.Equal(base.Flags, c.want.Flags) || base.Command != command || strings.Join(base.Sources, "") != strings.Join(c.want.Sources, "") {
			t.Errorf("%s: base is made of %q with %q by %q", name, base.Sources, base.Flags, base.Command)
		}
		if !slices.Equal(head.Flags, c.head.Flags) || !slices.Equal(head.Sources, c.head.Sources) {
			t.Errorf("%s: head is made of %q with %q", name, head.Sources, head.Flags)
		}
	}
}

// An adapter in Python is imported, not compiled, and the report says so.
func TestAnAdapterInPythonIsNotImported(t *testing.T) {
	k := Kernel{Head: Build{Record: &result.Build{Failed: true, Cause: result.CauseAdapter}}}
	k.Plan.Kernel = config.Kernel{Name: "k", Adapter: "k.pg.py"}
	w := &workshop{Question: Question{Trusted: repo.Trusted{Config: &config.Config{}}}}
	if got := w.adapterFault(k); got != result.AdapterNotImported {
		t.Errorf("%q", got)
	}
}
