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
	isOneOfMany  bool // in head's place: what ends it ends no other
	pardoned     bool // it seemed to work outside of the clock once
}

// newCase is a subject that nothing is known of. Its configurations follow once head is calibrated.
func (s *session) newCase(subject Subject) *Case {
	c := &Case{Subject: subject, checks: checksPerCase}
	c.Case = result.Case{Name: subject.Name, Kernel: result.ParseCaseID(subject.Name).Kernel, Method: subject.Method, Verdict: result.Undecided}
	competitors := 0
	for _, one := range subject.Variants {
		v := s.newVariant(one)
		switch {
		case one.Role == result.RoleConfiguration:
			continue
		case one.Variant == c.to():
			v.letter = letterBase
		case one.Role == result.RoleCompetitor:
			v.letter, v.hasReference = competitorLetters[competitors], false
			competitors++
			if v.Library == "" && v.Row == "" && v.Fault == nil {
				continue
			}
			q := rule.ToCompetitor(v.Name, v.MinSpeedup)
			if c.SetComparison(q.Of, q.To, &q); v.Fault != nil {
				turn{c, &v}.leaveOut(v.Fault)
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

// compared is head's comparison at the last look; nil without one.
func (c *Case) compared() *result.Comparison { return c.Comparison(result.VariantHead, c.to()) }

// pairs are what head is compared with in each case, and by which tolerance.
func pairs(subjects []Subject) func(*result.Case) (result.Variant, float64) {
	of := map[string]Subject{}
	for _, s := range subjects {
		of[s.Name] = s
	}
	return func(c *result.Case) (result.Variant, float64) { return of[c.Name].To, of[c.Name].Tolerance }
}

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
	return slices.DeleteFunc(c.competitors(), func(v *variant) bool { return v.Row == "" || !c.wants(v) })
}

// answer is the comparison that says what became of a competitor, or of one of many in head's place that was left out; nil of others.
func (c *Case) answer(v *variant) *result.Comparison {
	return c.Comparison(v.comparisonOf(), v.Variant.Variant)
}

func (c *Case) hasFailed(v *variant) bool {
	q := c.answer(v)
	return q != nil && q.Verdict == result.Unmeasured
}

// comparisonOf is the variant whose comparison is the answer: head for a competitor, itself for one of many in head's place.
func (v *variant) comparisonOf() result.Variant {
	if v.isAlongside() {
		return result.VariantHead
	}
	return v.Variant.Variant
}

// wants says whether a variant is to be measured further, as long as its case is.
func (c *Case) wants(v *variant) bool {
	return !c.hasFailed(v) && slices.ContainsFunc(c.stops, func(stop rule.StopRule) bool { return stop.Wants(&c.Case, v.Variant.Variant) })
}

// IsOpen says whether the case is to be measured further: a stop rule wants more of it.
func (c *Case) IsOpen() bool {
	return c.Verdict != result.Error && slices.ContainsFunc(c.variants, func(v variant) bool { return v.letter != letterBase && c.wants(&v) })
}

// leaveOut gives a variant no answer. The case goes on without it.
func (t turn) leaveOut(fault *kernels.RunnerError) {
	q := result.Comparison{Verdict: result.Unmeasured, Reason: result.Message(fault.Brief()), MinSpeedup: t.v.MinSpeedup}
	t.SetComparison(t.v.comparisonOf(), t.v.Variant.Variant, &q)
	t.SetComparison(result.VariantBase, t.v.Variant.Variant, nil)
}

// failed gives a case the verdict error, or a variant that is neither side, or one of many in head's place, no answer.
func (t turn) failed(fault *kernels.RunnerError) {
	if !t.v.isAlongside() && !t.v.isOneOfMany {
		t.fail(t.v.letter.side(), fault)
	} else {
		t.leaveOut(fault)
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
	return t.IsOpen() && t.wants(t.v) && (!t.v.isAlongside() || t.v.Row == "")
}

// competitorPlaces are those that any open case has.
func (s *session) competitorPlaces() []letter {
	return slices.DeleteFunc(slices.Clone(competitorLetters), func(l letter) bool { return len(s.openIn(l)) == 0 })
}

func (s *session) openIn(l letter) []turn { return turnsIn(s.open(), l) }

// askStopRules has the stop rules say how far cases are measured, and makes room in the rounds for the competitors of the plan, if any case has one that needs it.
func (s *session) askStopRules() {
	if s.design.base && slices.ContainsFunc(s.cases, func(c *Case) bool { return len(c.competitors()) > 0 }) {
		s.stops = append(s.stops, rule.NewSpeedups(s.opt.Policy))
	}
	for _, c := range s.cases {
		c.stops = s.stops
	}
	if s.design.base && len(s.competitorPlaces()) > 0 {
		s.orders.Competitors = s.opt.Policy.Competitors
	}
}
