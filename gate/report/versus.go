package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Duel is two implementations of a kernel's cases, A against B.
type Duel struct {
	A, B  string
	Cases []DuelCase
}

// DuelCase is one case of a Duel. Compared has B in base's place; nil where it could not be measured, which Reason says.
type DuelCase struct {
	Name     string
	Params   []result.Param
	A, B     *result.Summary
	Compared *result.Comparison
	Reason   string
}

// Write prints the table of a duel, and how its cases go along a parameter.
func (d Duel) Write(w io.Writer, opt TerminalOptions) error {
	s := newScreen(opt)
	a, b := Brief(Visible(d.A), longestCell/2), Brief(Visible(d.B), longestCell/2)
	t := Table{First: "case", Columns: []Column{
		{Title: a, Align: Right}, {Title: b, Align: Right}, {Title: a + " vs " + b, Align: Right}, {Title: "interval", Align: Right}, {Title: "faster"},
	}}
	for _, c := range d.Cases {
		kernel, _, _ := strings.Cut(c.Name, "/")
		row := Row{Name: Name{Kernel: kernel, Params: c.Params, Full: c.Name}}
		if c.Compared == nil || c.A == nil || c.B == nil {
			row.Instead, row.Cells = Cell{"could not be measured" + because(c.Reason), Warn}, make([]Cell, 5)
		} else {
			left, right := durations(c.A.MedianNS, c.B.MedianNS)
			row.Cells = append([]Cell{{left, Plain}, {right, Plain}}, append(speedCells(c.Compared, Strong), d.faster(c, a, b))...)
		}
		t.Rows = append(t.Rows, row)
	}
	s.table(t)
	s.out.WriteString("\n")
	for _, line := range d.charts() {
		s.out.WriteString(Clip(line, s.width) + "\n")
	}
	return s.flush(w)
}

// faster names the surely faster one.
func (d Duel) faster(c DuelCase, a, b string) Cell {
	switch {
	case c.Compared.High < 0:
		return Cell{a, Good}
	case c.Compared.Low > 0:
		return Cell{b, Plain}
	}
	return Cell{"not sure", Quiet}
}

// barWidth is half of a chart: what one being four times as fast as the other fills.
const barWidth = 24

// charts draw the ratio along each parameter that takes three values or more while the others stay, and name where it crosses 1.
func (d Duel) charts() []string {
	var out []string
	drawn := map[string]bool{}
	for i, c := range d.Cases {
		for p := range c.Params {
			line, key := d.along(i, p)
			if len(line) < 3 || drawn[key] {
				continue
			}
			drawn[key] = true
			out = append(out, d.chart(c.Params[p].Name, key, line)...)
		}
	}
	return out
}

// along are the cases that differ from case i in parameter p alone, which has to be a number, and a name for them.
func (d Duel) along(i, p int) (line []DuelCase, key string) {
	var fixed []string
	for q, param := range d.Cases[i].Params {
		if q != p {
			fixed = append(fixed, param.Name+"="+param.Value)
		}
	}
	key = d.Cases[i].Params[p].Name + " with " + strings.Join(fixed, ",")
	for _, c := range d.Cases {
		same := len(c.Params) == len(d.Cases[i].Params) && c.Compared != nil
		for q := 0; same && q < len(c.Params); q++ {
			_, err := strconv.ParseFloat(c.Params[q].Value, 64)
			same = q != p && c.Params[q] == d.Cases[i].Params[q] || q == p && err == nil
		}
		if same {
			line = append(line, c)
		}
	}
	return line, strings.TrimSuffix(key, " with ")
}

// chart is a bar a case, to the right where A is faster.
func (d Duel) chart(param, key string, line []DuelCase) []string {
	out := []string{"", fmt.Sprintf("along %s: %s faster to the left of the bar, %s to the right", Visible(key), Visible(d.B), Visible(d.A))}
	value := func(c DuelCase) string {
		for _, p := range c.Params {
			if p.Name == param {
				return p.Value
			}
		}
		return ""
	}
	for i, c := range line {
		n := int(math.Round(barWidth * max(-1, min(1, -c.Compared.Theta/math.Log(4)))))
		left, right := strings.Repeat(" ", barWidth), strings.Repeat("█", max(0, n))
		if n < 0 {
			left = strings.Repeat(" ", barWidth+n) + strings.Repeat("█", -n)
		}
		out = append(out, fmt.Sprintf("%10s %s│%s %s", Visible(value(c)), left, right, times(math.Exp(-c.Compared.Theta))))
		if i+1 < len(line) && c.Compared.Theta*line[i+1].Compared.Theta < 0 {
			out = append(out, fmt.Sprintf("%10s crosses between %s=%s and %s", "", param, Visible(value(c)), Visible(value(line[i+1]))))
		}
	}
	return out
}
