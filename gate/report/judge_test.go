package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
)

// What a better candidate no longer suffers from is no advice to it; what makes a worse one slow is.
func TestJudgeSaysWhoseCauseItIs(t *testing.T) {
	for _, log := range []float64{-0.1, 0.1} {
		res := &result.Result{Cases: []result.Case{{Name: "k/n=1", Evidence: &result.CaseEvidence{Log: log, Causes: []result.Cause{{Title: "registers spill", Share: 0.9, Remedy: "fewer variables"}}}}}}
		var a search.Answer
		a.Take(search.Outcome{Verdict: search.Same}, res)
		says := JudgeSays(&a)
		advised := slices.ContainsFunc(says, func(s string) bool { return strings.Contains(s, "fewer variables") })
		before := slices.ContainsFunc(says, func(s string) bool { return strings.HasPrefix(s, "k/n=1 was slower before because registers spill") })
		if advised != (log > 0) || before != (log < 0) {
			t.Errorf("at a log shift of %v it says %q", log, says)
		}
	}
}

// What an agent acts on is said once: the compiler's line of what does not build, and of what is wrong the smallest case with its command.
func TestJudgeSaysWhatToActOn(t *testing.T) {
	wrong := search.Answer{Verdict: search.Wrong, Faults: []search.Fault{{Finding: result.Finding{Kind: result.FindingWrongOutput, Kernel: "k"}}},
		Parity: []search.JudgedParity{{Kernel: "k", Failure: &result.ParityFailure{Case: "k/n=1", Message: "1 of 1 elements is wrong", Repro: "perfgate parity --seed 7"}}}}
	broken := search.Answer{Verdict: search.Broken, Faults: []search.Fault{{Finding: result.Finding{Kind: result.FindingBuild, Kernel: "k", Side: result.SideHead}, Output: "k: k.cc does not compile\nk.cc:3:1: error: expected ';'"}}}
	for _, c := range []struct {
		answer     search.Answer
		want, once string
	}{
		{wrong, "again with: perfgate parity --seed 7", "1 of 1 elements"},
		{broken, "k: head does not build: k.cc:3:1: error: expected ';'", "does not build: "},
	} {
		says := strings.Join(JudgeSays(&c.answer), "\n")
		if !strings.Contains(says, c.want) || strings.Count(says, c.once) != 1 {
			t.Errorf("%s:\n%s", c.answer.Verdict, says)
		}
	}
}

// That a check was left out weakens an answer, whatever its verdict.
func TestJudgeSaysWhatWasNotChecked(t *testing.T) {
	res := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{
		{Kind: result.FindingParityOff, Effect: result.EffectNote, Kernel: "k"}, {Kind: result.FindingUnsteady, Effect: result.EffectNote, Kernel: "k"},
	}}}
	var a search.Answer
	a.Take(search.Outcome{Verdict: search.Same}, res)
	if says := JudgeSays(&a); len(says) != 2 || says[1] != "k: parity is switched off by the configuration" {
		t.Errorf("it says %q", says)
	}
}
