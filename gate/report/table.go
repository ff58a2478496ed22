package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

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
	Strip   *Figure // if not nil, a layout may draw the row's point into each row, over the axis, bands and guides of this
	Brief   int     // a short layout shows so many rows, those of the lowest rank, and counts the others by their groups; 0 shows all
}

// Column is a title and how the cells under it stand.
type Column struct {
	Key      string // cells are found by it
	Title    string
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
	Drawn   *Point // what the picture of the row shows along X; nil for none
	Rank    int    // how much the row matters: 0 most
	Group   string // what a count says of rows that are left out: within the tolerance, not compared
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
	Value *float64 // the raw number, for sorting and for files of numbers; nil where there is none
}

// Name is the name of a case in its parts, so that a renderer short of room can say the common ones once.
type Name struct {
	Kernel string
	Params []result.Param
	Full   string // kernel/A=1,B=2
}

// column is a column and what stands in it of one thing.
type column[T any] struct {
	Column
	of func(T) Cell
}

// wordsIn is a column of words.
func wordsIn[T any](key, title string, priority int, of func(T) string) column[T] {
	return column[T]{Column{Key: key, Title: title, Priority: priority}, func(x T) Cell { return cell(of(x), Plain) }}
}

// numbersIn is a column of numbers.
func numbersIn[T any](key, title string, priority int, of func(T) Cell) column[T] {
	return column[T]{Column{Key: key, Title: title, Align: Right, Priority: priority}, of}
}

// keyIn and rawIn are columns of a table that is read by programs, of words and of raw numbers. A number that is none has no cell.
func keyIn[T any](key string, of func(T) string) column[T] { return wordsIn(key, key, 0, of) }

func rawIn[T any](key string, of func(T) float64) column[T] {
	return numbersIn(key, key, 0, func(x T) Cell {
		if v := of(x); !math.IsNaN(v) {
			return number(text.Number(v), v, Plain)
		}
		return Cell{}
	})
}

