package page

import (
	"fmt"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// heatMap draws where an output is wrong; nil where there is no map.
func heatMap(p result.Parity) *figure {
	if p.Failure == nil || !p.Failure.Map.IsSound() {
		return nil
	}
	m := p.Failure.Map
	rows, columns := len(m.Levels), len(m.Levels[0])
	f := plot.NewFrameOf(max(70, 50+8*float64(rows)), 52)
	width, height := (f.Right-f.Left)/float64(columns), (f.Bottom-f.Top)/float64(rows)
	for r, line := range m.Levels {
		for c, digit := range line {
			at := plot.Point{X: f.Left + float64(c)*width, Y: f.Top + float64(r)*height}
			f.Box("heat heat-"+string(digit), at, plot.Point{X: at.X + width, Y: at.Y + height}, partTitle(m, r, c, int(digit-'0')))
		}
	}
	f.Rect("field", plot.Point{X: f.Left, Y: f.Top}, plot.Point{X: f.Right, Y: f.Bottom})
	ends(f, m)
	caption := "Smallest failing case, " + report.MapTitle(m) + ". The darker, the larger the share of wrong elements; other dimensions are put together."
	return &figure{Title: "Failing region", SVG: f.SVG(caption), Caption: caption, Data: wrongParts(m)}
}

// ends writes the first and the last coordinate of both axes.
func ends(f *plot.Frame, m *result.Map) {
	f.Text("tick", plot.Point{X: f.Left, Y: f.Bottom + 9}, plot.Start, "0")
	f.Text("tick", plot.Point{X: f.Right, Y: f.Bottom + 9}, plot.End, fmt.Sprint(m.Columns.Size-1))
	f.Text("label", plot.Point{X: (f.Left + f.Right) / 2, Y: f.Bottom + 12}, plot.Middle, report.Visible(m.Columns.Name))
	if m.Rows.Size > 1 {
		f.Text("tick", plot.Point{X: f.Left - 5, Y: f.Top + 4}, plot.End, "0")
		f.Text("tick", plot.Point{X: f.Left - 5, Y: f.Bottom - 4}, plot.End, fmt.Sprint(m.Rows.Size-1))
		f.Text("label", plot.Point{X: f.Left - 5, Y: (f.Top + f.Bottom) / 2}, plot.End, report.Clip(report.Visible(m.Rows.Name), 8))
	}
}

// levelWords are what the levels of a map mean.
func levelWords(level int) string {
	switch level {
	case 0:
		return "all right"
	case 9:
		return "all wrong"
	}
	return fmt.Sprintf("about %d of 9 wrong", level)
}

func partTitle(m *result.Map, row, column, level int) string {
	where := span(m.Columns, column, len(m.Levels[0]))
	if m.Rows.Size > 1 {
		where = span(m.Rows, row, len(m.Levels)) + ", " + where
	}
	return where + ": " + levelWords(level)
}

// span is the coordinates of one part of an axis.
func span(a result.Axis, part, parts int) string {
	first, last := a.From(part, parts), a.From(part+1, parts)-1
	if first == last {
		return fmt.Sprintf("%s %d", report.Visible(a.Name), first)
	}
	return fmt.Sprintf("%s %d to %d", report.Visible(a.Name), first, last)
}

// mostParts is how many wrong parts the table behind a map lists.
const mostParts = 200

// wrongParts lists the parts that are wrong.
func wrongParts(m *result.Map) table {
	var rows [][]string
	for r, line := range m.Levels {
		for c, digit := range line {
			if digit != '0' && len(rows) < mostParts {
				rows = append(rows, []string{span(m.Rows, r, len(m.Levels)), span(m.Columns, c, len(line)), levelWords(int(digit - '0'))})
			}
		}
	}
	return dataTable([]string{"rows", "columns", "elements"}, rows)
}
