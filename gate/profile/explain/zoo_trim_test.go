package explain_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/profile/explain"
)

// kept are the columns of a raw export that describe a launch and say nothing of the machine.
var kept = []string{"ID", "Kernel Name", "Block Size", "Grid Size"}

// TrimRaw copies a raw export with the columns that explanations read. Units and spellings stay as they are.
func TrimRaw(w io.Writer, r io.Reader) error {
	asked, err := os.ReadFile(filepath.Join(setsFolder, "metrics.txt")) // more than the rules of today read, for those of tomorrow
	if err != nil {
		return err
	}
	wanted := slices.Concat(kept, explain.Reads(), strings.Fields(string(asked)))
	return trimTable(w, r, 3, func(header []string) []string {
		return slices.DeleteFunc(slices.Clone(header), func(name string) bool { return !slices.Contains(wanted, name) })
	}, func(func(string) string) bool { return true })
}

// TrimDetails copies the optimisations that Nsight proposes in a details export.
func TrimDetails(w io.Writer, r io.Reader) error {
	columns := []string{"ID", "Kernel Name", "Section Name", "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"}
	return trimTable(w, r, 1, func([]string) []string { return columns }, func(at func(string) string) bool { return at("Rule Type") == "OPT" })
}

// trimTable copies columns of the rows under a header that are kept: "" where a row is shorter, or has no such column.
func trimTable(w io.Writer, r io.Reader, least int, columns func(header []string) []string, kept func(at func(column string) string) bool) error {
	c := csv.NewReader(r)
	c.FieldsPerRecord, c.LazyQuotes = -1, true
	rows, err := c.ReadAll()
	if err != nil || len(rows) < least {
		return fmt.Errorf("an export of %d rows, of at least %d: %w", len(rows), least, err)
	}
	out, names := csv.NewWriter(w), columns(rows[0])
	err = out.Write(names)
	for _, row := range rows[1:] {
		at := func(name string) string {
			if i := slices.Index(rows[0], name); i >= 0 && i < len(row) {
				return row[i]
			}
			return ""
		}
		var short []string
		for _, name := range names {
			short = append(short, at(name))
		}
		if err == nil && kept(at) {
			err = out.Write(short)
		}
	}
	out.Flush()
	return errors.Join(err, out.Error())
}
