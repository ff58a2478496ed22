package render

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
)

// A name in the first column may be this long before its parts are shared; less beside many columns, so that the
// verdict stays in view.
const (
	nameRoom     = 26
	wideNameRoom = 60
	manyColumns  = 4
)

// fewUnchanged is how many unchanged rows may stand in the open: a table of them is shorter than what folds it.
const fewUnchanged = 3

// tableMarkdown writes t with its keep most important rows; many that did not change are one line, and open on a click.
func tableMarkdown(t report.Table, keep int) string {
	open, unchanged := t, t
	open.Rows, unchanged.Rows = nil, nil
	for _, row := range t.Rows {
		if row.Unchanged {
			unchanged.Rows = append(unchanged.Rows, row)
		} else {
			open.Rows = append(open.Rows, row)
		}
	}
	if len(unchanged.Rows) <= fewUnchanged {
		return plainTable(withBars(t), keep)
	}
	return joined(plainTable(withBars(open), keep), folded(unchangedSummary(unchanged), plainTable(unchanged, max(0, keep-len(open.Rows)))))
}

// unchangedSummary says what is folded away, such as "27 cases same, largest change +0.7 %".
func unchangedSummary(t report.Table) string {
	text := report.Count(len(t.Rows), "case") + " same"
	largest := slices.MaxFunc(t.Rows, func(a, b report.Row) int { return cmp.Compare(math.Abs(shift(t, a)), math.Abs(shift(t, b))) })
	if shift(t, largest) == 0 {
		return text
	}
	return text + ", largest change " + report.Change(shift(t, largest), 1)
}

// shift is the raw value of a row in the column of bars, 0 where it has none.
func shift(t report.Table, r report.Row) float64 {
	for _, c := range t.Columns {
		if v := r.Cells[c.Key].Value; c.Bar && v != nil {
			return *v
		}
	}
	return 0
}

// plainTable writes t with its keep most important rows.
func plainTable(t report.Table, keep int) string {
	if len(t.Rows) == 0 {
		return ""
	}
	t = withReasons(t)
	rows, left := important(t.Rows, keep)
	if len(rows) == 0 {
		return leftOut(len(left))
	}
	room := nameRoom
	if len(t.Columns) < manyColumns {
		room = wideNameRoom
	}
	lines, _ := arrange(rows, room, 0)
	var b strings.Builder
	if caption, rest, ok := captioned(lines); ok {
		b.WriteString(headingMarkdown(caption) + "\n\n")
		lines = rest
	}
	writeHead(&b, t)
	for _, l := range lines {
		writeLine(&b, t, l)
	}
	if len(left) > 0 {
		b.WriteString("\n" + leftOut(len(left)))
	}
	return b.String()
}

// Keys of the columns that Markdown adds.
const (
	barKey     = "render-bar"
	insteadKey = "render-instead"
)

// Lengths of bars, in block characters.
const (
	longestBar = 10
	slowerBar  = "▇"
	fasterBar  = "░"
)

// withBars has under each significant change a bar of its size, so that a glance finds the largest: GitHub shows no picture of ours in a
// comment. One bar alone would say nothing.
func withBars(t report.Table) report.Table {
	under := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Under })
	largest, changed := 0.0, 0
	for _, row := range t.Rows {
		if row.Changed {
			largest, changed = max(largest, sizeOf(shift(t, row))), changed+1
		}
	}
	if under < 0 || changed < 2 || largest == 0 {
		return t
	}
	t.Columns = slices.Insert(slices.Clone(t.Columns), under+1, report.Column{Key: barKey, Under: true})
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		if row.Changed {
			t.Rows[i].Cells = maps.Clone(row.Cells)
			t.Rows[i].Cells[barKey] = report.Cell{Text: barOf(shift(t, row), largest)}
		}
	}
	return t
}

func barOf(shift, largest float64) string {
	block := slowerBar
	if shift < 0 {
		block = fasterBar
	}
	return strings.Repeat(block, max(1, int(math.Round(longestBar*sizeOf(shift)/largest))))
}

