package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// versus is a result of versus, with the names of its two implementations. A is head, B its only competitor.
type versus struct {
	*result.Result
	A, B string
}

func versusOf(r *result.Result) versus {
	d := versus{Result: r, A: r.Head.Label}
	if competitors := onlyKernel(r).Competitors; len(competitors) > 0 {
		d.B = competitors[0].Name
	}
	return d
}

// compared is the comparison of A with B in a case; nil without one.
func compared(c result.Case) *result.Comparison {
	if q := c.To(result.RoleCompetitor); q.HasNumbers() {
		return q
	}
	return nil
}

// Unmeasured is how many cases of a result of versus have no comparison.
func Unmeasured(r *result.Result) int {
	return count(r.Cases, func(c result.Case) bool { return compared(c) == nil })
}

// versusDocument is a result of versus as its reader meets it.
func versusDocument(r *result.Result) Document {
	d := versusOf(r)
	out := Document{Verdict: "COMPARED", Tone: Quiet, Headline: d.answer()}
	if len(d.Cases) == Unmeasured(r) {
		out.Verdict, out.Tone = verdictWords[result.RunError].words, verdictWords[result.RunError].tone
	}
	var crossings []Text
	var courses []Block
	var details []Figure
	for i, l := range d.sweeps() {
		if l.crossing != "" {
			crossings = append(crossings, l.says(d))
		}
		table := l.table(d)
		courses = append(courses, Block{Key: fmt.Sprintf("sweep-%d", i+1), Title: Say("Along " + l.name), Table: &table})
		details = append(details, l.figure(d))
	}
	for _, c := range d.Cases {
		for _, f := range distribution(c, "", d.A) {
			f.Title = "Distribution: " + c.Name
			details = append(details, f)
		}
	}
	rounds := Say(text.Count(len(d.Rounds), "round") + ", in each two fresh processes of both, in a randomized order and mirrored")
	facts := append(factsWithout(r, "base", "head", "rule", labelColumns, "rounds"), Item{Label: "rounds", Text: rounds})
	out.Blocks = filled(slices.Concat(
		[]Block{pointsOf("against", Always, Plain, crossings), tableOf("cases", Always, d.table())}, courses,
		[]Block{
			group("figures", Full, Say("Case by case"), figureBlocks("versus", details)...),
			notesOf(plainNotes(d.Notes)), factsOf(facts), repeatOf(Folded, d.Repro),
		})...)
	return out
}

// answer says which of the two is faster, in how many cases, and by how much in between.
func (d versus) answer() Text {
	a, b, open := 0, 0, 0
	sum, n := 0.0, 0
	for _, c := range d.Cases {
		q := compared(c)
		switch {
		case q == nil:
			continue
		case q.High < 0:
			a++
		case q.Low > 0:
			b++
		default:
			open++
		}
		sum, n = sum-q.Theta, n+1
	}
	if n == 0 {
		return Say("no case could be measured")
	}
	return say("%s is faster in %d of %s[, %s in %d][, %d inconclusive][, %d could not be measured][; %s as fast in the geometric mean]", text.Visible(d.A), a,
		text.Count(len(d.Cases), "case"), text.Visible(d.B), b, open, Unmeasured(d.Result), either(n > 1, text.Times(math.Exp(sum/float64(n))), ""))
}

// table has a row a case: both times, how many times as fast A is, and which is significantly the faster one.
func (d versus) table() Table {
	a, b := text.Brief(text.Visible(d.A), LongestCell/2), text.Brief(text.Visible(d.B), LongestCell/2)
	speed, interval := shiftIn("speed", a+" vs "+b, 0, asSpeed, func(c result.Case) *result.Shift { return result.Speed(compared(c)) })
	t := tableBy("case", d.Cases, func(_ int, c result.Case) Row {
		row := Row{Name: caseName(c.Name)}
		if s := result.Speed(compared(c)); s != nil {
			row.Drawn = drawnShift(c.Name, s, changeStyle(s.High < 1, s.Low > 1, result.Inconclusive))
		} else {
			why := c.Reason
			if q := c.To(result.RoleCompetitor); q != nil && q.Reason != nil {
				why = q.Reason
			}
			row.Instead = cell("could not be measured"+because(Reason(why)), Warn)
		}
		return row
	},
		numbersIn("a", a, 0, func(c result.Case) Cell { _, head := medians(bothTimes(c)); return head }),
		numbersIn("b", b, 0, func(c result.Case) Cell { base, _ := medians(bothTimes(c)); return base }),
		speed, interval,
		column[result.Case]{Column{Key: "faster", Title: "faster"}, func(c result.Case) Cell {
			switch {
			case compared(c).High < 0:
				return cell(a, Good)
			case compared(c).Low > 0:
				return cell(b, Plain)
			}
			return cell("inconclusive", Quiet)
		}})
	caption := say("Right of 1x `%s` is faster, left of it `%s`. An interval that crosses 1x is inconclusive.", d.A, d.B)
	return t.drawnOver(forest(d.A+" over "+d.B, QuantityTimes, 0, caption))
}

// summaryOfB describes B in a case; nil of one that it was not measured in.
func summaryOfB(c result.Case) *result.Summary {
	if len(c.Competitors) == 0 {
		return nil
	}
	return c.Competitors[0].Summary
}

