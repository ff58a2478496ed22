package report

import (
	"slices"

	"github.com/org/perfgate/gate/text"
)

// Document is a result, a history or an answer as its reader meets it, first things first. It is made once; renderers lay it out and
// decide nothing. Nothing that a decision depends on is read back from one.
type Document struct {
	Verdict  string // PASS, FAIL or COULD NOT MEASURE
	Tone     Tone   // of the verdict
	Headline Text   // the answer: what, by how much, with which confidence, why
	Blocks   []Block
}

// Layer says how much a block matters.
type Layer int

// Layers. A terminal shows the first, a comment folds the second, -v shows the first three, and the HTML report all of them.
const (
	Always Layer = iota
	Folded
	Verbose
	Full
)

// Block is a part of a document. It has exactly one of Paragraphs, List, Table, Figure, Log and Blocks.
type Block struct {
	Key   string // unique in a document, and the same in every document of its kind: cases, parity, machine
	Title Text   // may be empty
	Layer Layer
	Tone  Tone // of the whole block: Bad for what fails a run

	Paragraphs []Text
	List       []Item
	Table      *Table
	Figure     *Figure
	Log        *Log
	Blocks     []Block

	Links []Link
}

// Item is a point of a list, or a labelled line: machine, compiler.
type Item struct {
	Label string // may be empty
	Text  Text
	Next  Text // the next step, such as what helps; may be empty
	Tone  Tone
}

// Log is what was run and what it printed, verbatim.
type Log struct {
	Command string   // may be empty
	Lines   []string // without their ends; a renderer may leave out the middle, and says so
	Whole   bool     // no other file has the lines: nothing may be left out
}

// Link leads to a file of the report or to a page of the repository. No word of a change is in its address.
type Link struct {
	Text string
	URL  string
}

// filled are the blocks that have something to say.
func filled(all ...Block) []Block {
	return slices.DeleteFunc(all, func(b Block) bool {
		return len(b.Paragraphs)+len(b.List)+len(b.Blocks)+len(b.Links) == 0 && b.Figure == nil && (b.Table == nil || len(b.Table.Rows) == 0) &&
			(b.Log == nil || b.Log.Command == "" && len(b.Log.Lines) == 0)
	})
}

// group is blocks under a title; none of them is left out of a report that shows the group.
func group(key string, layer Layer, title Text, inner ...Block) Block {
	return Block{Key: key, Layer: layer, Title: title, Blocks: filled(inner...)}
}

// pointsOf is a list of texts in one tone.
func pointsOf(key string, layer Layer, tone Tone, texts []Text) Block {
	b := Block{Key: key, Layer: layer}
	for _, t := range texts {
		b.List = append(b.List, Item{Text: t, Tone: tone})
	}
	return b
}

// tableOf is a table as a block.
func tableOf(key string, layer Layer, t Table) Block {
	b := Block{Key: key, Layer: layer, Table: &t}
	if t.Title != "" {
		b.Title = Say(t.Title)
	}
	return b
}

// notesOf are what something has to say about itself.
func notesOf(notes []Text) Block {
	b := Block{Key: "notes"}
	for _, n := range notes {
		b.List = append(b.List, Item{Label: "note", Text: n})
	}
	return b
}

func plainNotes(notes []string) (out []Text) {
	for _, n := range notes {
		out = append(out, Say(n))
	}
	return out
}

// logOf is what was run and what it printed under a title; where neither is known the title is a point.
func logOf(key string, title Text, tone Tone, command string, lines []string) Block {
	if command == "" && len(lines) == 0 {
		return Block{Key: key, Tone: tone, List: []Item{{Text: title, Tone: tone}}}
	}
	return Block{Key: key, Title: title, Tone: tone, Log: &Log{Command: command, Lines: lines}}
}

// repeatOf is the command that does it again.
func repeatOf(layer Layer, command string) Block {
	return Block{Key: "repeat", Layer: layer, Title: Say("Repeat it with"), Log: &Log{Command: command}}
}

// factsOf are labelled lines on how something was measured; those without words are left out.
func factsOf(facts []Item, more ...Block) Block {
	facts = slices.DeleteFunc(slices.Clone(facts), func(i Item) bool { return len(i.Text) == 0 })
	return group("method", Folded, Say("How this was measured"), append([]Block{{Key: "facts", List: facts}}, more...)...)
}

// figureBlocks are figures as blocks, one after the other. prefix keeps their keys apart from those of other cases.
func figureBlocks(prefix string, all []Figure) []Block {
	out := make([]Block, len(all))
	for i := range all {
		out[i] = Block{Key: prefix + "/" + all[i].Key + whole(float64(i)), Layer: Full, Figure: &all[i]}
	}
	return out
}

// Saved is the last line of what a command prints: where all of it is.
func Saved(path string) Block {
	return Block{Key: "saved", List: []Item{{Label: "report", Text: code(path)}}}
}

// Note adds what whoever publishes a document has to say about it.
func (d *Document) Note(note string) {
	added := notesOf([]Text{Say(note)})
	d.Blocks = slices.Clone(d.Blocks)
	if i := slices.IndexFunc(d.Blocks, func(b Block) bool { return b.Key == added.Key }); i >= 0 {
		d.Blocks[i].List = append(slices.Clip(d.Blocks[i].List), added.List...)
		return
	}
	i := slices.IndexFunc(d.Blocks, func(b Block) bool { return b.Layer != Always })
	if i < 0 {
		i = len(d.Blocks)
	}
	d.Blocks = slices.Insert(d.Blocks, i, added)
}

// Repeat puts another command in the place of the one that does it again.
func (d *Document) Repeat(command string) {
	blocks, found := repeated(d.Blocks, command)
	if !found {
		blocks = append(blocks, repeatOf(Always, command))
	}
	d.Blocks = blocks
}

func repeated(blocks []Block, command string) (out []Block, found bool) {
	out = slices.Clone(blocks)
	for i, b := range out {
		if b.Key == "repeat" {
			out[i].Log, found = &Log{Command: command}, true
			continue
		}
		inner, within := repeated(b.Blocks, command)
		out[i].Blocks, found = inner, found || within
	}
	return out, found
}

// listOf is rows of words under their titles. The first of a row is its name.
func listOf(key string, titles []string, rows [][]string) Document {
	var columns []column[[]string]
	for i, title := range titles[1:] {
		columns = append(columns, wordsIn(title, title, 0, func(row []string) string { return row[i+1] }))
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
