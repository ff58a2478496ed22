package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// CompetitorLooks are the numbers of complete rounds after which a competitor is looked at, where rounds have places for so many: when
// it has stood in every place of a round as often as either side (see Orders), so that no place speaks for or against it.
func CompetitorLooks(competitors int) (looks Looks) {
	turn := 2 * (2 + competitors)
	for n := turn; n <= mostRounds; n += turn {
		looks = append(looks, n)
	}
	return looks
}

// ofCompetitors is the policy that a side and a competitor are compared by: whether head reaches its minimum speedup is one question more of the run for
// each case.
func ofCompetitors(p result.Policy) result.Policy {
	p.PlannedLooks = len(CompetitorLooks(p.Competitors))
	return p
}

// compareInRounds compares two variants of a case in complete rounds, at look number look (from 1) of CompetitorLooks. Only these two count: what base
// scatters says nothing of head against a competitor.
func compareInRounds(of, to result.Variant, processes []result.Process, look int, tm Timing, p result.Policy) (result.Comparison, error) {
	looks := CompetitorLooks(p.Competitors)
	if look < 1 || look > len(looks) {
		return result.Comparison{}, fmt.Errorf("compare with a competitor: there is no look %d", look)
	}
	rounds, err := roundsOfTwo(of, to, processes, looks[look-1])
	if err != nil {
		return result.Comparison{}, err
	}
	c, err := Compare(rounds, look, tm, ofCompetitors(p))
	c.Suspect, c.RoundsNeeded, c.Tolerance = nil, 0, 0 // are about the tolerance of head against base
	return c.Between(of, to), err
}

// roundsOfTwo arranges the first rounds of two variants, each with two to four processes of both.
func roundsOfTwo(of, to result.Variant, processes []result.Process, rounds int) ([]stats.Round, error) {
	if !InRounds(of, processes, rounds) || !InRounds(to, processes, rounds) {
		return nil, fmt.Errorf("compare with a competitor: not every one of %d rounds has %d to %d processes of each side that are times", rounds, fewestOfSide, mostOfSide)
	}
	return arrange(of, slices.DeleteFunc(slices.Clone(processes), func(p result.Process) bool {
		return p.Round >= rounds || p.Variant != of && p.Variant != to
	})), nil
}

// InRounds says whether the processes of a variant are complete in the first so many rounds.
func InRounds(v result.Variant, processes []result.Process, rounds int) bool {
	count := make([]int, rounds)
	for _, p := range processes {
		switch {
		case p.Variant != v:
		case p.Round < 0 || p.Round < rounds && !isTime(p):
			return false
		case p.Round < rounds:
			count[p.Round]++
		}
	}
	return !slices.ContainsFunc(count, func(n int) bool { return n < fewestOfSide || n > mostOfSide })
}

// decideSpeedup says whether head is minSpeedup times as fast as a competitor, from head's comparison with it. last says that no further look
// comes. Held needs the bound that lets a case pass, missed the one that turns a run red.
func decideSpeedup(c result.Comparison, minSpeedup float64, last bool) result.Verdict {
	most := -math.Log(minSpeedup) // of ln(head/competitor)
	switch {
	case !(minSpeedup > 0) || math.IsNaN(c.Low) || math.IsNaN(c.PassHigh):
		return result.Undecided
	case c.Low > most:
		return result.Missed
	case c.PassHigh < most:
		return result.Met
	case last:
		return result.Inconclusive
	}
	return result.Undecided
}

// LookAtCompetitor takes one look at a competitor of a case after its round: head's comparison with it, as q asks, and base's, which is empty where there is no
// base. The processes are those of all three. Taken again from the same processes it comes to the same.
func LookAtCompetitor(q result.Comparison, processes []result.Process, look int, tm Timing, p result.Policy) (head, base result.Comparison, err error) {
	if head, err = compareInRounds(result.VariantHead, q.To, processes, look, tm, p); err != nil {
		return q, base, err
	}
	if slices.ContainsFunc(processes, func(p result.Process) bool { return p.Variant == result.VariantBase }) {
		if base, err = compareInRounds(result.VariantBase, q.To, processes, look, tm, p); err != nil {
			return q, base, err
		}
	}
	head.MinSpeedup, head.BudgetGone, head.Reason = q.MinSpeedup, q.BudgetGone, q.Reason
	switch {
	case q.Verdict == result.Met || q.Verdict == result.Missed: // a goal had it looked at again
		head.Verdict = q.Verdict
	case q.MinSpeedup > 0:
		head.Verdict = decideSpeedup(head, q.MinSpeedup, look == len(CompetitorLooks(p.Competitors)))
	}
	return head, base, nil
}

