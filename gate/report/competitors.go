package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// speedupTone colours what is known of a minimum speedup.
var speedupTone = map[result.Verdict]Tone{
	result.Missed: Bad, result.Inconclusive: Warn, result.Undecided: Warn, result.Unmeasured: Warn, result.Met: Good,
}

// competitorTables are a table for each competitor, by its name: how many times as fast as it head is, and base, in every case that was measured
// in the same rounds.
func competitorTables(r *result.Result) []Table {
	var out []Table
	for _, name := range competitorNames(r) {
		shown := text.Brief(text.Visible(name), LongestCell/2)
		head, headInterval := shiftIn("head", "vs "+shown, 0, asSpeed, func(a against) *result.Shift { return a.head })
		base, baseInterval := shiftIn("base", "base vs "+shown, 1, writing{speedOf, 0, Plain}, func(a against) *result.Shift { return a.base })
		headInterval.Under, baseInterval.Under = true, true
		t := tableBy("case", againstOf(r, name), competitorRow,
			numbersIn("competitor", shown, 0, func(a against) Cell {
				if a.found.Summary == nil {
					return cell(text.Blank, Plain)
				}
				return timeCell(a.found.Summary.MedianNS)
			}),
			head, headInterval, base, baseInterval,
			column[against]{Column{Key: "min-speedup", Title: "min speedup"}, against.minSpeedup})
		t.Title = "vs " + shown
		out = append(out, t)
	}
	return out
}

// competitorNames are those that a case was to be measured with, in order of first appearance.
func competitorNames(r *result.Result) (names []string) {
	for _, c := range r.Cases {
		for _, v := range c.Competitors {
			if !slices.Contains(names, v.Competitor) {
				names = append(names, v.Competitor)
			}
		}
	}
	return names
}

// competitorRow ranks what misses its minimum speedup before what was not tested and what is inconclusive, and all of those before the rest.
func competitorRow(_ int, a against) Row {
	row := Row{Name: nameOf(a.of), Rank: 3 + urgency(a.of)}
	switch head := a.to(result.VariantHead); {
	case !head.HasNumbers():
		reason := Reason(cmp.Or(head, &result.Comparison{}).Reason)
		row.Rank, row.Instead, row.Cells = 1, cell(cmp.Or(reason, "it was not tested"), Warn), Cells{"min-speedup": a.minSpeedup()}
	case head.Verdict == result.Missed:
		row.Rank = 0
	case speedupTone[head.Verdict] == Warn:
		row.Rank = 2
	}
	return row
}

// minSpeedup is the minimum speedup over the competitor, and what is known of it.
func (a against) minSpeedup() Cell {
	if head := a.to(result.VariantHead); head != nil && head.MinSpeedup > 0 {
		return cell(timesText(head.MinSpeedup)+" "+string(head.Verdict), speedupTone[head.Verdict])
	}
	return cell(text.Blank, Quiet)
}

// speedOf writes how many times as fast the one is, and the interval of that.
func speedOf(s result.Shift) (speed, interval string) {
	places := either(s.High-s.Low < 0.01, 3, 2)
	return text.Digits(s.Ratio, places) + "x", fmt.Sprintf("%s … %sx", text.Digits(s.Low, places), text.Digits(s.High, places))
}

// competitorNotes say of competitors what their tables leave unsaid: what changed against each, whether the machine moved and not the code, which
// were not measured, and which questions stayed open and passed.
func competitorNotes(r *result.Result) []Text {
	var out []Text
	for _, name := range competitorNames(r) {
		out = append(out, changedAgainst(r, name)...)
	}
	for _, name := range competitorNames(r) {
		out = append(out, movedWith(r, name)...)
	}
	return append(out, notesIn(r, "competitor-notes")...)
}

// against is a case next to a competitor, and how many times as fast as that base and head are; nil where that was not measured.
type against struct {
	of         result.Case
	found      result.Versus
	base, head *result.Shift
}

// to is the comparison of a side with the competitor.
func (a against) to(side result.Variant) *result.Comparison {
	return a.of.Comparison(side, result.CompetitorNamed(a.found.Competitor))
}

