package report

import "strings"

// longestCell is how many columns a cell may take. Reasons that are longer have a remark of their own.
const longestCell = 48

// table prints t, naming its rows as fully as the width allows and no more fully than in the tables above it.
func (s *screen) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	t = t.visible()
	widths := columnWidths(t)
	lines := s.fit(t.Rows, widths)
	first := width(t.First)
	for _, l := range lines {
		if l.row != nil {
			first = max(first, width(l.label))
		}
	}
	s.header(t, first, widths)
	for _, l := range lines {
		s.line(t, l, first, widths)
	}
}

// fit names the rows, and moves the columns together if their names had no place beside the cells otherwise.
func (s *screen) fit(rows []Row, widths []int) []line {
	var lines []line
	naming := s.naming
	for _, s.spacing = range []int{2, 1} {
		lines, naming = arrange(rows, s.width-s.spacing-s.span(widths), s.naming)
		if naming < len(namings)-1 {
			break
		}
	}
	s.naming = naming
	return lines
}

// visible is t with all of its cells made visible, so that they can be measured and printed.
func (t Table) visible() Table {
	rows := make([]Row, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = row
		rows[i].Instead.Text = Visible(row.Instead.Text)
		rows[i].Cells = make(Cells, len(row.Cells))
		for key, c := range row.Cells {
			c.Text = Brief(Visible(c.Text), longestCell)
			rows[i].Cells[key] = c
		}
	}
	t.Rows = rows
	return t
}

func columnWidths(t Table) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = width(c.Title)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], width(row.Cells[c.Key].Text))
		}
	}
	return widths
}

func (s *screen) header(t Table, first int, widths []int) {
	cells := pad(t.First, first, Left)
	for i, c := range t.Columns {
		cells += strings.Repeat(" ", s.spacing) + pad(c.Title, widths[i], c.Align)
	}
	s.out.WriteString(s.paint(strings.TrimRight(cells, " "), Quiet) + "\n")
}

func (s *screen) line(t Table, l line, first int, widths []int) {
	if l.row == nil {
		s.heading(l)
		return
	}
	var b strings.Builder
	b.WriteString(pad(l.label, first, Left))
	from, to := t.withoutCells(*l.row)
	for i, c := range t.Columns {
		switch {
		case l.row.Instead.Text != "" && i == from:
			s.cell(&b, l.row.Instead, s.span(widths[from:to]), Left)
		case l.row.Instead.Text == "" || i < from || i >= to:
			s.cell(&b, l.row.Cells[c.Key], widths[i], c.Align)
		}
	}
	s.out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

// withoutCells are the columns from the first to the last of which a row has no cell.
func (t Table) withoutCells(row Row) (from, to int) {
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
	t := Text{{Text: l.label, Code: true, Tone: Strong}}
	if l.shared != "" {
		t = append(t, words("  "), Span{Text: l.shared, Tone: Quiet})
	}
	s.wrap(t, 4)
}

// cell prints one cell of the given width, the gap before it included.
func (s *screen) cell(b *strings.Builder, c Cell, room int, align Align) {
	text := Clip(c.Text, room)
	b.WriteString(strings.Repeat(" ", s.spacing))
	fill := strings.Repeat(" ", room-width(text))
	if align == Right {
		b.WriteString(fill)
	}
	b.WriteString(s.paint(text, c.Tone))
	if align == Left {
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

func pad(s string, n int, align Align) string {
	fill := strings.Repeat(" ", max(0, n-width(s)))
	if align == Right {
		return fill + s
	}
	return s + fill
}
