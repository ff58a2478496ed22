package report

import (
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/text"
)

// Entry is a line of a checklist: the state that something is in, and beneath it what helps.
type Entry struct {
	Group, State, Name, Text, Cure string
	Tone                           Tone // of State
}

// Checklist is entries by their groups, and an answer below them.
func Checklist(entries []Entry, answer Text) Document {
	var d Document
	for i, e := range entries {
		if i == 0 || e.Group != entries[i-1].Group {
			d.Blocks = append(d.Blocks, Block{Key: e.Group, Title: Say(e.Group)})
		}
		item := Item{Label: e.State, Tone: e.Tone, Text: say("«%s»: %s", e.Name, e.Text)}
		if e.Cure != "" {
			item.Next = Say(e.Cure)
		}
		last := &d.Blocks[len(d.Blocks)-1]
		last.List = append(last.List, item)
	}
	d.Blocks = append(d.Blocks, Block{Key: "answer", Paragraphs: []Text{answer}})
	return d
}

// listOf is rows of words under their titles. The first of a row is its name.
func listOf(key string, titles []string, rows [][]string) Document {
	var columns []column[[]string]
	for i, title := range titles[1:] {
		columns = append(columns, wordsIn(strconv.Itoa(i), title, 0, func(row []string) string { return row[i+1] }))
	}
	t := tableBy(titles[0], rows, func(i int, row []string) Row { return Row{Name: Name{Kernel: row[0], Full: row[0]}, Rank: i} }, columns...)
	return Document{Blocks: []Block{{Key: key, Table: &t}}}
}

// sayLines is a document of lines, of which the last may say what they come to.
func sayLines(lines ...string) Document {
	return Document{}.then("lines", lines...)
}

// then is the document with lines at its end.
func (d Document) then(key string, lines ...string) Document {
	b := Block{Key: key}
	for _, line := range lines {
		b.Paragraphs = append(b.Paragraphs, Say(text.Visible(line)))
	}
	if len(lines) > 0 {
		d.Blocks = append(slices.Clip(d.Blocks), b)
	}
	return d
}
