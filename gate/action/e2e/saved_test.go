package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A saved result stands for measuring in cells that need not wait for it. testdata/pass.json was measured on
// testdata/consumer; the others are that one with another end.
const (
	pass         = "pass"
	regression   = "regression"
	parity       = "parity failure"
	inconclusive = "inconclusive"
	unmeasured   = "could not measure"
)

// saved writes the result of an outcome into a file.
func saved(t *testing.T, outcome string) string {
	t.Helper()
	res, err := result.ReadFile(filepath.Join("testdata", "pass.json"))
	if err != nil {
		t.Fatal(err)
	}
	endings[outcome](res)
	conclude(res)
	path := filepath.Join(t.TempDir(), "result.json")
	if err := result.WriteFile(path, res); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

var endings = map[string]func(*result.Result){
	pass: func(*result.Result) {},
	regression: func(r *result.Result) {
		r.Cases[1].Verdict = result.Regression
		*r.Cases[1].Compared = result.Comparison{Theta: 0.69, Low: 0.6, High: 0.78, Rounds: 4, MDE: 0.1, Delta: 1, Ratio: 2}
	},
	parity: func(r *result.Result) {
		k := &r.Kernels[0]
		k.Status, k.Reason = result.KernelFailed, result.Message("n=2: 2 of 2 elements are wrong")
		k.Parity.Status = result.ParityFailed
		k.Parity.Failure = &result.ParityFailure{Case: "horner/n=2", Values: "spec", Seed: "1", Code: result.CodeWrongOutput, Message: "2 of 2 elements are wrong", Repro: "perfgate parity --kernel horner"}
		for i := range r.Cases {
			r.Cases[i] = result.Case{Name: r.Cases[i].Name, Kernel: r.Cases[i].Kernel, Params: r.Cases[i].Params, Verdict: result.Skipped, Reason: k.Reason}
		}
	},
	inconclusive: func(r *result.Result) {
		r.Policy.OnInconclusive = result.OnInconclusiveEstimate
		r.Cases[1].Verdict = result.Inconclusive
		*r.Cases[1].Compared = result.Comparison{Theta: 0.1, Low: -0.2, High: 0.5, Rounds: 36, MDE: 0.5, Ratio: 1.105, RatioLow: 0.819, RatioHigh: 1.649}
		r.Cases[1].Looks = nil
		for _, rounds := range rule.Looks {
			r.Cases[1].Looks = append(r.Cases[1].Looks, result.Look{Rounds: rounds, Theta: 0.1, Low: -0.2, High: 0.5, Verdict: result.Undecided})
		}
	},
	unmeasured: func(r *result.Result) {
		for i := range r.Cases {
			c := &r.Cases[i]
			*c = result.Case{Name: c.Name, Kernel: c.Kernel, Params: c.Params, Verdict: result.Error, ErrorSide: result.SideBoth, Reason: result.Message("the process was killed")}
		}
	},
}

// conclude sums up as a run does.
func conclude(r *result.Result) {
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
}
