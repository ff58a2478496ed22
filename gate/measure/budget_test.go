package measure

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/result"
)

func TestBudgetGoneIsNeverAVerdict(t *testing.T) { synctest.Test(t, budgetGoneIsNeverAVerdict) }

func budgetGoneIsNeverAVerdict(t *testing.T) {
	b := newBench(1)
	b.delay = time.Second
	out, err := Rounds(t.Context(), subjects(1), Options{Policy: policy(0.015, 1), Budget: 10 * time.Second, Start: b.start})
	if err != nil {
		t.Fatal(err)
	}
	c := out.Cases[0]
	if !c.BudgetGone || c.Verdict != result.Inconclusive || c.BudgetNeededS <= 0 {
		t.Errorf("case = %+v", c)
	}
	if len(c.Processes) != processesIn(len(out.Rounds)) || len(out.Rounds) != 1 {
		t.Errorf("%d processes in %d complete rounds: the interrupted round counts", len(c.Processes), len(out.Rounds))
	}
}

// Nothing is timed where the first look does not fit: it is said how many cases the budget holds, and what is needed. With so many it is not refused.
func TestPlanThatItsBudgetCannotFinish(t *testing.T) {
	run := func(cases int, budget time.Duration) (Outcome, *bench) {
		b := newBench(1)
		out, err := Rounds(t.Context(), subjects(cases), Options{Policy: policy(0.015, cases), Budget: budget, Start: b.start})
		if err != nil || b.live != 0 {
			t.Fatal(b.live, err)
		}
		return out, b
	}
	for _, tt := range []struct {
		cases  int
		budget time.Duration
		holds  int
	}{
		{2000, 5 * time.Minute, 84}, {85, 100 * time.Second, 27}, {1, time.Millisecond, 0},
	} {
		out, b := run(tt.cases, tt.budget)
		if c := out.Cases[0]; !out.BudgetGone || len(out.Rounds) > 0 || len(b.methods) > 0 || !c.Reason.Is(result.ReasonBudgetShort) || c.Reason.Count != tt.holds || c.Verdict != result.Inconclusive {
			t.Errorf("%d cases in %s: %d rounds, %d sampled, %+v", tt.cases, tt.budget, len(out.Rounds), len(b.methods), c)
		}
		// 140 processes, each with a warm-up, and samples of 150 ms that take as long again.
		if needed := 140 * (0.1 + 0.3*float64(tt.cases)); math.Abs(out.Cases[0].BudgetNeededS/needed-1) > 0.02 {
			t.Errorf("%d cases: %.1f s needed, want %.1f", tt.cases, out.Cases[0].BudgetNeededS, needed)
		}
		if tt.holds == 0 {
			continue
		}
		if out, _ := run(tt.holds, tt.budget); out.Cases[0].Reason.Is(result.ReasonBudgetShort) {
			t.Errorf("%d cases do not fit into %s", tt.holds, tt.budget)
		}
	}
}
