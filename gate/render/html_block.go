package render

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
)

// blocks writes blocks one after the other. Figures, and tables without a title that follow them, share a grid; a figure that belongs
// into the rows of the table before it is drawn there.
func (p *htmlPage) blocks(blocks []report.Block, depth int) {
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch {
		case b.Table != nil && i+1 < len(blocks) && blocks[i+1].Figure != nil && blocks[i+1].Figure.InRows:
			i++
			p.block(b, blocks[i].Figure, depth)
		case isLoneFigure(b):
			p.tag("div", "class", "figures")
			for ; i < len(blocks) && (isLoneFigure(blocks[i]) || blocks[i].Table != nil && len(blocks[i].Title) == 0); i++ {
				p.block(blocks[i], nil, depth)
			}
			i--
			p.end("div")
		default:
			p.block(b, nil, depth)
		}
	}
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

// block writes one block: a section of the page, or what folds within one.
func (p *htmlPage) block(b report.Block, inRows *report.Figure, depth int) {
	b.Title = titleOfBlock(b, depth)
	if len(b.Title) == 0 {
		p.content(b, inRows, depth)
		return
	}
	id, heading := p.ids[b.Key], "h"+strconv.Itoa(min(depth, 6))
	if p.at[id] {
		id = ""
	}
	p.at[id] = true
	folds := b.Layer != report.Always && (depth > 2 || b.Layer == report.Verbose && len(b.Blocks) == 0)
	outer := "section"
	if folds {
		outer = "details"
		open := ""
		if b.Tone == report.Bad || b.Tone == report.Warn || b.Tone == report.Good {
			open = "open"
		}
		p.tag(outer, "class", strings.TrimSpace("fold "+toneClass[b.Tone]), "open", open)
		p.tag("summary")
	} else {
		p.tag(outer, "class", "depth-"+strconv.Itoa(depth))
	}
	p.tag(heading, "id", id)
	p.prose(b.Title)
	p.end(heading)
	if folds {
		p.end("summary")
		p.tag("div", "class", "body")
	}
	p.content(b, inRows, depth)
	if folds {
		p.end("div")
	}
	p.end(outer)
}

// content writes what a block holds.
func (p *htmlPage) content(b report.Block, inRows *report.Figure, depth int) {
	for _, t := range b.Paragraphs {
		p.tag("p", "class", toneClass[b.Tone])
		p.prose(t)
		p.end("p")
	}
	p.list(b.List)
	if b.Table != nil {
		p.table(*b.Table, inRows)
	}
	if b.Figure != nil {
		p.figure(*b.Figure)
	}
	if b.Log != nil {
		p.log(*b.Log)
	}
	p.links(b.Links)
	p.blocks(b.Blocks, depth+1)
}

// list writes labelled lines as pairs, others as points.
func (p *htmlPage) list(items []report.Item) {
	if len(items) == 0 {
		return
	}
	labelled := items[0].Label != ""
	outer, class := "ul", "points"
	if labelled {
		outer, class = "dl", "facts"
	}
	p.tag(outer, "class", class)
	label := ""
	for _, item := range items {
		inner := "li"
		if labelled {
			if item.Label != label || item.Tone != report.Plain {
				p.element("dt", item.Label, "class", toneClass[item.Tone])
			}
			inner, label = "dd", item.Label
		}
		p.tag(inner, "class", toneClass[item.Tone])
		p.prose(item.Text)
		if len(item.Next) > 0 {
			p.tag("div", "class", "next")
			p.prose(item.Next)
			p.end("div")
		}
		p.end(inner)
	}
	p.end(outer)
}

func (p *htmlPage) links(links []report.Link) {
	if len(links) == 0 {
		return
	}
	p.tag("p", "class", "links")
	for i, l := range links {
		if i > 0 {
			p.raw(" ")
		}
		if isSafeAddress(l.URL) {
			p.element("a", l.Text, "href", l.URL, "rel", "noreferrer")
		} else {
			p.text(l.Text)
		}
	}
	p.end("p")
}

// log writes a command and what it printed.
func (p *htmlPage) log(l report.Log) {
	if l.Command != "" {
		p.tag("div", "class", "command")
		p.tag("pre", "tabindex", "0")
		p.element("code", l.Command)
		p.end("pre")
		p.end("div")
	}
	if len(l.Lines) == 0 {
		return
	}
	p.tag("pre", "class", "log", "tabindex", "0")
	for _, line := range l.Lines {
		p.text(report.Clip(strings.ReplaceAll(line, "\t", "    "), longestSpan))
		p.raw("\n")
	}
	p.end("pre")
}

// figure writes a picture, its legend, what it shows in words, and its numbers.
func (p *htmlPage) figure(f report.Figure) {
	p.tag("figure")
	p.tag("figcaption")
	p.element("strong", f.Title)
	if names := named(f.Series); len(names) > 1 {
		p.tag("span", "class", "legend")
		for _, s := range names {
			p.tag("span", "class", "key")
			p.raw(string(key(s)))
			p.text(report.Clip(s.Name, 40))
			p.end("span")
		}
		p.end("span")
	}
	p.end("figcaption")
	p.raw(string(draw(f)))
	p.tag("p", "class", "caption")
	p.prose(f.Caption)
	p.end("p")
	if rows := numbersOf(f); len(rows) > 1 {
		p.tag("details", "class", "data")
		p.element("summary", "Numbers")
		p.grid(rows)
		p.end("details")
	}
	p.end("figure")
}

// named are the series that a legend lists.
func named(all []report.Series) []report.Series {
	var out []report.Series
	for _, s := range all {
		if s.Name != "" {
			out = append(out, s)
		}
	}
	return out
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
	value, of := f.Y, func(pt report.Point) float64 { return pt.Y }
	if len(f.Y.Names) > 0 {
		value, of = f.X, func(pt report.Point) float64 { return pt.X }
	}
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
			row := []string{name, value.Word(of(pt))}
			if intervals {
				row = append(row, value.Word(pt.Low), value.Word(pt.High))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// safeAddress matches addresses that are written as they are.
var safeAddress = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$|^[0-9]+/report\.html$`)

func isSafeAddress(url string) bool { return safeAddress.MatchString(url) }
