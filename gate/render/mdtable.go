package render

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
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
		return plainTable(t, keep)
	}
	return joined(plainTable(open, keep), folded(unchangedSummary(unchanged), plainTable(unchanged, max(0, keep-len(open.Rows)))))
}

// unchangedSummary says what is folded away, such as "27 cases same, largest change +0.7 %".
func unchangedSummary(t report.Table) string {
	largest := 0.0
	for _, row := range t.Rows {
		if by := shift(t, row); math.Abs(by) > math.Abs(largest) {
			largest = by
		}
	}
	said := text.Count(len(t.Rows), "case") + " same"
	if largest == 0 {
		return said
	}
	return said + ", largest change " + text.Change(largest, 1)
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
	largest := largestChange(t)
	for _, l := range lines {
		writeLine(&b, t, l, largest)
	}
	if len(left) > 0 {
		b.WriteString("\n" + leftOut(len(left)))
	}
	return b.String()
}

// Lengths of bars, in block characters.
const (
	longestBar = 10
	slowerBar  = "▇"
	fasterBar  = "░"
)

// largestChange is the size of the largest significant change, and 0 where bars would have nothing to compare: one alone says nothing.
func largestChange(t report.Table) (largest float64) {
	changed := 0
	for _, row := range t.Rows {
		if row.Changed {
			largest, changed = max(largest, sizeOf(shift(t, row))), changed+1
		}
	}
	if changed < 2 {
		return 0
	}
	return largest
}

// barOf is a bar under a significant change, so that a glance finds the largest: GitHub shows no picture of ours in a comment.
func barOf(shift, largest float64) string {
	block := slowerBar
	if shift < 0 {
		block = fasterBar
	}
	return strings.Repeat(block, max(1, int(math.Round(longestBar*sizeOf(shift)/largest))))
}

// sizeOf is a change on a logarithmic scale, where twice as fast is as much as twice as slow.
func sizeOf(shift float64) float64 { return math.Abs(math.Log1p(shift)) }

func leftOut(rows int) string {
	return text.Count(rows, "row") + " left out for want of room, the least important ones; result.json has them all.\n"
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
	heading := Line(report.Text{{Text: l.label, Code: true, Tone: report.Strong}})
	if l.shared != "" {
		heading += " " + codeSpan(text.Clip(l.shared, report.LongestCode))
	}
	return strings.TrimSpace(heading)
}

// important returns the keep rows of the lowest rank in their order, and the others.
func important(rows []report.Row, keep int) (kept, left []report.Row) {
	if len(rows) <= keep {
		return rows, nil
	}
	ranked := slices.Clone(rows)
	slices.SortStableFunc(ranked, func(a, b report.Row) int { return cmp.Compare(a.Rank, b.Rank) })
	chosen := map[string]bool{}
	for _, r := range ranked[:keep] {
		chosen[r.Name.Full] = true
	}
	for _, r := range rows {
		if chosen[r.Name.Full] && len(kept) < keep {
			kept = append(kept, r)
		} else {
			left = append(left, r)
		}
	}
	return kept, left
}

func writeHead(b *strings.Builder, t report.Table) {
	titles := "| " + Line(report.Say(t.First))
	rule := "|:--|"
	for _, c := range t.Columns {
		title := unbroken(Line(report.Say(c.Title)))
		switch {
		case c.Under && title != "":
			titles += "<br>" + title
		case c.Under:
		case c.Align == report.Right:
			titles, rule = titles+" | "+title, rule+"--:|"
		default:
			titles, rule = titles+" | "+title, rule+":--|"
		}
	}
	b.WriteString(titles + " |\n" + rule + "\n")
}

// writeLine writes a row or a heading. What may stand under a cell does; so does, under the last that a row has, what it says instead of the
// others: no cell of Markdown reaches over several columns.
func writeLine(b *strings.Builder, t report.Table, l line, largest float64) {
	var row report.Row
	if l.row == nil {
		b.WriteString("| " + headingMarkdown(l))
	} else {
		row = *l.row
		b.WriteString("| " + codeSpan(text.Clip(strings.TrimSpace(l.label), report.LongestCode)))
	}
	_, to := withoutCells(t, row)
	for i, c := range t.Columns {
		parts := []string{unbroken(Line(report.Text{{Text: cellText(row.Cells[c.Key]), Tone: row.Cells[c.Key].Tone}}))}
		if c.Under && t.Columns[max(0, i-1)].Bar && row.Changed && largest > 0 {
			parts = append(parts, codeSpan(barOf(shift(t, row), largest)))
		}
		if row.Instead.Text != "" && i == min(to, len(t.Columns)-1) {
			parts = append(parts, Line(report.Say(row.Instead.Text)))
		}
		text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "<br>")
		switch {
		case !c.Under:
			b.WriteString(" | " + text)
		case text != "":
			b.WriteString("<br>" + text)
		}
	}
	b.WriteString(" |\n")
}

// unbroken keeps a short cell, such as a number and its unit, on one line.
func unbroken(s string) string { return strings.ReplaceAll(s, " ", report.Tie) }

// AlignedMarkdown is a table whose columns line up, so that it is easy to read as it is. The first row is its header, the first few columns are texts
// and the others numbers.
func AlignedMarkdown(rows [][]string, texts int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', tabwriter.Debug) // which ends every cell with a bar; errors of a Builder are none
	line := func(cells []string) { _, _ = w.Write([]byte("| " + strings.Join(cells, "\t ") + "\t\n")) }
	for at, row := range rows {
		cells, rule := make([]string, len(row)), make([]string, len(row))
		for i, said := range row {
			cells[i] = strings.ReplaceAll(text.Visible(said), "|", "∣")
			if rule[i] = ":--"; i >= texts {
				rule[i] = "--:"
			}
		}
		line(cells)
		if at == 0 {
			line(rule)
		}
	}
	_ = w.Flush()
	return b.String()
}
