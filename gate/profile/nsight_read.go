package profile

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// An export may be this large. The largest real one, of a full set of sections, has 200 kB to a kernel.
const (
	maxExport  = 64 << 20
	maxKernels = 1000
	maxColumns = 20_000
)

// Columns of a raw export that describe the launch and are no metrics.
var launchColumns = []string{"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"}

// ParseRaw reads `ncu --import … --csv --page raw`: a row of names, a row of units, a row for each kernel. The long form,
// a row for each metric, is read as well: it is what ncu writes without --page. Lines before the header are passed over.
func ParseRaw(r io.Reader) ([]Kernel, error) {
	t, err := openTable(r)
	if err != nil {
		return nil, err
	}
	if t.column("Grid Size") < 0 { // earlier versions have other names for metrics, too, and comparing half of them would find half a cause
		return nil, &ParseError{Text: "there is no column Grid Size, as in exports of Nsight Compute before " + leastNsight.String() + "; profile again with that or a newer one"}
	}
	if t.column("Metric Name") >= 0 {
		return t.long()
	}
	return t.wide()
}

// table reads rows under a header that begins with ID.
type table struct {
	csv    *csv.Reader
	header []string
	skew   int // lines before the header
	line   int // of the row read last
}

func openTable(r io.Reader) (*table, error) {
	in := bufio.NewReaderSize(io.LimitReader(r, maxExport), 1<<16)
	skew := 0
	for {
		start, _ := in.Peek(4)
		if text := string(start); strings.HasPrefix(text, `"ID"`) || strings.HasPrefix(text, "ID,") {
			break
		}
		if _, err := in.ReadString('\n'); err != nil {
			return nil, &ParseError{Text: "there is no line that begins with the column ID; was it exported with --csv?"}
		}
		skew++
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	t := &table{csv: c, skew: skew}
	header, err := c.Read()
	if err != nil {
		return nil, t.failed(err)
	}
	if len(header) > maxColumns {
		return nil, t.errorf("more than " + strconv.Itoa(maxColumns) + " columns")
	}
	t.header = slices.Clone(header)
	return t, nil
}

func (t *table) column(name string) int { return slices.Index(t.header, name) }

func (t *table) errorf(text string) *ParseError {
	return &ParseError{Line: t.line, Text: text}
}

func (t *table) failed(err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return &ParseError{Line: bad.Line + t.skew, Text: bad.Err.Error()}
	}
	return &ParseError{Text: err.Error()}
}

// next is the next row, nil at the end.
func (t *table) next() ([]string, error) {
	row, err := t.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, t.failed(err)
	}
	line, _ := t.csv.FieldPos(0)
	t.line = line + t.skew
	return row, nil
}

// each calls f with every row.
func (t *table) each(f func(row []string) error) error {
	for {
		row, err := t.next()
		if err == nil && row != nil {
			err = f(row)
		}
		if err != nil || row == nil {
			return err
		}
	}
}

// cell is a field of a row, "" where the row is shorter: ncu leaves empty columns at the end away.
func (t *table) cell(row []string, column string) string {
	if i := t.column(column); i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}

// wide reads a row of units and a row for each kernel.
func (t *table) wide() (kernels []Kernel, err error) {
	units, err := t.next()
	if err != nil {
		return nil, err
	}
	if units == nil || t.cell(units, "ID") != "" {
		return nil, t.errorf("the second row is not one of units; was it exported with --page raw?")
	}
	units = slices.Clone(units)
	err = t.each(func(row []string) error {
		id, err := strconv.Atoi(t.cell(row, "ID"))
		if err != nil {
			return t.errorf("the column ID is no number")
		}
		if kernels, err = t.launch(kernels, row, id); err != nil {
			return err
		}
		for i, text := range row {
			if i < len(t.header) && i < len(units) && !slices.Contains(launchColumns, t.header[i]) {
				kernels[len(kernels)-1].put(t.header[i], units[i], text)
			}
		}
		return nil
	})
	return kernels, err
}

// metricName is how metrics are called: smsp__inst_executed.sum. The details page has labels instead: Executed Ipc Active.
var metricName = text.Pattern(`^[a-z][a-z0-9_]*(?:__|\.)[A-Za-z0-9_.]+$`)

