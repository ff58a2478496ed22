package rule

import (
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestValidateNamesTheField(t *testing.T) {
	tests := []struct {
		field  string
		change func(*result.Policy)
	}{
		{"tolerance", func(p *result.Policy) { p.Tolerance = 0 }},
		{"tolerance", func(p *result.Policy) { p.Tolerance = math.NaN() }},
		{"tolerance", func(p *result.Policy) { p.Tolerance = 1.5 }},
		{"tolerance of \"k/**\"", func(p *result.Policy) { p.Tolerances = []result.CaseTolerance{{Cases: "k/**", Tolerance: 1}} }},
		{"not a pattern", func(p *result.Policy) { p.Tolerances = []result.CaseTolerance{{Cases: "k[", Tolerance: 0.1}} }},
		{"at most 256", func(p *result.Policy) { p.Tolerances = make([]result.CaseTolerance, 257) }},
		{"improvement", func(p *result.Policy) { p.Improvement = -0.1 }},
		{"confidence", func(p *result.Policy) { p.Confidence = 1 }},
		{"confidence", func(p *result.Policy) { p.Confidence = 99 }},
		{"on-inconclusive", func(p *result.Policy) { p.OnInconclusive = "maybe" }},
		{"cases", func(p *result.Policy) { p.Cases = 0 }},
		{"planned looks", func(p *result.Policy) { p.PlannedLooks = -1 }},
	}
	for _, tt := range tests {
		p := Default()
		tt.change(&p)
		err := p.Validate()
		if err == nil || !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%+v: error %v does not name %q", p, err, tt.field)
		}
	}
}

// The bound for a pass spends its chance once, most of it early, whatever the number of cases is.
func TestPassSharesAreSpentOnce(t *testing.T) {
	p := Default()
	p.Cases = 30
	sum := 0.0
	for look := 1; look <= PlannedLooks(p); look++ {
		sum += passAlpha(p, look)
	}
	if math.Abs(sum-0.01) > 1e-15 || math.Abs(passAlpha(p, 1)-0.0036) > 1e-15 || passAlpha(p, 6) >= passAlpha(p, 5) {
		t.Errorf("%v in all, %v at the first look", sum, passAlpha(p, 1))
	}
	if passAlpha(p, 0) != 0 || passAlpha(p, 18) != 0 {
		t.Error("a look that is not planned has a share")
	}
}
