package render

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

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
	widths := columnWidths(t)
	lines := s.fit(t.Rows, widths)
	first := text.Width(t.First)
	for _, l := range lines {
		if l.row != nil {
			first = max(first, text.Width(l.label))
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

func columnWidths(t report.Table) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = text.Width(c.Title)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], text.Width(cellText(row.Cells[c.Key])))
		}
	}
	return widths
}

func (s *screen) header(t report.Table, first int, widths []int) {
	cells, gap := s.cell(t.First, report.Quiet, first, report.Left), strings.Repeat(" ", s.spacing)
	for i, c := range t.Columns {
		cells += gap + s.cell(c.Title, report.Quiet, widths[i], c.Align)
	}
	s.out.WriteString(strings.TrimRight(cells, " ") + "\n")
}

func (s *screen) line(t report.Table, l line, first int, widths []int) {
	if l.row == nil {
		s.heading(l)
		return
	}
	cells, gap := s.cell(l.label, report.Plain, first, report.Left), strings.Repeat(" ", s.spacing)
	from, to := withoutCells(t, *l.row)
	for i, c := range t.Columns {
		cell, instead := l.row.Cells[c.Key], l.row.Instead
		switch {
		case instead.Text != "" && i == from:
			room := s.span(widths[from:to])
			cells += gap + s.cell(text.Brief(text.Visible(instead.Text), room), instead.Tone, room, report.Left)
		case instead.Text == "" || i < from || i >= to:
			cells += gap + s.cell(cellText(cell), cell.Tone, widths[i], c.Align)
		}
	}
	s.out.WriteString(strings.TrimRight(cells, " ") + "\n")
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

// cellText is what a layout in columns shows of a cell.
func cellText(c report.Cell) string { return text.Brief(text.Visible(c.Text), report.LongestCell) }

// cell is a text in its column, the blanks beside it without colour.
func (s *screen) cell(said string, tone report.Tone, room int, align report.Align) string {
	said = text.Clip(said, room)
	fill := strings.Repeat(" ", room-text.Width(said))
	if align == report.Right {
		return fill + s.paint(said, tone)
	}
	return s.paint(said, tone) + fill
}

// span is the room of several columns.
func (s *screen) span(widths []int) int {
	room := -s.spacing
	for _, w := range widths {
		room += s.spacing + w
	}
	return room
}
