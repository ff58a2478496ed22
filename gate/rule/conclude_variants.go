package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// concludeFindings is the conclusion of cases that come to these findings and no others.
func concludeFindings(found []result.Finding, cases []result.Case) result.Conclusion {
	counts := map[result.Verdict]int{}
	for _, c := range cases {
		counts[c.Verdict]++
	}
	for i, f := range found {
		found[i].Effect = EffectOf(f.Kind, f.Side)
	}
	return settled(found, counts)
}

// concludeVersus sums up a result of versus: it has an answer where every case has one, whichever of the two is faster.
func concludeVersus(cases []result.Case) result.Conclusion {
	var found []result.Finding
	for _, c := range cases {
		if q := c.To(result.RoleCompetitor); q.HasNumbers() {
			continue
		} else if q != nil && q.Reason != nil {
			c.Reason = q.Reason
		}
		found = append(found, result.Finding{Kind: result.FindingCaseError, Kernel: c.Kernel, Case: c.Name, Reason: c.Reason})
	}
	return concludeFindings(found, cases)
}

// concludeTune sums up a result of tune: it has an answer where one configuration is the fastest over all cases. With check, the shipped one has to be it,
// or as good by the gain that counts. neededS is what the first comparison would take, where the budget was gone before it.
func concludeTune(k result.Kernel, cases []result.Case, gain float64, check bool, neededS float64) result.Conclusion {
	best, measured := result.Fastest(k.Comparisons)
	shipped := result.Standing(k.Comparisons, result.VariantHead)
	f := result.Finding{Kernel: k.Name}
	switch {
	case !measured:
		f.Kind, f.BudgetGone, f.BudgetNeededS = result.FindingNothingMeasured, neededS > 0, neededS
	case !check:
		return concludeFindings(nil, cases)
	case !comparesShipped(k):
		f.Kind = result.FindingNothingCompared
	default:
		f.Kind, f.Competitor, f.MinSpeedup = result.FindingSpeedupInconclusive, best.String(), 1/(1+gain)
		if shipped.HasNumbers() && shipped.Verdict == result.Same {
			open := mayBeFaster(k, gain)
			if open == nil {
				return concludeFindings(nil, cases)
			}
			f.Competitor = open.Of.String()
		} else if f.Speed = result.Speed(shipped); f.Speed != nil && shipped.Verdict == result.Regression {
			f.Kind, f.Side = result.FindingSpeedupMissed, result.SideHead
		}
	}
	return concludeFindings([]result.Finding{f}, cases)
}

// mayBeFaster is a configuration of which it is open whether it is faster than the leader by the gain that counts; nil if there is none.
func mayBeFaster(k result.Kernel, gain float64) *result.Comparison {
	i := slices.IndexFunc(k.Comparisons, func(q result.Comparison) bool {
		return q.Of != result.VariantHead && q.Verdict == result.Inconclusive && q.RatioLow < 1/(1+gain)
	})
	if i < 0 {
		return nil
	}
	return &k.Comparisons[i]
}

// comparesShipped says whether the kernel as it is shipped was compared with any configuration, if only since that builds to its code.
func comparesShipped(k result.Kernel) bool {
	return slices.ContainsFunc(k.Comparisons, func(q result.Comparison) bool { return q.Of != result.VariantHead && q.HasNumbers() }) ||
		slices.ContainsFunc(k.Configurations, func(c result.Configuration) bool { return c.SameAs != nil && *c.SameAs == result.VariantHead })
}
