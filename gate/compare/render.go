package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Run is the comparison as a run, and that in words. What a run knows of its machine and rounds, files do not.
func (d Document) Run() (*result.Result, report.Document) {
	r := result.Result{Policy: d.Policy, Conclusion: d.Conclusion, Notes: d.Notes}
	r.Base = result.Version{Kind: result.VersionKind(d.Old.Format), Label: d.Old.Path}
	r.Head = result.Version{Kind: result.VersionKind(d.New.Format), Label: d.New.Path}
	for _, row := range d.Rows {
		r.Cases = append(r.Cases, row.measured())
	}
	return &r, report.FromFiles(&r, strings.TrimSuffix(d.Method+"; "+processes(d.Rows), "; "))
}

// measured is a row as a run has it.
func (r Row) measured() result.Case {
	c := r.decided()
	id := result.ParseCaseID(r.Name)
	c.Kernel, c.Params = id.Kernel, id.Params
	if r.BaseNS > 0 {
		c.Base = &result.Summary{MedianNS: r.BaseNS}
	}
	if r.HeadNS > 0 {
		c.Head = &result.Summary{MedianNS: r.HeadNS}
	}
	return c
}

// processes says how many each side has, which may differ between cases.
func processes(rows []Row) string {
	var words []string
	for _, r := range rows {
		word := fmt.Sprintf("%s of base and %d of head", text.Count(r.BaseProcesses, "process", "processes"), r.HeadProcesses)
		if r.Comparison != nil && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	const most = 3
	if len(words) > most {
		words = append(words[:most], "…")
	}
	return strings.Join(words, ", or ")
}

// CSV writes a row for every case with the numbers in full: times in ns, the rest as fractions.
func (d Document) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"case", "verdict", "base_processes", "head_processes", "base_ns", "head_ns", "ratio", "ratio_low", "ratio_high",
		"delta", "delta_low", "delta_high", "mde", "reason",
	}}
	for _, r := range d.Rows {
		row := []string{r.Name, string(r.Verdict), strconv.Itoa(r.BaseProcesses), strconv.Itoa(r.HeadProcesses)}
		numbers := make([]string, 9) // without a comparison, times and their ratio where both sides have one, and blanks
		write := func(all ...float64) {
			for i, x := range all {
				numbers[i] = strconv.FormatFloat(x, 'g', 9, 64)
			}
		}
		if c := r.Comparison; c != nil {
			write(r.BaseNS, r.HeadNS, c.Ratio, c.RatioLow, c.RatioHigh, c.Delta, c.DeltaLow, c.DeltaHigh, c.MDE)
		} else if r.BaseNS > 0 && r.HeadNS > 0 {
			write(r.BaseNS, r.HeadNS, r.HeadNS/r.BaseNS)
		}
		rows = append(rows, append(append(row, numbers...), r.Reason))
	}
	return out.WriteAll(rows)
}
