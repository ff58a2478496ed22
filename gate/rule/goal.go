package rule

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// byGoal is what head's comparison with a competitor says of a goal in one case. Which cases reach a goal is not said beforehand, so one that looks fast by
// chance would do: unlike for a minimum speedup, which every case needs, both bounds have the share of all questions of the run.
func byGoal(q result.Comparison, g result.Goal) result.Verdict {
	q.PassHigh = q.High
	return decideSpeedup(q, g.Speedup, false)
}

// goalOpen says whether further looks at a competitor of a case may tell more of a goal.
func goalOpen(q result.Comparison, p result.Policy) bool {
	return q.Look < len(CompetitorLooks(p.Competitors)) && slices.ContainsFunc(p.Goals, func(g result.Goal) bool {
		return g.Over == q.To.Name && byGoal(q, g) == result.Undecided
	})
}

// countGoals is how many goals ask for a competitor of a kernel. A row of a benchmark is of none: nobody checks that it computes the same.
func countGoals(r result.Competitor, goals []result.Goal) (n int) {
	for _, g := range goals {
		if g.Over == r.Name && r.Adapter != "" {
			n++
		}
	}
	return n
}

// goals adds what became of each goal, on each machine where several have measured all of the plan.
func (v *collector) goals(parts []Part) {
	byPlan, plans := partsOf(parts)
	for _, v.machine = range plans {
		for _, g := range v.run.Goals {
			v.goal(byPlan[v.machine], g)
		}
	}
}

// goal counts the cases of a goal. Where too few of them are known either way it is open; asked says that there were rounds with the competitor, or had to
// be, and ended that none of its cases was cut short.
func (v *collector) goal(parts []Part, g result.Goal) {
	count, asked, ended := result.GoalCount{Cases: g.Cases}, false, true
	for _, part := range parts {
		for _, k := range part.Kernels {
			i := slices.IndexFunc(k.Competitors, func(r result.Competitor) bool { return countGoals(r, []result.Goal{g}) > 0 })
			if i < 0 || k.Competitors[i].Status == result.CompetitorNotAsked {
				continue
			}
			status := k.Competitors[i].Status
			for _, c := range part.Cases {
				if c.Kernel != k.Name {
					continue
				}
				count.Of++
				asked = asked || status != result.CompetitorNoRounds || goesOn(k)
				q := c.Comparison(result.VariantHead, result.CompetitorNamed(g.Over))
				if status != result.CompetitorMeasured || !q.HasNumbers() || c.Verdict == result.Error {
					ended = false
					continue
				}
				switch byGoal(*q, g) {
				case result.Met:
					count.Reached++
				case result.Missed:
					count.Below++
				default:
					ended = ended && !goalOpen(*q, v.run)
				}
			}
		}
	}
	v.add(goalFinding(g, count, asked, ended, v.run.OnInconclusive))
}

// goalFinding is the answer to a goal. Only one that is required may keep a run from passing, and only where there were rounds to answer it.
func goalFinding(g result.Goal, count result.GoalCount, asked, ended bool, on result.OnInconclusive) result.Finding {
	f := result.Finding{Kind: result.FindingGoalInconclusive, Competitor: g.Over, MinSpeedup: g.Speedup, Goal: &count}
	blames := g.Required && asked
	switch {
	case count.Reached >= g.Cases:
		f.Kind = result.FindingGoalReached
	case asked && count.Of-count.Below < g.Cases:
		f.Kind = result.FindingGoalMissed
	case ended && on == result.OnInconclusivePass:
		blames = false
	case blames && ended && on == result.OnInconclusiveFail:
		f.Kind = result.FindingGoalInconclusiveFailed
	}
	if blames {
		f.Side = result.SideHead
	}
	return f
}

// partsOf are the parts that make up the plan, once for each time that it was measured, in their order.
func partsOf(parts []Part) (byPlan map[string][]Part, plans []string) {
	byPlan = map[string][]Part{}
	for _, part := range parts {
		if byPlan[part.Plan] == nil {
			plans = append(plans, part.Plan)
		}
		byPlan[part.Plan] = append(byPlan[part.Plan], part)
	}
	return byPlan, plans
}
