package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Numbers that decide nothing are published from samples alone; those that have none go, or are said to be the measuring job's.
func TestForgedNumbers(t *testing.T) {
	t.Parallel()
	best := result.Variant{Role: result.RoleBestKnown, Name: strings.Repeat("b", 40)}
	for name, c := range map[string]struct {
		forge       func(*result.Case)
		says, hides string
	}{
		"against the best-known level": {func(c *result.Case) {
			processes := c.Sides()
			for i := range processes {
				if processes[i].Variant == result.VariantBase {
					processes[i].Variant = best
				}
			}
			c.SetProcesses(result.PurposeBestKnown, processes)
		}, "against a build of that commit it is +1.0", "50.00 %"},
		"without processes": {func(*result.Case) {}, "was not measured against a build of that commit", "50.00 %"},
		"by records":        {func(*result.Case) {}, "only the measuring job says so: what stored records say", ""},
		"work":              {func(c *result.Case) { c.Flops, c.Bytes = 1e9, 1e6 }, "only the measuring job says so: the operations and bytes of a launch", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			res := r.measured(0.01)
			one := &res.Cases[1]
			res.Baseline = &result.Baseline{Store: "git:x", Mode: "auto", Records: 9}
			one.Stored = &result.Stored{BestCommit: best.Name, BestRecords: 4, CumulativeShift: 0.09, CumulativeLow: 0.08, CumulativeLimit: 0.05}
			one.SetComparison(result.VariantHead, best, &result.Comparison{Verdict: result.Same, Theta: -0.7, Low: -0.7, High: -0.69, Ratio: 0.5, RatioLow: 0.5, RatioHigh: 0.5})
			c.forge(one)
			r.keep("perfgate", res)
			r.report()
			text := unescaped(r.comment())
			if !strings.Contains(text, c.says) || c.hides != "" && strings.Contains(text, c.hides) {
				t.Errorf("the comment should say %q and not %q:\n%s", c.says, c.hides, text)
			}
		})
	}
}
