package e2e

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
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

// saved writes the result of an outcome into a file. It follows from its samples, as the report decides it again.
func saved(t *testing.T, outcome string) string {
	t.Helper()
	res, err := result.ReadFile(filepath.Join("testdata", "pass.json"))
	must(t, err)
	return ended(t, res, outcome)
}

// ended gives a result an end and writes it into a file.
func ended(t *testing.T, res *result.Result, outcome string) string {
	t.Helper()
	if end := endings[outcome]; end != nil {
		end(res)
	} else {
		for i := range res.Cases {
			shift := 1.0
			if outcome == regression && i == 1 {
				shift = 2
			}
			decide(t, &res.Cases[i], res.Policy, shift)
		}
	}
	if outcome == inconclusive {
		vary(t, &res.Cases[1], res.Policy)
	}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
	path := filepath.Join(t.TempDir(), "result.json")
	must(t, result.WriteFile(path, res))
	return path
}

// vary gives a case so much variation that no look decides it.
func vary(t *testing.T, c *result.Case, p result.Policy) {
	t.Helper()
	varied, err := ruletest.Measured("1", rand.New(rand.NewPCG(1, 1)), 0.45, 0.1, p)
	if err != nil || varied.Verdict != result.Inconclusive {
		t.Fatalf("%s, %v", varied.Verdict, err)
	}
	varied.Name, varied.Kernel, varied.Params = c.Name, c.Kernel, c.Params
	*c = varied
}

// endings are those that no samples lead to.
var endings = map[string]func(*result.Result){
	parity: func(r *result.Result) {
		k := &r.Kernels[0]
		k.Status, k.Reason = result.KernelFailed, result.Message("n=2: 2 of 2 elements are wrong")
		k.Parity.Status = result.ParityFailed
		k.Parity.Failure = &result.ParityFailure{Case: "horner/n=2", Values: "spec", Seed: "1", Code: result.CodeWrongOutput, Message: "2 of 2 elements are wrong", Repro: "perfgate parity --kernel horner"}
		for i := range r.Cases {
			r.Cases[i] = result.Case{Name: r.Cases[i].Name, Kernel: r.Cases[i].Kernel, Params: r.Cases[i].Params, Verdict: result.Skipped, Reason: k.Reason}
		}
	},
	unmeasured: func(r *result.Result) {
		for i := range r.Cases {
			c := &r.Cases[i]
			*c = result.Case{Name: c.Name, Kernel: c.Kernel, Params: c.Params, Verdict: result.Error, ErrorSide: result.SideBoth, Reason: result.Message("the process was killed")}
		}
	},
}
