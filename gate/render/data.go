package render

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
)

// CSV writes a table: a line of the columns' keys, and a line for each row, with raw numbers where cells have them. A cell that is not
// there is empty.
func CSV(w io.Writer, t report.Table) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Key
	}
	rows := [][]string{line}
	for _, r := range t.Rows {
		line := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			line[i] = rawText(r.Cells[c.Key])
		}
		rows = append(rows, line)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// rawText is a cell that no spreadsheet takes for a formula.
func rawText(c report.Cell) string {
	if c.Value != nil {
		return strconv.FormatFloat(*c.Value, 'g', 9, 64)
	}
	text := text.Visible(c.Text)
	if strings.IndexAny(text, "=+-@") == 0 {
		return "'" + text
	}
	return text
}

// documentData is what a document says, for a program: its tables by their keys, each row by the titles of its columns, and its lines.
type documentData struct {
	Tables map[string][]map[string]any `json:"tables,omitempty"`
	Lines  []string                    `json:"lines,omitempty"`
}

// JSON writes a document that has no data of its own: what it says is all that there is. Numbers are numbers, other cells are texts.
func JSON(w io.Writer, d report.Document) error {
	data := documentData{Tables: map[string][]map[string]any{}}
	for _, b := range d.Blocks {
		for _, line := range b.Paragraphs {
			data.Lines = append(data.Lines, report.PlainText(line))
		}
		if b.Table == nil {
			continue
		}
		rows := []map[string]any{}
		for _, row := range b.Table.Rows {
			fields := map[string]any{b.Table.First: row.Name.Full}
			for _, c := range b.Table.Columns {
				cell := row.Cells[c.Key]
				if fields[c.Title] = cell.Text; cell.Value != nil {
					fields[c.Title] = *cell.Value
				}
			}
			rows = append(rows, fields)
		}
		data.Tables[b.Key] = rows
	}
	return saved.Print(w, data)
}

// JUnit writes a table of tests (report.Tests) with the elements and attributes of the schema of Jenkins' xUnit plugin (junit-10.xsd): a suite
// for each kernel, in the order of the rows. The first row is the run, whose time is that of all.
func JUnit(w io.Writer, t report.Table, host string, started time.Time) error {
	var suites markup
	total := map[string]int{}
	for rows := range kernelsOf(t.Rows) {
		count := map[string]int{}
		var tests markup
		for i, row := range rows {
			tests += "\n  " + testCase(row, suites == "" && i == 0)
			count[row.Cells["outcome"].Text]++
			total[row.Cells["outcome"].Text]++
		}
		about := append(counted(rows[0].Name.Kernel, len(rows), count), "skipped", strconv.Itoa(count[report.TestSkipped]))
		if !started.IsZero() {
			about = append(about, "timestamp", started.UTC().Format("2006-01-02T15:04:05"))
		}
		suites += "\n " + el("testsuite", append(about, "hostname", host), tests, "\n ")
	}
	about := counted("perfgate", len(t.Rows), total)
	if len(t.Rows) > 0 {
		about = append(about, "time", seconds(t.Rows[0], "%.3f"))
	}
	_, err := io.WriteString(w, string(el("testsuites", about, suites, "\n"))+"\n")
	return err
}

func counted(name string, tests int, outcomes map[string]int) attrs {
	return attrs{"name", name, "tests", strconv.Itoa(tests), "failures", strconv.Itoa(outcomes[report.TestFailed]), "errors", strconv.Itoa(outcomes[report.TestError])}
}

// testCase is a row as a test, with what became of it. The time of the run is that of all.
func testCase(row report.Row, isRun bool) markup {
	about := attrs{"name", row.Name.Full, "classname", row.Name.Kernel}
	if !isRun {
		about = append(about, "time", seconds(row, "%.9f"))
	}
	var outcome, output markup
	if o := row.Cells["outcome"].Text; o != "" {
		outcome = "\n   " + el(o, attrs{"type", row.Cells["kind"].Text, "message", row.Cells["message"].Text})
	}
	if said := text.Visible(row.Cells["output"].Text); said != "" {
		output = "\n   " + el("system-out", nil, markup(html.EscapeString(said)))
	}
	return el("testcase", about, outcome, output, "\n  ")
}

// seconds is the time of a test; "" where it is not known.
func seconds(row report.Row, format string) string {
	if v := row.Cells["time"].Value; v != nil {
		return fmt.Sprintf(format, *v)
	}
	return ""
}