// bothTimes is a case in which B has base's place.
func bothTimes(c result.Case) result.Case { return result.Case{Base: summaryOfB(c), Head: c.Head} }

// sweep is three cases or more that differ in one parameter alone, by its number.
type sweep struct {
	param    string
	name     string // the parameter and those that stay: S with D=64
	cases    []swept
	crossing string // between which numbers the one overtakes the other; "" where that does not happen
}

// swept is a case of a sweep and its number.
type swept struct {
	result.Case
	at float64
}

// sweeps are all of a versus result, those that could not be measured left out.
func (d versus) sweeps() []sweep {
	var out []sweep
	drawn := map[string]bool{}
	for _, c := range d.Cases {
		for p := range c.Params {
			if l := along(d, c, p); len(l.cases) > 2 && !drawn[l.name] {
				drawn[l.name] = true
				out = append(out, l)
			}
		}
	}
	return out
}

// along are the cases that differ from one in its parameter p alone.
func along(d versus, from result.Case, p int) sweep {
	l := sweep{param: from.Params[p].Name}
	l.name = l.param
	if fixed := (result.CaseID{Params: slices.Delete(slices.Clone(from.Params), p, p+1)}); len(fixed.Params) > 0 {
		l.name += " with " + fixed.Args()
	}
	for _, c := range d.Cases {
		if at, ok := placeOn(c, from, p); ok {
			l.cases = append(l.cases, swept{c, at})
		}
	}
	slices.SortStableFunc(l.cases, func(a, b swept) int { return cmp.Compare(a.at, b.at) })
	var between []string
	for i := 1; i < len(l.cases); i++ {
		if a, b := l.cases[i-1], l.cases[i]; compared(a.Case).Theta*compared(b.Case).Theta < 0 {
			between = append(between, fmt.Sprintf("between %s=%s and %s", l.param, formatNumber(a.at), formatNumber(b.at)))
		}
	}
	l.crossing = strings.Join(between, " and ")
	return l
}

// placeOn is the number of a measured case's parameter p, if all others are from's.
func placeOn(c, from result.Case, p int) (at float64, ok bool) {
	if len(c.Params) != len(from.Params) || compared(c) == nil || c.Head == nil || summaryOfB(c) == nil {
		return 0, false
	}
	for q := range c.Params {
		if q != p && c.Params[q] != from.Params[q] {
			return 0, false
		}
	}
	at, err := strconv.ParseFloat(c.Params[p].Value, 64)
	return at, err == nil && !math.IsInf(at, 0) && !math.IsNaN(at)
}

// formatNumber writes a parameter's number, whole ones without an exponent.
func formatNumber(x float64) string {
	format := byte('g')
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}

// says is the line in words: where the one overtakes the other.
func (l sweep) says(d versus) Text {
	end := func(c swept) string { return text.Times(math.Exp(-compared(c.Case).Theta)) }
	first, last := l.cases[0], l.cases[len(l.cases)-1]
	return say("along %s: %s is %s as fast at %s, %s at %s[; they cross %s]", text.Visible(l.name), text.Visible(d.A), end(first), formatNumber(first.at),
		end(last), formatNumber(last.at), text.Visible(l.crossing))
}

// barWidth is half of a chart: what one being four times as fast as the other fills.
const barWidth = 24

// table has a bar a case, to the right where A is faster.
func (l sweep) table(d versus) Table {
	return tableBy(l.param, l.cases, func(i int, c swept) Row { return named(i, formatNumber(c.at)) },
		wordsIn("bar", fmt.Sprintf("%s faster to the left, %s to the right", text.Visible(d.B), text.Visible(d.A)), 0, func(c swept) string {
			n := int(math.Round(barWidth * max(-1, min(1, -compared(c.Case).Theta/math.Log(4)))))
			return strings.Repeat(" ", barWidth+min(0, n)) + strings.Repeat("█", max(0, -n)) + "│" + strings.Repeat("█", max(0, n))
		}),
		numbersIn("speed", "speed", 0, func(c swept) Cell {
			speed := math.Exp(-compared(c.Case).Theta)
			return number(text.Times(speed), speed, Plain)
		}))
}

// figure is the time of both implementations over one parameter while the others stay.
func (l sweep) figure(d versus) Figure {
	first, last := l.cases[0].at, l.cases[len(l.cases)-1].at
	f := Figure{
		Key: "sweep", Title: "Along " + l.name, Caption: l.says(d),
		X: Axis{Title: l.param, Quantity: QuantityNumber, Log: first > 0 && last/first >= 8, Least: 1},
		Y: Axis{Title: "time", Quantity: QuantityTime, Log: true, Least: leastReach},
	}
	of := [2][]Point{}
	for _, c := range l.cases {
		f.X.Ticks = append(f.X.Ticks, c.at)
		for i, s := range []*result.Summary{c.Head, summaryOfB(c.Case)} {
			label := []string{d.A, d.B}[i] + ", " + l.param + "=" + strconv.FormatFloat(c.at, 'f', -1, 64)
			of[i] = append(of[i], Point{X: c.at, Y: s.MedianNS, Label: label})
		}
	}
	for i, style := range []Style{StyleHead, StyleBase} {
		f.Series = append(f.Series, Series{Form: FormLine, Style: style, Points: of[i]}, Series{Name: []string{d.A, d.B}[i], Form: FormMarks, Style: style, Points: of[i]})
	}
	return f
}
