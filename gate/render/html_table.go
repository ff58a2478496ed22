package render

import (
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// table is a table, with the pictures of its rows.
func (p *htmlPage) table(t report.Table) markup {
	if len(t.Rows) == 0 {
		return ""
	}
	var caption, axis markup
	var strip *chart
	kind := ""
	if t.Strip != nil {
		strip = stripOf(t)
		kind, caption = "pictured", el("p", class("caption"), prose(t.Strip.Caption))
		axis = el("th", attrs{"scope", "col", "class", "figure"}, el("span", class("unseen"), words(t.Strip.X.Title)), strip.axis())
	}
	label := t.Title
	if label == "" {
		label = "table by " + t.First
	}
	var rows []markup
	for group := range kernelsOf(t.Rows) {
		shared := common(group)
		for _, r := range group {
			rows = append(rows, p.row(t, r, strip, shared))
		}
	}
	var heads []markup
	for i, c := range t.Columns {
		if c.Under {
			continue
		}
		heads = append(heads, el("th", append(attrs{"scope", "col"}, columnClass(c)...), words(c.Title), under(below(t, i).Title)))
	}
	first := el("th", attrs{"scope", "col"}, words(t.First))
	return caption + counts(t) + scrolled(label, el("table", class(kind),
		el("thead", nil, el("tr", nil, append([]markup{first, axis}, heads...)...)),
		el("tbody", nil, rows...)))
}

// verdictKey is the column whose words have a mark.
const verdictKey = "verdict"

// counts says how many rows have each verdict, next to its mark.
func counts(t report.Table) markup {
	count := map[string]int{}
	var order []string
	for _, r := range t.Rows {
		word := r.Cells[verdictKey].Text
		if isStyle(word) {
			if count[word]++; count[word] == 1 {
				order = append(order, word)
			}
		}
	}
	if len(order) == 0 {
		return ""
	}
	return el("p", class("chips"), each(order, func(word string) markup {
		return el("span", attrs{"class", "chip", "data-verdict", word}, markOf(word), words(word+" "), el("b", nil, words(strconv.Itoa(count[word])))) + " "
	}))
}

// isStyle reports whether a word has a mark of its own.
func isStyle(word string) bool {
	_, known := looks[report.Style(word)]
	return known
}

// markOf is the mark of a verdict as a small picture next to its word.
func markOf(word string) markup {
	c := canvas{width: 14, height: 14}
	l := lookOf(report.Style(word))
	c.mark(l.class, l.shape, point{7, 7}, 4.4, "")
	return c.svg("")
}

// key is what a series looks like, next to its name in a legend.
func key(s report.Series) markup {
	c := canvas{width: 22, height: 14}
	l := lookOf(s.Style)
	if s.Form == report.FormLine {
		c.path("line "+l.class, point{1, 7}, point{21, 7})
	} else {
		c.mark(l.class, l.shape, point{11, 7}, 3.8, "")
	}
	return c.svg("")
}

func columnClass(c report.Column) attrs {
	align, priority := "", ""
	if c.Align == report.Right {
		align = "n"
	}
	if c.Priority > 0 {
		priority = "p" + strconv.Itoa(min(c.Priority, 3))
	}
	return class(align, priority)
}

// row is a row of a table, with its picture where others have one: strip draws it. What it says in place of cells reaches over them.
func (p *htmlPage) row(t report.Table, r report.Row, strip *chart, shared []result.Param) markup {
	out := []markup{el("th", attrs{"scope", "row"}, p.name(r.Name, shared))}
	gap := 0 // columns that the text in place of cells reaches over
	instead := r.Instead
	say := func() {
		if gap > 0 {
			out = append(out, el("td", append(class("instead", toneClass[instead.Tone]), "colspan", strconv.Itoa(gap)), words(instead.Text)))
		}
		gap, instead.Text = 0, "" // it is said once
	}
	switch {
	case strip != nil && r.Instead.Text != "" && r.Drawn == nil:
		gap = 1
	case strip != nil:
		out = append(out, el("td", class("figure"), strip.row(r.Drawn)))
	}
	for i, c := range t.Columns {
		cell, has := r.Cells[c.Key]
		switch {
		case c.Under:
		case !has && r.Instead.Text != "":
			gap++
		default:
			say()
			out = append(out, tableCell(c, cell, r.Cells[below(t, i).Key].Text))
		}
	}
	say()
	return el("tr", attrs{"data-name", r.Name.Full, "data-verdict", r.Cells[verdictKey].Text}, out...)
}

// below is the column whose cells stand under those of column i; one without a key where there is none.
func below(t report.Table, i int) report.Column {
	if i+1 < len(t.Columns) && t.Columns[i+1].Under {
		return t.Columns[i+1]
	}
	return report.Column{}
}

// under is a text that stands under another, if there is any.
func under(text string) markup {
	if text == "" {
		return ""
	}
	return " " + el("small", nil, words(text))
}

func tableCell(c report.Column, cell report.Cell, below string) markup {
	value, said := "", words(cell.Text)
	if cell.Value != nil {
		value = strconv.FormatFloat(*cell.Value, 'g', 9, 64)
	}
	if c.Key == verdictKey && isStyle(cell.Text) {
		said = el("span", class("chip"), markOf(cell.Text), said)
	}
	return el("td", append(class(append(columnClass(c)[1:], toneClass[cell.Tone])...), "data-value", value), said, under(below))
}

// name is the name of a row, and leads to the block that tells more of it.
func (p *htmlPage) name(n report.Name, shared []result.Param) markup {
	name := words(n.Full)
	if len(n.Params) > 0 {
		name = el("span", class("kernel"), words(n.Kernel)) + each(n.Params, func(param result.Param) markup {
			kind, assigned := "param", ""
			if n.Kernel != "" && slices.Contains(shared, param) { // or nothing would be left to read
				kind = "param common"
			}
			if param.Name != "" {
				assigned = param.Name + "="
			}
			return " " + el("span", class(kind), words(assigned), el("b", nil, words(param.Value)))
		})
	}
	if id := p.ids[report.CaseKey(n.Full)]; id != "" {
		return el("a", attrs{"href", "#" + id}, name)
	}
	return name
}
