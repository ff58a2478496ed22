package benchmark

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Mapping says which columns of a program's own table are what. A run follows it to the letter: what is proposed by the look of a table is
// only proposed by perfgate init, which writes it down.
type Mapping struct {
	Case      string   `key:"case" is:"line" required:"yes"`                                                           // name of a row, with {COLUMN} for a cell
	Values    []Metric `key:"value" is:"metrics" required:"yes" form:"time_ms, or [{name: \"GB/s\", better: higher}]"` // column of what was measured, or a list of columns
	Separator string   `key:"separator" is:"comma|semicolon|tab|bar|columns|blanks" default:"comma"`                   // between columns
	Line      string   `key:"line" is:"line"`                                                                          // in place of a header: a line that the program prints, with {NAME} for a column
}

// String is all of a mapping: what was read by another is another measurement.
func (m Mapping) String() string {
	if m.Line != "" {
		return fmt.Sprintf("case %q, value %q, line %q", m.Case, m.Values, m.Line)
	}
	return fmt.Sprintf("case %q, value %q, separator %s", m.Case, m.Values, m.Separator)
}

// Metric is a column with what was measured: a time, or a rate, of which more is better.
type Metric struct {
	Name   string `key:"name" is:"line" required:"yes"` // column
	Better string `key:"better" is:"higher|lower"`      // default by its unit: times lower, rates higher
	Unit   string `key:"unit" is:"ns|us|ms|s"`          // default by the name or the cells
}

// unit is what a number is in: so many ns, or so many units of a rate.
type unit struct {
	factor float64
	rate   bool
}

var timeWords = map[string]float64{
	"ns": 1, "nsec": 1, "nanoseconds": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "usec": 1e3, "microseconds": 1e3,
	"ms": 1e6, "msec": 1e6, "milliseconds": 1e6, "s": 1e9, "sec": 1e9, "secs": 1e9, "seconds": 1e9,
}

var (
	rateWord  = text.Pattern(`^([kKMGTP]?)(i?)(?:(?:[bB]|[bB]ytes?|[bB]its?)(?:ps|/s|/sec)|(?:FLOP|flop|Flop|OP|op|Op)(?:s|S|/s|/sec))$|^[A-Za-z]+/s(?:ec)?$|^(?i:fps|qps|tps|iops)$`)
	perSecond = text.Pattern(`(?i)per[_ ]?s(ec(ond)?)?$`)
	unitWords = text.Pattern(`[\s_()\[\],:-]+`)
)

// unitOf is the unit that a text ends with or has in brackets: time_ms, "Time (us)", GB/s; false where it has none.
func unitOf(text string) (unit, bool) {
	words := unitWords().Split(strings.TrimSpace(text), -1)
	for _, word := range slices.Backward(words) {
		if ns, ok := timeWords[strings.ToLower(word)]; ok {
			return unit{factor: ns}, true
		}
		if parts := rateWord().FindStringSubmatch(word); parts != nil {
			base := 1000.0
			if parts[2] == "i" {
				base = 1024
			}
			return unit{math.Pow(base, float64(1+strings.Index("KMGTP", strings.ToUpper(parts[1] + "-")[:1]))), true}, true
		}
	}
	return unit{1, true}, perSecond().MatchString(strings.TrimSpace(text))
}

// unit is that of a column, before its cells say another; false where only they can.
func (m Metric) unit() (unit, bool) {
	if ns, ok := timeWords[m.Unit]; ok {
		return unit{factor: ns}, true
	}
	if u, ok := unitOf(m.Name); ok {
		return u, true
	}
	return unit{1, true}, m.Better == "higher"
}

// Problem says why a mapping cannot be followed; "" where it can.
func (m Mapping) Problem() (problem, allowed string) {
	if rest := placeholder().ReplaceAllString(m.Case, ""); strings.ContainsAny(rest, "{}") {
		return fmt.Sprintf("case %s has a brace without its other one", Quoted(m.Case)), "names of columns in braces, such as {kernel}/rows={rows}"
	}
	if m.Line != "" {
		if problem, allowed := m.problemOfLine(); problem != "" {
			return problem, allowed
		}
	}
	for _, v := range m.Values {
		u, known := v.unit()
		switch {
		case known && v.Better == "higher" && !u.rate:
			return fmt.Sprintf("value %s is a time, and of a time less is better", Quoted(v.Name)), "better: lower"
		case known && v.Better == "lower" && u.rate:
			return fmt.Sprintf("value %s is a rate, and of a rate more is better", Quoted(v.Name)), "better: higher, or a unit: ns, us, ms or s"
		}
	}
	return "", ""
}

