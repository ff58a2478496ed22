package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A name in the first column may be this long before its parts are shared; less beside many columns, so that the
// verdict stays in view.
const (
	nameRoom     = 26
	wideNameRoom = 60
	manyColumns  = 4
)

// tableMarkdown writes t with its keep most important rows.
func tableMarkdown(t Table, keep int) string {
	if len(t.Rows) == 0 {
		return ""
	}
	t = t.withReasons()
	rows, left := important(t.Rows, keep)
	if len(rows) == 0 {
		return leftOut(left)
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
	if left > 0 {
		b.WriteString("\n" + leftOut(left))
	}
	return b.String()
}

// withReasons has a column of its own for what rows say instead of numbers: a cell here cannot reach over several columns.
func (t Table) withReasons() Table {
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Instead.Text != "" }) {
		return t
	}
	t.Columns = append(slices.Clone(t.Columns), Column{Key: "instead", Title: "reason"})
	rows := slices.Clone(t.Rows)
	for i, r := range rows {
		rows[i].Cells, rows[i].Instead = maps.Clone(r.Cells), Cell{}
		rows[i].Cells["instead"] = r.Instead
	}
	t.Rows = rows
	return t
}

func leftOut(rows int) string {
	return Count(rows, "row") + " left out for want of room, the least important ones; result.json has them all.\n"
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
	heading := inline(Text{{Text: l.label, Code: true, Tone: Strong}})
	if l.shared != "" {
		heading += " " + codeSpan(Clip(l.shared, longest))
	}
	return heading
}

// important returns the keep rows of the lowest rank in their order.
func important(rows []Row, keep int) (kept []Row, left int) {
	if len(rows) <= keep {
		return rows, 0
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Rank, rows[b].Rank) })
	order = order[:keep]
	slices.Sort(order)
	for _, i := range order {
		kept = append(kept, rows[i])
	}
	return kept, len(rows) - keep
}

func writeHead(b *strings.Builder, t Table) {
	titles := make([]string, len(t.Columns))
	rule := "|:--|"
	for i, c := range t.Columns {
		titles[i] = unbroken(inline(Say(c.Title)))
		switch {
		case c.Under:
		case c.Align == Right:
			rule += "--:|"
		default:
			rule += ":--|"
		}
	}
	b.WriteString("| " + inline(Say(t.First)) + tableCells(t, titles) + "\n" + rule + "\n")
}

func writeLine(b *strings.Builder, t Table, l line) {
	cells := make([]string, len(t.Columns))
	if l.row == nil {
		b.WriteString("| " + headingMarkdown(l) + tableCells(t, cells) + "\n")
		return
	}
	for i, c := range t.Columns {
		cell := l.row.Cells[c.Key]
		if c.Key == "instead" {
			cells[i] = inline(Say(cell.Text))
			continue
		}
		cells[i] = unbroken(inline(Text{{Text: Brief(Visible(cell.Text), longestCell), Tone: cell.Tone}}))
	}
	b.WriteString("| " + codeSpan(Clip(strings.TrimSpace(l.label), longest)) + tableCells(t, cells) + "\n")
}

// tableCells joins cells, those of columns that may stand under another in its cell.
func tableCells(t Table, cells []string) string {
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

// AlignedMarkdown is a table whose columns line up, so that it is easy to read as it is. The first row is its header, the first few columns are texts
// and the others numbers.
func AlignedMarkdown(rows [][]string, texts int) string {
	var cells [][]string
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		var line []string
		for i, text := range row {
			text = strings.ReplaceAll(Visible(text), "|", "∣")
			widths[i] = max(widths[i], width(text))
			line = append(line, text)
		}
		cells = append(cells, line)
	}
	rule := make([]string, len(widths))
	var b strings.Builder
	for i, w := range widths {
		end := ":"
		if i < texts {
			end = "-"
		}
		rule[i] = strings.Repeat("-", w+1) + end
	}
	for at, line := range cells {
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-width(text))
			if i < texts {
				text += pad
			} else {
				text = pad + text
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
		if at == 0 {
			b.WriteString("|" + strings.Join(rule, "|") + "|\n")
		}
	}
	return b.String()
}
