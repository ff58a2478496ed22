package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestVersusShowsWhereOneOvertakesTheOther(t *testing.T) {
	d := &result.VersusResult{A: "new\x1b[31m", B: "old"}
	for i, theta := range []float64{0.4, 0.1, -0.2, -0.5} {
		c := result.Case{
			Name: fmt.Sprintf("k/S=%d,D=64", 64<<i), Params: []result.Param{{Name: "S", Value: fmt.Sprint(64 << i)}, {Name: "D", Value: "64"}},
			Head: &result.Summary{MedianNS: 1e5 * math.Exp(theta)}, Base: &result.Summary{MedianNS: 1e5},
			Comparisons: result.HeadToBase(&result.Comparison{
				Theta: theta, Low: theta - 0.15, High: theta + 0.15, Ratio: math.Exp(theta), RatioLow: math.Exp(theta - 0.15), RatioHigh: math.Exp(theta + 0.15),
			}),
		}
		d.Cases = append(d.Cases, c)
	}
	d.Cases = append(d.Cases, result.Case{Name: "k/S=9,D=1", Params: []result.Param{{Name: "S", Value: "9"}, {Name: "D", Value: "1"}}, Reason: result.Message("crashed")})
	text := flat(VersusDocument(d))
	for _, want := range []string{"0.67x", "0.58 … 0.78x", "1.65x", "inconclusive", "could not be measured: crashed", "Along S with D=64", "they cross between S=128 and 256"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Count(text, "Along ") != 1 {
		t.Errorf("%q", text)
	}
}

func TestCompetitorsInTheReport(t *testing.T) {
	c := func(theta float64) *result.Comparison {
		return &result.Comparison{Theta: theta, Ratio: math.Exp(theta), RatioLow: math.Exp(theta - 0.01), RatioHigh: math.Exp(theta + 0.01)}
	}
	sdpa := result.CompetitorNamed("sdpa")
	to := func(q *result.Comparison, v result.Verdict) result.Comparison {
		q.MinSpeedup, q.Verdict = 1.2, v
		return q.Between(result.VariantHead, sdpa)
	}
	r := &result.Result{Policy: result.Policy{Confidence: 0.99, Cases: 2, MinSpeedups: 2, Competitors: 1}, Cases: []result.Case{
		{Name: "k/n=1", Kernel: "k", Verdict: result.Same, Comparisons: []result.Comparison{to(c(-0.1), result.Missed), c(-0.3).Between(result.VariantBase, sdpa)},
			Competitors: []result.Versus{{Competitor: "sdpa", Summary: &result.Summary{MedianNS: 2e5}}}},
		{Name: "k/n=2", Kernel: "k", Verdict: result.Same, Competitors: []result.Versus{{Competitor: "sdpa"}},
			Comparisons: []result.Comparison{to(&result.Comparison{Reason: result.Message("it crashed")}, result.Unmeasured)}},
	}, Conclusion: result.Conclusion{Verdict: result.RunFailed, Exit: 1, Findings: []result.Finding{
		{Kind: result.FindingSpeedupMissed, Effect: result.EffectFails, Side: result.SideHead, Kernel: "k", Case: "k/n=1", Competitor: "sdpa", MinSpeedup: 1.2, Speed: result.Speed(c(-0.1))},
		{Kind: result.FindingCompetitorUnmeasured, Effect: result.EffectNote, Kernel: "k", Competitor: "old", Reason: result.Message("new")},
	}}}
	for _, out := range []string{flat(New(r))} {
		for _, want := range []string{"vs sdpa", "1.11x", "1.09 … 1.12x", "1.35x", "1.2x missed", "it crashed", "1.2x unmeasured", "significantly less than 1.2x as fast as sdpa", "old was not measured alongside: new"} {
			if !strings.Contains(strings.ReplaceAll(out, "\u00a0", " "), want) {
				t.Errorf("lacks %q:\n%s", want, out)
			}
		}
	}
}
