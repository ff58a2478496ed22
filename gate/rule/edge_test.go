package rule

import (
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Limits of the rule that no question of the corpus lies on.
func TestEdgeOfOpenSpeedups(t *testing.T) {
	t.Parallel()
	p := Default()
	p.OnInconclusive = result.OnInconclusiveStop
	most := -math.Log(1.1)
	at := result.Comparison{Theta: most + 0.001, Low: most - 0.001, MDE: noisyFrom(p)}
	changed := func(change func(*result.Comparison)) result.Comparison {
		c := at
		change(&c)
		return c
	}
	for name, tt := range map[string]struct {
		c    result.Comparison
		want result.FindingKind
	}{
		"just quiet enough":            {at, result.FindingSpeedupEstimateBelow},
		"too noisy":                    {changed(func(c *result.Comparison) { c.MDE *= 1.001 }), result.FindingSpeedupInconclusive},
		"an estimate at the limit":     {changed(func(c *result.Comparison) { c.Theta = most }), result.FindingSpeedupInconclusive},
		"better by more than is known": {changed(func(c *result.Comparison) { c.Low = most - toleranceLog(p) }), result.FindingSpeedupInconclusive},
	} {
		if got := (&collector{policy: p}).decideSpeedupByPolicy(tt.c, 1.1); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A goal takes no bound that lets a case pass: which cases reach it is not said beforehand.
func TestEdgeOfGoals(t *testing.T) {
	t.Parallel()
	g := result.Goal{Speedup: 1.1, Over: "lib"}
	most := -math.Log(g.Speedup)
	c := result.Comparison{Low: most - 0.1, PassHigh: most - 0.01, High: most + 0.01}
	if got := byGoal(c, g); got != result.Undecided {
		t.Errorf("with an upper bound over the goal: %s", got)
	}
	if c.High = c.PassHigh; byGoal(c, g) != result.Met {
		t.Errorf("with an upper bound under the goal: %s", byGoal(c, g))
	}
}

// A time of a process lies among its samples, or the file was changed.
func TestEdgeOfSamples(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value float64
		ok    bool
	}{
		"within": {150, true}, "the least": {100, true}, "the most": {200, true}, "below": {99, false}, "above": {201, false}, "none": {0, false}, "infinite": {math.Inf(1), false},
	} {
		one := result.Process{Variant: result.VariantHead, ValueNS: tt.value}
		one.Quantiles.Min, one.Quantiles.Max = 100, 200
		_, err := arranged([]result.Process{one}, Default())
		refused := err != nil && strings.Contains(err.Error(), "ns by samples of")
		if refused == tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
