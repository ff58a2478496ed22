package measure

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Whatever head is compared with is measured, compared and decided as base is: only its name differs, and that nobody blames a base that is not there.
func TestAnyVariantCanBeComparedWith(t *testing.T) {
	play := func(to result.Variant, fails bool) (*bench, Outcome) {
		b := newBench(5)
		b.levelNS["head"] = 1.02 * b.levelNS["base"]
		if fails {
			b.faults["base"] = func(op string, _ int) error {
				if op == "time" {
					return &kernels.RunnerError{Code: result.CodeCrashed, Message: "it crashed"}
				}
				return nil
			}
		}
		all := subjects(2)
		for i := range all {
			if to != result.VariantBase {
				all[i].To, all[i].Variants[0].Variant = to, to
			}
		}
		out, err := Rounds(t.Context(), all, Options{Policy: policy(0.1, 2), Budget: time.Minute, Seed: 7, Start: b.start})
		must(t, err)
		return b, out
	}
	for _, to := range []result.Variant{result.CompetitorNamed("lib"), {Role: result.RoleBestKnown, Name: "c0ffee"}} {
		ofBase, want := play(result.VariantBase, false)
		asked, got := play(to, false)
		if !slices.Equal(asked.order, ofBase.order) || len(got.Rounds) != len(want.Rounds) {
			t.Errorf("%s: processes of %v, want %v", to, asked.order, ofBase.order)
		}
		for i, c := range got.Cases {
			as := want.Cases[i]
			q, p := c.Comparison(result.VariantHead, to), as.Compared()
			if c.Verdict != as.Verdict || q == nil || p == nil || !reflect.DeepEqual(q.Between(p.Of, p.To), *p) || !reflect.DeepEqual(c.Looks, as.Looks) {
				t.Errorf("%s: %s %+v, want %s %+v", to, c.Verdict, q, as.Verdict, p)
			}
			if c.Base != nil || len(c.Of(to)) == 0 || len(c.Of(to)) != len(as.Of(result.VariantBase)) {
				t.Errorf("%s: %d processes, base %v; want %d and no base", to, len(c.Of(to)), c.Base, len(as.Of(result.VariantBase)))
			}
			if competes := to.Role == result.RoleCompetitor; competes != (len(c.Competitors) == 1 && reflect.DeepEqual(c.Competitors[0].Summary, as.Base)) {
				t.Errorf("%s: competitors are %+v", to, c.Competitors)
			}
		}
		if _, got := play(to, true); got.Cases[0].Verdict != result.Error || got.Cases[0].ErrorSide != result.SideNone {
			t.Errorf("%s fails: %s of %q", to, got.Cases[0].Verdict, got.Cases[0].ErrorSide)
		}
	}
}

// What is found of competitors is found again from what is kept of them. One that uses threads has all be timed by the wall clock.
func TestCompetitorsAreReplayed(t *testing.T) {
	b := newBench(5)
	b.levelNS["lib"], b.levelNS["old"] = 1.5e6, 2e6
	b.threaded["old"] = true
	p := policy(0.015, 1)
	p.MinSpeedups, p.Competitors = 1, 2
	lib := competitor("lib")
	lib.MinSpeedup = 1.2
	s := Subject{Name: "k/n=1", Cache: "cold", Variants: append(sidesOf("base", "head"), lib, competitor("old"))}
	out, err := Rounds(t.Context(), []Subject{s}, Options{Policy: p, Budget: time.Minute, Seed: 7, Start: b.start})
	must(t, err)
	c := out.Cases[0]
	if len(c.Competitors) != 2 || c.Competitors[0].Summary == nil || c.Competitors[1].Summary == nil {
		t.Errorf("%+v", c.Competitors)
	}
	if c.Method.Clock != clockWall || !strings.Contains(strings.Join(out.Notes, "\n"), "old uses more than one thread") {
		t.Errorf("clock %s, %q", c.Method.Clock, out.Notes)
	}
	r := result.Case{Name: "k/n=1", Kernel: "k", Method: c.Method, Processes: c.Processes, Looks: c.Looks, Comparisons: c.Comparisons, Verdict: c.Verdict, Competitors: c.Competitors}
	k := result.Kernel{Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed},
		Competitors: []result.Competitor{{Name: "lib", MinSpeedup: 1.2, Status: result.CompetitorMeasured}, {Name: "old", Status: result.CompetitorMeasured}}}
	res := &result.Result{Policy: p, Cases: []result.Case{r}, Kernels: []result.Kernel{k}, Rounds: out.Rounds}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, p)
	if err := rule.Replay(res, p).Err(); err != nil || res.Conclusion.Exit != result.ExitPassed {
		t.Errorf("exit %d, %v", res.Conclusion.Exit, err)
	}
}
