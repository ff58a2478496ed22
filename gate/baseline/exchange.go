package baseline

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/org/perfgate/gate/result"
)

// Limits on what is imported: a hundred times what a year of a large suite has.
const (
	maxLines  = 2_000_000
	maxImport = 10_000 // records
	maxName   = 1000   // bytes of the name of a case
)

// tableColumns are those of an exported trend. behind is for readers: an import counts it anew.
var tableColumns = []string{"commit", "time", "behind", "process", "kernel", "case", "ns"}

// WriteTable writes a line of CSV for each process of records, as perfgate compare reads them. With trend, commit, time and distance stand in
// front, as ReadTable wants them.
func WriteTable(w io.Writer, records []Found, trend bool) error {
	out := csv.NewWriter(w)
	columns := tableColumns
	if !trend {
		columns = columns[3:]
	}
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, found := range records {
		for _, c := range found.Record.Cases {
			for i, ns := range c.ValuesNS {
				row := []string{
					found.Record.Commit, found.Record.Time.Format(time.RFC3339), strconv.Itoa(found.Distance),
					strconv.Itoa(i), c.Kernel, c.Name, strconv.FormatFloat(ns, 'g', -1, 64),
				}
				if err := out.Write(row[len(row)-len(columns):]); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// WriteLines writes a record a line, as JSON with all that a record has.
func WriteLines(w io.Writer, records []Found) error {
	for _, found := range records {
		if err := Document.Encode(w, found.Record); err != nil {
			return err
		}
	}
	return nil
}

// LineError says which line of an import is wrong.
type LineError struct {
	Line int
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// ReadLines reads what WriteLines wrote. Each record is held to what every record is; one that appears twice is an error. Errors are a
// *LineError.
func ReadLines(in io.Reader) ([]*Record, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, int(Document.Bytes))
	var out []*Record
	seen := map[string]int{}
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		r, err := Document.Decode(text)
		switch {
		case err != nil:
			return nil, &LineError{n, recordError(err)}
		case seen[r.Key()] > 0:
			return nil, &LineError{n, fmt.Errorf("the record of %.12s is on line %d already", r.Commit, seen[r.Key()])}
		case len(out) == maxImport:
			return nil, &LineError{n, fmt.Errorf("more than %d records", maxImport)}
		}
		seen[r.Key()] = n
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		return nil, &LineError{n + 1, err}
	}
	return out, nil
}

// importedMethod is how times of a table were taken, as far as that is known. No record of our own is compared with them.
var importedMethod = result.Method{Clock: result.ClockBenchmark, How: "imported", Launches: 1, Samples: 1}

// ReadTable reads what WriteTable wrote of a trend, or what others wrote so, as records of a machine: a line a process, with the columns commit
// (in full), time (RFC 3339), case and ns; process, kernel and behind may be left out. Commits are in the order of the table. Errors are a
// *LineError.
func ReadTable(in io.Reader, machine string) ([]*Record, error) {
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err == io.EOF {
		return nil, &LineError{1, errors.New("the table is empty")}
	}
	if err != nil {
		return nil, tableError(rows, err)
	}
	t := table{machine: machine, records: map[string]*Record{}, processes: map[[3]string]bool{}}
	if t.place, err = placesIn(header); err != nil {
		return nil, &LineError{1, err}
	}
	for n := 1; ; n++ {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err == nil && n > maxLines {
			err = fmt.Errorf("more than %d lines", maxLines)
		}
		if err == nil {
			err = t.take(row)
		}
		if err != nil {
			return nil, tableError(rows, err)
		}
	}
	return t.all()
}

func tableError(rows *csv.Reader, err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return &LineError{bad.Line, bad.Err}
	}
	line, _ := rows.FieldPos(0)
	return &LineError{line, err}
}

// placesIn says in which place a column is.
func placesIn(header []string) (map[string]int, error) {
	place := map[string]int{}
	for i, name := range header {
		name = strings.TrimPrefix(name, "\ufeff")
		if !slices.Contains(tableColumns, name) {
			return nil, fmt.Errorf("no column is called %.60q; there are %s", name, strings.Join(tableColumns, ", "))
		}
		if _, twice := place[name]; twice {
			return nil, fmt.Errorf("the column %s is there twice", name)
		}
		place[name] = i
	}
	if _, ok := place["commit"]; !ok && slices.Equal(header, tableColumns[3:]) {
		return nil, errors.New("this is what perfgate baseline export writes for perfgate compare, times without their commits: " +
			"import takes what export --format jsonl writes (all that records have) or export --limit (times of a trend)")
	}
	for _, name := range []string{"commit", "time", "case", "ns"} {
		if _, ok := place[name]; !ok {
			return nil, fmt.Errorf("there is no column %s (perfgate baseline export --limit writes all)", name)
		}
	}
	return place, nil
}

// table is what was read of one so far.
type table struct {
	machine   string
	place     map[string]int
	order     []*Record
	records   map[string]*Record // by commit
	processes map[[3]string]bool // commit, case and process
}

func (t *table) cell(row []string, column string) string {
	if i, ok := t.place[column]; ok {
		return row[i]
	}
	return ""
}

func (t *table) take(row []string) error {
	name, commit := t.cell(row, "case"), t.cell(row, "commit")
	ns, err := strconv.ParseFloat(t.cell(row, "ns"), 64)
	if err != nil || !(ns > 0) || math.IsInf(ns, 0) {
		return fmt.Errorf("%.60q is no time in ns", t.cell(row, "ns"))
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%.60q is no name of a case", name)
	}
	r, err := t.record(commit, t.cell(row, "time"))
	if err != nil {
		return err
	}
	if process := t.cell(row, "process"); process != "" {
		id := [3]string{commit, name, process}
		if t.processes[id] {
			return fmt.Errorf("process %.60q of %.60q in %.12s is there twice", process, name, commit)
		}
		t.processes[id] = true
	}
	kernel := result.ParseCaseID(name).Kernel
	if given := t.cell(row, "kernel"); given != "" && !strings.HasPrefix(name+"/", given+"/") {
		return fmt.Errorf("%.60q is no case of the kernel %.60q", name, given)
	} else if given != "" {
		kernel = given
	}
	c := r.Case(name)
	if c == nil {
		r.Cases = append(r.Cases, Case{Name: name, Kernel: kernel, ConfigHash: "imported", Method: importedMethod})
		c = &r.Cases[len(r.Cases)-1]
	}
	c.Rounds = append(c.Rounds, len(c.Rounds)/4)
	c.ValuesNS = append(c.ValuesNS, significant(ns))
	return nil
}

// record is that of a commit, which has one time in all of its lines.
func (t *table) record(commit, at string) (*Record, error) {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil, fmt.Errorf("%.60q is no time such as 2026-03-14T09:26:53Z", at)
	}
	r := t.records[commit]
	switch {
	case r == nil && !commitWord().MatchString(commit):
		return nil, fmt.Errorf("%.80q is no commit in full (40 or 64 of 0-9a-f)", commit)
	case r == nil && len(t.order) == maxImport:
		return nil, fmt.Errorf("more than %d commits", maxImport)
	case r == nil:
		r = &Record{Schema: Schema, Commit: commit, Time: when.UTC(), Machine: result.Machine{Key: t.machine}}
		t.records[commit] = r
		t.order = append(t.order, r)
	case !r.Time.Equal(when):
		return nil, fmt.Errorf("%.12s has two times", commit)
	}
	return r, nil
}

// all are the records, each held to what every record is.
func (t *table) all() ([]*Record, error) {
	for _, r := range t.order {
		for _, c := range r.Cases {
			if n := len(c.ValuesNS); n < minProcesses {
				return nil, fmt.Errorf("%.80q of %.12s has %d lines: it takes the times of %d processes to know how far they scatter", c.Name, r.Commit, n, minProcesses)
			}
		}
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("%.12s: %w", r.Commit, err)
		}
	}
	return t.order, nil
}
