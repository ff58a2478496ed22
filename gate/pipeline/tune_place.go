package pipeline

import (
	"cmp"
	"math"
	"slices"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
)

// place puts what rounds found into the result.
func (t *tuning) place(cases [][]*measure.Case) {
	var all []float64
	for i, series := range cases {
		one := t.placed(i, func(configuration int) (ns float64, rounds int, why string) { return factsOf(series[configuration]) })
		one.Name = t.kernel.Plan.Measured[i].Name()
		if one.Best < 0 {
			one.Reason = result.Message("no configuration was measured")
		}
		t.found.Cases = append(t.found.Cases, one)
		if one.Best >= 0 {
			t.found.Use[one.Name] = t.found.Configurations[one.Best].Values
		}
	}
	together := t.placed(len(cases), func(configuration int) (float64, int, string) {
		all = all[:0]
		fewest := math.MaxInt
		for i, series := range cases {
			ns, rounds, why := factsOf(series[configuration])
			switch {
			case why != "":
				return 0, 0, t.kernel.Plan.Measured[i].Name() + ": " + why
			case rounds == 0:
				return 0, 0, ""
			}
			all, fewest = append(all, math.Log(ns)), min(fewest, rounds)
		}
		sum := 0.0
		for _, v := range all {
			sum += v
		}
		return math.Exp(sum / float64(len(all))), fewest, ""
	})
	t.found.All = &together
	if together.Best >= 0 {
		t.found.Use["*"] = t.found.Configurations[together.Best].Values
	}
}

// factsOf are the median and the complete rounds of a configuration in a case, or why it ended.
func factsOf(c *measure.Case) (ns float64, rounds int, why string) {
	switch {
	case c == nil:
		return 0, 0, ""
	case c.Verdict == result.Error:
		return 0, 0, c.Reason
	}
	if s := c.Summary(result.VariantHead); s != nil {
		return s.MedianNS, len(c.Processes) / 2, ""
	}
	return 0, 0, ""
}

// placed are the configurations in a case, or over all, the best first.
func (t *tuning) placed(group int, facts func(configuration int) (float64, int, string)) result.TunedCase {
	out := result.TunedCase{Best: -1, Among: []int{}, Configurations: []result.TunedInCase{}}
	for configuration, library := range t.libraries {
		if library == "" {
			continue
		}
		ns, rounds, why := facts(configuration)
		one := result.TunedInCase{Configuration: configuration, Standing: t.survivors.Standing(group, configuration), MedianNS: ns, Rounds: rounds, Reason: result.Message(why)}
		if why != "" {
			one.Standing = result.TunedUnmeasured
		}
		switch one.Standing {
		case result.TunedBest:
			out.Best, one.Ratio, one.Low, one.High = configuration, 1, 1, 1
			out.Among = append([]int{configuration}, out.Among...)
		case result.TunedLevel, result.TunedInconclusive:
			out.Among = append(out.Among, configuration)
		}
		if p, _, ok := t.survivors.Place(group, configuration); ok && p.Behind != nil {
			one.Ratio, one.Low, one.High = p.Behind.Ratio, p.Behind.RatioLow, p.Behind.RatioHigh
		}
		out.Configurations = append(out.Configurations, one)
	}
	slices.SortStableFunc(out.Configurations, func(a, b result.TunedInCase) int { return cmp.Or(slower(a)-slower(b), cmp.Compare(a.Ratio, b.Ratio)) })
	return out
}

// slower orders configurations for people: the best, those that may be as fast, the slower ones, those without a time.
func slower(s result.TunedInCase) int {
	return slices.Index([]result.TunedStanding{result.TunedBest, result.TunedLevel, result.TunedInconclusive, result.TunedSlower, result.TunedUnmeasured}, s.Standing)
}