// CompetitorWanted says whether a competitor has to be measured further in a case, by head's comparison with it: until its first look, and where there is a
// minimum speedup or a goal until that is decided.
func CompetitorWanted(q result.Comparison, p result.Policy) bool {
	return q.Verdict != result.Unmeasured && (q.Look == 0 || q.MinSpeedup > 0 && q.Verdict == result.Undecided || goalOpen(q, p))
}

// ToCompetitor is head's comparison with a competitor before anything was measured.
func ToCompetitor(name string, minSpeedup float64) result.Comparison {
	q := result.Comparison{Of: result.VariantHead, To: result.CompetitorNamed(name), MinSpeedup: minSpeedup}
	if minSpeedup > 0 {
		q.Verdict = result.Undecided
	}
	return q
}

// countSpeedups is how many questions of a part are about minimum speedups and goals: of every case and every competitor that is measured alongside it.
func countSpeedups(kernels []result.Kernel, cases []result.Case, goals []result.Goal) int {
	asked := map[string]int{}
	for _, k := range kernels {
		for _, r := range k.Competitors {
			if r.Status == result.CompetitorNotAsked {
				continue
			}
			if asked[k.Name] += countGoals(r, goals); r.MinSpeedup > 0 {
				asked[k.Name]++
			}
		}
	}
	n := 0
	for _, c := range cases {
		n += asked[c.Kernel]
	}
	return n
}

// goesOn says whether a kernel gets rounds, so that its competitors do.
func goesOn(k result.Kernel) bool {
	return k.Status == result.KernelCompared || k.Status == result.KernelNew
}

// competitors adds what became of a kernel's competitors as a whole. Without rounds no minimum speedup was tested, and only code that is the same as base's
// may pass like that.
func (v *collector) competitors(k result.Kernel) {
	for _, r := range k.Competitors {
		f := result.Finding{Kernel: k.Name, Competitor: r.Name, MinSpeedup: r.MinSpeedup, Reason: r.Reason, Kind: result.FindingCompetitorUnmeasured}
		switch {
		case r.MinSpeedup > 0 && (r.Status == result.CompetitorFailed || r.Status == result.CompetitorNoRounds && goesOn(k)):
			f.Kind = result.FindingSpeedupUnmeasured
		case r.Status != result.CompetitorFailed && r.Status != result.CompetitorNoRounds:
			continue
		}
		v.add(f)
	}
}

// versus adds what became of a case beside each competitor that its kernel, one of the part's, was to be measured beside. What a case has that was not
// measured itself is said of that already.
func (v *collector) versus(c result.Case, kernels []result.Kernel) {
	if c.Verdict == result.Error || c.Verdict == result.Skipped {
		return
	}
	for _, k := range kernels {
		for _, r := range k.Competitors {
			if k.Name == c.Kernel && r.Status == result.CompetitorMeasured {
				v.besideCompetitor(c, r)
			}
		}
	}
}

func (v *collector) besideCompetitor(c result.Case, r result.Competitor) {
	f := result.Finding{Kernel: c.Kernel, Case: c.Name, Competitor: r.Name, MinSpeedup: r.MinSpeedup}
	q := result.Comparison{Verdict: result.Unmeasured} // one that the case does not have
	if found := c.Comparison(result.VariantHead, result.CompetitorNamed(r.Name)); found != nil {
		q = *found
	}
	f.Reason, f.Speed, f.BudgetGone = q.Reason, result.Speed(&q), q.BudgetGone
	switch {
	case r.MinSpeedup == 0 && q.Verdict == result.Unmeasured:
		f.Kind = result.FindingCompetitorUnmeasured
	case r.MinSpeedup == 0 || q.Verdict == result.Met:
		return
	case q.Verdict == result.Missed:
		f.Kind, f.Side = result.FindingSpeedupMissed, result.SideHead
	case q.Verdict == result.Inconclusive && q.HasNumbers():
		f.Kind = v.decideSpeedupByPolicy(q, r.MinSpeedup)
		if EffectOf(f.Kind, result.SideHead) == result.EffectFails {
			f.Side = result.SideHead
		}
		if f.Kind == result.FindingSpeedupInconclusive {
			f.MetBelow, f.MDE = finite(math.Exp(-q.PassHigh)), v.statedMDE(q.MDE)
		}
	default:
		f.Kind = result.FindingSpeedupUnmeasured
	}
	v.add(f)
}

