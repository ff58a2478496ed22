package render

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
)

// longestCell is how many columns a cell may take.
const longestCell = 48

// shortPriority is the highest priority of a column in a short layout.
const shortPriority = 1

// table prints t, naming its rows as fully as the width allows and no more fully than in the tables above it.
func (s *screen) table(t report.Table) {
	if len(t.Rows) == 0 {
		return
	}
	var rest []report.Row
	if t.Brief > 0 && !s.Verbose {
		t.Rows, rest = important(t.Rows, t.Brief)
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c report.Column) bool { return c.Priority > shortPriority })
	}
	t = visible(t)
	widths := columnWidths(t)
	lines := s.fit(t.Rows, widths)
	first := report.Width(t.First)
	for _, l := range lines {
		if l.row != nil {
			first = max(first, report.Width(l.label))
		}
	}
	s.header(t, first, widths)
	for _, l := range lines {
		s.line(t, l, first, widths)
	}
	if len(rest) > 0 {
		s.wrap(report.Text{{Text: "  " + restText(rest), Tone: report.Quiet}}, 2)
	}
}

// fit names the rows, and moves the columns together if their names had no place in front of the cells otherwise.
func (s *screen) fit(rows []report.Row, widths []int) []line {
	var lines []line
	naming := s.naming
	for _, s.spacing = range []int{2, 1} {
		lines, naming = arrange(rows, s.Width-s.spacing-s.span(widths), s.naming)
		if naming < len(namings)-1 {
			break
		}
	}
	if rows[0].Name.Kernel != "" { // other rows have nothing to share
		s.naming = naming
	}
	return lines
}

// visible is t with all of its cells made visible, so that they can be measured and printed.
func visible(t report.Table) report.Table {
	rows := make([]report.Row, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = row
		rows[i].Instead.Text = report.Visible(row.Instead.Text)
		rows[i].Cells = make(report.Cells, len(row.Cells))
		for key, c := range row.Cells {
			c.Text = report.Brief(report.Visible(c.Text), longestCell)
			rows[i].Cells[key] = c
		}
	}
	t.Rows = rows
	return t
}

func columnWidths(t report.Table) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = report.Width(c.Title)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], report.Width(row.Cells[c.Key].Text))
		}
	}
	return widths
}

func (s *screen) header(t report.Table, first int, widths []int) {
	cells := pad(t.First, first, report.Left)
	for i, c := range t.Columns {
		cells += strings.Repeat(" ", s.spacing) + pad(c.Title, widths[i], c.Align)
	}
	s.out.WriteString(s.paint(strings.TrimRight(cells, " "), report.Quiet) + "\n")
}

func (s *screen) line(t report.Table, l line, first int, widths []int) {
	if l.row == nil {
		s.heading(l)
		return
	}
	var b strings.Builder
	b.WriteString(pad(l.label, first, report.Left))
	from, to := withoutCells(t, *l.row)
	for i, c := range t.Columns {
		switch {
		case l.row.Instead.Text != "" && i == from:
			room := s.span(widths[from:to])
			s.cell(&b, report.Cell{Text: report.Brief(l.row.Instead.Text, room), Tone: l.row.Instead.Tone}, room, report.Left)
		case l.row.Instead.Text == "" || i < from || i >= to:
			s.cell(&b, l.row.Cells[c.Key], widths[i], c.Align)
		}
	}
	s.out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

// withoutCells are the columns from the first to the last of which a row has no cell.
func withoutCells(t report.Table, row report.Row) (from, to int) {
	for i, c := range t.Columns {
		if _, has := row.Cells[c.Key]; !has {
			if to == 0 {
				from = i
			}
			to = i + 1
		}
	}
	return from, to
}

// heading prints the name of a group and, quieter, what holds for all of it.
func (s *screen) heading(l line) {
	t := report.Text{{Text: l.label, Code: true, Tone: report.Strong}}
	if l.shared != "" {
		t = append(t, report.Span{Text: "  "}, report.Span{Text: l.shared, Tone: report.Quiet})
	}
	s.wrap(t, 4)
}

// cell prints one cell of the given width, the gap before it included.
func (s *screen) cell(b *strings.Builder, c report.Cell, room int, align report.Align) {
	text := report.Clip(c.Text, room)
	b.WriteString(strings.Repeat(" ", s.spacing))
	fill := strings.Repeat(" ", room-report.Width(text))
	if align == report.Right {
		b.WriteString(fill)
	}
	b.WriteString(s.paint(text, c.Tone))
	if align == report.Left {
		b.WriteString(fill)
	}
}

// span is the room of several columns.
func (s *screen) span(widths []int) int {
	room := -s.spacing
	for _, w := range widths {
		room += s.spacing + w
	}
	return room
}

func pad(s string, n int, align report.Align) string {
	fill := strings.Repeat(" ", max(0, n-report.Width(s)))
	if align == report.Right {
		return fill + s
	}
	return s + fill
}