// tableBy has a row a thing. What a row has in place of its cells leaves out all columns.
func tableBy[T any](first string, things []T, row func(int, T) Row, columns ...column[T]) Table {
	t := Table{First: first}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i, x := range things {
		r := row(i, x)
		if r.Cells == nil {
			r.Cells = Cells{}
		}
		for _, c := range columns {
			if r.Instead.Text == "" {
				r.Cells[c.Key] = c.of(x)
			}
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// drawnOver is the table with pictures in its rows, if any has something to show.
func (t Table) drawnOver(strip Figure) Table {
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Drawn != nil }) {
		t.Strip = &strip
	}
	return t
}

// named is a row of which only the name and its place are known.
func named(rank int, full string) Row { return Row{Name: Name{Full: full}, Rank: rank} }

// number is a cell with its raw value.
func number(text string, value float64, tone Tone) Cell {
	return Cell{Text: text, Tone: tone, Value: &value}
}

// changeCell is a change, as a fraction, with one place.
func changeCell(change float64, tone Tone) Cell {
	return number(text.Change(change, 1), change, tone)
}

// writing is how a comparison is written.
type writing struct {
	words func(result.Shift) (amount, interval string)
	less  float64 // by which its raw number is below the ratio
	tone  Tone
}

var (
	asChange = writing{changeOf, 1, Plain}
	asSpeed  = writing{speedOf, 0, Strong}
)

// shiftIn are the columns of a comparison of any two: by how much they differ, and the interval. What has no shift was not compared.
func shiftIn[T any](key, title string, priority int, as writing, of func(T) *result.Shift) (amount, interval column[T]) {
	known := func(say func(result.Shift, string, string) Cell) func(T) Cell {
		return func(x T) Cell {
			s := of(x)
			if s == nil {
				return cell(text.Blank, Quiet)
			}
			amount, interval := as.words(*s)
			return say(*s, amount, interval)
		}
	}
	amount = numbersIn(key, title, priority, known(func(s result.Shift, amount, _ string) Cell { return number(amount, s.Ratio-as.less, as.tone) }))
	return amount, numbersIn(key+"-interval", "interval", priority, known(func(_ result.Shift, _, interval string) Cell { return cell(interval, Plain) }))
}

// measured is a shift, nil without a ratio.
func measured(ratio, low, high float64) *result.Shift {
	if !(ratio > 0) {
		return nil
	}
	return &result.Shift{Ratio: ratio, Low: low, High: high}
}

// timeCell is a time in ns.
func timeCell(ns float64) Cell { return number(text.Duration(ns), ns, Plain) }

// secondsCell is what something took.
func secondsCell(s float64, tone Tone) Cell { return number(text.Elapsed(s), s, tone) }

// countCell is a number of things.
func countCell(n int, tone Tone) Cell { return number(strconv.Itoa(n), float64(n), tone) }

// cell is a cell of words.
func cell(text string, tone Tone) Cell { return Cell{Text: text, Tone: tone} }

// measure is a column of a table of both sides: what a side has there, of which 0 means that it is not known, and how that is written.
type measure struct {
	key, title string
	of         func(result.Summary) float64
	write      func(float64) string
}

func (m measure) text(s *result.Summary) string {
	if s == nil || m.of(*s) <= 0 {
		return text.Blank
	}
	return m.write(m.of(*s))
}

// has says whether either side of a case has a value.
func (m measure) has(c result.Case) bool {
	return m.text(c.Base) != text.Blank || m.text(c.Head) != text.Blank
}

// rateTable is how much a case gets done in a second, where its adapter counts its work.
func rateTable(r *result.Result) Table {
	return bothSides("Rates", r.Cases, []measure{
		{"bandwidth", "GB/s", func(s result.Summary) float64 { return s.GBytesPerSec }, text.Number},
		{"flops", "GFLOP/s", func(s result.Summary) float64 { return s.GFlops }, text.Number},
		{"roofline", "of roofline", func(s result.Summary) float64 { return s.RooflineShare }, text.Percent},
	})
}

// spreadTable is how samples scatter within the processes, and processes among themselves.
func spreadTable(r *result.Result) Table {
	return bothSides("Variation", r.Cases, []measure{
		{"p90", "p90", func(s result.Summary) float64 { return s.P90NS }, text.Duration},
		{"p99", "p99", func(s result.Summary) float64 { return s.P99NS }, text.Duration},
		{"sample-cv", "CV of samples", func(s result.Summary) float64 { return s.SampleCV }, text.Percent},
		{"process-cv", "CV of processes", func(s result.Summary) float64 { return s.ProcessCV }, text.Percent},
	})
}

// bothSides is a table of cells like "1.24 → 1.23", base and head. Rows and columns without any value are left out.
func bothSides(title string, cases []result.Case, measures []measure) Table {
	cases = slices.DeleteFunc(sorted(cases), func(c result.Case) bool {
		return !slices.ContainsFunc(measures, func(m measure) bool { return m.has(c) })
	})
	var columns []column[result.Case]
	for _, m := range measures {
		if slices.ContainsFunc(cases, m.has) {
			columns = append(columns, numbersIn(m.key, m.title, 0, func(c result.Case) Cell { return cell(m.text(c.Base)+" → "+m.text(c.Head), Plain) }))
		}
	}
	t := tableBy("case, base → head", cases, func(_ int, c result.Case) Row { return Row{Name: nameOf(c), Rank: urgency(c)} }, columns...)
	t.Title = title
	return t
}

// leastPhaseS is a phase that is worth a line: what shows as more than nothing.
const leastPhaseS = 0.05

// phaseWords name what the processes of the rounds did.
var phaseWords = map[result.Phase]string{
	result.PhaseParity: "parity", result.PhaseStart: "starting processes", result.PhaseLoad: "loading code under test", result.PhaseProbe: "calibration", result.PhaseWarm: "warming up",
	result.PhaseBuffers: "making buffers", result.PhaseInputs: "filling inputs", result.PhaseSetup: "setup", result.PhaseFirst: "first launches",
	result.PhaseOutside: "checking for off-stream work", result.PhaseHost: "host time of launches", result.PhaseRecord: "capturing graphs",
	result.PhaseCanaries: "canaries", result.PhaseSamples: "samples", result.PhaseChecks: "checking timed outputs", result.PhaseGuards: "checking guard zones and inputs",
	result.PhaseChosen: "querying autotuners", result.PhaseExternal: "external timing checks", result.PhaseEnd: "ending processes",
}

// timingTable is where the wall time of the run went.
func timingTable(r *result.Result) Table {
	type part struct {
		name    string
		seconds float64
		tone    Tone
	}
	all := []part{{"compilers", r.Timings.CompileS, Plain}, {"harness processes", r.Timings.RunnersS, Plain}}
	for _, phase := range result.Phases {
		if seconds := r.Timings.Phases[phase]; seconds >= leastPhaseS {
			all = append(all, part{"  " + phaseWords[phase], seconds, Quiet})
		}
	}
	if r.Timings.WaitS > 0 {
		all = append(all, part{"waiting for the machine", r.Timings.WaitS, Plain})
	}
	all = append(all, part{"perfgate itself", r.Timings.OverheadS, Plain}, part{"in all", r.Timings.TotalS, Strong})
	t := tableBy("part", all, func(_ int, p part) Row {
		return Row{Name: Name{Full: p.name}, Drawn: bar(p.name, 0, p.seconds, StyleFirst)}
	},
		numbersIn("time", "time", 0, func(p part) Cell { return secondsCell(p.seconds, p.tone) }),
		numbersIn("share", "share", 0, func(p part) Cell {
			if r.Timings.TotalS <= 0 {
				return cell(text.Blank, Quiet)
			}
			return cell(text.Percent(p.seconds/r.Timings.TotalS), Quiet)
		}))
	t.Title = "Timings"
	return t.drawnOver(Figure{
		X: Axis{Title: "seconds", Quantity: QuantitySpan}, Caption: Say("Wall time of the run by what it was spent on."), Series: []Series{{Form: FormBars}},
	})
}