// decideSpeedupByPolicy is what an open question means after its last look, as policySays has it of open cases. A minimum speedup
// has no tolerance, so what has to be excluded is one that is better by the tolerance.
func (v *collector) decideSpeedupByPolicy(c result.Comparison, minSpeedup float64) result.FindingKind {
	most := -math.Log(minSpeedup)
	switch {
	case v.policy.OnInconclusive == result.OnInconclusivePass:
		return result.FindingSpeedupInconclusivePassed
	case v.policy.OnInconclusive == result.OnInconclusiveFail:
		return result.FindingSpeedupInconclusiveFailed
	case c.MDE <= noisyFrom(v.policy) && c.Theta > most && c.Low > most-toleranceLog(v.policy):
		return result.FindingSpeedupEstimateBelow
	}
	return result.FindingSpeedupInconclusive
}

// competitors decides again what a case says of the competitors of its kernel.
func (d *Replayed) competitors(at string, c result.Case, k result.Kernel, p result.Policy, o *result.Case) {
	measured := func(name string) *result.Competitor {
		i := slices.IndexFunc(k.Competitors, func(r result.Competitor) bool { return r.Name == name && r.Status == result.CompetitorMeasured })
		if i < 0 {
			return nil
		}
		return &k.Competitors[i]
	}
	const unknown = "its kernel has no such competitor that was measured"
	for i, process := range c.Processes {
		if v := process.Variant; v.Role == result.RoleCompetitor && measured(v.Name) == nil {
			d.differ(fmt.Sprintf("%s.processes[%d].variant", at, i), quote(v.Name), unknown)
		}
	}
	o.Competitors = slices.Clone(c.Competitors)
	for i, v := range o.Competitors {
		o.Competitors[i].Moved = nil
		if measured(v.Competitor) == nil {
			d.differ(fmt.Sprintf("%s.competitors[%d].competitor", at, i), quote(v.Competitor), unknown)
		}
	}
	o.Comparisons = slices.DeleteFunc(slices.Clone(o.Comparisons), func(q result.Comparison) bool { return q.To.Role == result.RoleCompetitor })
	for i, q := range c.Comparisons {
		if q.To.Role != result.RoleCompetitor {
			continue
		}
		where := fmt.Sprintf("%s.comparisons[%d]", at, i)
		if q.Of != result.VariantHead {
			if c.Comparison(result.VariantHead, q.To) == nil {
				d.differ(where+".to", quote(q.To.Name), "head is not compared with it")
			}
			continue
		}
		if r := measured(q.To.Name); r == nil || r.MinSpeedup != q.MinSpeedup {
			d.differ(where+".to", quote(q.To.Name), unknown)
		}
		head, base, err := speedupAgain(c, q, p)
		if err != nil {
			d.differ(where+".processes", "rounds", "%v", err)
		} else if d.verdict(where, q.Verdict, head.Verdict) && d.numbers(where, &q, &head) {
			d.numbers(where+" of base", c.Comparison(result.VariantBase, q.To), &base)
		}
		o.Comparisons = append(o.Comparisons, head)
		if base.HasNumbers() {
			o.Comparisons = append(o.Comparisons, base)
		}
	}
}

// sameNumbers says whether two comparisons have numbers that agree, or both have none.
func sameNumbers(a, b *result.Comparison) bool {
	if !a.HasNumbers() || !b.HasNumbers() {
		return a.HasNumbers() == b.HasNumbers()
	}
	return agree(*a, *b)
}

// speedupAgain takes the looks at a competitor again. One that says that it could not be measured is taken at its word, which never passes
// a minimum speedup.
func speedupAgain(c result.Case, q result.Comparison, p result.Policy) (head, base result.Comparison, err error) {
	head = ToCompetitor(q.To.Name, q.MinSpeedup)
	head.Reason, head.BudgetGone = clippedReason(q.Reason), q.BudgetGone
	if q.Verdict == result.Unmeasured {
		head.Verdict = q.Verdict
		return head, base, nil
	}
	if c.Method == nil {
		return head, base, errNoMethod
	}
	again := result.Case{Name: c.Name, Method: c.Method, Processes: c.For(result.PurposeRounds), Comparisons: []result.Comparison{head}}
	err = retake(NewSpeedups(p), &again)
	if found := again.Comparison(result.VariantBase, q.To); found != nil {
		base = *found
	}
	return *again.Comparison(head.Of, head.To), base, err
}
