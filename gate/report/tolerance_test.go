package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// A tolerance of a case's own is said where it differs.
func TestTolerancesOfCasesAreSaid(t *testing.T) {
	r := &result.Result{Policy: result.Policy{Tolerance: 0.015, Tolerances: []result.CaseTolerance{{Cases: "decode/**", Tolerance: 0.06}}}}
	r.Cases = []result.Case{{Name: "decode/B=1"}, {Name: "k"}}
	for want, names := range map[string][]string{tied("1.5 %"): nil, tied("6 %"): {"decode/B=1"}, tied("1.5 %") + " to " + tied("6 %"): {"decode/B=1", "k"}} {
		if got := tolerance(r, names...); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
	r.Policy.Tolerances = append(r.Policy.Tolerances, result.CaseTolerance{Cases: "k", Tolerance: 0.06, FloorNS: 500})
	for ns, want := range map[float64]string{
		2000: "25 % is tolerated: the floor of 500 ns, of 2.00 µs on base", 20000: "6 % is tolerated, more than the floor of 500 ns, of 20.0 µs on base",
	} {
		r.Cases = []result.Case{{Name: "k/n=1", Kernel: "k", Verdict: result.Same, Method: &result.Method{LaunchNS: ns}, Comparisons: result.HeadToBase(&result.Comparison{Ratio: 1, Rounds: 2})}}
		if got := remarks(r); len(got) != 1 || strings.ReplaceAll(PlainText(got[0].text), "\u00a0", " ") != want {
			t.Errorf("%+v, want %q", got, want)
		}
		if got, want := tolerance(r, "k/n=1"), tied(text.Limit(r.Policy.OfCase(r.Cases[0]).Tolerance)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := ownTolerances(r.Policy), " (6 % of decode/**, 6 % or 500 ns of k)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ownTolerances(result.Policy{}); got != "" {
		t.Errorf("%q", got)
	}
}
