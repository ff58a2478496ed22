package rule

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A shipped configuration that is checked does not pass without another one that it was compared with.
func TestTuneChecksAgainstSomething(t *testing.T) {
	other := tried(1)
	against := func(of, to result.Variant, v result.Verdict) result.Comparison {
		q := result.Comparison{Of: of, To: to, Verdict: v}
		if v != result.Unmeasured {
			q.Ratio, q.RatioLow, q.RatioHigh = 1, 1, 1
		}
		return q
	}
	shipped, broken := against(result.VariantHead, result.VariantHead, result.Same), []result.Configuration{{Name: other.Name, Reason: result.Message("it does not build")}}
	for name, c := range map[string]struct {
		configurations []result.Configuration
		all            []result.Comparison
		exit           result.ExitCode
	}{
		"nothing was measured":        {nil, nil, 3},
		"all others are broken":       {broken, []result.Comparison{shipped}, 3},
		"the other one failed":        {nil, []result.Comparison{shipped, against(other, result.VariantHead, result.Unmeasured)}, 3},
		"the shipped one failed":      {nil, []result.Comparison{against(other, other, result.Same), against(result.VariantHead, other, result.Unmeasured)}, 3},
		"the other one is slower":     {nil, []result.Comparison{shipped, against(other, result.VariantHead, result.Slower)}, 0},
		"the other one may be faster": {nil, []result.Comparison{shipped, {Of: other, To: result.VariantHead, Verdict: result.Inconclusive, Ratio: 1.09, RatioLow: 0.58, RatioHigh: 2.04}}, 3},
		"the other is its code":       {[]result.Configuration{{Name: other.Name, SameAs: &result.VariantHead}}, []result.Comparison{shipped}, 0},
		"the other one is faster":     {nil, []result.Comparison{against(other, other, result.Same), against(result.VariantHead, other, result.Regression)}, 1},
		"whether it is is open":       {nil, []result.Comparison{against(other, other, result.Same), against(result.VariantHead, other, result.Inconclusive)}, 3},
	} {
		k := result.Kernel{Name: "k", Configurations: c.configurations, Comparisons: c.all}
		if got := concludeTune(k, nil, 0.02, true, 0); got.Exit != c.exit {
			t.Errorf("%s: exit code %d, want %d: %+v", name, got.Exit, c.exit, got.Findings)
		}
		if got, want := concludeTune(k, nil, 0.02, false, 0), result.ExitPassed; got.Exit != want && len(c.all) > 0 {
			t.Errorf("%s: exit code %d of a run that checks nothing", name, got.Exit)
		}
	}
}

// A result of versus has an answer where every case has one.
func TestConcludeVersus(t *testing.T) {
	b := result.CompetitorNamed("b")
	compared := result.Case{Name: "k/n=1", Verdict: result.New, Comparisons: []result.Comparison{{Of: result.VariantHead, To: b, Ratio: 1.5}}}
	failed := result.Case{Name: "k/n=2", Verdict: result.Error, Comparisons: []result.Comparison{{Of: result.VariantHead, To: b, Verdict: result.Unmeasured, Reason: result.Message("b crashed")}}}
	if c := concludeVersus([]result.Case{compared}); c.Exit != result.ExitPassed || len(c.Findings) > 0 {
		t.Errorf("%+v", c)
	}
	if c := concludeVersus([]result.Case{compared, failed}); c.Exit != result.ExitNotMeasurable || len(c.Findings) != 1 || result.MessageOf(c.Findings[0].Reason) != "b crashed" {
		t.Errorf("%+v", c)
	}
}