var placeholder = text.Pattern(`\{[^{}]+\}`)

// columns are all that the mapping names, each once.
func (m Mapping) columns() []string {
	var names []string
	for _, p := range placeholder().FindAllString(m.Case, -1) {
		names = append(names, p[1:len(p)-1])
	}
	for _, v := range m.Values {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ownTable is a table that is read by a mapping.
type ownTable struct {
	Mapping
	path    string
	header  []string
	at      map[string]int // by column; nil where no header was read
	tables  int            // headers that were read
	cases   *caseBuilder
	text    *rowOfText // of a mapping with a line
	nearest *FileError // the line that a header was missed by
	lacking int
}

// readMapped reads what a program printed, or wrote, by a mapping: the table, whatever stands around it.
func (m Mapping) readMapped(path, text string) (Set, error) {
	t := &ownTable{Mapping: m, path: path, cases: newCaseBuilder(), lacking: math.MaxInt}
	if m.Line != "" {
		row := m.rowOfText()
		t.text, t.tables = &row, 1
		t.columnsAre(row.names)
	}
	number := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		number++
		if err := t.line(line, number); err != nil {
			return Set{}, &FileError{path, number, err}
		}
	}
	set := t.cases.set(path, "csv")
	switch {
	case t.tables == 0 && t.nearest != nil:
		return Set{}, t.nearest
	case t.text != nil && len(set.Cases) == 0:
		return Set{}, &FileError{path, 0, fmt.Errorf("no line fits %s, as csv in perfgate.yaml says", Quoted(m.Line))}
	case t.tables == 0:
		return Set{}, &FileError{path, 0, fmt.Errorf("no line has the columns %s, with %s between them, as csv in perfgate.yaml says", quotedList(m.columns()), m.separators())}
	case len(set.Cases) == 0:
		return Set{}, &FileError{path, 0, fmt.Errorf("the table has a header and no line with a number in %s", quotedList(m.columns()))}
	}
	if slices.ContainsFunc(set.Cases, func(c Case) bool { return c.Unit == UnitRate }) {
		set.Notes = []string{"rates are compared as the time that 1,000 of their unit take (1,000 B of GB/s): more is better"}
	}
	return set, nil
}

// line reads a line of the text: a header, a row, or what stands around the table.
func (t *ownTable) line(line string, number int) error {
	if t.text != nil {
		return t.row(t.text.fields(line))
	}
	trimmed := strings.TrimSpace(line)
	bare := strings.TrimSpace(strings.TrimLeft(trimmed, "#/")) // of a header that begins as a comment
	if fields := t.split(bare); t.isHeader(fields, number) {
		t.columnsAre(fields)
		t.tables++
		return nil
	}
	fields := t.split(trimmed)
	if t.at == nil || len(fields) != len(t.header) || bare != trimmed || isRule(fields) {
		return nil
	}
	if !t.hasValue(fields) && t.Separator != "blanks" && !slices.ContainsFunc(fields, hasNumber) {
		t.at = nil // the header of another table
		return nil
	}
	return t.row(fields)
}

// columnsAre says in which order lines have their columns.
func (t *ownTable) columnsAre(names []string) {
	t.header, t.at = names, map[string]int{}
	for i, name := range names {
		t.at[name] = i
	}
}

func (t *ownTable) hasValue(fields []string) bool {
	return slices.ContainsFunc(t.Values, func(v Metric) bool { return isMeasured(fields[t.at[v.Name]]) })
}

// row adds what fields have of each metric; nothing where they have no value, or there are none.
func (t *ownTable) row(fields []string) error {
	if fields == nil || !t.hasValue(fields) {
		return nil
	}
	for _, v := range t.Values {
		if err := t.sample(fields, v); err != nil {
			return err
		}
	}
	return nil
}

// isHeader says whether fields are the header: every column once. The line that comes nearest is kept for the message.
func (t *ownTable) isHeader(fields []string, number int) bool {
	var lacks, twice []string
	wanted := t.columns()
	for _, name := range wanted {
		switch n := count(fields, name); {
		case n == 0:
			lacks = append(lacks, name)
		case n > 1:
			twice = append(twice, name)
		}
	}
	if len(lacks)+len(twice) == 0 {
		return true
	}
	if len(lacks) == len(wanted) || len(lacks) >= t.lacking {
		return false
	}
	problem := fmt.Sprintf("has no column %s", quotedList(lacks))
	if len(lacks) == 0 {
		problem = fmt.Sprintf("has %s twice", quotedList(twice))
	}
	t.lacking = len(lacks)
	t.nearest = &FileError{t.path, number, fmt.Errorf("the header %s, which csv in perfgate.yaml asks for: it has %s", problem, quotedList(fields))}
	return false
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

func quotedList(all []string) string {
	const most = 12
	names := make([]string, 0, most)
	for _, name := range all[:min(len(all), most)] {
		names = append(names, Quoted(name))
	}
	if len(all) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// sample adds what a row has of a metric to its case. Of a second table with these columns the cases are others: what tells them apart stands in no column.
func (t *ownTable) sample(fields []string, v Metric) error {
	name := placeholder().ReplaceAllStringFunc(t.Case, func(p string) string { return fields[t.at[p[1:len(p)-1]]] })
	if len(t.Values) > 1 {
		name += " [" + v.Name + "]"
	}
	if t.tables > 1 {
		name += fmt.Sprintf(" #%d", t.tables)
	}
	c, cell := t.cases.at(strings.TrimSpace(name)), fields[t.at[v.Name]]
	c.Processes[0].ID = "1"
	value, number, ofCell, err := readCell(cell)
	if err != nil {
		c.Failed = fmt.Sprintf("its %s is %s, which is not a number", v.Name, Quoted(cell))
		return nil
	}
	of, known := v.unit()
	if ofCell != nil && known && ofCell.rate != of.rate {
		return fmt.Errorf("%s is %s: a time where its column, or csv in perfgate.yaml, says a rate, or the other way round", v.Name, Quoted(cell))
	}
	if ofCell != nil {
		of, known = *ofCell, true
	}
	if !known {
		return fmt.Errorf("%s is %s, and neither its column nor the cell has a unit: say it in perfgate.yaml, csv: {value: [{name: %s, unit: ms}]}", v.Name, Quoted(cell), v.Name)
	}
	ns := value * of.factor
	if of.rate {
		ns, c.Unit = rateNS/ns, UnitRate // of 0 it is no latency
		err = CheckNS(ns)
	} else {
		err = checkSample(ns)
	}
	if err != nil {
		c.Failed = fmt.Sprintf("its %s is %s: %v", v.Name, Quoted(cell), err)
		return nil
	}
	c.Processes[0].Samples = append(c.Processes[0].Samples, ns)
	if !of.rate && len(t.Values) == 1 { // several of a row may be the same time twice
		c.TotalNS += ns
	}
	if value != 0 {
		t.cases.wrote(c, number, ns/value)
	}
	return nil
}

// rateNS is the time of 1,000 of a unit at one a second: neither the slowest rates nor the fastest come out as what is no latency.
const rateNS = 1e12

var cellText = text.Pattern(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$`)

// readCell reads a number, and the unit behind it where there is one.
func readCell(cell string) (value float64, number string, of *unit, err error) {
	parts := cellText().FindStringSubmatch(cell)
	if parts == nil {
		return 0, "", nil, errors.New("not a number")
	}
	if value, err = parseNumber(parts[1]); err != nil || parts[2] == "" {
		return value, parts[1], nil, err
	}
	u, ok := unitOf(parts[2])
	if !ok || len(unitWords().Split(parts[2], -1)) > 1 {
		return 0, "", nil, errors.New("not a number")
	}
	return value, parts[1], &u, nil
}

func hasNumber(cell string) bool { _, _, _, err := readCell(cell); return err == nil }

// noValues are what tables have where something could not be measured: the case is there, and fails.
var noValues = []string{"", "-", "--", "n/a", "na", "nan", "-nan", "inf", "-inf", "null", "none", "error", "err", "fail", "failed", "skip", "skipped", "oom", "timeout", "✗"}

// isMeasured says whether a cell is one of a column of values.
func isMeasured(cell string) bool {
	return hasNumber(cell) || slices.Contains(noValues, strings.ToLower(cell))
}

// isRule says whether a line of a table only draws.
func isRule(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return strings.Trim(f, "-=+:_─━┼╋ ") != "" || f == "" })
}
