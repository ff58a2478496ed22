package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// besideNotes say of rivals what their tables leave unsaid: what changed against each, whether the machine moved and not the code, which
// were not measured, and which questions stayed open and passed.
func besideNotes(r *result.Result) []Text {
	var out []Text
	for _, name := range rivalNames(r) {
		out = append(out, changedAgainst(r, name)...)
	}
	for _, name := range rivalNames(r) {
		out = append(out, movedWith(r, name)...)
	}
	for _, f := range ofKinds(r, result.FindingRivalUnmeasured, result.FindingKeepOpenPassed) {
		out = append(out, Say(Sentence(f)))
	}
	return out
}

// against is a case beside a rival.
type against struct {
	of          result.Case
	found       result.Versus
	base, head  *result.Shift // how many times as fast as the rival; nil where that was not measured
	overtakes   bool          // head surely is faster than the rival, base surely was not
	isOvertaken bool
}

// besideOf are the cases that have a rival.
func besideOf(r *result.Result, rival string) []against {
	var out []against
	for _, c := range sorted(r.Cases) {
		for _, v := range c.Rivals {
			if v.Rival != rival {
				continue
			}
			a := against{of: c, found: v, base: result.Speed(v.Base), head: result.Speed(v.Head)}
			if a.base != nil && a.head != nil {
				a.overtakes, a.isOvertaken = a.base.High < 1 && a.head.Low > 1, a.base.Low > 1 && a.head.High < 1
			}
			out = append(out, a)
		}
	}
	return out
}

// mostCrossings is how many cases that overtook a rival, or were overtaken, have a line of their own.
const mostCrossings = 3

// changedAgainst says what changed against a rival, where anything surely did: a line for each case that overtook it or was overtaken, else
// one for what changed most.
func changedAgainst(r *result.Result, rival string) []Text {
	changed := slices.DeleteFunc(besideOf(r, rival), func(a against) bool {
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
		out = append(out, Text{words("against " + Visible(rival) + ": "), code(Visible(a.of.Name)), words(" " + a.change(Visible(rival)))})
	}
	return out
}

func (a against) change(rival string) string {
	now, then := times(a.head.Ratio), times(a.base.Ratio)
	switch {
	case a.isOvertaken:
		return fmt.Sprintf("is no longer faster than %s: %s as fast, was %s", rival, now, then)
	case a.overtakes:
		return fmt.Sprintf("is faster than %s now: %s as fast, was %s", rival, now, then)
	}
	return fmt.Sprintf("is %s as fast as %s, was %s", now, rival, then)
}

func (a against) crosses() bool { return a.overtakes || a.isOvertaken }

// weight orders changes against a rival: by their size, and which of the two is faster before that.
func (a against) weight() float64 {
	if a.crosses() {
		return math.Inf(1)
	}
	return math.Abs(math.Log(a.head.Ratio / a.base.Ratio))
}

// movedWith says that the machine moved, where a case's base and a rival did so together since they were recorded.
func movedWith(r *result.Result, rival string) []Text {
	moved := slices.DeleteFunc(besideOf(r, rival), func(a against) bool { return a.found.Moved == nil || !a.found.Moved.Machine })
	if len(moved) == 0 {
		return nil
	}
	var by []float64 // geometric means of both, as changes
	var names []string
	for _, a := range moved {
		m := a.found.Moved
		by = append(by, math.Sqrt(m.Base.Ratio*m.Rival.Ratio)-1)
		names = append(names, Visible(a.of.Name))
	}
	const most = 3
	list := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	amount, direction := moveBetween(slices.Min(by), slices.Max(by))
	return []Text{Say(fmt.Sprintf("this machine moved by %s, not the code: base and %s, both as they were, are %s than when %.12s was recorded (%s)",
		amount, Visible(rival), direction, Visible(moved[0].found.Moved.Commit), list))}
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
