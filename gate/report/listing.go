package report

import (
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/text"
)

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
