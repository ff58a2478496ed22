package rule

import (
	"math"
	"math/rand/v2"
	"slices"
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

// A case is inconclusive at the last look, and not before it.
func TestEdgeOfTheLastLook(t *testing.T) {
	t.Parallel()
	p := Default()
	looks := ScheduleOf(p).Looks()
	processes, _ := beside{sd: 0.05}.rounds(rand.New(rand.NewPCG(1, 2)), looks[len(looks)-1])
	c := result.Case{Name: "k", Method: &result.Method{QuantumNS: 1, Launches: 1, LaunchNS: 1e5}, Verdict: result.Undecided}
	for _, at := range []struct {
		rounds int
		want   result.Verdict
	}{{looks[len(looks)-2], result.Undecided}, {looks[len(looks)-1], result.Inconclusive}} {
		c.Processes = slices.DeleteFunc(slices.Clone(processes), func(p result.Process) bool { return p.Round >= at.rounds })
		if _, err := NewGate(p).Look(at.rounds, []*result.Case{&c}); err != nil || c.Verdict != at.want {
			t.Errorf("after %d rounds: %s, %v; want %s", at.rounds, c.Verdict, err, at.want)
		}
	}
}

// The verdict against the best-known level may become a regression by its own numbers, whatever a saved result says.
func TestEdgeOfTheBestKnownLevel(t *testing.T) {
	t.Parallel()
	to := result.Variant{Role: result.RoleBestKnown, Name: "b357"}
	for low, want := range map[float64]result.Verdict{0.1: result.Regression, 0.01: result.Same} {
		c := result.Case{Name: "k", Stored: &result.Stored{BestCommit: "b357", CumulativeLimit: 0.05}}
		c.SetComparison(result.VariantHead, to, &result.Comparison{Verdict: result.Same, Rounds: 12, Look: 4, Ratio: math.Exp(low), Theta: low + 0.005, Low: low, PassHigh: low + 0.01, High: low + 0.01})
		new(Replayed).bestKnown("cases[0]", &c, Default())
		if got := c.To(result.RoleBestKnown).Verdict; got != want {
			t.Errorf("with a lower bound of %g: %s, want %s", low, got, want)
		}
	}
}

// Only a case that is slower itself fails for what was lost since its best-known level.
func TestEdgeOfCumulativeRegressions(t *testing.T) {
	t.Parallel()
	for own, want := range map[result.Verdict]result.ExitCode{result.Slower: result.ExitFailed, result.Same: result.ExitPassed, result.Faster: result.ExitPassed} {
		c := verdict(own)
		c.Stored = &result.Stored{CumulativeLimit: 0.05}
		c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown}, &result.Comparison{Verdict: result.Regression, Theta: 0.08, Low: 0.07, High: 0.09})
		if got := Conclude([]result.Case{c}, nil, Default()); got.Exit != want || got.Has(result.FindingCumulativeRegression) != (want == result.ExitFailed) {
			t.Errorf("%s: exit %d, %+v", own, got.Exit, got.Findings)
		}
	}
}
