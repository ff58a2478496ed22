package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
)

// Tables are what a simulation came to, below how it was made.
type Tables struct {
	head   string
	tables []*table
}

// table is rows of equal columns.
type table struct {
	title string
	rows  []Row
	below string // what all rows come to together
}

// Row is one truth in one kind of noise: its names, then what was counted of it.
type Row []Figure

// Figure is a cell of a row under its header, with the rates that it words.
type Figure struct {
	header, text string
	isName       bool
	rates        []Rate
}

func name(header, text string) Figure { return Figure{header: header, text: text, isName: true} }

func cell(header, format string, args ...any) Figure {
	return Figure{header: header, text: fmt.Sprintf(format, args...)}
}

func number(header string, x float64) Figure { return cell(header, "%.1f", x) }

// rate words one rate, or several of one kind.
func rate(header string, of ...Rate) Figure {
	return Figure{header: header, text: joined(of, Rate.String), rates: of}
}

// limited is a rate with the upper end of its interval.
func limited(header string, of Rate) Figure {
	return Figure{header: header + " (at most)", text: of.String() + " (" + of.upper() + ")", rates: []Rate{of}}
}

// joined words several values of one cell.
func joined[T any](values []T, text func(T) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = text(v)
	}
	return strings.Join(words, " / ")
}

// rate is the first rate of the figure with a header; one of no trials where the row has none.
func (r Row) rate(header string) Rate {
	if i := slices.IndexFunc(r, func(f Figure) bool { return f.header == header && len(f.rates) > 0 }); i >= 0 {
		return r[i].rates[0]
	}
	return Rate{}
}

// simulate has rows added for every kind of noise. Options of which no number could be made are an error.
func (o Options) simulate(head string, add func(*Tables, Noise, []result.Policy)) (Tables, error) {
	t := Tables{head: head}
	policies, err := o.policies()
	if err != nil {
		return t, err
	}
	for _, n := range o.Noise {
		add(&t, n, policies)
		o.observe(n.Name())
	}
	return t, nil
}

// add appends rows to the table of a title, which begins below all others where it is new.
func (t *Tables) add(title string, rows ...Row) *table {
	i := slices.IndexFunc(t.tables, func(known *table) bool { return known.title == title })
	if i < 0 {
		i, t.tables = len(t.tables), append(t.tables, &table{title: title})
	}
	t.tables[i].rows = append(t.tables[i].rows, rows...)
	return t.tables[i]
}

// Render writes the tables as Markdown that is easy to read as it is.
func (t Tables) Render() string {
	var b strings.Builder
	b.WriteString(t.head)
	for _, one := range t.tables {
		lines, texts := make([][]string, 1+len(one.rows)), 0
		for _, f := range one.rows[0] {
			lines[0] = append(lines[0], f.header)
			if f.isName {
				texts++
			}
		}
		for i, row := range one.rows {
			for _, f := range row {
				lines[1+i] = append(lines[1+i], f.text)
			}
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n%s", one.title, render.AlignedMarkdown(lines, texts), one.below)
	}
	return b.String()
}
