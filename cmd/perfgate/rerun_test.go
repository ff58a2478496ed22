package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A result is data of others: what it names reaches the command line of a run as what it has to be, or not at all.
func TestRerunTakesNothingButRevisions(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("a", 40)
	good := func() *result.Result {
		return &result.Result{
			Seed: "7", Config: result.Config{Trust: "base"},
			Base: result.Version{Kind: result.KindRevision, Revision: commit}, Head: result.Version{Kind: result.KindRevision, Revision: commit},
		}
	}
	if f, err := (runFlags{}).sameRun(good()); err != nil || f.Base != commit || f.Head != commit || f.Seed != "7" || f.Trust != "base" {
		t.Errorf("%+v, %v", f, err)
	}
	sharded := good()
	sharded.Shard = &result.Shard{Index: 2, Of: 3, Seed: "9"}
	if f, err := (runFlags{}).sameRun(sharded); err != nil || f.Shard != "2/3" || f.Seed != "9" {
		t.Errorf("%+v, %v", f, err)
	}
	for name, spoil := range map[string]func(*result.Result){
		"an option":  func(r *result.Result) { r.Head.Revision = "--upload-pack=touch x" },
		"a branch":   func(r *result.Result) { r.Base.Revision = "main" },
		"a folder":   func(r *result.Result) { r.Head.Kind = result.KindDirectory },
		"no number":  func(r *result.Result) { r.Seed = "7 --sandbox=off" },
		"several":    func(r *result.Result) { r.Merged = []result.Part{{}} },
		"no sources": func(r *result.Result) { r.Base = result.Version{} },
	} {
		r := good()
		spoil(r)
		if _, err := (runFlags{}).sameRun(r); result.ExitCodeOf(err) != result.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Red cases come alone; a run in which none was red is done whole.
func TestRedCasesComeFirst(t *testing.T) {
	t.Parallel()
	r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{
		{Kind: result.FindingRegression, Effect: result.EffectFails, Case: "k/n=1"}, {Kind: result.FindingEstimateWithin, Effect: result.EffectNote, Case: "k/n=2"},
		{Kind: result.FindingTooNoisy, Effect: result.EffectUnmeasured, Case: "k/n=3"}, {Kind: result.FindingCumulativeRegression, Effect: result.EffectFails, Case: "k/n=1"},
	}}}
	if got := redCases(r, nil); !slices.Equal(got, []string{"k/n=1", "k/n=3"}) {
		t.Errorf("%q", got)
	}
	if got := redCases(r, []string{"other"}); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if got := redCases(&result.Result{}, nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// What was red beside a wrong kernel is asked again, too.
func TestWrongKernelsAreNotAllThatWasRed(t *testing.T) {
	t.Parallel()
	wrong := []result.Kernel{{Name: "k"}}
	for _, c := range []struct {
		kind   result.FindingKind
		kernel string
		effect result.Effect
		want   bool
	}{
		{result.FindingWrongOutput, "k", result.EffectFails, false}, {result.FindingWrongOutput, "other", result.EffectFails, true},
		{result.FindingBuild, "other", result.EffectUnmeasured, true}, {result.FindingRegression, "other", result.EffectFails, true},
		{result.FindingEstimateWithin, "other", result.EffectNote, false},
	} {
		r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{{Kind: c.kind, Kernel: c.kernel, Effect: c.effect}}}}
		if got := isRedBeside(r, wrong); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestWorstOfSeveralChecks(t *testing.T) {
	t.Parallel()
	unmeasured, no := errors.New("no answer"), &result.ExitError{Code: 1}
	if err := worstOf([]error{nil, unmeasured, no}); result.ExitCodeOf(err) != 1 || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("%v", err)
	}
	if err := worstOf([]error{nil, unmeasured}); result.ExitCodeOf(err) != 3 {
		t.Errorf("%v", err)
	}
	if err := worstOf([]error{nil, nil}); err != nil {
		t.Errorf("%v", err)
	}
}

// The result that is done again is not cleared away as an earlier run's.
func TestRerunKeepsWhatItReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "result.json")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, saved := range []string{dir, file} {
		if err := (rerunOf{saved: saved}).keptBy(dir); result.ExitCodeOf(err) != 2 {
			t.Errorf("%s: %v", saved, err)
		}
		if err := (rerunOf{saved: saved}).keptBy(t.TempDir()); err != nil {
			t.Errorf("%s: %v", saved, err)
		}
	}
}
