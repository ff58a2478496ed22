package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// CompetitorLooks are the numbers of complete rounds after which a competitor is looked at, where rounds have places for so many: when
// it has stood in every place of a round as often as either side (see Orders), so that no place speaks for or against it.
func CompetitorLooks(competitors int) []int {
	var looks []int
	turn := 2 * (2 + competitors)
	for n := turn; n <= Looks[len(Looks)-1]; n += turn {
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

// compareCompetitor compares one side of a case with a competitor in complete rounds, at look number look (from 1) of CompetitorLooks. The
// processes are those of the case, of which the side's are taken, and of the competitor. The competitor has base's place in the comparison.
// Only these two count: what base scatters says nothing of head against a competitor.
func compareCompetitor(side result.Side, ofCase, ofCompetitor []result.Process, look int, tm Timing, p result.Policy) (result.Comparison, error) {
	var own []result.Process
	for _, process := range ofCase {
		if process.Side == side {
			own = append(own, process)
		}
	}
	looks := CompetitorLooks(p.Competitors)
	if look < 1 || look > len(looks) {
		return result.Comparison{}, fmt.Errorf("compare with a competitor: there is no look %d", look)
	}
	rounds, err := besideCompetitor(own, ofCompetitor, looks[look-1])
	if err != nil {
		return result.Comparison{}, err
	}
	c, err := Compare(rounds, look, tm, ofCompetitors(p))
	c.Suspect, c.RoundsNeeded, c.Tolerance = nil, 0, 0 // are about the tolerance of head against base
	return c, err
}

// besideCompetitor arranges the first rounds of a side and a competitor, each with two processes of both.
func besideCompetitor(own, competitor []result.Process, rounds int) ([]stats.Round, error) {
	out := make([]stats.Round, rounds)
	fill := func(processes []result.Process, place func(*stats.Round) *[2]float64) error {
		seen := make([]int, rounds)
		for _, p := range processes {
			if p.Round < 0 || p.Round >= rounds {
				continue
			}
			if seen[p.Round] == 2 || !isTime(p) {
				return errors.New("compare with a competitor: a round has more than two processes of a side, or one that is no time")
			}
			place(&out[p.Round])[seen[p.Round]] = math.Log(p.ValueNS)
			seen[p.Round]++
		}
		for round, n := range seen {
			if n != 2 {
				return fmt.Errorf("compare with a competitor: round %d has %d processes of a side, and should have two", round, n)
			}
		}
		return nil
	}
	err := fill(competitor, func(r *stats.Round) *[2]float64 { return &r.Base })
	return out, cmp.Or(err, fill(own, func(r *stats.Round) *[2]float64 { return &r.Head }))
}

// decideSpeedup says whether head is minSpeedup times as fast as a competitor, from head's comparison with it. last says that no further look
// comes. Held needs the bound that lets a case pass, missed the one that turns a run red.
func decideSpeedup(c result.Comparison, minSpeedup float64, last bool) result.SpeedupVerdict {
	most := -math.Log(minSpeedup) // of ln(head/competitor)
	switch {
	case !(minSpeedup > 0) || math.IsNaN(c.Low) || math.IsNaN(c.PassHigh):
		return result.SpeedupUndecided
	case c.Low > most:
		return result.SpeedupMissed
	case c.PassHigh < most:
		return result.SpeedupMet
	case last:
		return result.SpeedupInconclusive
	}
	return result.SpeedupUndecided
}

// LookAtCompetitor takes one look at a competitor of a case after its round: both comparisons, and what they say of the minimum speedup.
// Taken again from the same processes it comes to the same.
func LookAtCompetitor(v *result.Versus, ofCase, ofCompetitor []result.Process, look int, tm Timing, p result.Policy) error {
	head, err := compareCompetitor(result.SideHead, ofCase, ofCompetitor, look, tm, p)
	if err != nil {
		return err
	}
	base, err := compareCompetitor(result.SideBase, ofCase, ofCompetitor, look, tm, p)
	if err != nil {
		return err
	}
	v.Head, v.Base, v.Looks = &head, &base, look
	if v.MinSpeedup > 0 {
		v.Verdict = decideSpeedup(head, v.MinSpeedup, look == len(CompetitorLooks(p.Competitors)))
	}
	return nil
}

// CompetitorWanted says whether a competitor has to be measured further in a case: until its first look, and where there is a minimum speedup until
// that is decided.
func CompetitorWanted(v result.Versus) bool {
	return v.Verdict != result.SpeedupUnmeasured && (v.Looks == 0 || v.MinSpeedup > 0 && v.Verdict == result.SpeedupUndecided)
}

// NewVersus is a competitor of a case before anything was measured.
func NewVersus(competitor string, minSpeedup float64) result.Versus {
	v := result.Versus{Competitor: competitor, MinSpeedup: minSpeedup}
	if minSpeedup > 0 {
		v.Verdict = result.SpeedupUndecided
	}
	return v
}

// countSpeedups is how many questions of a part are about minimum speedups: of every case and every competitor that is measured beside it.
func countSpeedups(kernels []result.Kernel, cases []result.Case) int {
	asked := map[string]int{}
	for _, k := range kernels {
		for _, r := range k.Competitors {
			if r.MinSpeedup > 0 && r.Status != result.CompetitorNotAsked {
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

// competitors adds what became of a kernel's competitors as a whole.
func (v *collector) competitors(k result.Kernel) {
	for _, r := range k.Competitors {
		f := result.Finding{Kernel: k.Name, Competitor: r.Name, MinSpeedup: r.MinSpeedup, Reason: r.Reason, Kind: result.FindingCompetitorUnmeasured}
		switch {
		case r.Status == result.CompetitorFailed && r.MinSpeedup > 0:
			f.Kind = result.FindingSpeedupUnmeasured
		case r.Status != result.CompetitorFailed && r.Status != result.CompetitorNoRounds:
			continue
		}
		v.add(f)
	}
	v.asked[v.machine+"\x00"+k.Name] = k.Competitors
}

// versus adds what became of a case beside each competitor that its kernel was to be measured beside. What a case has that was not
// measured itself is said of that already.
func (v *collector) versus(c result.Case) {
	if c.Verdict == result.Error || c.Verdict == result.Skipped {
		return
	}
	for _, r := range v.asked[v.machine+"\x00"+c.Kernel] {
		if r.Status != result.CompetitorMeasured {
			continue
		}
		v.besideCompetitor(c, r)
	}
}

func (v *collector) besideCompetitor(c result.Case, r result.Competitor) {
	f := result.Finding{Kernel: c.Kernel, Case: c.Name, Competitor: r.Name, MinSpeedup: r.MinSpeedup}
	found := versusOf(c, r.Name)
	f.Reason, f.Speed, f.BudgetGone = found.Reason, result.Speed(found.Head), found.BudgetGone
	switch {
	case r.MinSpeedup == 0 && found.Verdict == result.SpeedupUnmeasured:
		f.Kind = result.FindingCompetitorUnmeasured
	case r.MinSpeedup == 0 || found.Verdict == result.SpeedupMet:
		return
	case found.Verdict == result.SpeedupMissed:
		f.Kind, f.Side = result.FindingSpeedupMissed, result.SideHead
	case found.Verdict == result.SpeedupInconclusive && found.Head != nil:
		f.Kind = v.decideSpeedupByPolicy(*found.Head, r.MinSpeedup)
		if f.Kind == result.FindingSpeedupInconclusiveFailed {
			f.Side = result.SideHead
		}
		if f.Kind == result.FindingSpeedupUnmeasured {
			f.MDE = finite(found.Head.MDE)
		}
	default:
		f.Kind = result.FindingSpeedupUnmeasured
	}
	v.add(f)
}

// versusOf is a case beside the competitor of a name; one that it does not have was not measured.
func versusOf(c result.Case, competitor string) result.Versus {
	for _, v := range c.Competitors {
		if v.Competitor == competitor {
			return v
		}
	}
	return result.Versus{Competitor: competitor, Verdict: result.SpeedupUnmeasured}
}

// decideSpeedupByPolicy is what an open question means after its last look, as policySays has it of open cases.
func (v *collector) decideSpeedupByPolicy(c result.Comparison, minSpeedup float64) result.FindingKind {
	switch {
	case v.policy.OnInconclusive == result.OnInconclusivePass:
		return result.FindingSpeedupInconclusivePassed
	case v.policy.OnInconclusive == result.OnInconclusiveFail:
		return result.FindingSpeedupInconclusiveFailed
	case !(c.MDE <= 2*v.policy.Tolerance):
		return result.FindingSpeedupUnmeasured
	case c.Theta > -math.Log(minSpeedup):
		return result.FindingSpeedupInconclusiveFailed
	}
	return result.FindingSpeedupInconclusivePassed
}

// competitors decides again what a case says of the competitors of its kernel.
func (d *Replayed) competitors(at string, c result.Case, k result.Kernel, p result.Policy, o *result.Case) {
	o.Competitors = nil
	for i, process := range c.Processes {
		known := slices.ContainsFunc(k.Competitors, func(r result.Competitor) bool {
			return r.Name == process.Competitor && r.Status == result.CompetitorMeasured
		})
		if process.Side.IsCompetitor() && !known {
			d.differ(fmt.Sprintf("%s.processes[%d].competitor", at, i), quote(process.Competitor), "its kernel has no such competitor that was measured")
		}
	}
	for i, v := range c.Competitors {
		where := fmt.Sprintf("%s.competitors[%d]", at, i)
		asked := false
		for _, r := range k.Competitors {
			asked = asked || r.Name == v.Competitor && r.MinSpeedup == v.MinSpeedup && r.Status == result.CompetitorMeasured
		}
		if !asked {
			d.differ(where+".competitor", quote(v.Competitor), "its kernel has no such competitor that was measured")
		}
		found, err := versusAgain(c, v, p)
		switch {
		case err != nil:
			d.differ(where+".processes", "rounds", "%v", err)
		case found.Verdict != v.Verdict:
			d.differ(where+".verdict", quote(v.Verdict), "its samples come to %s", quote(found.Verdict))
		case found.Head != nil && (v.Head == nil || !close(v.Head.Theta, found.Head.Theta) || !close(v.Head.Low, found.Head.Low) || !close(v.Head.High, found.Head.High)):
			d.differ(where+".head", inWords(v.Head), "its samples come to%s", inWords(found.Head))
		}
		o.Competitors = append(o.Competitors, found)
	}
}

// versusAgain takes the looks at a competitor again. One that says that it could not be measured is taken at its word, which never passes
// a minimum speedup.
func versusAgain(c result.Case, v result.Versus, p result.Policy) (result.Versus, error) {
	out := NewVersus(v.Competitor, v.MinSpeedup)
	out.Reason, out.BudgetGone, out.Summary = clippedReason(v.Reason), v.BudgetGone, v.Summary
	if v.Verdict == result.SpeedupUnmeasured {
		out.Verdict = v.Verdict
		return out, nil
	}
	if c.Method == nil {
		return out, errors.New("there is no method")
	}
	processes := c.OfCompetitor(v.Competitor)
	for i, size := range CompetitorLooks(p.Competitors) {
		if !CompetitorWanted(out) || len(processes) < 2*size {
			break
		}
		if err := LookAtCompetitor(&out, c.Processes, processes, i+1, TimingOf(*c.Method), p); err != nil {
			return out, err
		}
	}
	return out, nil
}
