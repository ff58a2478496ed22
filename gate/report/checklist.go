package report

import "strconv"

// Entry is a line of a checklist: the state that something is in, and beneath it what helps.
type Entry struct {
	Group, State, Name, Text, Cure string
	Tone                           Tone // of State
}

// Checklist is entries by their groups, and an answer below them.
func Checklist(entries []Entry, answer Text) Document {
	d := Document{Kind: "checklist"}
	for i, e := range entries {
		if i == 0 || e.Group != entries[i-1].Group {
			d.Blocks = append(d.Blocks, Block{Key: e.Group, Title: Say(e.Group)})
		}
		item := Item{Label: e.State, Tone: e.Tone, Text: Text{{Text: e.Name, Tone: Strong}, words(": " + e.Text)}}
		if e.Cure != "" {
			item.Next = Say(e.Cure)
		}
		last := &d.Blocks[len(d.Blocks)-1]
		last.List = append(last.List, item)
	}
	d.Blocks = append(d.Blocks, Block{Key: "answer", Paragraphs: []Text{answer}})
	return d
}

// List is rows of words under their titles. The first of a row is its name.
func List(kind string, titles []string, rows [][]string) Document {
	t := Table{First: titles[0]}
	for i, title := range titles[1:] {
		t.Columns = append(t.Columns, Column{Key: strconv.Itoa(i), Title: title})
	}
	for i, words := range rows {
		row := Row{Name: Name{Kernel: words[0], Full: words[0]}, Rank: i, Cells: Cells{}}
		for j, text := range words[1:] {
			row.Cells[t.Columns[j].Key] = cell(text, Plain)
		}
		t.Rows = append(t.Rows, row)
	}
	return Document{Kind: kind, Blocks: []Block{{Key: kind, Table: &t}}}
}
