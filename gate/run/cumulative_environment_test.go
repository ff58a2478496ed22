package run

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const doesNothing = "import perfgate as pg\n\ndef tensors(case):\n    return {'y': pg.Out(case.n)}\n\ndef launch(case, t):\n    pass\n\ndef reference(case, t):\n    return 0\n"

// untimedScreening is a run before it builds, with its kernel and a case that has a best-known level.
func untimedScreening(t *testing.T, opt Options) (*screening, Kernel, *Case) {
	t.Helper()
	opt.Base.Info.Revision = commitName(0)
	session, v := openedRun(t, opt)
	c := &Case{}
	c.Record.Stored = &result.Stored{BestCommit: commitName(1)}
	return &screening{measuring: session.measuring(v.Asked)}, Kernel{Plan: v.Asked.Plan.Kernels[0]}, c
}

// The best-known level is built in the environment that its own commit lists, also where head is an external contributor's, and by the interpreter of that environment.
func TestBestKnownLevelHasItsEnvironment(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import venv").Run() != nil {
		kernelstest.Missing(t, "/usr/bin/python3 has no venv (python3-venv)")
	}
	files := func(list string) map[string]string {
		return map[string]string{"make.sh": python + ` -m venv --without-pip "$PERFGATE_ENV"` + "\n. ./list.txt\n", "list.txt": list, "k.pg.py": doesNothing}
	}
	const yaml = "    adapter: k.pg.py\n    params: {n: {values: [1]}}\n    environment: {fetch: 'true', build: sh make.sh, inputs: [make.sh, list.txt]}\n"
	opt := benchSides(t, repo.TrustBase, yaml, files("# base\n"), files("# head\n"))
	best := benchSides(t, repo.TrustBase, yaml, files("# best\n"), files("echo no such package >&2; exit 3\n"))
	opt.External, opt.Cache, opt.Stored = true, (&past{t: t}).cache(), new(Stored)
	s, k, c := untimedScreening(t, opt)
	var a Account
	lib, why, err := s.buildBest(t.Context(), k, c, map[string]Side{commitName(1): best.Base}, &a)
	if err != nil || why != nil {
		t.Fatalf("%+v, %v", why, err)
	}
	e := s.workshop.environmentOf(k.Plan.Kernel, best.Base)
	if e == nil || len(lib.Command) == 0 || !strings.HasPrefix(lib.Command[0], e.Path()) || read(t, e.Folder+"/tree/list.txt") != "# best\n" {
		t.Errorf("%+v, made by %q", e, lib.Command)
	}
	if _, why, err = s.buildBest(t.Context(), k, c, map[string]Side{commitName(1): best.Head}, &a); err != nil || !why.Is(result.ReasonBestNoBuild) || !strings.Contains(why.Message, "environment.build of other-commit failed: exit status 3") {
		t.Errorf("%+v, %v", why, err)
	}
}

// Siblings have one tree of the best-known level, and a build command has it alone.
func TestSiblingsBuildTheBestKnownLevelInTurn(t *testing.T) {
	t.Parallel()
	const yaml = "    adapter: k.pg.py\n    build: {command: 'mkdir busy && sleep 0.3 && rmdir busy'}\n    params: {n: {values: [1]}}\n"
	files := map[string]string{"k.pg.py": doesNothing}
	opt := benchSides(t, repo.TrustBase, yaml, files, files)
	opt.Stored = (&Stored{LayOut: func(context.Context, string) (Side, error) { return opt.Head, nil }}).shared(new(siblings))
	var both sync.WaitGroup
	for range 2 {
		opt.Scratch = t.TempDir()
		s, k, c := untimedScreening(t, opt)
		both.Go(func() {
			_, why, err := s.buildBest(t.Context(), k, c, map[string]Side{}, new(Account))
			if err != nil || why != nil {
				t.Errorf("%+v, %v", why, err)
			}
		})
	}
	both.Wait()
}
