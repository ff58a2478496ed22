package render

import (
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// blocks are blocks one after the other. Figures, and tables without a title that follow them, share a grid.
func (p *htmlPage) blocks(blocks []report.Block, depth int) markup {
	var out []markup
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch {
		case isLoneFigure(b):
			var grid []markup
			for ; i < len(blocks) && (isLoneFigure(blocks[i]) || blocks[i].Table != nil && len(blocks[i].Title) == 0); i++ {
				grid = append(grid, p.block(blocks[i], depth))
			}
			i--
			out = append(out, el("div", class("figures"), grid...))
		default:
			out = append(out, p.block(b, depth))
		}
	}
	return each(out, func(m markup) markup { return m })
}

// pageTitles are headings of the page for parts that need none elsewhere.
var pageTitles = map[string]string{"changes": "Changes", "notes": "Notes", "parity": "Parity", "timings": "Where the time went"}

func titleOfBlock(b report.Block, depth int) report.Text {
	title := pageTitles[b.Key]
	if b.Key == "cases" && b.Table != nil && b.Table.First != "" { // of cases, steps, kernels
		title = strings.ToUpper(b.Table.First[:1]) + b.Table.First[1:] + "s"
	}
	if len(b.Title) == 0 && depth == 2 && title != "" {
		return report.Say(title)
	}
	return b.Title
}

func isLoneFigure(b report.Block) bool { return b.Figure != nil && len(b.Title) == 0 }

// block is one block: a section of the page, or what folds within one.
func (p *htmlPage) block(b report.Block, depth int) markup {
	b.Title = titleOfBlock(b, depth)
	if len(b.Title) == 0 {
		return p.content(b, depth)
	}
	id := p.ids[b.Key]
	if p.at[id] {
		id = ""
	}
	p.at[id] = true
	heading := el("h"+strconv.Itoa(min(depth, 6)), attrs{"id", id}, prose(b.Title))
	if b.Layer == report.Always || depth <= 2 && (b.Layer != report.Verbose || len(b.Blocks) > 0) {
		return el("section", class("depth-"+strconv.Itoa(depth)), heading, p.content(b, depth))
	}
	open := ""
	if b.Tone == report.Bad || b.Tone == report.Warn || b.Tone == report.Good {
		open = "open"
	}
	return el("details", append(class("fold", toneClass[b.Tone]), "open", open), el("summary", nil, heading), el("div", class("body"), p.content(b, depth)))
}

// content is what a block holds.
func (p *htmlPage) content(b report.Block, depth int) markup {
	var out markup
	switch {
	case len(b.Paragraphs) > 0:
		out = each(b.Paragraphs, func(t report.Text) markup { return el("p", class(toneClass[b.Tone]), prose(t)) })
	case len(b.List) > 0:
		out = list(b.List)
	case b.Table != nil:
		out = p.table(*b.Table)
	case b.Figure != nil:
		out = figure(*b.Figure)
	case b.Log != nil:
		out = logged(*b.Log)
	}
	return out + links(b.Links) + p.blocks(b.Blocks, depth+1)
}

// list is labelled lines as pairs, others as points.
func list(items []report.Item) markup {
	outer, kind, inner := "ul", "points", "li"
	if items[0].Label != "" {
		outer, kind, inner = "dl", "facts", "dd"
	}
	label := ""
	return el(outer, class(kind), each(items, func(item report.Item) markup {
		var name, next markup
		if tone := class(toneClass[item.Tone]); inner == "dd" && (item.Label != label || item.Tone != report.Plain) {
			name = el("dt", tone, words(item.Label))
		}
		label = item.Label
		if len(item.Next) > 0 {
			next = el("div", class("next"), prose(item.Next))
		}
		return name + el(inner, class(toneClass[item.Tone]), prose(item.Text), next)
	}))
}

func links(all []report.Link) markup {
	if len(all) == 0 {
		return ""
	}
	return el("p", class("links"), each(all, func(l report.Link) markup {
		if !safeAddress().MatchString(l.URL) {
			return words(l.Text) + " "
		}
		return el("a", attrs{"href", l.URL, "rel", "noreferrer"}, words(l.Text)) + " "
	}))
}

// logged is a command and what it printed.
func logged(l report.Log) (out markup) {
	if l.Command != "" {
		out = el("div", class("command"), el("pre", attrs{"tabindex", "0"}, el("code", nil, words(l.Command))))
	}
	if len(l.Lines) > 0 {
		out += el("pre", attrs{"class", "log", "tabindex", "0"}, each(l.Lines, func(line string) markup {
			return words(text.Clip(strings.ReplaceAll(line, "\t", "    "), longestSpan)) + "\n"
		}))
	}
	return out
}

// figure is a picture, its legend, what it shows in words, and its numbers.
func figure(f report.Figure) markup {
	var named []report.Series
	for _, s := range f.Series {
		if s.Name != "" {
			named = append(named, s)
		}
	}
	var legend, numbers markup
	if len(named) > 1 {
		legend = el("span", class("legend"), each(named, func(s report.Series) markup {
			return el("span", class("key"), key(s), words(text.Clip(s.Name, 40)))
		}))
	}
	if rows := numbersOf(f); len(rows) > 1 {
		numbers = el("details", class("data"), el("summary", nil, "Numbers"), scrolled("Numbers", el("table", nil, each(rows, numberRow))))
	}
	return el("figure", nil, el("figcaption", nil, el("strong", nil, words(f.Title)), legend), draw(f), el("p", class("caption"), prose(f.Caption)), numbers)
}

// numberRow is a line of the numbers behind a figure; the first, whose first word is empty, has titles.
func numberRow(row []string) markup {
	name, cell := el("th", attrs{"scope", "row"}, words(row[0])), func(word string) markup { return el("td", class("n"), words(word)) }
	if row[0] == "" {
		name, cell = el("td", class("n")), func(word string) markup { return el("th", attrs{"scope", "col"}, words(word)) }
	}
	return el("tr", nil, name, each(row[1:], cell))
}

// mostNumbers bounds the table behind a figure.
const mostNumbers = 300

// numbersOf are the points of a figure in words, under a line of titles.
func numbersOf(f report.Figure) [][]string {
	intervals := false
	for _, s := range f.Series {
		for _, pt := range s.Points {
			intervals = intervals || pt.High > pt.Low && s.Form == report.FormMarks
		}
	}
	value, _ := valueOf(f, report.Point{})
	head := []string{"", value.Title}
	if intervals {
		head = append(head, "from", "to")
	}
	rows := [][]string{head}
	for _, s := range f.Series {
		if s.Form == report.FormDots || s.Form == report.FormLine && (s.Name == "" && len(f.Series) > 1) || s.Form == report.FormCells {
			continue
		}
		for _, pt := range s.Points {
			if len(rows) > mostNumbers {
				return rows
			}
			name := pt.Label
			if name == "" || s.Form == report.FormLine && s.Name != "" {
				name = strings.TrimSpace(s.Name + " " + name)
			}
			if name == "" {
				name = f.X.Word(pt.X)
			}
			_, at := valueOf(f, pt)
			row := []string{name, value.Word(at)}
			if intervals {
				row = append(row, value.Word(pt.Low), value.Word(pt.High))
			}
			rows = append(rows, row)
		}
	}
	return rows
}
