package benchmark

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// csvTable is a program that prints a table, or writes it into the file that PERFGATE_BENCH_OUT names: a header, and a line for each
// sample. Columns in any order:
//
//	kernel, case   name the row; case may be left out
//	ns             or us, ms, s: the time of a launch
//	GB/s           in place of a time, with bytes; TFLOP/s with flops
//	bytes, flops   the work of a launch, which rates are made of
type csvTable struct{}

func (csvTable) Traits() Traits { return Traits{Name: "csv", OwnClock: true} }

func (csvTable) Command(s Spec, a Ask) Command {
	return asks(s, a, filepath.Join(a.Out, csvAnswer))
}

func (csvTable) Read(s Spec, o Output) (Set, error) {
	path, text, err := o.table()
	if err != nil {
		return Set{}, err
	}
	if s.Table != nil {
		return s.Table.readMapped(path, text)
	}
	set, err := readTable(path, strings.NewReader(text), ofOne)
	if path == csvAnswer {
		return set, err
	}
	var header *headerError
	if errors.As(err, &header) {
		return set, fmt.Errorf("%w; what else it prints belongs on stderr, or the table into the file that %s names", err, OutVariable)
	}
	return set, err
}

// table is what a program wrote into its file, or else printed.
func (o Output) table() (path, text string, err error) {
	data, err := o.answer(csvAnswer)
	switch {
	case err != nil:
		return "", "", err
	case len(data) > 0:
		return csvAnswer, asShown(string(data)), nil
	case data != nil || strings.TrimSpace(o.Stdout) == "":
		return "", "", fmt.Errorf("%w on standard output: if its lines go to standard error, end the command with 2>&1", ErrNothing)
	case o.Cut:
		return "", "", fmt.Errorf("it printed more than is kept: write the table into the file that %s names", OutVariable)
	}
	return "what it printed", asShown(o.Stdout), nil
}

// headerError says that the first line of a table is no header.
type headerError struct{ error }

// csvTimes are the columns that hold what was measured, and how many ns one of it is; rates have 0.
var csvTimes = map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "GB/s": 0, "TFLOP/s": 0}

// columns says where a table has what; -1 where it does not.
type columns struct {
	names                []string
	process, kernel, row int
	bytes, flops         int
	value                int
	valueName            string
}

const csvMore = "[,bytes,flops], with us, ms, s, GB/s (with bytes) or TFLOP/s (with flops) in the place of ns"

// readColumns reads the header.
func readColumns(header []string, wanted string) (columns, error) {
	c := columns{names: slices.Clone(header), process: -1, kernel: -1, row: -1, bytes: -1, flops: -1, value: -1}
	places := map[string]*int{"process": &c.process, "kernel": &c.kernel, "case": &c.row, "bytes": &c.bytes, "flops": &c.flops}
	if wanted == ofOne {
		delete(places, "process")
	}
	wanted += csvMore
	for i, name := range header {
		name = strings.TrimSpace(name)
		place := places[name]
		if _, ok := csvTimes[name]; ok {
			place, c.valueName = &c.value, name
		}
		if place == nil {
			return c, fmt.Errorf("unknown column %s, want %s", Quoted(name), wanted)
		}
		if *place >= 0 {
			return c, fmt.Errorf("%s is a second column for the value of %s, want %s", Quoted(name), Quoted(header[*place]), wanted)
		}
		*place = i
	}
	switch {
	case c.kernel < 0 || c.value < 0:
		return c, fmt.Errorf("the header is %s, want %s", Quoted(strings.Join(header, ",")), wanted)
	case c.valueName == "GB/s" && c.bytes < 0:
		return c, errors.New("a column GB/s needs one of bytes, the bytes that a launch moves: a rate is not a time")
	case c.valueName == "TFLOP/s" && c.flops < 0:
		return c, errors.New("a column TFLOP/s needs one of flops, the operations of a launch: a rate is not a time")
	}
	return c, nil
}

// ReadTable reads a file of samples: a table as csvTable describes it, whose lines may name their processes. Processes and cases keep the order of their
// first lines. path is for messages.
func ReadTable(path string, in io.Reader) (Set, error) { return readTable(path, in, ofSeveral) }

// Which processes wrote a table.
const (
	ofOne     = "kernel,case,ns"
	ofSeveral = "[process,]" + ofOne
)

func readTable(path string, in io.Reader, wanted string) (Set, error) {
	r := csv.NewReader(withoutMark(in))
	r.TrimLeadingSpace, r.FieldsPerRecord, r.ReuseRecord = true, -1, true // kernel, "a, b", 5
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Set{}, &FileError{path, 0, fmt.Errorf("no samples, want %s", wanted+csvMore)}
	}
	if err != nil {
		return Set{}, csvProblem(path, err)
	}
	at, err := readColumns(header, wanted)
	if err != nil {
		return Set{}, &FileError{path, 1, &headerError{err}}
	}
	t := &table{columns: at, cases: newCaseBuilder(), processes: map[[2]string]int{}, kernels: map[string]string{}}
	for {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Set{}, csvProblem(path, err)
		}
		if err := t.sample(line); err != nil {
			number, _ := r.FieldPos(0)
			return Set{}, &FileError{path, number, err}
		}
	}
	if len(t.cases.cases) == 0 {
		return Set{}, &FileError{path, 1, errors.New("there is no line behind the header")}
	}
	return t.cases.set(path, "csv"), nil
}

