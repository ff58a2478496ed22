package measure

import (
	"cmp"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Variant is one of those that are timed of a subject. Head, the one that it is compared with (Subject.To) and competitors each have a place in the rounds of
// their own, competitors by their order: at most result.MaxCompetitors. Configurations stand in head's place, each in its turn, and are timed by head's method.
type Variant struct {
	result.Variant
	Library string // "": it is not measured, unless it is a row
	// Row is what the subject's benchmark calls the competitor among its cases. One process measures it with the sides' own, so it has no
	// places in the rounds.
	Row string
	// Fault says why it is not measured in the case, where that is an answer; nil otherwise.
	Fault *kernels.RunnerError
	// Judge is the library that says, in a process of its own, what timed outputs should be; "" lets its own say it.
	Judge      string
	MinSpeedup float64 // head has to be so many times as fast; 0: nothing is asked
	Waits      bool    // its process may open the device before its turn, and load the library in it
	Shares     bool    // and with Options.StartAhead be shared with other cases of its place that share, whatever their library
}

// As is one that is measured in the same way.
func (v Variant) As(of result.Variant, library string) Variant {
	v.Variant, v.Library = of, library
	return v
}

// letter is a place in rounds, as rule.Orders writes it: A is base, or what else head is compared with in every round, B is head, and R, S and T are the
// competitors of each case in their order.
type letter rune

const (
	letterBase letter = 'A'
	letterHead letter = 'B'
)

var competitorLetters = []letter{'R', 'S', 'T'}

// side is the side that stands in a place; none of a competitor's.
func (l letter) side() result.Side {
	return map[letter]result.Side{letterBase: result.SideBase, letterHead: result.SideHead}[l]
}

// variant is a Variant on its way through the rounds.
type variant struct {
	Variant
	letter       letter
	hasReference bool
	isOneOfMany  bool              // in head's place: what ends it ends no other
	isDropped    bool              // as one of many: it is measured no more
	pardoned     bool              // it seemed to work outside of the clock once
	head, base   result.Comparison // with a competitor
	policy       result.Policy     // that says how far a competitor is measured
}

// newCase is a subject that nothing is known of. Its configurations follow once head is calibrated.
func (s *session) newCase(subject Subject) *Case {
	c := &Case{Case: result.Case{Method: subject.Method, Verdict: result.Undecided}, Subject: subject, checks: checksPerCase}
	competitors := 0
	for _, one := range subject.Variants {
		v := s.newVariant(one)
		switch {
		case one.Role == result.RoleConfiguration:
			continue
		case one.Variant == c.to():
			v.letter = letterBase
		case one.Role == result.RoleCompetitor:
			v.letter, v.hasReference, v.head = competitorLetters[competitors], false, rule.ToCompetitor(v.Name, v.MinSpeedup)
			competitors++
			if v.Library == "" && v.Row == "" && v.Fault == nil {
				continue
			}
			if v.Fault != nil {
				v.fail(v.Fault)
			}
		}
		c.variants = append(c.variants, v)
	}
	return c
}

// newVariant is one in head's place.
func (s *session) newVariant(one Variant) variant {
	one.Waits = one.Waits && s.opt.StartAhead != nil
	one.Shares = one.Shares && s.opt.StartAhead != nil // Start gives a process one library and no right to read others
	return variant{Variant: one, letter: letterHead, hasReference: true}
}

// addConfigurations has the configurations of a case stand in head's place beside head.
func (s *session) addConfigurations(c *Case) {
	for _, one := range c.Subject.Variants {
		if one.Role == result.RoleConfiguration {
			c.variants = append(c.variants, s.newVariant(one))
			for i := range c.variants {
				c.variants[i].isOneOfMany = true
			}
		}
	}
}

// turn is a variant of a case when its turn comes.
type turn struct {
	*Case
	v *variant
}

// to is the variant that head is compared with.
func (c *Case) to() result.Variant { return cmp.Or(c.Subject.To, result.VariantBase) }

// isAlongside says that a variant is measured alongside the two that are compared, as competitors of a gate are.
func (v *variant) isAlongside() bool { return v.letter.side() == result.SideNone }

// competitors are the case's that were to be measured alongside the two that are compared.
func (c *Case) competitors() (out []*variant) {
	for i := range c.variants {
		if c.variants[i].isAlongside() {
			out = append(out, &c.variants[i])
		}
	}
	return out
}

// rows are the competitors of a case that its benchmark's next process measures as well.
func (c *Case) rows() []*variant {
	return slices.DeleteFunc(c.competitors(), func(v *variant) bool { return v.Row == "" || !v.isWanted() })
}

// fail gives a variant no answer. The case goes on without it.
func (v *variant) fail(fault *kernels.RunnerError) {
	v.head, v.base = rule.ToCompetitor(v.Name, v.MinSpeedup), result.Comparison{}
	v.head.Verdict, v.head.Reason = result.Unmeasured, result.Message(fault.Brief())
}

func (v *variant) hasFailed() bool { return v.head.Verdict == result.Unmeasured }

// isWanted says whether a variant is to be measured further, as long as its case is.
func (v *variant) isWanted() bool {
	if v.isAlongside() {
		return rule.CompetitorWanted(v.head, v.policy)
	}
	return !v.isDropped && !v.hasFailed()
}

// IsOpen says whether the case is to be measured further: it, a competitor of it or the suite that it is in has no answer.
func (c *Case) IsOpen() bool {
	return c.Verdict == result.Undecided && slices.ContainsFunc(c.variants, func(v variant) bool { return v.letter == letterHead && v.isWanted() }) ||
		c.Verdict != result.Error && (c.kept || slices.ContainsFunc(c.competitors(), (*variant).isWanted))
}

// failed gives a case the verdict error, or a variant that is neither side, or one of many in head's place, no answer.
func (t turn) failed(fault *kernels.RunnerError) {
	if !t.v.isAlongside() && !t.v.isOneOfMany {
		t.fail(t.v.letter.side(), fault)
	} else {
		t.v.fail(fault)
	}
}

// turnsIn are the variants of open cases that are measured in a place: both sides of every one, and what else as long as that has no answer.
func turnsIn(cases []*Case, l letter) (out []turn) {
	for _, c := range cases {
		for i := range c.variants {
			if t := (turn{c, &c.variants[i]}); t.v.letter == l && t.isMeasured() {
				out = append(out, t)
			}
		}
	}
	return out
}

func (t turn) isMeasured() bool {
	return t.IsOpen() && t.v.isWanted() && (!t.v.isAlongside() || t.v.Row == "")
}

// competitorPlaces are those that any open case has.
func (s *session) competitorPlaces() []letter {
	return slices.DeleteFunc(slices.Clone(competitorLetters), func(l letter) bool { return len(s.openIn(l)) == 0 })
}

func (s *session) openIn(l letter) []turn { return turnsIn(s.open(), l) }

// placeCompetitors makes room in the rounds for the competitors of the plan, if any case has one that needs it.
func (s *session) placeCompetitors() {
	if !slices.ContainsFunc(s.cases, func(c *Case) bool { return len(c.competitors()) > 0 }) {
		return
	}
	s.stops = append(s.stops, speedups{s.opt.Policy})
	for _, c := range s.cases {
		for _, v := range c.competitors() {
			v.policy = s.opt.Policy
		}
	}
	if len(s.competitorPlaces()) > 0 {
		s.orders.Competitors = s.opt.Policy.Competitors
	}
}
