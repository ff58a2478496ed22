package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// besideNotes say of competitors what their tables leave unsaid: what changed against each, whether the machine moved and not the code, which
// were not measured, and which questions stayed open and passed.
func besideNotes(r *result.Result) []Text {
	var out []Text
	for _, name := range competitorNames(r) {
		out = append(out, changedAgainst(r, name)...)
	}
	for _, name := range competitorNames(r) {
		out = append(out, movedWith(r, name)...)
	}
	for _, f := range ofKinds(r, result.FindingCompetitorUnmeasured, result.FindingSpeedupInconclusivePassed) {
		out = append(out, Say(SentenceOf(r, f)))
	}
	return out
}

// against is a case beside a competitor.
type against struct {
	of          result.Case
	found       result.Versus
	base, head  *result.Shift // how many times as fast as the competitor; nil where that was not measured
	overtakes   bool          // head surely is faster than the competitor, base surely was not
	isOvertaken bool
}

// besideOf are the cases that have a competitor.
func besideOf(r *result.Result, competitor string) []against {
	var out []against
	for _, c := range sorted(r.Cases) {
		for _, v := range c.Competitors {
			if v.Competitor != competitor {
				continue
			}
			to := result.CompetitorNamed(competitor)
			a := against{of: c, found: v, base: result.Speed(c.Comparison(result.VariantBase, to)), head: result.Speed(c.Comparison(result.VariantHead, to))}
			if a.base != nil && a.head != nil {
				a.overtakes, a.isOvertaken = a.base.High < 1 && a.head.Low > 1, a.base.Low > 1 && a.head.High < 1
			}
			out = append(out, a)
		}
	}
	return out
}

// mostCrossings is how many cases that overtook a competitor, or were overtaken, have a line of their own.
const mostCrossings = 3

// changedAgainst says what changed against a competitor, where anything surely did: a line for each case that overtook it or was overtaken, else
// one for what changed most.
func changedAgainst(r *result.Result, competitor string) []Text {
	changed := slices.DeleteFunc(besideOf(r, competitor), func(a against) bool {
		return a.base == nil || a.head == nil || !slices.Contains(sureChanges, a.of.Verdict)
	})
	slices.SortStableFunc(changed, func(a, b against) int { return cmp.Compare(b.weight(), a.weight()) })
	var out []Text
	for i, a := range changed {
		if i > 0 && (i == mostCrossings || !a.crosses()) {
			last := len(out) - 1
			out[last] = append(out[last], words("; "+Count(len(changed)-i, "more case")+" changed"))
			break
		}
		out = append(out, Text{words("against " + Visible(competitor) + ": "), code(Visible(a.of.Name)), words(" " + a.change(Visible(competitor)))})
	}
	return out
}

func (a against) change(competitor string) string {
	now, then := times(a.head.Ratio), times(a.base.Ratio)
	switch {
	case a.isOvertaken:
		return fmt.Sprintf("is no longer faster than %s: %s as fast, was %s", competitor, now, then)
	case a.overtakes:
		return fmt.Sprintf("is faster than %s now: %s as fast, was %s", competitor, now, then)
	}
	return fmt.Sprintf("is %s as fast as %s, was %s", now, competitor, then)
}

func (a against) crosses() bool { return a.overtakes || a.isOvertaken }

// weight orders changes against a competitor: by their size, and which of the two is faster before that.
func (a against) weight() float64 {
	if a.crosses() {
		return math.Inf(1)
	}
	return math.Abs(math.Log(a.head.Ratio / a.base.Ratio))
}

// movedWith says that the machine moved, where a case's base and a competitor did so together since they were recorded.
func movedWith(r *result.Result, competitor string) []Text {
	moved := slices.DeleteFunc(besideOf(r, competitor), func(a against) bool { return a.found.Moved == nil || !a.found.Moved.Machine })
	if len(moved) == 0 {
		return nil
	}
	var by []float64 // geometric means of both, as changes
	var names []string
	for _, a := range moved {
		m := a.found.Moved
		by = append(by, math.Sqrt(m.Base.Ratio*m.Competitor.Ratio)-1)
		names = append(names, Visible(a.of.Name))
	}
	const most = 3
	list := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	amount, direction := moveBetween(slices.Min(by), slices.Max(by))
	return []Text{Say(fmt.Sprintf("this machine drifted by %s, not the code: base and %s, both unchanged, are %s than when %.12s was recorded (%s)",
		amount, Visible(competitor), direction, Visible(moved[0].found.Moved.Commit), list))}
}

// moveBetween words the smallest and the largest of some changes, and which way they go.
func moveBetween(low, high float64) (amount, direction string) {
	direction = "slower"
	switch {
	case low < 0 && high > 0:
		return signed(low, 1) + " to " + signed(high, 1) + " %", "slower or faster"
	case high < 0:
		low, high, direction = -high, -low, "faster"
	}
	if a, b := Percent(low), Percent(high); a != b {
		return strings.TrimSuffix(a, " %") + " to " + b, direction
	}
	return Percent(high), direction
}
