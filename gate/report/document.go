package report

import (
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// Tone says what a text means. A renderer with colours may show it; no other may lose a word by it.
type Tone int

// Tones.
const (
	Plain  Tone = iota
	Bad         // the gate says no
	Good        // better than before
	Warn        // not measured, inconclusive or not checked
	Quiet       // there for completeness
	Strong      // read this first
)

// Span is a run of text in one tone. Code is verbatim: a name, a command, a value.
type Span struct {
	Text string
	Code bool
	Tone Tone
}

// Text is a line of words; renderers may wrap it at spaces.
type Text []Span

// Document is a result, a history or an answer as its reader meets it, first things first. It is made once; renderers lay it out and
// decide nothing. Nothing that a decision depends on is read back from one.
type Document struct {
	Kind     string // what it is about: run, history, bisect, …
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

// Align says where a column's text stands.
type Align int

// Alignments.
const (
	Left Align = iota
	Right
)

// Table is rows of cells under named columns. Its rows are ordered by importance; rows of one kernel stay together.
type Table struct {
	Title   string
	First   string // title of the first column, which holds the row's name
	Columns []Column
	Rows    []Row
	Brief   int // a short layout shows so many rows, those of the lowest rank, and counts the others by their groups; 0 shows all
}

// Column is a title and how the cells under it stand.
type Column struct {
	Key      string // cells are found by it
	Title    string
	Unit     string // of the raw values: ns, ratio, 1
	Align    Align
	Priority int  // where space is short, columns of the highest go first; those of 0 always stay
	Under    bool // where columns are dear, its cells may stand under those of the column before it
	Bar      bool // a layout may draw the raw values of changed rows, which are ratios less 1, as bars
}

// Row is a named line of a table.
type Row struct {
	Name  Name // Full is the key of the row
	Cells Cells
	// Instead, if not empty, stands in place of the cells that the row does not have.
	Instead Cell
	Rank    int    // how much the row matters: 0 most
	Group   string // what a count says of rows that are left out: within the tolerance, not compared
	Tone    Tone
	// Unchanged rows are those that a reader with little time can do without, Changed ones those that changed significantly.
	Unchanged bool
	Changed   bool
}

// Cells are the cells of a row by the keys of their columns.
type Cells map[string]Cell

// Cell is one short text; it is never wrapped.
type Cell struct {
	Text  string
	Tone  Tone
	Value *float64 // the raw number in the column's unit, for sorting and for files of numbers; nil where there is none
}

// number is a cell with its raw value.
func number(text string, value float64, tone Tone) Cell {
	return Cell{Text: text, Tone: tone, Value: &value}
}

// changeCell is a change, as a fraction, with the given places.
func changeCell(change float64, places int, tone Tone) Cell {
	return number(Change(change, places), change, tone)
}

// timeCell is a time in ns.
func timeCell(ns float64, tone Tone) Cell { return number(Duration(ns), ns, tone) }

// secondsCell is what something took.
func secondsCell(s float64, tone Tone) Cell { return number(Elapsed(s), s, tone) }

// countCell is a number of things.
func countCell(n int, tone Tone) Cell { return number(strconv.Itoa(n), float64(n), tone) }

// cell is a cell of words.
func cell(text string, tone Tone) Cell { return Cell{Text: text, Tone: tone} }

// Name is the name of a case in its parts, so that a renderer short of room can say the common ones once.
type Name struct {
	Kernel string
	Params []result.Param
	Full   string // kernel/A=1,B=2
}

// Remark is a sentence about one case.
type Remark struct {
	Case Name
	Text Text
	Open bool // how far an open case is from an answer
}

// Check is the parity of one kernel.
type Check struct {
	Kernel string
	Others []string // kernels of which the same is said, where they are told together
	Status string   // passed, FAILED, skipped, not checked, off
	Tone   Tone
	Text   Text
	Repro  string   // reproduces a failure
	Map    []string // draws where the output is wrong, a title first
}

// Problem is something that went wrong, with what the tools said of it.
type Problem struct {
	Title   Text
	Command string
	Output  []string // lines, verbatim
	Tone    Tone
}

// Fact is a labelled line.
type Fact struct {
	Label string
	Text  Text
}

// words is plain text.
func words(s string) Span { return Span{Text: s} }

// code is verbatim text.
func code(s string) Span { return Span{Text: s, Code: true} }

// Say is a line of plain words.
func Say(s string) Text { return Text{words(s)} }
