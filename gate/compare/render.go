package compare

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// Formats are the names that Render knows.
var Formats = []string{"text", "json", "markdown", "csv"}

// Render writes the comparison in one of Formats.
func (d Document) Render(w io.Writer, format string) error {
	switch format {
	case "text":
		_, err := io.WriteString(w, d.text())
		return err
	case "markdown":
		_, err := io.WriteString(w, d.markdown())
		return err
	case "json":
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(d)
	case "csv":
		return d.csv(w)
	}
	return fmt.Errorf("unknown format %q, want one of %s", format, strings.Join(Formats, ", "))
}

// header names the columns of the table that people read.
var header = []string{"case", "n", "base", "head", "ratio", "bounds", "delta", "MDE", "verdict"}

// cells words a row as that table shows it.
func (r Row) cells() []string {
	cells := []string{printable(r.Name), fmt.Sprintf("%d+%d", r.BaseProcesses, r.HeadProcesses), "", "", "", "", "", "", string(r.Verdict)}
	c := r.Comparison
	if c == nil {
		if r.Reason != "" {
			cells[8] += ": " + printable(r.Reason)
		}
		return cells
	}
	cells[2], cells[3] = Duration(r.BaseNS), Duration(r.HeadNS)
	cells[4] = fmt.Sprintf("%.4f", c.Ratio)
	cells[5] = fmt.Sprintf("%.4f to %.4f", c.RatioLow, c.RatioHigh)
	cells[6] = fmt.Sprintf("%+.2f", c.Delta)
	cells[7] = fmt.Sprintf("%.2g%%", 100*c.MDE)
	return cells
}

func (d Document) text() string {
	table := [][]string{header}
	for _, r := range d.Rows {
		table = append(table, r.cells())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "base: %s (%s)\nhead: %s (%s)\n%s\n\n", printable(d.Old.Path), d.Old.Format, printable(d.New.Path), d.New.Format, d.terms())
	widths := make([]int, len(header))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 || i == len(row)-1 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
			line.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	b.WriteByte('\n')
	for _, line := range d.closing() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (d Document) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", escape(d.terms()))
	b.WriteString("| " + strings.Join(header, " | ") + " |\n|---|")
	b.WriteString(strings.Repeat("---:|", len(header)-2) + "---|\n")
	for _, r := range d.Rows {
		cells := r.cells()
		for i := range cells {
			cells[i] = escape(cells[i])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteByte('\n')
	for _, line := range d.closing() {
		b.WriteString("- " + escape(line) + "\n")
	}
	return b.String()
}

// terms says under which terms the verdicts hold.
func (d Document) terms() string {
	return fmt.Sprintf("%s, tolerance %.3g %%, improvement %.3g %%, %.4g %% sure over all %s",
		d.Method, 100*d.Policy.Tolerance, 100*d.Policy.Improvement, 100*d.Policy.Confidence, plural(d.Policy.Cases, "case"))
}

func (d Document) closing() []string {
	lines := []string{fmt.Sprintf("%s: %s", d.Conclusion.Verdict, counts(d.Conclusion.Counts))}
	for _, list := range [][]string{report.Sentences(d.Conclusion), d.Notes} {
		for _, line := range list {
			lines = append(lines, "  "+printable(line))
		}
	}
	return lines
}

func counts(by map[result.Verdict]int) string {
	var parts []string
	for _, v := range result.Verdicts {
		if by[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[v], v))
		}
	}
	if len(parts) == 0 {
		return "no cases"
	}
	return strings.Join(parts, ", ")
}

// csv writes a row for every case with the numbers in full: times in ns, the rest as fractions.
func (d Document) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"case", "verdict", "base_processes", "head_processes", "base_ns", "head_ns", "ratio", "ratio_low", "ratio_high",
		"delta", "delta_low", "delta_high", "mde", "reason",
	}}
	for _, r := range d.Rows {
		row := []string{r.Name, string(r.Verdict), strconv.Itoa(r.BaseProcesses), strconv.Itoa(r.HeadProcesses)}
		if c := r.Comparison; c != nil {
			for _, x := range []float64{
				r.BaseNS, r.HeadNS, c.Ratio, c.RatioLow, c.RatioHigh, c.Delta, c.DeltaLow, c.DeltaHigh, c.MDE,
			} {
				row = append(row, strconv.FormatFloat(x, 'g', 9, 64))
			}
		} else {
			row = append(row, slices.Repeat([]string{""}, 9)...)
		}
		rows = append(rows, append(row, r.Reason))
	}
	return out.WriteAll(rows)
}

// Duration words nanoseconds with four digits in the unit that suits them.
func Duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.4gns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.4gµs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.4gms", ns/1e6)
	}
	return fmt.Sprintf("%.4gs", ns/1e9)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printable makes text from a file safe for a terminal: control characters are shown, not obeyed.
func printable(s string) string {
	clean := func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}
	return strings.Map(clean, s)
}

// escape makes text from a file safe inside a Markdown table or list: no cell, link, tag or mention comes out of it.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~!", r):
			b.WriteString("\\" + string(r))
		case r == '@':
			b.WriteString("@\u200b")
		case r == '&':
			b.WriteString("&amp;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
