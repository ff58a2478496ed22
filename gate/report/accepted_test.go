package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

func init() { samples["accepted"] = acceptedSample }

// acceptedSample is a regression that a person answers for, measured where an hour has a price.
func acceptedSample(tb testing.TB) *result.Result {
	r := compared(tb, attention)
	r.Accepted = []result.Accepted{
		{Case: "attention/B=1,H=8,S=128,D=64,causal=0", By: "octocat", How: "the label perfgate-accept, applied after the last push"},
		{By: "hubot"},
	}
	r.Cost = result.NewCost(0.71, r.Timings)
	return conclude(r)
}

// A run that passes because a person answers for its regressions says so first, with the worst of them.
func TestAcceptedHeadline(t *testing.T) {
	r := load(t, "regression")
	worst := casesOf(r, r.Conclusion.With(result.EffectFails))[0]
	r.Accepted = []result.Accepted{{Case: worst.Name, By: "octocat", How: "label perfgate-accept"}}
	r.Cases = slices.DeleteFunc(r.Cases, func(c result.Case) bool { return c.Verdict == result.Regression && c.Name != worst.Name })
	r.Conclusion = rule.Accept(rule.Conclude(r.Cases, r.Kernels, r.Policy), func(f result.Finding) bool { return f.Case == worst.Name })
	d := New(r)
	got := d.Verdict + " " + plain(d.Headline)
	for _, want := range []string{"PASS 1 regression accepted by octocat: " + worst.Name + " is 1.95x slower"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	r.Cases = []result.Case{worst}
	if got := plain(New(r).Headline); !strings.Contains(got, "1 regression accepted by") || strings.Contains(got, "no case was timed") {
		t.Errorf("alone: %q", got)
	}
}

func TestCost(t *testing.T) {
	timings := result.Timings{TotalS: 1900, WaitS: 100}
	if c := result.NewCost(0, timings); c != nil {
		t.Errorf("without a price: %+v", c)
	}
	for price, want := range map[float64]string{
		0.71: "30.0 minutes of the machine, 0.35 at 0.71 an hour", 4: "30.0 minutes of the machine, 2.00 at 4.00 an hour",
		0.0001: "30.0 minutes of the machine, 0.000050 at 0.00010 an hour",
	} {
		got := PlainText(cost(&result.Result{Cost: result.NewCost(price, timings)}))
		if got != want {
			t.Errorf("%v: %q, want %q", price, got, want)
		}
	}
}