// withoutMark is text without the byte order mark that some editors and spreadsheets begin it with.
func withoutMark(in io.Reader) io.Reader {
	const mark = "\ufeff"
	text := bufio.NewReader(in)
	if begins, err := text.Peek(len(mark)); err == nil && string(begins) == mark {
		text.Discard(len(mark)) // was peeked at, so it is there
	}
	return text
}

// csvProblem gives an error of the reader its line.
func csvProblem(path string, err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return &FileError{path, bad.Line, fmt.Errorf("column %d: %w", bad.Column, bad.Err)}
	}
	return &FileError{path, 0, err}
}

// table is what has been read of one.
type table struct {
	columns   columns
	cases     *caseBuilder
	processes map[[2]string]int // by case and name: their places
	kernels   map[string]string // by case: a kernel's name may have slashes too
	last      [3]string         // kernel, case and process of the line before, which most lines have too
	into      *Case
	process   *Process
}

// find finds the case and the process that a line is of.
func (t *table) find(kernel, row, process string) error {
	if this := [3]string{kernel, row, process}; t.process != nil && this == t.last {
		return nil
	} else if t.last = this; kernel == "" || process == "" {
		return errors.New("kernel and process must not be empty")
	}
	c := t.cases.at(result.CaseID{Kernel: kernel, Row: row}.String())
	if known, again := t.kernels[c.Name]; again && known != kernel {
		return fmt.Errorf("kernels %s and %s, each with its case, are both called %s", Quoted(known), Quoted(kernel), Quoted(c.Name))
	}
	t.kernels[c.Name] = kernel
	at, known := t.processes[[2]string{c.Name, process}]
	if !known {
		if len(c.Processes[0].Samples) > 0 {
			c.Processes = append(c.Processes, Process{})
		}
		at = len(c.Processes) - 1
		c.Processes[at].ID = process
		t.processes[[2]string{c.Name, process}] = at
	}
	t.into, t.process = c, &c.Processes[at]
	return nil
}

// sample adds a line to its case.
func (t *table) sample(line []string) error {
	c := t.columns
	if len(line) != len(c.names) {
		return fmt.Errorf("%s, and the header has %s (quote a value that has commas; a point begins decimals)", counted(len(line)), counted(len(c.names)))
	}
	field := func(i int) string {
		if i < 0 {
			return ""
		}
		return strings.TrimSpace(line[i])
	}
	bytes, err := work("bytes", field(c.bytes))
	if err != nil {
		return err
	}
	flops, err := work("flops", field(c.flops))
	if err != nil {
		return err
	}
	value, err := parseNumber(field(c.value))
	if err != nil {
		return fmt.Errorf("%s is %s, which is not a number", c.valueName, Quoted(field(c.value)))
	}
	ns, unit, err := c.nanoseconds(value, bytes, flops)
	if err != nil {
		return err
	}
	process := "1"
	if c.process >= 0 {
		process = field(c.process)
	}
	if err := t.find(field(c.kernel), field(c.row), process); err != nil {
		return err
	}
	into := t.into
	if n := len(into.Processes[0].Samples); n > 0 && !slices.Equal([]float64{into.Bytes, into.Flops}, []float64{bytes, flops}) {
		return fmt.Errorf("%s has other bytes or flops than before: the work of a case is one", Quoted(into.Name))
	}
	into.Bytes, into.Flops, into.Unit, into.WorkSaid = bytes, flops, unit, true
	t.process.Samples = append(t.process.Samples, ns)
	into.TotalNS += ns
	if c.process < 0 {
		t.cases.wrote(into, field(c.value), ns/value)
	}
	return nil
}

// nanoseconds is what a value of the table comes to, and what it is of.
func (c columns) nanoseconds(value, bytes, flops float64) (ns float64, unit Unit, err error) {
	switch c.valueName { // 10⁹ a second is one a nanosecond
	case "GB/s":
		ns, unit = bytes/value, UnitRate
	case "TFLOP/s":
		ns, unit = flops/(1e3*value), UnitRate
	default:
		ns = value * csvTimes[c.valueName]
		if c.process >= 0 { // a file of several processes is nobody's fault of a clock
			return ns, UnitTime, CheckNS(ns)
		}
		return ns, UnitTime, checkSample(ns)
	}
	return ns, unit, CheckNS(ns) // 0 is of no work then, and of no clock
}

// parseNumber reads what tools write as a decimal number. Go's 1_000 and 0x1p10 are none: a file that has them means something else.
func parseNumber(word string) (float64, error) {
	if strings.ContainsAny(word, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(word, 64)
}

func counted(fields int) string {
	if fields == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", fields)
}

// work reads an amount of work; "" is not known.
func work(name, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	v, err := parseNumber(text)
	if err != nil || !(v >= 0 && v <= maxNS) {
		return 0, fmt.Errorf("%s is %s, which is no amount of work", name, Quoted(text))
	}
	return v, nil
}
