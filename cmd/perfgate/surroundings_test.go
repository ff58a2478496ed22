package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/kernelstest"
)

// A git of the checkout never runs with base's policy: it is looked at before the first question to git.
func TestGitOfTheCheckoutDoesNotRun(t *testing.T) {
	dir, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	must(t, errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o755), os.Mkdir(filepath.Join(dir, "bin"), 0o755)))
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "bin", "git"), []byte("#!/bin/sh\necho >"+ran+"\nexit 1\n")))
	t.Chdir(dir)
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	_, run := (runFlags{Run: request.Run{Trust: repo.TrustBase, Head: "HEAD"}}).Sources(t.Context(), t.TempDir())
	_, judged := search.Judge{Run: request.Run{Trust: repo.TrustBase, Base: "HEAD"}, Ledger: t.TempDir(), Candidate: "HEAD"}.Answer(t.Context(), t.TempDir())
	for verb, err := range map[string]error{"run": run, "judge": judged} {
		var lead *checkout.Lead
		if !errors.As(err, &lead) || result.ExitCodeOf(err) != result.ExitNotMeasurable {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran")
	}
	if _, err := (runFlags{Run: request.Run{Trust: repo.TrustWorktree, Head: "HEAD"}}).Sources(t.Context(), t.TempDir()); err == nil {
		t.Error("no error of a git that fails")
	}
	if _, err := os.Stat(ran); err != nil {
		t.Error("with the working tree's policy it did not run")
	}
}
