package report

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A tolerance of a case's own is said where it differs.
func TestTolerancesOfCasesAreSaid(t *testing.T) {
	r := &result.Result{Policy: result.Policy{Tolerance: 0.015, Tolerances: []result.CaseTolerance{{Cases: "decode/**", Tolerance: 0.06}}}}
	for want, names := range map[string][]string{tied("1.5 %"): nil, tied("6 %"): {"decode/B=1"}, tied("1.5 %") + " to " + tied("6 %"): {"decode/B=1", "k"}} {
		if got := tolerance(r, names...); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
	if got, want := ownTolerances(r.Policy), " (6 % of decode/**)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ownTolerances(result.Policy{}); got != "" {
		t.Errorf("%q", got)
	}
}
