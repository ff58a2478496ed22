package report_test

import (
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// A run passes that had no rounds with a competitor, since its kernel is new or the same. What head should have reached is then said not to be known.
func TestMinimumSpeedupWithoutRounds(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]result.Finding{
		"k: old was not measured alongside":                                    {},
		"k: old was not measured alongside, nor whether head is 1.2x as fast":  {MinSpeedup: 1.2},
		"k: old was not measured alongside, nor whether head is 2x as fast: w": {MinSpeedup: 2, Reason: result.Message("w")},
	} {
		f.Kind, f.Kernel, f.Competitor = result.FindingCompetitorUnmeasured, "k", "old"
		if got := report.Sentence(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
