package page

import (
	"html"
	"html/template"
	"strings"

	"github.com/org/perfgate/gate/report"
)

// toneClass are the style sheet's names of tones.
var toneClass = map[report.Tone]string{
	report.Plain: "plain", report.Bad: "bad", report.Good: "good", report.Warn: "warn", report.Quiet: "quiet", report.Strong: "strong",
}

// tie is a blank at which no line ends. It is the one character that package report leaves to its renderers.
const tie = "\u00a0"

// longest is how much of one span is shown: more than any name or message written by hand.
const longest = 2000

// prose writes a text: each span in its tone, all of it escaped.
func prose(t report.Text) template.HTML {
	var b strings.Builder
	for _, span := range t {
		parts := strings.Split(report.Clip(span.Text, longest), tie)
		for i, part := range parts {
			parts[i] = html.EscapeString(report.Visible(part))
		}
		text := strings.Join(parts, "&nbsp;")
		if span.Code {
			text = "<code>" + text + "</code>"
		}
		if span.Tone != report.Plain {
			text = `<span class="` + toneClass[span.Tone] + `">` + text + "</span>"
		}
		b.WriteString(text)
	}
	return template.HTML(b.String()) //nolint:gosec // escaped above
}

func proses(all []report.Text) []template.HTML {
	out := make([]template.HTML, len(all))
	for i, t := range all {
		out[i] = prose(t)
	}
	return out
}

// table is rows of words under titles. The first column names the row.
type table struct {
	Title string
	Head  []string
	Right []bool // columns of numbers
	Rows  []row
}

type row struct {
	Name  string
	Cells []cell
}

type cell struct {
	Text  string
	Class string
	Right bool
	Wide  int // columns that it reaches over, 0 for one
}

// tables are those of the document that no other part of the page has.
func tables(d report.Document) []table {
	var out []table
	for _, t := range []report.Table{d.Rates, d.Spread, d.Timings} {
		if len(t.Rows) > 0 {
			out = append(out, tableOf(t))
		}
	}
	return out
}

func tableOf(t report.Table) table {
	out := table{Title: t.Title, Head: []string{t.First}, Right: []bool{false}}
	for _, c := range t.Columns {
		out.Head, out.Right = append(out.Head, c.Title), append(out.Right, c.Align == report.Right)
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, row{Name: r.Name.Full, Cells: cellsOf(t, r)})
	}
	return out
}

func cellsOf(t report.Table, r report.Row) []cell {
	var out []cell
	for _, c := range t.Columns {
		found, has := r.Cells[c.Key]
		last := len(out) - 1
		switch {
		case has || r.Instead.Text == "":
			out = append(out, cell{Text: found.Text, Class: toneClass[found.Tone], Right: c.Align == report.Right})
		case last >= 0 && out[last].Wide > 0:
			out[last].Wide++
		default:
			out = append(out, cell{Text: r.Instead.Text, Class: toneClass[r.Instead.Tone], Wide: 1})
		}
	}
	return out
}

// dataTable is a table of numbers: a head, and rows of words that begin with their name.
func dataTable(head []string, rows [][]string) table {
	t := table{Head: head, Right: make([]bool, len(head))}
	for i := 1; i < len(head); i++ {
		t.Right[i] = true
	}
	for _, words := range rows {
		r := row{Name: words[0]}
		for _, word := range words[1:] {
			r.Cells = append(r.Cells, cell{Text: word, Right: true})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}
