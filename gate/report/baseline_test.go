package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestBaselineFact looks for both comparisons, their time, the warnings and what was passed over.
func TestBaselineFact(t *testing.T) {
	r := passSample(t)
	r.Baseline = &result.Baseline{
		Store: "git:perf", Mode: "auto", Records: 12, Commit: strings.Repeat("ab", 20), Distance: 3, Screened: 2, Settled: 1,
		Identical: 1, SavedS: 40, BestKnownS: 75, ScreenS: 61, RoundsS: 130, PassedOver: []string{"m/x.json.gz: corrupt record"},
	}
	r.Cases[0].Stored = &result.Stored{Reason: result.Message("the machine has changed")}
	r.Kernels[0].Base.NotBuilt = true
	open := &r.Cases[1]
	open.Stored = &result.Stored{Sessions: 9}
	open.SetComparison(result.VariantHead, result.Variant{Role: result.RoleRecord}, &result.Comparison{Verdict: result.Regression, Theta: 0.03, Low: 0.02, High: 0.04, Ratio: 1.0305, RatioLow: 1.0202, RatioHigh: 1.0408, Delta: 0.75})
	if len(open.Processes) == 0 {
		t.Fatal("the sample has no rounds for its second case")
	}
	out := flat(New(r))
	for _, want := range []string{"abababababab, 3 commits from base", "12 records in git:perf", "2 cases screened on head only", "1 decided", "the same on both sides and not timed, which saved 40 s at least", "best-known levels, their builds included, took", "rounds side by side took", "corrupt record", "base of 1 kernel not compiled", "1 case side by side: the machine has changed", " against 9 stored sessions: +3.0", "δ +0.75: regression, so it was measured side by side"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
}

// A case that lost is warned of by what the records and the rounds say of it; one whose rounds confirm it fails the run instead.
func TestCumulativeRegressionCasesAreWarnedOf(t *testing.T) {
	lost := func(verdict result.Verdict, reason string, compared result.Comparison) result.Case {
		c := result.Case{Name: "k/n=1", Stored: &result.Stored{BestCommit: "abcdef", BestRecords: 5, CumulativeShift: 0.08, CumulativeLow: 0.06, CumulativeLimit: 0.05}}
		compared.Verdict, compared.Reason = verdict, result.Message(reason)
		c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, &compared)
		return c
	}
	for want, c := range map[string]result.Case{
		"": lost(result.Regression, "", result.Comparison{}),
		"k/n=1 is 8.0 % slower than its best-known level (5 records up to abcdef), more than the 5 % that baseline.cumulative-tolerance allows": lost("", "", result.Comparison{}),
		"not measured against a build of that commit: the budget is spent":                                                                      lost("", "the budget is spent", result.Comparison{}),
		"not measured against a build of that commit: no round was complete":                                                                    lost(result.Inconclusive, "", result.Comparison{}),
		"k/n=1 was not compared with its best-known level: its timing method differs from that of the 4 records":                                {Name: "k/n=1", Stored: &result.Stored{TimedOtherwise: 4}},
		"between +1.0 % and +6.2 %, which does not significantly exceed that":                                                                   lost(result.Slower, "", result.Comparison{Ratio: 1.03, Low: 0.01, High: 0.06}),
	} {
		r := &result.Result{Baseline: &result.Baseline{}, Cases: []result.Case{c, {Name: "k/n=2", Stored: &result.Stored{BestCommit: "abcdef", CumulativeShift: 0.05, CumulativeLimit: 0.05}}}}
		r.Cases = append(r.Cases, result.Case{Name: "k/n=3", Stored: &result.Stored{}})
		if got := strings.Join(cumulativeWarnings(r), "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
