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

// Red cases come alone; a run in which none was red is done whole.
func TestRedCasesComeFirst(t *testing.T) {
	t.Parallel()
	r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{
		{Kind: result.FindingRegression, Effect: result.EffectFails, Case: "k/n=1"}, {Kind: result.FindingInconclusivePassed, Effect: result.EffectNote, Case: "k/n=2"},
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
		{result.FindingInconclusivePassed, "other", result.EffectNote, false},
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