// long reads a row for each metric.
func (t *table) long() (kernels []Kernel, err error) {
	place, named := map[int]int{}, false
	err = t.each(func(row []string) error {
		id, err := strconv.Atoi(t.cell(row, "ID"))
		name := t.cell(row, "Metric Name")
		if err != nil || name == "" {
			return nil // a table within the table, or a rule
		}
		at, known := place[id]
		if !known {
			at = len(kernels)
			place[id] = at
			if kernels, err = t.launch(kernels, row, id); err != nil {
				return err
			}
		}
		kernels[at].put(name, t.cell(row, "Metric Unit"), t.cell(row, "Metric Value"))
		_, isNumber := kernels[at].Metrics[name]
		named = named || isNumber && metricName().MatchString(name)
		return nil
	})
	if err == nil && len(kernels) > 0 && !named {
		return nil, &ParseError{Text: "no metric in it has its name, as on the details page; the raw page is wanted (--page raw)"}
	}
	return kernels, err
}

// launch adds a kernel without its metrics.
func (t *table) launch(kernels []Kernel, row []string, id int) ([]Kernel, error) {
	if len(kernels) == maxKernels {
		return nil, t.errorf("more than " + strconv.Itoa(maxKernels) + " kernels")
	}
	return append(kernels, Kernel{
		ID: id, Name: t.cell(row, "Kernel Name"), Block: t.cell(row, "Block Size"), Grid: t.cell(row, "Grid Size"),
		Metrics: map[string]Metric{}, Words: map[string]string{},
	}), nil
}

// put keeps a value in its base unit. What has no value is not kept: a metric that was not collected is missing, not 0.
func (k *Kernel) put(name, unit, text string) {
	if v, ok := number(text); ok {
		base, factor := baseUnit(unit)
		k.Metrics[name] = Metric{Value: v * factor, Unit: base}
		return
	}
	if text = strings.TrimSpace(text); text != "" && text != "no data" && !strings.EqualFold(text, "nan") {
		k.Words[name] = text
	}
}

// maxRules bounds what is kept: real reports have some thirty to a kernel.
const maxRules = 10_000

// ParseDetails reads the rules of `ncu --import … --csv --page details --print-details all`. Rows are of different lengths
// there, and tables of other shape (NVLink, NUMA) lie between them.
func ParseDetails(r io.Reader) (rules []Rule, err error) {
	t, err := openTable(r)
	if err != nil {
		return nil, err
	}
	err = t.each(func(row []string) error {
		id, err := strconv.Atoi(t.cell(row, "ID"))
		if err != nil || t.cell(row, "Rule Name") == "" {
			return nil
		}
		if len(rules) == maxRules {
			return t.errorf("more than " + strconv.Itoa(maxRules) + " rules")
		}
		rule := Rule{
			Kernel: id, Section: t.cell(row, "Section Name"), Name: t.cell(row, "Rule Name"), Type: t.cell(row, "Rule Type"),
			Text: t.cell(row, "Rule Description"), SpeedupType: t.cell(row, "Estimated Speedup Type"),
		}
		if percent, ok := number(t.cell(row, "Estimated Speedup")); ok {
			rule.Speedup = percent / 100
		}
		rules = append(rules, rule)
		return nil
	})
	return rules, err
}

// Read parses both pages. A details page that cannot be read costs the rules only, which the error then says beside the
// profile.
func Read(raw, details io.Reader) (p Profile, err error) {
	if p.Kernels, err = ParseRaw(raw); err != nil {
		return Profile{}, err
	}
	p.Rules, err = ParseDetails(details)
	return p, err
}

// ReadFiles is Read of files; without details, there are no rules. Errors name the file.
func ReadFiles(raw, details string) (p Profile, err error) {
	if p.Kernels, err = readFile(raw, ParseRaw); err == nil && details != "" {
		p.Rules, err = readFile(details, ParseDetails)
	}
	return p, err
}

func readFile[T any](path string, parse func(io.Reader) ([]T, error)) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := parse(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return all, err
}
