package render

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// table writes a table. inRows is a figure that is drawn into its rows, or nil.
func (p *htmlPage) table(t report.Table, inRows *report.Figure) {
	if len(t.Rows) == 0 {
		return
	}
	if inRows != nil {
		p.tag("p", "class", "caption")
		p.prose(inRows.Caption)
		p.end("p")
	}
	p.counts(t)
	var axis template.HTML
	pictures := map[string]template.HTML{}
	if inRows != nil {
		var rows []template.HTML
		axis, rows = strips(*inRows)
		for i, name := range inRows.Y.Names {
			pictures[name] = rows[i]
		}
	}
	p.tag("div", "class", "scroll", "tabindex", "0", "role", "group", "aria-label", tableLabel(t))
	class := ""
	if inRows != nil {
		class = "pictured"
	}
	p.tag("table", "class", class)
	p.tableHead(t, inRows, axis)
	p.tag("tbody")
	for rows := range kernelsOf(t.Rows) {
		shared := common(rows)
		for _, r := range rows {
			p.row(t, r, inRows != nil, pictures[r.Name.Full], shared)
		}
	}
	p.end("tbody")
	p.end("table")
	p.end("div")
}

func tableLabel(t report.Table) string {
	if t.Title != "" {
		return t.Title
	}
	return "table by " + t.First
}

// verdictKey is the column whose words have a mark.
const verdictKey = "verdict"

// counts says how many rows have each verdict, next to its mark.
func (p *htmlPage) counts(t report.Table) {
	count := map[string]int{}
	var order []string
	for _, r := range t.Rows {
		word := r.Cells[verdictKey].Text
		if _, known := looks[report.Style(word)]; known && word != "" {
			if count[word]++; count[word] == 1 {
				order = append(order, word)
			}
		}
	}
	if len(order) == 0 {
		return
	}
	p.tag("p", "class", "chips")
	for _, word := range order {
		p.tag("span", "class", "chip", "data-verdict", word)
		p.raw(string(markOf(word)))
		p.text(word + " ")
		p.element("b", strconv.Itoa(count[word]))
		p.end("span")
		p.raw(" ")
	}
	p.end("p")
}

// markOf is the mark of a verdict as a small picture next to its word.
func markOf(word string) template.HTML {
	c := canvas{width: 14, height: 14}
	l := lookOf(report.Style(word))
	c.mark(l.class, l.shape, point{7, 7}, 4.4, "")
	return c.svg("")
}

// key is what a series looks like, next to its name in a legend.
func key(s report.Series) template.HTML {
	c := canvas{width: 22, height: 14}
	l := lookOf(s.Style)
	if s.Form == report.FormLine {
		c.path("line "+l.class, point{1, 7}, point{21, 7})
	} else {
		c.mark(l.class, l.shape, point{11, 7}, 3.8, "")
	}
	return c.svg("")
}

func (p *htmlPage) tableHead(t report.Table, inRows *report.Figure, axis template.HTML) {
	p.tag("thead")
	p.tag("tr")
	p.element("th", t.First, "scope", "col")
	if inRows != nil {
		p.tag("th", "scope", "col", "class", "figure")
		p.element("span", inRows.X.Title, "class", "unseen")
		p.raw(string(axis))
		p.end("th")
	}
	for _, c := range t.Columns {
		if !c.Under {
			p.element("th", c.Title, "scope", "col", "class", columnClass(c))
		}
	}
	p.end("tr")
	p.end("thead")
}

func columnClass(c report.Column) string {
	class := ""
	if c.Align == report.Right {
		class = "n"
	}
	if c.Priority > 0 {
		class += " p" + strconv.Itoa(min(c.Priority, 3))
	}
	return strings.TrimSpace(class)
}

func (p *htmlPage) row(t report.Table, r report.Row, hasPicture bool, picture template.HTML, shared []result.Param) {
	p.tag("tr", "data-name", r.Name.Full, "data-verdict", r.Cells[verdictKey].Text)
	p.tag("th", "scope", "row")
	p.name(r.Name, shared)
	p.end("th")
	if hasPicture && (r.Instead.Text == "" || picture != "") {
		p.tag("td", "class", "figure")
		p.raw(string(picture))
		p.end("td")
	}
	gap := 0 // columns that the text in place of cells reaches over
	if hasPicture && r.Instead.Text != "" && picture == "" {
		gap = 1
	}
	said := false
	for i, c := range t.Columns {
		cell, has := r.Cells[c.Key]
		if c.Under {
			continue
		}
		if !has && r.Instead.Text != "" {
			gap++
			continue
		}
		p.instead(r, gap, &said)
		gap = 0
		p.cell(c, cell, under(t, r, i))
	}
	p.instead(r, gap, &said)
	p.end("tr")
}

// under is the cell that stands under that of column i, if there is one.
func under(t report.Table, r report.Row, i int) string {
	if i+1 < len(t.Columns) && t.Columns[i+1].Under {
		return r.Cells[t.Columns[i+1].Key].Text
	}
	return ""
}

// instead writes the text that stands in place of so many cells, once.
func (p *htmlPage) instead(r report.Row, columns int, said *bool) {
	if columns == 0 {
		return
	}
	text := r.Instead.Text
	if *said {
		text = ""
	}
	*said = true
	p.element("td", text, "class", "instead "+toneClass[r.Instead.Tone], "colspan", strconv.Itoa(columns))
}

func (p *htmlPage) cell(c report.Column, cell report.Cell, under string) {
	value := ""
	if cell.Value != nil {
		value = strconv.FormatFloat(*cell.Value, 'g', 9, 64)
	}
	p.tag("td", "class", strings.TrimSpace(columnClass(c)+" "+toneClass[cell.Tone]), "data-value", value)
	if _, known := looks[report.Style(cell.Text)]; known && c.Key == verdictKey {
		p.tag("span", "class", "chip")
		p.raw(string(markOf(cell.Text)))
		p.text(cell.Text)
		p.end("span")
	} else {
		p.text(cell.Text)
	}
	if under != "" {
		p.element("small", under)
	}
	p.end("td")
}

// name writes the name of a row, and leads to the block that tells more of it.
func (p *htmlPage) name(n report.Name, shared []result.Param) {
	id := p.ids[report.CaseKey(n.Full)]
	if id != "" {
		p.tag("a", "href", "#"+id)
	}
	if len(n.Params) == 0 {
		p.text(n.Full)
	} else {
		p.element("span", n.Kernel, "class", "kernel")
		for _, param := range n.Params {
			p.raw(" ")
			class := "param"
			if slices.Contains(shared, param) {
				class = "param common"
			}
			p.tag("span", "class", class)
			if param.Name != "" {
				p.text(param.Name + "=")
			}
			p.element("b", param.Value)
			p.end("span")
		}
	}
	if id != "" {
		p.end("a")
	}
}

// grid writes rows of words, the first of them titles.
func (p *htmlPage) grid(rows [][]string) {
	p.tag("div", "class", "scroll", "tabindex", "0", "role", "group", "aria-label", "Numbers")
	p.tag("table")
	for i, row := range rows {
		p.tag("tr")
		for j, word := range row {
			switch {
			case i == 0 && word != "":
				p.element("th", word, "scope", "col")
			case j == 0 && i > 0:
				p.element("th", word, "scope", "row")
			default:
				p.element("td", word, "class", "n")
			}
		}
		p.end("tr")
	}
	p.end("table")
	p.end("div")
}
