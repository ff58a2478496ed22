package render

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

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
