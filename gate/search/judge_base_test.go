package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// Base is known by its content, so that it is built once for the whole search. A candidate never is: what hostile code built is kept for nobody.
func TestJudgeKnowsBaseAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prepared := func(base string) run.Options {
		t.Helper()
		l, err := LoadLedger(filepath.Join(dir, "ledger-"+base))
		must(t, err)
		j := &judging{scratch: t.TempDir(), ledger: l, Judge: Judge{
			Run: request.Run{Trust: repo.TrustBase, Base: filepath.Join(dir, base)}, Ledger: filepath.Join(dir, "ledger-"+base), Candidate: filepath.Join(dir, "candidate"),
			Options: func(ctx context.Context, r request.Run, scratch string) (run.Options, error) {
				return r.Options(ctx, scratch)
			},
			Replay: func(r request.Run) string { return "parity --config=" + r.Config },
		}}
		must(t, j.prepare(t.Context()))
		return j.opt
	}
	for _, folder := range []string{"base", "copy", "other", "candidate"} {
		must(t, os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("..", "..", "testdata", "judge", "cpu"))))
	}
	must(t, os.WriteFile(filepath.Join(dir, "other", "another.h"), nil, 0o644))
	one, same, other := prepared("base"), prepared("copy"), prepared("other")
	if one.Base.TreeID == "" || one.Base.TreeID != same.Base.TreeID || one.Base.TreeID == other.Base.TreeID {
		t.Errorf("base is known as %q, a copy of it as %q, and another as %q", one.Base.TreeID, same.Base.TreeID, other.Base.TreeID)
	}
	if want := "parity --config=perfgate.yaml"; one.Parity.Command != want {
		t.Errorf("a case is replayed by %q, want %q", one.Parity.Command, want)
	}
	if one.Head.TreeID != "" {
		t.Errorf("a candidate is known as %q", one.Head.TreeID)
	}
}

// What is no candidate is named as the caller named it: judge has no --head.
func TestJudgeNamesWhatIsNoCandidate(t *testing.T) {
	t.Parallel()
	base, empty, foreign := t.TempDir(), t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(base, "perfgate.yaml"), filepath.Join(foreign, "readme")} {
		must(t, os.WriteFile(file, nil, 0o644))
	}
	for _, c := range []struct{ candidate, base, says string }{
		{empty, base, empty + " is no candidate: " + base + " has none of its files"},
		{foreign, base, foreign + " is no candidate: " + base + " has none of its files"},
		{filepath.Join(base, "nothing"), base, filepath.Join(base, "nothing") + " is no candidate"},
		{"/dev/zero", base, "/dev/zero is no candidate"},
		{base, filepath.Join(base, "nothing"), "there is no folder and no revision"},
	} {
		j := &judging{scratch: t.TempDir(), Judge: Judge{Run: request.Run{Base: c.base}, Ledger: filepath.Join(base, "ledger"), Candidate: c.candidate}}
		if err := j.prepare(t.Context()); result.ExitCodeOf(err) != result.ExitUsage || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "--head") {
			t.Errorf("%s beside %s: %v, want %q", c.candidate, c.base, err, c.says)
		}
	}
}

// A patch whose size does not bound what it makes is refused.
func TestJudgeTakesPatchesOfText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "try.patch")
	must(t, os.WriteFile(path, []byte("diff --git a/x b/x\nindex 0..1\nGIT binary patch\nliteral 99999999999\n"), 0o644))
	if _, err := (&judging{Judge: Judge{Candidate: path}}).patch(); result.ExitCodeOf(err) != 2 {
		t.Errorf("%v", err)
	}
}
