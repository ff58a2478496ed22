package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A part of head's change that was not compared is no silent success for what counts tests.
func TestWhatWasNotComparedIsASkippedTest(t *testing.T) {
	for _, kernel := range []string{"", "attention"} {
		r := load(t, "pass")
		r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{Kind: result.FindingNotCompared, Effect: result.EffectNote, Kernel: kernel, Reason: result.Message("its cases")})
		found := slices.ContainsFunc(Tests(r, New(r)).Rows, func(row Row) bool {
			return row.Cells["outcome"].Text == TestSkipped && row.Cells["kind"].Text == string(result.FindingNotCompared) &&
				strings.HasSuffix(row.Cells["message"].Text, "its cases") && (row.Name.Kernel == kernel || kernel == "" && row.Name.Kernel == runSuite)
		})
		if !found {
			t.Errorf("kernel %q: no test says so", kernel)
		}
	}
}

// Where a table is short, a competitor that was not tested comes before those that were and are met.
func TestUntestedCompetitorsComeFirst(t *testing.T) {
	rank := func(q *result.Comparison) int {
		c := result.Case{Name: "k/n=1", Kernel: "k", Verdict: result.Same}
		if q != nil {
			c.Comparisons = []result.Comparison{q.Between(result.VariantHead, result.CompetitorNamed("sdpa"))}
		}
		return competitorRow(0, against{of: c, found: result.Versus{Competitor: "sdpa"}}).Rank
	}
	known := func(v result.Verdict) *result.Comparison {
		return &result.Comparison{MinSpeedup: 1.2, Verdict: v, Ratio: 0.9, RatioLow: 0.8, RatioHigh: 1, Rounds: 4}
	}
	ranks := []int{rank(known(result.Missed)), rank(nil), rank(known(result.Inconclusive)), rank(known(result.Met))}
	if !slices.IsSorted(ranks) || ranks[1] == ranks[3] {
		t.Errorf("missed, untested, inconclusive, met: %d", ranks)
	}
}