// againstOf are the cases that have a competitor.
func againstOf(r *result.Result, competitor string) []against {
	var out []against
	for _, c := range sorted(r.Cases) {
		for _, v := range c.Competitors {
			if v.Competitor == competitor {
				a := against{of: c, found: v}
				a.base, a.head = result.Speed(a.to(result.VariantBase)), result.Speed(a.to(result.VariantHead))
				out = append(out, a)
			}
		}
	}
	return out
}

// mostCrossings is how many cases that overtook a competitor, or were overtaken, have a line of their own.
const mostCrossings = 3

// changedAgainst says what changed against a competitor, where anything significantly did: a line for each case that overtook it or was
// overtaken, else one for what changed most.
func changedAgainst(r *result.Result, competitor string) []Text {
	changed := slices.DeleteFunc(againstOf(r, competitor), func(a against) bool {
		return a.base == nil || a.head == nil || !slices.Contains(sureChanges, a.of.Verdict)
	})
	slices.SortStableFunc(changed, func(a, b against) int { return cmp.Compare(b.weight(), a.weight()) })
	var out []Text
	for i, a := range changed {
		if i > 0 && (i == mostCrossings || a.crosses() == 0) {
			last := len(out) - 1
			out[last] = append(out[last], Say("; "+text.Count(len(changed)-i, "more case")+" changed")...)
			break
		}
		template := map[int]string{
			-1: "is no longer faster than %[1]s: %[2]s as fast, was %[3]s", 0: "is %[2]s as fast as %[1]s, was %[3]s", 1: "is faster than %[1]s now: %[2]s as fast, was %[3]s",
		}[a.crosses()]
		name := text.Visible(competitor)
		out = append(out, say("against %s: `%s` %s", name, text.Visible(a.of.Name), fmt.Sprintf(template, name, text.Times(a.head.Ratio), text.Times(a.base.Ratio))))
	}
	return out
}

// crosses is 1 where head is significantly faster than the competitor and base was significantly slower, -1 the other way round, else 0.
func (a against) crosses() int {
	switch {
	case a.base.Low > 1 && a.head.High < 1:
		return -1
	case a.base.High < 1 && a.head.Low > 1:
		return 1
	}
	return 0
}

// weight orders changes against a competitor: by their size, and which of the two is faster before that.
func (a against) weight() float64 {
	if a.crosses() != 0 {
		return math.Inf(1)
	}
	return math.Abs(math.Log(a.head.Ratio / a.base.Ratio))
}

// movedWith says that the machine moved, where a case's base and a competitor did so together since they were recorded.
func movedWith(r *result.Result, competitor string) []Text {
	moved := slices.DeleteFunc(againstOf(r, competitor), func(a against) bool { return a.found.Moved == nil || !a.found.Moved.Machine })
	if len(moved) == 0 {
		return nil
	}
	var by []float64 // geometric means of both, as changes
	var names []string
	for _, a := range moved {
		m := a.found.Moved
		by = append(by, math.Sqrt(m.Base.Ratio*m.Competitor.Ratio)-1)
		names = append(names, text.Visible(a.of.Name))
	}
	list := andMore(names[:min(len(names), 3)], len(names), ", ")
	amount, direction := moveBetween(slices.Min(by), slices.Max(by))
	return []Text{say("this machine drifted by %s, not the code: base and %s, both unchanged, are %s than when %.12s was recorded (%s)",
		amount, text.Visible(competitor), direction, text.Visible(moved[0].found.Moved.Commit), list)}
}

// moveBetween words the smallest and the largest of some changes, and which way they go.
func moveBetween(low, high float64) (amount, direction string) {
	direction = "slower"
	switch {
	case low < 0 && high > 0:
		return text.Signed(low, 1) + " to " + text.Signed(high, 1) + " %", "slower or faster"
	case high < 0:
		low, high, direction = -high, -low, "faster"
	}
	if a, b := text.Percent(low), text.Percent(high); a != b {
		return strings.TrimSuffix(a, " %") + " to " + b, direction
	}
	return text.Percent(high), direction
}
