package baseline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// maxImport is the most records that are imported: a hundred times what a year has.
const maxImport = 10_000

// tableColumns are those of an exported trend.
var tableColumns = []string{"commit", "time", "behind", "process", "kernel", "case", "ns"}

// WriteTable writes a line of CSV for each process of records, as perfgate compare reads them. With trend, commit, time and distance stand in
// front.
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

// ReadLines reads what WriteLines wrote. Each record is held to what every record is; one that appears twice is an error. Errors begin with the line.
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
			return nil, fmt.Errorf("line %d: %w", n, recordError(err))
		case seen[r.Key()] > 0:
			return nil, fmt.Errorf("line %d: the record of %.12s is on line %d already", n, r.Commit, seen[r.Key()])
		case len(out) == maxImport:
			return nil, fmt.Errorf("line %d: more than %d records", n, maxImport)
		}
		seen[r.Key()] = n
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return out, nil
}

// Import writes records that the store does not have, or all of them with replace, and says how many it wrote.
func Import(ctx context.Context, s *Store, records []*Record, replace bool) (written int, err error) {
	var keys []string
	known := map[string]bool{}
	for _, r := range records {
		keys = append(keys, r.Key())
	}
	if err := readRecords(ctx, s, keys, func(key string, _ *Record, problem error) { known[key] = problem == nil && !replace }); err != nil {
		return 0, err
	}
	wanted := slices.DeleteFunc(slices.Clone(records), func(r *Record) bool { return known[r.Key()] })
	return len(wanted), Save(ctx, s, wanted...)
}
