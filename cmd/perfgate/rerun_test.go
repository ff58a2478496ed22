package main

import (
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
	if f, err := (runFlags{}).again(good()); err != nil || f.base != commit || f.head != commit || f.seed != "7" || f.trust != "base" {
		t.Errorf("%+v, %v", f, err)
	}
	sharded := good()
	sharded.Shard = &result.Shard{Index: 2, Of: 3, Seed: "9"}
	if f, err := (runFlags{}).again(sharded); err != nil || f.shard != "2/3" || f.seed != "9" {
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
		if _, err := (runFlags{}).again(r); exitCode(err) != int(result.ExitUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Red cases come alone; a run in which none was red is done whole.
func TestRedCasesComeFirst(t *testing.T) {
	t.Parallel()
	r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{
		{Kind: result.FindingRegression, Effect: result.EffectFails, Case: "k/n=1"}, {Kind: result.FindingEstimateWithin, Effect: result.EffectNote, Case: "k/n=2"},
		{Kind: result.FindingTooNoisy, Effect: result.EffectUnmeasured, Case: "k/n=3"}, {Kind: result.FindingCreep, Effect: result.EffectFails, Case: "k/n=1"},
	}}}
	if got := redCases(r); !slices.Equal(got, []string{"k/n=1", "k/n=3"}) {
		t.Errorf("%q", got)
	}
	if got := redCases(&result.Result{}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
