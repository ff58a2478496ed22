package search

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

var update = flag.Bool("update", false, "write the golden answer anew")

// measuredCase is a case after rounds in which head takes longer by shift.
func measuredCase(name string, rounds int, shift float64) result.Case {
	random := rand.New(rand.NewPCG(1, uint64(rounds)))
	c := result.Case{Name: name, Kernel: "k", Verdict: result.Same, Method: &result.Method{Clock: "thread", Launches: 1, Samples: 100, LaunchNS: 1e6, QuantumNS: 1}}
	for round := range rounds {
		for position, side := range []result.Side{result.SideBase, result.SideHead, result.SideHead, result.SideBase} {
			y := 0.004 * random.NormFloat64()
			if side == result.SideHead {
				y += math.Log1p(shift)
			}
			c.Processes = append(c.Processes, result.Process{Round: round, Position: position, Variant: side.Variant(), ValueNS: 1e6 * math.Exp(y)})
		}
	}
	return c
}

func ranWith(cases []result.Case, found ...result.Finding) *result.Result {
	for i, f := range found {
		found[i].Effect = rule.EffectOf(f.Kind, f.Side)
	}
	return &result.Result{
		Kernels: []result.Kernel{{Name: "k", Status: result.KernelCompared, Parity: result.Parity{Status: result.ParityPassed, Seed: "7", Run: 20}}},
		Cases:   cases, Conclusion: result.Conclusion{Findings: found},
	}
}

// failedWith is a run that ended with a finding against the candidate. code is that of parity's failure and of the case's error.
func failedWith(kind result.FindingKind, side result.Side, code result.Code) *result.Result {
	res := ranWith([]result.Case{{Name: "k/n=1", Kernel: "k", Verdict: result.Error, ErrorCode: code, ErrorSide: side}}, result.Finding{Kind: kind, Kernel: "k", Case: "k/n=1", Side: side})
	res.Kernels[0].Parity.Failure = &result.ParityFailure{Case: "k/n=1", Code: code}
	return res
}

func TestDecide(t *testing.T) {
	t.Parallel()
	course := rule.Screening(0.99, 0.015)
	slowCase := measuredCase("k/n=2", 8, 0)
	slowCase.Verdict = result.Regression
	for _, tt := range []struct {
		name string
		res  *result.Result
		want Verdict
	}{
		{"faster", ranWith([]result.Case{measuredCase("k/n=1", 8, -0.1)}), Better},
		{"slower", ranWith([]result.Case{measuredCase("k/n=1", 2, 0.5)}), Worse},
		{"equal", ranWith([]result.Case{measuredCase("k/n=1", 16, 0)}), Same},
		{"open", ranWith([]result.Case{measuredCase("k/n=1", 2, -0.01)}), Inconclusive},
		{"faster, and a case is a regression", ranWith([]result.Case{measuredCase("k/n=1", 8, -0.3), slowCase}), Worse},
		{"faster, open by the gate's word", ranWith([]result.Case{measuredCase("k/n=1", 8, -0.1)}, result.Finding{Kind: result.FindingTooNoisy}), Better},
		{"wrong result", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeWrongOutput), Wrong},
		{"writes outside", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeGuardBroken), Wrong},
		{"crashes in parity", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeCrashed), Broken},
		{"hangs in parity", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeHung), Broken},
		{"writes into its input", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeInputChanged), Cheating},
		{"describes another case", failedWith(result.FindingWrongOutput, result.SideHead, result.CodeOtherCase), Cheating},
		{"right in parity, wrong when timed", failedWith(result.FindingCaseError, result.SideHead, result.CodeWrongOutput), Cheating},
		{"works outside of the stream", failedWith(result.FindingCaseError, result.SideHead, result.CodeOutsideWork), Cheating},
		{"bends the clock", failedWith(result.FindingCaseError, result.SideHead, result.CodeClock), Cheating},
		{"crashes when timed", failedWith(result.FindingCaseError, result.SideHead, result.CodeCrashed), Broken},
		{"does not build", failedWith(result.FindingBuild, result.SideHead, ""), Broken},
		{"does not fit the adapter", failedWith(result.FindingAdapter, result.SideHead, ""), Broken},
		{"takes too many registers", failedWith(result.FindingResource, result.SideNone, ""), Broken},
		{"its parity cannot be run", failedWith(result.FindingParityError, result.SideHead, ""), Broken},
	} {
		out, err := Decide(tt.res, course)
		if err != nil || out.Verdict != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, out.Verdict, err, tt.want)
		}
	}
}

