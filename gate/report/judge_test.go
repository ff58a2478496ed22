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

// What an agent acts on is said once: the compiler's line of what does not build, and of what is wrong the smallest case with its command.
func TestJudgeSaysWhatToActOn(t *testing.T) {
	wrong := judge.Answer{Verdict: judge.Wrong, Faults: []judge.Fault{{Kind: result.FindingWrongOutput, Kernel: "k"}},
		Parity: []judge.Parity{{Kernel: "k", Failure: &result.ParityFailure{Case: "k/n=1", Message: "1 of 1 elements is wrong", Repro: "perfgate parity --seed 7"}}}}
	broken := judge.Answer{Verdict: judge.Broken, Faults: []judge.Fault{{Kind: result.FindingBuild, Kernel: "k", Output: "k: k.cc does not compile\nk.cc:3:1: error: expected ';'"}}}
	for _, c := range []struct {
		answer     judge.Answer
		kind       result.FindingKind
		want, once string
	}{
		{wrong, result.FindingWrongOutput, "again with: perfgate parity --seed 7", "1 of 1 elements"},
		{broken, result.FindingBuild, "k: head does not build: k.cc:3:1: error: expected ';'", "does not build: "},
	} {
		res := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{{Kind: c.kind, Kernel: "k", Side: result.SideHead, Reason: result.Message("1 of 1 elements is wrong")}}}}
		says := strings.Join(JudgeSays(&c.answer, res), "\n")
		if !strings.Contains(says, c.want) || strings.Count(says, c.once) != 1 {
			t.Errorf("%s:\n%s", c.kind, says)
		}
	}
}