// sizeOf is a change on a logarithmic scale, where twice as fast is as much as twice as slow.
func sizeOf(shift float64) float64 { return math.Abs(math.Log1p(shift)) }

// withReasons has a column for what rows say instead of numbers: a cell here cannot reach over several columns.
func withReasons(t report.Table) report.Table {
	if !slices.ContainsFunc(t.Rows, func(r report.Row) bool { return r.Instead.Text != "" }) {
		return t
	}
	t.Columns = append(slices.Clone(t.Columns), report.Column{Key: insteadKey, Title: "reason"})
	t.Rows = slices.Clone(t.Rows)
	for i, r := range t.Rows {
		t.Rows[i].Cells = maps.Clone(r.Cells)
		if t.Rows[i].Cells == nil {
			t.Rows[i].Cells = report.Cells{}
		}
		t.Rows[i].Cells[insteadKey] = r.Instead
	}
	return t
}

func leftOut(rows int) string {
	return report.Count(rows, "row") + " left out for want of room, the least important ones; result.json has them all.\n"
}

// captioned takes the heading off a table that has only one: it stands better above than within.
func captioned(lines []line) (caption line, rest []line, ok bool) {
	for i, l := range lines {
		if (l.row == nil) != (i == 0) {
			return line{}, nil, false
		}
	}
	return lines[0], lines[1:], true
}

func headingMarkdown(l line) string {
	heading := inline(report.Text{{Text: l.label, Code: true, Tone: report.Strong}})
	if l.shared != "" {
		heading += " " + codeSpan(report.Clip(l.shared, longest))
	}
	return heading
}

// important returns the keep rows of the lowest rank in their order, and the others.
func important(rows []report.Row, keep int) (kept, left []report.Row) {
	if len(rows) <= keep {
		return rows, nil
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Rank, rows[b].Rank) })
	chosen := map[int]bool{}
	for _, i := range order[:keep] {
		chosen[i] = true
	}
	for i, r := range rows {
		if chosen[i] {
			kept = append(kept, r)
		} else {
			left = append(left, r)
		}
	}
	return kept, left
}

func writeHead(b *strings.Builder, t report.Table) {
	titles := make([]string, len(t.Columns))
	rule := "|:--|"
	for i, c := range t.Columns {
		titles[i] = unbroken(inline(report.Say(c.Title)))
		switch {
		case c.Under:
		case c.Align == report.Right:
			rule += "--:|"
		default:
			rule += ":--|"
		}
	}
	fmt.Fprintf(b, "| %s%s\n%s\n", inline(report.Say(t.First)), tableCells(t, titles), rule)
}

func writeLine(b *strings.Builder, t report.Table, l line) {
	cells := make([]string, len(t.Columns))
	if l.row == nil {
		b.WriteString("| " + headingMarkdown(l) + tableCells(t, cells) + "\n")
		return
	}
	for i, c := range t.Columns {
		cell := l.row.Cells[c.Key]
		if c.Key == insteadKey {
			cells[i] = inline(report.Say(cell.Text))
			continue
		}
		cells[i] = unbroken(inline(report.Text{{Text: report.Brief(report.Visible(cell.Text), longestCell), Tone: cell.Tone}}))
	}
	b.WriteString("| " + codeSpan(report.Clip(strings.TrimSpace(l.label), longest)) + tableCells(t, cells) + "\n")
}

// tableCells joins cells, those of columns that may stand under another in its cell.
func tableCells(t report.Table, cells []string) string {
	var b strings.Builder
	for i, text := range cells {
		switch {
		case !t.Columns[i].Under:
			b.WriteString(" | " + text)
		case text != "":
			b.WriteString("<br>" + text)
		}
	}
	return b.String() + " |"
}

// unbroken keeps a short cell, such as a number and its unit, on one line.
func unbroken(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }
