package measure

import (
	"context"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Competitor is what a case is measured beside, besides base.
type Competitor struct {
	Name    string
	Library string // "": it stands in its place of the list and is not measured, unless it is a row
	// Row is what the subject's benchmark calls the competitor among its cases. One process measures it with the sides' own, so it has no
	// places in the rounds.
	Row string
	// Fault says why it is not measured in the case, where that is an answer; nil otherwise.
	Fault *kernels.RunnerError
	// Judge is the library that says what its timed outputs should be; "" lets its own say it.
	Judge      string
	MinSpeedup float64 // head has to be so many times as fast; 0: nothing is asked
	Waits      bool    // as of a Subject
}

// The places of competitors in a round, in the order of their lists, as sides.
const (
	competitor1 result.Side = "competitor-1"
	competitor2 result.Side = "competitor-2"
	competitor3 result.Side = "competitor-3"
)

var competitorSides = []result.Side{competitor1, competitor2, competitor3}

func isCompetitor(side result.Side) bool { return slices.Contains(competitorSides, side) }

// beside is one competitor of a case on its way through the rounds.
type beside struct {
	Competitor
	side         result.Side
	hasReference bool
	processes    []result.Process
	head, base   result.Comparison // with it
}

// besides are the competitors of a subject that are measured, each as the side that its place in the list makes it.
func besides(s Subject) []*beside {
	var out []*beside
	for i, r := range s.Competitors {
		if r.Library == "" && r.Row == "" && r.Fault == nil {
			continue
		}
		b := &beside{Competitor: r, side: competitorSides[i], head: rule.ToCompetitor(r.Name, r.MinSpeedup)}
		if r.Fault != nil {
			b.fail(r.Fault)
		}
		out = append(out, b)
	}
	return out
}

// rows are the competitors of a case that its benchmark's next process measures as well.
func (c *Case) rows() []*beside {
	return slices.DeleteFunc(slices.Clone(c.competitors), func(b *beside) bool { return b.Row == "" || !rule.CompetitorWanted(b.head) })
}

// competitor is the case's competitor of a side; nil where it has none that is measured.
func (c *Case) competitor(side result.Side) *beside {
	i := slices.IndexFunc(c.competitors, func(b *beside) bool { return b.side == side })
	if i < 0 {
		return nil
	}
	return c.competitors[i]
}

// Competitors are the case's competitors that were to be measured.
func (c *Case) Competitors() []result.Versus {
	var out []result.Versus
	for _, b := range c.competitors {
		v := result.Versus{Competitor: b.Name}
		if b.head.Verdict != result.Unmeasured {
			v.Summary = c.Summary(b.side)
		}
		out = append(out, v)
	}
	return out
}

// Comparisons are those of the case: of head with base, and of both with each competitor.
func (c *Case) Comparisons() []result.Comparison {
	out := result.HeadToBase(c.Comparison)
	for _, b := range c.competitors {
		if b.head.Verdict == result.Unmeasured {
			failed := rule.ToCompetitor(b.Name, b.MinSpeedup)
			failed.Verdict, failed.Reason = b.head.Verdict, b.head.Reason
			out = append(out, failed)
			continue
		}
		if out = append(out, b.head); b.base.HasNumbers() {
			out = append(out, b.base)
		}
	}
	return out
}

// fail gives a competitor no answer. The case goes on without it.
func (b *beside) fail(fault *kernels.RunnerError) {
	b.head.Verdict, b.head.Reason = result.Unmeasured, result.Message(fault.Brief())
}

// wants says whether competitors keep the case in the rounds.
func (c *Case) wants() bool {
	return slices.ContainsFunc(c.competitors, func(b *beside) bool { return rule.CompetitorWanted(b.head) })
}

// IsOpen says whether the case is to be measured further: it, or a competitor of it, has no answer.
func (c *Case) IsOpen() bool {
	return c.Verdict == result.Undecided || c.Verdict != result.Error && c.wants()
}

// has says whether a case is to be measured on a side: every open one on base and head, and on a competitor as long as that has no answer.
func (c *Case) has(side result.Side) bool {
	if !isCompetitor(side) {
		return c.IsOpen()
	}
	b := c.competitor(side)
	return b != nil && b.Row == "" && c.IsOpen() && rule.CompetitorWanted(b.head)
}

// competitorSides are those that any open case has.
func (s *session) competitorSides() []result.Side {
	return slices.DeleteFunc(slices.Clone(competitorSides), func(side result.Side) bool { return len(s.openOn(side)) == 0 })
}

// openOn are the open cases that are measured on a side.
func (s *session) openOn(side result.Side) []*Case {
	return slices.DeleteFunc(s.open(), func(c *Case) bool { return !c.has(side) })
}

// probeCompetitors looks at every case on its competitors, once it has been looked at on base. One that has other tensors is no competitor of it.
func (s *session) probeCompetitors(ctx context.Context, base map[*Case]probe) (map[*Case][]named, error) {
	found := map[*Case][]named{}
	for _, side := range s.competitorSides() {
		probes := map[*Case]probe{}
		if err := s.probeSide(ctx, side, probes, nil); err != nil {
			return nil, err
		}
		for c, p := range probes {
			b := c.competitor(side)
			if !c.has(side) {
				continue
			}
			if other := oracle.OtherTensors(base[c].spec, p.spec); other != "" {
				b.fail(&kernels.RunnerError{Code: result.CodeBadSpec, Message: oracle.HasOtherTensors + other})
				continue
			}
			b.hasReference = p.hasReference
			found[c] = append(found[c], named{b.Name, p})
		}
	}
	return found, nil
}

// lookAtCompetitors takes a look at every competitor that has no answer yet, if the number of complete rounds calls for it.
func (s *session) lookAtCompetitors() error {
	look := 1 + slices.Index(s.competitorLooks, len(s.rounds))
	if look == 0 {
		return nil
	}
	for _, c := range s.open() {
		for _, b := range c.competitors {
			if !rule.CompetitorWanted(b.head) || !rule.InRounds(b.head.To, b.processes, len(s.rounds)) {
				continue
			}
			var err error
			if b.head, b.base, err = rule.LookAtCompetitor(b.head, slices.Concat(c.Processes, b.processes), look, rule.TimingOf(*c.Method), s.opt.Policy); err != nil {
				return fmt.Errorf("compare %s with %s: %w", c.Subject.Name, b.Name, err)
			}
		}
	}
	return nil
}

// competitorsCutShort notes which competitors the budget left without an answer.
func (c *Case) competitorsCutShort() {
	for _, b := range c.competitors {
		b.head.BudgetGone = rule.CompetitorWanted(b.head)
	}
}

// placeCompetitors makes room in the rounds for the competitors of the plan, if any case has one that needs it.
func (s *session) placeCompetitors() {
	if !slices.ContainsFunc(s.cases, func(c *Case) bool { return len(c.competitors) > 0 }) {
		return
	}
	s.competitorLooks = rule.CompetitorLooks(s.opt.Policy.Competitors)
	if len(s.competitorSides()) > 0 {
		s.orders.Competitors = s.opt.Policy.Competitors
	}
}
