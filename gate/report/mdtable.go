package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// nameRoom is how long a name in the first column of a Markdown table may be before its parts are shared.
const nameRoom = 48

// tableMarkdown writes t with its keep most important rows.
func tableMarkdown(t Table, keep int) string {
	if len(t.Rows) == 0 {
		return ""
	}
	rows, left := important(t.Rows, keep)
	var b strings.Builder
	writeHead(&b, t)
	lines, _ := arrange(rows, nameRoom, 0)
	for _, l := range lines {
		writeLine(&b, t, l)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%s left out for want of room, the least important ones; result.json has them all.\n", count(left, "row"))
	}
	return b.String()
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
	titles, rule := "| "+t.First+" |", "|:--|"
	for _, c := range t.Columns {
		titles += " " + c.Title + " |"
		if c.Align == Right {
			rule += "--:|"
		} else {
			rule += ":--|"
		}
	}
	b.WriteString(titles + "\n" + rule + "\n")
}

func writeLine(b *strings.Builder, t Table, l line) {
	if l.row == nil {
		heading := inline(Text{{Text: l.label, Code: true, Tone: Strong}})
		if l.shared != "" {
			heading += " " + codeSpan(clip(l.shared, longest))
		}
		b.WriteString("| " + heading + strings.Repeat(" |", len(t.Columns)+1) + "\n")
		return
	}
	b.WriteString("| " + codeSpan(clip(strings.TrimSpace(l.label), longest)) + " |")
	for i, cell := range l.row.Cells {
		if l.row.Instead.Text != "" && i < len(l.row.Cells)-1 {
			cell = Cell{}
			if t.Columns[i].Title == "change" {
				cell = l.row.Instead
			}
		}
		b.WriteString(" " + markdownCell(cell) + " |")
	}
	b.WriteString("\n")
}

func markdownCell(c Cell) string { return inline(Text{{Text: c.Text, Tone: c.Tone}}) }
