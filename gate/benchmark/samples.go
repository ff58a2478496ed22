package benchmark

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// SamplesHeader is the first line of a sample file: a row is one sample, several rows make a process.
const SamplesHeader = "process,kernel,case,ns"

// maxLine is the longest line of a sample file.
const maxLine = 256 << 10

// ReadSamples reads a sample file: header process,kernel,case,ns, one sample a row, in any order. Processes and cases keep
// the order of their first rows. path is for messages.
func ReadSamples(path string, in io.Reader) (Set, error) {
	lines := bufio.NewReaderSize(in, maxLine)
	r := &samplesReader{quoted: bufio.NewReader(nil), groups: map[string]*group{}, cases: map[string]int{}}
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 || err == nil {
			r.line++
			if err := r.row(bytes.TrimRight(line, "\r\n"), err); err != nil {
				return Set{}, &FileError{path, r.line, err}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Set{}, &FileError{path, r.line, err}
		}
	}
	if len(r.order) == 0 {
		return Set{}, &FileError{path, r.line, fmt.Errorf("no samples: want the header %q and a row for every sample", SamplesHeader)}
	}
	return Set{Path: path, Format: "csv", Cases: r.collect()}, nil
}

// group is the rows of one process for one case.
type group struct {
	process string
	at      int // index of its case
	samples []float64
}

// samplesReader takes rows apart by what precedes the last comma: that names the group and is mostly what the row
// before had, so a file of a million rows costs a comparison a row.
type samplesReader struct {
	line   int
	last   *group
	prefix []byte
	quoted *bufio.Reader // one buffer for all prefixes
	groups map[string]*group
	order  []*group
	cases  map[string]int
	names  []string
}

// row takes in one line; read is what reading it said.
func (r *samplesReader) row(line []byte, read error) error {
	if errors.Is(read, bufio.ErrBufferFull) {
		return fmt.Errorf("line is longer than %d bytes", maxLine)
	}
	if r.line == 1 {
		header := string(bytes.TrimPrefix(line, []byte("\ufeff")))
		if header != SamplesHeader {
			return fmt.Errorf("header is %s, want %q", Quoted(header), SamplesHeader)
		}
		return nil
	}
	comma := bytes.LastIndexByte(line, ',')
	if comma < 0 {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return fmt.Errorf("%s has no comma, want %s", Quoted(string(line)), SamplesHeader)
	}
	if r.last == nil || !bytes.Equal(r.prefix, line[:comma]) {
		if err := r.find(line[:comma]); err != nil {
			return err
		}
	}
	ns, err := parseNS(line[comma+1:])
	if err != nil {
		return err
	}
	r.last.samples = append(r.last.samples, ns)
	return nil
}

// find makes last the group that prefix names.
func (r *samplesReader) find(prefix []byte) error {
	r.prefix = append(r.prefix[:0], prefix...)
	if g, ok := r.groups[string(prefix)]; ok {
		r.last = g
		return nil
	}
	r.quoted.Reset(bytes.NewReader(prefix))
	fields, err := csv.NewReader(r.quoted).Read() // RFC 4180
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return fmt.Errorf("%s: column %d: %w", Quoted(string(prefix)), bad.Column, bad.Err)
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(fields) != 3:
		return fmt.Errorf("%d fields before the latency, want process, kernel and case (quote a case that has commas)", len(fields))
	}
	process, kernel, params := fields[0], fields[1], fields[2]
	if process == "" || kernel == "" {
		return errors.New("process and kernel must not be empty")
	}
	name := result.CaseID{Kernel: kernel, Row: params}.String()
	at, ok := r.cases[name]
	if !ok {
		at = len(r.names)
		r.cases[name] = at
		r.names = append(r.names, name)
	}
	// Processes mostly have as many samples as the one before.
	var likely int
	if r.last != nil {
		likely = len(r.last.samples)
	}
	r.last = &group{process: process, at: at, samples: make([]float64, 0, likely)}
	r.groups[string(prefix)] = r.last
	r.order = append(r.order, r.last)
	return nil
}

func (r *samplesReader) collect() []Case {
	cases := make([]Case, len(r.names))
	for i, name := range r.names {
		cases[i] = Case{Name: name, Launches: 1}
	}
	for _, g := range r.order {
		c := &cases[g.at]
		c.Processes = append(c.Processes, Process{ID: g.process, Samples: g.samples})
	}
	return cases
}

func parseNS(text []byte) (float64, error) {
	if ns, ok := parseDecimal(text); ok {
		return ns, CheckNS(ns)
	}
	word := strings.Trim(strings.TrimSpace(string(text)), `"`)
	ns, err := parseNumber(word)
	if err != nil {
		return 0, fmt.Errorf("latency %s is not a number", Quoted(word))
	}
	return ns, CheckNS(ns)
}

// parseNumber reads what tools write as a decimal number. Go's 1_000 and 0x1p10 are none: a file that has them means something else.
func parseNumber(word string) (float64, error) {
	if strings.ContainsAny(word, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(word, 64)
}

// parseDecimal reads digits with at most one point, as nearly every latency is written. Up to 15 digits fit a float64
// exactly, and so does the power of ten, so that one division rounds as strconv does.
func parseDecimal(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > 16 {
		return 0, false
	}
	digits, scale, point := 0, 1.0, false
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = digits*10 + int(c-'0')
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	exact := digits < 1e15 && (len(text) > 1 || !point)
	return float64(digits) / scale, exact
}

// Quoted is text from a file in a message, cut to a readable length.
func Quoted(text string) string {
	const longest = 60
	if len(text) > longest {
		return strconv.QuoteToASCII(text[:longest]) + "…"
	}
	return strconv.QuoteToASCII(text)
}
