package measure

import (
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Competitor is an implementation that is neither side, and that a case is measured beside.
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

// letter is a place in rounds, as rule.Orders writes it: A is base, B is head, and R, S and T are the competitors of each case in their order.
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

// variant is one of those that are timed of a case, on its way through the rounds.
type variant struct {
	result.Variant
	letter       letter
	library, row string // as of a Competitor
	judge        string
	waits        bool
	shares       bool
	hasReference bool
	head, base   result.Comparison // with a competitor
	policy       result.Policy     // that says how far a competitor is measured
}

// variantsOf are those of a subject: both sides, and each competitor under the letter that its index in the list gives it.
func variantsOf(s Subject) []variant {
	side := variant{judge: s.Judge, waits: s.Waits, shares: s.Shares, hasReference: true}
	base, head := side, side
	base.Variant, base.letter, base.library = result.VariantBase, letterBase, s.Base
	head.Variant, head.letter, head.library = result.VariantHead, letterHead, s.Head
	out := []variant{base, head}
	for i, r := range s.Competitors {
		if r.Library == "" && r.Row == "" && r.Fault == nil {
			continue
		}
		v := variant{
			Variant: result.CompetitorNamed(r.Name), letter: competitorLetters[i], library: r.Library, row: r.Row, judge: r.Judge, waits: r.Waits,
			head: rule.ToCompetitor(r.Name, r.MinSpeedup),
		}
		if r.Fault != nil {
			v.fail(r.Fault)
		}
		out = append(out, v)
	}
	return out
}

// at is the variant of a case that stands in a place; nil where it has none.
func (c *Case) at(l letter) *variant {
	i := slices.IndexFunc(c.variants, func(v variant) bool { return v.letter == l })
	if i < 0 {
		return nil
	}
	return &c.variants[i]
}

// competitors are the case's that were to be measured.
func (c *Case) competitors() (out []*variant) {
	for i, v := range c.variants {
		if v.Role == result.RoleCompetitor {
			out = append(out, &c.variants[i])
		}
	}
	return out
}

// rows are the competitors of a case that its benchmark's next process measures as well.
func (c *Case) rows() []*variant {
	return slices.DeleteFunc(c.competitors(), func(v *variant) bool { return v.row == "" || !v.isWanted() })
}

// fail gives a competitor no answer. The case goes on without it.
func (v *variant) fail(fault *kernels.RunnerError) {
	v.head, v.base = rule.ToCompetitor(v.Name, v.head.MinSpeedup), result.Comparison{}
	v.head.Verdict, v.head.Reason = result.Unmeasured, result.Message(fault.Brief())
}

func (v *variant) hasFailed() bool { return v.head.Verdict == result.Unmeasured }

// isWanted says whether a competitor is to be measured further.
func (v *variant) isWanted() bool { return rule.CompetitorWanted(v.head, v.policy) }

// IsOpen says whether the case is to be measured further: it, a competitor of it or the suite that it is in has no answer.
func (c *Case) IsOpen() bool {
	return c.Verdict == result.Undecided || c.Verdict != result.Error && (c.kept || slices.ContainsFunc(c.competitors(), (*variant).isWanted))
}

// has says whether a case is to be measured in a place: every open one as both sides, and as a competitor as long as that has no answer.
func (c *Case) has(l letter) bool {
	v := c.at(l)
	return v != nil && c.IsOpen() && (l.side() != result.SideNone || v.row == "" && v.isWanted())
}

// competitorPlaces are those that any open case has.
func (s *session) competitorPlaces() []letter {
	return slices.DeleteFunc(slices.Clone(competitorLetters), func(l letter) bool { return len(s.openIn(l)) == 0 })
}

// openIn are the open cases that are measured in a place.
func (s *session) openIn(l letter) []*Case {
	return slices.DeleteFunc(s.open(), func(c *Case) bool { return !c.has(l) })
}

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