// What is not the candidate's fault is no verdict on it.
func TestUnmeasured(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]*result.Result{
		"base does not build":         failedWith(result.FindingBuild, result.SideBase, ""),
		"neither side builds":         failedWith(result.FindingBuild, result.SideBoth, ""),
		"base crashes":                failedWith(result.FindingCaseError, result.SideBase, result.CodeCrashed),
		"parity had nothing to check": failedWith(result.FindingParitySkipped, result.SideNone, ""),
		"a kind of tomorrow":          failedWith("tomorrow", result.SideHead, ""),
		"no rounds":                   ranWith(nil),
		"one round":                   ranWith([]result.Case{measuredCase("k/n=1", 1, 0.5)}),
	} {
		var why *Unmeasured
		if out, err := Decide(res, rule.Screening(0.99, 0.015)); !errors.As(err, &why) {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}

func TestEqualCodeIsTheSame(t *testing.T) {
	t.Parallel()
	res := ranWith([]result.Case{{Name: "k/n=1", Kernel: "k", Verdict: result.Same}})
	res.Kernels[0].Status = result.KernelIdentical
	if out, err := Decide(res, rule.Screening(0.99, 0.015)); err != nil || out.Verdict != Same || out.Stand != nil {
		t.Errorf("%+v, %v", out, err)
	}
}

// Rounds after a look that the budget cut short are not looked at: looks are planned before the first.
func TestRoundsBetweenLooksDoNotCount(t *testing.T) {
	t.Parallel()
	c := measuredCase("k/n=1", 5, 0)
	for i := range c.Processes {
		if p := &c.Processes[i]; p.Round == 4 && p.Variant == result.VariantHead {
			p.ValueNS /= 100
		}
	}
	if out, err := Decide(ranWith([]result.Case{c}), rule.Screening(0.99, 0.015)); err != nil || out.Stand.Compared.Rounds != 4 {
		t.Errorf("%+v, %v", out.Stand, err)
	}
}

// The schema is for programs of others: a change of it shows here.
func TestGoldenAnswer(t *testing.T) {
	t.Parallel()
	res := ranWith([]result.Case{measuredCase("k/n=1", 4, -0.1)})
	res.Cases[0].SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Ratio: 0.9, RatioLow: 0.88, RatioHigh: 0.92})
	res.Cases[0].Head = &result.Summary{MedianNS: 9e5, GFlops: 12.5, GBytesPerSec: 100, RooflineShare: 0.8}
	before, now := 16.0, 0.0
	res.Cases[0].Evidence = &result.CaseEvidence{Log: -0.1, Causes: []result.Cause{{
		ID: "spills", Title: "registers spill", Share: 0.9, Facts: []string{"16 bytes"}, Remedy: "fewer variables", Changes: []result.Change{{Name: "spilled", Unit: "B", Base: &before, Head: &now}},
	}}}
	res.Rounds = []result.Round{{Order: "ABBA"}, {Order: "BAAB"}}
	res.Config.Changed = []result.RuleChange{{Kind: result.RuleAdapter, File: "k.pg.cc"}}
	res.Sandbox = &result.Sandbox{Mode: result.SandboxOn, Kernels: true}
	a := Answer{
		Schema: AnswerSchema, Tool: "v1", Says: []string{"faster"}, Candidate: Candidate{Number: 2, Hash: "ab", Label: "try"}, Against: 1,
		Claim: &Claim{Request: 1, Alpha: 0.006}, Judged: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seconds: 12.5,
		RatioOfBase: &result.Shift{Ratio: 0.8, Low: 0.7, High: 0.9},
		Ledger:      &LedgerSummary{Folder: "search", Judged: 2, Requests: 1, Better: 1, NextAlpha: 0.007, Best: Candidate{Number: 2, Hash: "ab", Label: "try"}},
	}
	a.Take(Outcome{Verdict: Better, Stand: &rule.Stand{Compared: result.Comparison{Ratio: 0.9, RatioLow: 0.88, RatioHigh: 0.92, MDE: 0.01}}}, res)
	a.Faults = []Fault{{Verdict: Wrong, Code: result.CodeWrongOutput, Finding: result.Finding{Kind: result.FindingWrongOutput, Kernel: "k", Case: "k/n=1", Reason: result.Message("off")}, Output: "log"}}
	a.Parity[0].Failure = &result.ParityFailure{Case: "k/n=1", Values: "normal", Seed: "7", Code: result.CodeWrongOutput, Message: "off", Repro: "perfgate parity"}
	var out bytes.Buffer
	must(t, a.Write(&out))
	golden := filepath.Join("testdata", "answer.json")
	if *update {
		must(t, os.WriteFile(golden, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the answer is\n%s\nwant\n%s", out.Bytes(), want)
	}
}

// A kernel that only the candidate has was held against nothing, whatever became of the others.
func TestNewKernelsAreNotCompared(t *testing.T) {
	t.Parallel()
	alone := result.Case{Name: "new/n=1", Kernel: "new", Verdict: result.New, Method: measuredCase("", 1, 0).Method}
	res := ranWith([]result.Case{measuredCase("k/n=1", 8, -0.1), alone})
	res.Kernels = append(res.Kernels, result.Kernel{Name: "new", Status: result.KernelNew})
	var why *Unmeasured
	if out, err := Decide(res, rule.Screening(0.99, 0.015)); !errors.As(err, &why) || why.Findings[0].Kind != result.FindingNothingCompared {
		t.Errorf("%s, %v", out.Verdict, err)
	}
}

// Ahead by its own clock alone is not better: external timing checks saw what it claims to have won pass. A screening only asks for more rounds.
func TestUnconfirmedIsUnsure(t *testing.T) {
	t.Parallel()
	confirms, screens := rule.Confirmation(0.006, 0.99, 0.015), rule.Screening(0.99, 0.015)
	for _, tt := range []struct {
		name   string
		hidden float64 // of what it takes
		course rule.Course
		want   Verdict
	}{
		{"seen", 0, confirms, Better}, {"not seen", 0.09, confirms, Inconclusive}, {"not seen, in a screening", 0.09, screens, Better},
	} {
		c := measuredCase("k/n=1", 8, -0.1)
		for i := range c.Processes {
			p := &c.Processes[i]
			p.TimingCheck = &result.TimingCheck{ClaimedNS: p.ValueNS, BeyondNS: 0.01 * p.ValueNS, Launches: 1}
			if p.Variant == result.VariantHead {
				p.TimingCheck.BeyondNS += tt.hidden * p.ValueNS
			}
		}
		out, err := Decide(ranWith([]result.Case{c}), tt.course)
		var a Answer
		a.Take(out, ranWith([]result.Case{c}))
		if err != nil || out.Verdict != tt.want || (len(a.Notes) == 1) != (tt.want == Inconclusive) {
			t.Errorf("%s: %s, %v, %q", tt.name, out.Verdict, err, a.Notes)
		}
	}
}
