package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/result"
)

// What a better candidate no longer suffers from is no advice to it; what makes a worse one slow is.
func TestJudgeSaysWhoseCauseItIs(t *testing.T) {
	for _, log := range []float64{-0.1, 0.1} {
		res := &result.Result{Cases: []result.Case{{Name: "k/n=1", Evidence: &result.CaseEvidence{Log: log, Causes: []result.Cause{{Title: "registers spill", Share: 0.9, Remedy: "fewer variables"}}}}}}
		var a judge.Answer
		a.Take(judge.Outcome{Verdict: judge.Same}, res)
		says := JudgeSays(&a, res)
		advised := slices.ContainsFunc(says, func(s string) bool { return strings.Contains(s, "fewer variables") })
		before := slices.ContainsFunc(says, func(s string) bool { return strings.HasPrefix(s, "k/n=1 was slower before because registers spill") })
		if advised != (log > 0) || before != (log < 0) {
			t.Errorf("at a log shift of %v it says %q", log, says)
		}
	}
}
