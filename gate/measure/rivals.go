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

// Rival is what a case is measured beside, besides base.
type Rival struct {
	Name    string
	Library string // "": it stands in its place of the list and is not measured, unless it is a row
	// Row is what the subject's benchmark calls the rival among its cases. One process measures it with the sides' own, so it has no
	// places in the rounds. "" of a subject with a benchmark: that has no such row.
	Row string
	// Judge is the library that says what its timed outputs should be; "" lets its own say it.
	Judge string
	Keep  float64 // head has to be so many times as fast; 0: nothing is asked
	Waits bool    // as of a Subject
}

// beside is one rival of a case on its way through the rounds.
type beside struct {
	Rival
	side         result.Side
	hasReference bool
	result.Versus
}

// besides are the rivals of a subject that are measured, each as the side that its place in the list makes it.
func besides(s Subject) []*beside {
	var out []*beside
	for i, r := range s.Rivals {
		if r.Library == "" && s.Benchmark == nil {
			continue
		}
		b := &beside{Rival: r, side: result.RivalSides[i], Versus: rule.NewVersus(r.Name, r.Keep)}
		if s.Benchmark != nil && r.Row == "" {
			b.fail(&kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark has no such line at this point"})
		}
		out = append(out, b)
	}
	return out
}

// rows are the rivals of a case that its benchmark's next process measures as well.
func (c *Case) rows() []*beside {
	return slices.DeleteFunc(slices.Clone(c.rivals), func(b *beside) bool { return b.Row == "" || !rule.RivalWanted(b.Versus) })
}

// rival is the case's rival of a side; nil where it has none that is measured.
func (c *Case) rival(side result.Side) *beside {
	i := slices.IndexFunc(c.rivals, func(b *beside) bool { return b.side == side })
	if i < 0 {
		return nil
	}
	return c.rivals[i]
}

// Rivals are what was found out beside each of the case's rivals.
func (c *Case) Rivals() []result.Versus {
	var out []result.Versus
	for _, b := range c.rivals {
		v := b.Versus
		if v.Verdict == result.KeepUnmeasured {
			v = result.Versus{Rival: v.Rival, Keep: v.Keep, Verdict: v.Verdict, Reason: v.Reason}
		} else {
			v.Summary = c.Summary(b.side)
		}
		out = append(out, v)
	}
	return out
}

// fail gives a rival no answer. The case goes on without it.
func (b *beside) fail(fault *kernels.RunnerError) {
	b.Verdict, b.Reason = result.KeepUnmeasured, fault.Brief()
}

// wants says whether rivals keep the case in the rounds.
func (c *Case) wants() bool {
	return slices.ContainsFunc(c.rivals, func(b *beside) bool { return rule.RivalWanted(b.Versus) })
}

// IsOpen says whether the case is to be measured further: it, or a rival of it, has no answer.
func (c *Case) IsOpen() bool {
	return c.Verdict == result.Undecided || c.Verdict != result.Error && c.wants()
}

// has says whether a case is to be measured on a side: every open one on base and head, and on a rival as long as that has no answer.
func (c *Case) has(side result.Side) bool {
	if !side.IsRival() {
		return c.IsOpen()
	}
	b := c.rival(side)
	return b != nil && b.Row == "" && c.IsOpen() && rule.RivalWanted(b.Versus)
}

// rivalSides are those that any open case has.
func (s *session) rivalSides() []result.Side {
	return slices.DeleteFunc(slices.Clone(result.RivalSides), func(side result.Side) bool { return len(s.openOn(side)) == 0 })
}

// openOn are the open cases that are measured on a side.
func (s *session) openOn(side result.Side) []*Case {
	return slices.DeleteFunc(s.open(), func(c *Case) bool { return !c.has(side) })
}

// probeRivals looks at every case on its rivals, once it has been looked at on base. One that has other tensors is no rival of it.
func (s *session) probeRivals(ctx context.Context, base map[*Case]probe) (map[*Case][]named, error) {
	found := map[*Case][]named{}
	for _, side := range s.rivalSides() {
		probes := map[*Case]probe{}
		if err := s.probeSide(ctx, side, probes, nil); err != nil {
			return nil, err
		}
		for c, p := range probes {
			b := c.rival(side)
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

// lookAtRivals takes a look at every rival that has no answer yet, if the number of complete rounds calls for it.
func (s *session) lookAtRivals() error {
	look := 1 + slices.Index(s.rivalLooks, len(s.rounds))
	if look == 0 {
		return nil
	}
	for _, c := range s.open() {
		for _, b := range c.rivals {
			if !rule.RivalWanted(b.Versus) || len(b.Processes) < 2*len(s.rounds) {
				continue
			}
			if err := rule.LookAtRival(&b.Versus, c.Processes, look, rule.TimingOf(*c.Method), s.opt.Policy); err != nil {
				return fmt.Errorf("compare %s with %s: %w", c.Subject.Name, b.Name, err)
			}
		}
	}
	return nil
}

// rivalsCutShort notes which rivals the budget left without an answer.
func (c *Case) rivalsCutShort() {
	for _, b := range c.rivals {
		b.BudgetGone = rule.RivalWanted(b.Versus)
	}
}

// placeRivals makes room in the rounds for the rivals of the plan, if any case has one that needs it.
func (s *session) placeRivals() {
	if !slices.ContainsFunc(s.cases, func(c *Case) bool { return len(c.rivals) > 0 }) {
		return
	}
	s.rivalLooks = rule.RivalLooks(s.opt.Policy.Rivals)
	if len(s.rivalSides()) > 0 {
		s.orders.Rivals = s.opt.Policy.Rivals
	}
}
