package rule_test

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// life is how processes of a side of a benchmark lived: seconds that they set up, that they say they measured, that they measured in truth, and iterations.
type life struct {
	setUp, claimed, true float64
	iterations           int
	cpu                  float64 // of each second of its life; 0: all of it
	more                 float64 // a share by which every other process lives longer, as on a busy machine
}

func (l life) processes(side result.Side, valueNS float64) (out []result.Process) {
	for i := range 8 {
		lived := l.setUp + l.true
		if i%2 == 1 {
			lived *= 1 + l.more
		}
		lived *= 1 + 0.004*float64(i%3)
		cpu := (l.setUp + l.true) * (1 + 0.004*float64(i%3))
		if l.cpu > 0 {
			cpu *= l.cpu
		}
		out = append(out, result.Process{Variant: side.Variant(), Round: i / 2, Position: 2*(i%2) + int(side[0])%2, ValueNS: valueNS, Purpose: result.PurposeRounds,
			TimingCheck: &result.TimingCheck{ClaimedNS: l.claimed * 1e9, BeyondNS: (lived - l.claimed) * 1e9, CPUNS: cpu * 1e9, Launches: l.iterations}})
	}
	return out
}

// What a benchmark says of its sides is compared with how long its processes lived, where that can tell.
func TestBenchmarkAgainstTheLifeOfItsProcesses(t *testing.T) {
	base := life{setUp: 0.2, claimed: 1, true: 1, iterations: 100}
	for name, c := range map[string]struct {
		base, head life
		verdict    result.Verdict
		want       result.Side // at fault; "none": there is no finding
	}{
		"unchanged":                                   {base, base, result.Same, "none"},
		"honest, and twice as fast":                   {base, life{setUp: 0.2, claimed: 0.5, true: 0.5, iterations: 100}, result.Improvement, "none"},
		"honest, and twice as slow":                   {base, life{setUp: 0.2, claimed: 2, true: 2, iterations: 100}, result.Regression, "none"},
		"claims to be twice as fast, and is not":      {base, life{setUp: 0.2, claimed: 0.5, true: 1, iterations: 100}, result.Improvement, result.SideHead},
		"claims it of a GPU, which no CPU waits for":  {life{setUp: 0.2, claimed: 1, true: 1, iterations: 100, cpu: 0.1}, life{setUp: 0.2, claimed: 0.5, true: 1, iterations: 100, cpu: 0.1}, result.Improvement, result.SideHead},
		"hides that it is twice as slow":              {base, life{setUp: 0.2, claimed: 1, true: 2, iterations: 100}, result.Same, ""},
		"hides a little, which is not seen":           {base, life{setUp: 0.2, claimed: 0.9, true: 1, iterations: 100}, result.Faster, "none"},
		"moves all that it saves into its set-up":     {base, life{setUp: 0.7, claimed: 0.5, true: 0.5, iterations: 100}, result.Improvement, result.SideHead},
		"is faster, with a little more set-up":        {base, life{setUp: 0.3, claimed: 0.5, true: 0.5, iterations: 100}, result.Improvement, "none"},
		"set-up dominates, and it is faster":          {life{setUp: 5, claimed: 1, true: 1, iterations: 100}, life{setUp: 5, claimed: 0.5, true: 0.5, iterations: 100}, result.Improvement, "none"},
		"set-up dominates, and nothing can be seen":   {life{setUp: 5, claimed: 1, true: 1, iterations: 100}, life{setUp: 5, claimed: 0.5, true: 1, iterations: 100}, result.Improvement, "none"},
		"set-up grows next to what it measures":       {life{setUp: 5, claimed: 0.1, true: 0.1, iterations: 100}, life{setUp: 8, claimed: 0.1, true: 0.1, iterations: 100}, result.Same, "none"},
		"adapts its iterations: as long, and honest":  {base, life{setUp: 0.2, claimed: 1, true: 1, iterations: 200}, result.Improvement, "none"},
		"adapts its iterations, and another search":   {base, life{setUp: 1.1, claimed: 0.72, true: 0.72, iterations: 140}, result.Improvement, "none"},
		"adapts its iterations, and lies: not seen":   {base, life{setUp: 0.2, claimed: 1, true: 2, iterations: 200}, result.Improvement, "none"},
		"honest on a machine that is busy":            {base, life{setUp: 0.2, claimed: 0.5, true: 0.5, iterations: 100, more: 2}, result.Improvement, "none"},
		"says that it measured for longer than it is": {life{setUp: 0, claimed: 9, true: 1, iterations: 100}, life{setUp: 0, claimed: 4, true: 1, iterations: 100}, result.Improvement, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			k := result.Case{Name: "k/n=1", Kernel: "k", Verdict: c.verdict, Method: &result.Method{Clock: result.ClockBenchmark}}
			ratio := c.head.claimed / float64(c.head.iterations) / (c.base.claimed / float64(c.base.iterations))
			k.Processes = slices.Concat(c.base.processes(result.SideBase, 1e6), c.head.processes(result.SideHead, 1e6*ratio))
			k.SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Ratio: ratio, RatioLow: ratio * 0.99, RatioHigh: ratio * 1.01, Rounds: 4, Verdict: c.verdict})
			got := rule.Conclude([]result.Case{k}, nil, rule.Default())
			i := slices.IndexFunc(got.Findings, func(f result.Finding) bool { return f.Kind == result.FindingProcessTime })
			switch {
			case i < 0 != (c.want == "none"), i >= 0 && (got.Findings[i].Side != c.want || got.Findings[i].Times.ClaimedS > 0):
				t.Errorf("%+v", got.Findings)
			case i >= 0 && c.want == result.SideHead && (got.Exit != result.ExitNotMeasurable || !rule.Acceptable(got.Findings[i])):
				t.Errorf("exit %d", got.Exit)
			case i >= 0 && c.want == "" && got.Exit != result.ExitPassed:
				t.Errorf("a note: exit %d", got.Exit)
			}
		})
	}
}
