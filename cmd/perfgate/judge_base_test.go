package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// Base is known by its content, so that it is built once for the whole search. A candidate never is: what hostile code built is kept for nobody.
func TestJudgeKnowsBaseAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prepared := func(base string) pipeline.Options {
		t.Helper()
		l, err := judge.Load(filepath.Join(dir, "ledger-"+base))
		if err != nil {
			t.Fatal(err)
		}
		f := judgeFlags{runFlags: runFlags{Run: request.Run{Trust: repo.TrustBase, Base: filepath.Join(dir, base)}}, ledger: filepath.Join(dir, "ledger-"+base)}
		if err := f.check([]string{filepath.Join(dir, "candidate")}); err != nil {
			t.Fatal(err)
		}
		j := &judging{flags: f, scratch: t.TempDir(), ledger: l, log: func(string) {}}
		if err := j.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		return j.opt
	}
	for _, folder := range []string{"base", "copy", "other", "candidate"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("..", "..", "testdata", "judge", "cpu"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other", "another.h"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	one, same, other := prepared("base"), prepared("copy"), prepared("other")
	if one.Base.TreeID == "" || one.Base.TreeID != same.Base.TreeID || one.Base.TreeID == other.Base.TreeID {
		t.Errorf("base is known as %q, a copy of it as %q, and another as %q", one.Base.TreeID, same.Base.TreeID, other.Base.TreeID)
	}
	if one.Head.TreeID != "" {
		t.Errorf("a candidate is known as %q", one.Head.TreeID)
	}
}

// What is no candidate is named as the caller named it: judge has no --head.
func TestJudgeNamesWhatIsNoCandidate(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, c := range []struct{ candidate, base, says string }{
		{filepath.Join(base, "nothing"), base, filepath.Join(base, "nothing") + " is no candidate"},
		{"/dev/zero", base, "/dev/zero is no candidate"},
		{base, filepath.Join(base, "nothing"), "--base"},
	} {
		f := judgeFlags{runFlags: runFlags{Run: request.Run{Base: c.base}}, ledger: filepath.Join(base, "ledger"), candidate: c.candidate}
		j := &judging{flags: f, scratch: t.TempDir(), log: func(string) {}}
		if err := j.freeze(t.Context()); result.ExitCodeOf(err) != result.ExitUsage || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "--head") {
			t.Errorf("%s beside %s: %v, want %q", c.candidate, c.base, err, c.says)
		}
	}
}
