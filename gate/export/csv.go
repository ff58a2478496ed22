package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// Columns are the titles of the CSV. Times are in ns, ratios are head over base, bounds hold with the confidence of the run; detects is the
// smallest change that would have shown, as a fraction.
var Columns = []string{
	"machine", "kernel", "case", "verdict", "base_ns", "head_ns", "ratio", "ratio_low", "ratio_high", "cliffs_delta", "detects", "rounds", "base_cv", "head_cv", "reason",
}

// CSV writes a line for each case under Columns. What is not known is empty.
func CSV(w io.Writer, r *result.Result) error {
	out := csv.NewWriter(w)
	for _, c := range r.Cases {
		if err := out.Write(record(r, c)); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

func record(r *result.Result, c result.Case) []string {
	machine := c.Machine
	if machine == "" {
		machine = r.Machine.Model
	}
	base, head := result.Summary{}, result.Summary{}
	if c.Base != nil {
		base = *c.Base
	}
	if c.Head != nil {
		head = *c.Head
	}
	q, rounds := result.Comparison{}, ""
	if c.Compared != nil {
		q, rounds = *c.Compared, strconv.Itoa(c.Compared.Rounds)
	}
	delta := ""
	if c.Compared != nil {
		delta = strconv.FormatFloat(q.Delta, 'g', 6, 64)
	}
	return []string{
		plain(machine), plain(c.Kernel), plain(c.Name), string(c.Verdict), number(base.MedianNS), number(head.MedianNS), number(q.Ratio), number(q.RatioLow), number(q.RatioHigh),
		delta, number(q.MDE), rounds, number(base.ProcessCV), number(head.ProcessCV), plain(report.Reason(c.Reason)),
	}
}

// number is empty where a quantity is not known.
func number(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 9, 64)
}

// plain is a text that no spreadsheet takes for a formula.
func plain(text string) string {
	text = report.Visible(text)
	if strings.IndexAny(text, "=+-@") == 0 {
		return "'" + text
	}
	return text
}
