package explain_test

import (
	"encoding/csv"
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
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return fmt.Errorf("read a raw export: %w", err)
	}
	if len(rows) < 3 {
		return fmt.Errorf("a raw export of %d rows has no kernel", len(rows))
	}
	asked, err := os.ReadFile(filepath.Join(setsFolder, "metrics.txt")) // more than the rules of today read, for those of tomorrow
	if err != nil {
		return err
	}
	wanted := slices.Concat(kept, explain.Reads(), strings.Fields(string(asked)))
	var columns []int
	for i, name := range rows[0] {
		if slices.Contains(wanted, name) {
			columns = append(columns, i)
		}
	}
	out := csv.NewWriter(w)
	for _, row := range rows {
		var short []string
		for _, i := range columns {
			short = append(short, row[i])
		}
		if err := out.Write(short); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// TrimDetails copies the optimisations that Nsight proposes in a details export.
func TrimDetails(w io.Writer, r io.Reader) error {
	c := csv.NewReader(r)
	c.FieldsPerRecord, c.LazyQuotes = -1, true
	rows, err := c.ReadAll()
	if err != nil {
		return fmt.Errorf("read a details export: %w", err)
	}
	if len(rows) == 0 {
		return fmt.Errorf("a details export is empty")
	}
	columns := []string{"ID", "Kernel Name", "Section Name", "Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"}
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	at := func(row []string, name string) string {
		if i := slices.Index(rows[0], name); i >= 0 && i < len(row) {
			return row[i]
		}
		return ""
	}
	for _, row := range rows[1:] {
		if at(row, "Rule Type") != "OPT" {
			continue
		}
		var short []string
		for _, name := range columns {
			short = append(short, at(row, name))
		}
		if err := out.Write(short); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
