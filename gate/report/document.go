package report

import "github.com/org/perfgate/gate/result"

// Tone says what a text means. A renderer with colours may show it; no other may lose a word by it.
type Tone int

// Tones.
const (
	Plain  Tone = iota
	Bad         // the gate says no
	Good        // better than before
	Warn        // not measured, not sure or not checked
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

// Document is a run as its reader meets it, first things first.
type Document struct {
	Verdict     string   // PASS, FAIL or COULD NOT MEASURE
	Tone        Tone     // of the verdict
	Headline    Text     // the answer: what, by how much, how sure, why
	Also        []Text   // everything else that speaks against a pass, and what a pass leaves open
	Cases       Table    // what was measured
	Competitors []Table  // one for each competitor that cases were measured beside
	Beside      []Text   // what to know of competitors: what was not measured, what stayed open
	Remarks     []Remark // what single rows of Cases need to have said
	Past        []Past   // where records tell something of a case before head, the worst first
	Accepted    []Text   // regressions that a person took the responsibility for, a sentence each
	Evidence    []Evidence
	Gaps        []Text    // evidence that could not be had, with its cure
	Static      []Text    // what compiled code and growth of time say
	Parity      []Check   // a line per kernel
	Problems    []Problem // what went wrong, with the messages
	Rates       Table     // empty if no adapter counts its work
	Spread      Table     // how samples and processes scatter
	Facts       []Fact    // machine, method, rounds, policy, sides, time
	Notes       []Text    // what the run has to say about itself
	Repro       string    // the command line that does it again; may be empty
	Timings     Table     // where the wall time went
}

// Align says where a column's text stands.
type Align int

// Alignments.
const (
	Left Align = iota
	Right
)

// Table is rows of cells under titles. Its rows are ordered by importance; rows of one kernel stay together.
type Table struct {
	Title   string
	First   string // title of the first column, which holds the row's name
	Columns []Column
	Rows    []Row
}

// Column is a title and how the cells under it stand.
type Column struct {
	Title string
	Align Align
	Under bool // where columns are dear, its cells may stand under those of the column before it
}

// Row is a named line of a table.
type Row struct {
	Name    Name
	Cells   []Cell
	Instead Cell // if not empty: one text in place of all cells but the last
	Rank    int  // how much the row matters: 0 most
	// Unchanged rows are those that a reader with little time can do without, Changed ones those that surely changed. Shift is their change, as a
	// fraction, 0 where nothing was timed.
	Unchanged bool
	Changed   bool
	Shift     float64
}

// Cell is one short text; it is never wrapped.
type Cell struct {
	Text string
	Tone Tone
}

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
