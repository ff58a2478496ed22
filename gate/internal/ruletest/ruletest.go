// Package ruletest makes cases that the rule has decided, for the tests of several packages.
package ruletest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Decide goes through the looks of a case as a run does. upTo returns the first so many rounds, or nil where there are not as many:
// then the case is left undecided.
func Decide(c *result.Case, t rule.Timing, p result.Policy, upTo func(rounds int) []stats.Round) error {
	c.Verdict, c.Looks = result.Undecided, nil
	c.SetComparison(result.VariantHead, result.VariantBase, nil)
	looks := rule.ScheduleOf(p).Looks()
	for look, size := range looks {
		rounds := upTo(size)
		if rounds == nil {
			return nil
		}
		compared, err := compare(c, rounds, look+1, t, p)
		if err != nil {
			return err
		}
		c.Verdict = rule.Decide(compared, p, look == len(looks)-1)
		compared.Verdict = c.Verdict
		c.SetComparison(result.VariantHead, result.VariantBase, &compared)
		c.Looks = append(c.Looks, result.Look{Rounds: size, Theta: compared.Theta, Low: compared.Low, High: compared.High, Verdict: c.Verdict})
		if c.Verdict.Decided() {
			return nil
		}
	}
	return nil
}

// compare compares elapsed times as well where the case has processes that say them.
func compare(c *result.Case, rounds []stats.Round, look int, t rule.Timing, p result.Policy) (result.Comparison, error) {
	first := slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Round >= len(rounds) })
	if len(first) == 0 || first[0].ElapsedNS == 0 {
		return rule.Compare(rounds, look, t, p)
	}
	return rule.CompareProcesses(first, look, *c.Method, p)
}

// Order is the order of a round of base and head.
func Order(p result.Policy, round int) string {
	o := rule.Orders{Schedule: rule.ScheduleOf(p)}
	return o.Of(round, func() bool { return false })
}

// Measured is the case k/n=N as rounds leave it: launches of a millisecond, of which head takes longer by the fraction shift, in
// processes whose logarithms scatter by sd.
func Measured(n string, rng *rand.Rand, sd, shift float64, p result.Policy) (result.Case, error) {
	c := result.Case{
		Name: "k/n=" + n, Kernel: "k", Params: []result.Param{{Name: "n", Value: n}},
		Method: &result.Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 100, Cache: "cold", LaunchNS: 1e6, QuantumNS: 1, Oracle: "reference"},
	}
	err := Decide(&c, rule.TimingOf(*c.Method), p.OfCase(c), func(rounds int) []stats.Round {
		Extend(&c, rng, sd, shift, p, rounds)
		return rule.Rounds(c.Processes)
	})
	return c, err
}

// Extend measures a case on, as Measured does, until it has so many rounds.
func Extend(c *result.Case, rng *rand.Rand, sd, shift float64, p result.Policy, rounds int) {
	for round := len(rule.Rounds(c.Sides())); round < rounds; round++ {
		for position, letter := range Order(p, round) {
			side, ns := result.SideBase, 1e6*math.Exp(sd*rng.NormFloat64())
			if letter == 'B' {
				side, ns = result.SideHead, ns*(1+shift)
			}
			q := result.Quantiles{Min: ns * 0.9, P25: ns, P50: ns, P75: ns, P90: ns, P99: ns, Max: ns * 1.1}
			c.Processes = append(c.Processes, result.Process{Round: round, Position: position, Variant: side.Variant(), ValueNS: ns, ElapsedNS: ns, Samples: 100, Planned: 100, Quantiles: q})
		}
	}
}
