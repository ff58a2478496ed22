package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"github.com/org/perfgate/gate/report"
)

// The elements of JUnit XML, as the schema of Jenkins' xUnit plugin (junit-10.xsd) has them.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Time     string   `xml:"time,attr"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Timestamp string     `xml:"timestamp,attr,omitempty"`
		Hostname  string     `xml:"hostname,attr,omitempty"`
		Cases     []testCase `xml:"testcase"`
	}
	testCase struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		Time    string    `xml:"time,attr,omitempty"`
		Outcome []outcome // at most one; its name is failure, error or skipped
		Output  string    `xml:"system-out,omitempty"`
	}
	outcome struct {
		XMLName xml.Name
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// JUnit writes a table of tests (report.Tests): a suite for each kernel, in the order of the rows. The first row is the run, whose time is
// that of all.
func JUnit(w io.Writer, t report.Table, host string, started time.Time) error {
	out := suites{Name: "perfgate"}
	for i, row := range t.Rows {
		suiteName := report.Visible(row.Name.Kernel)
		test := testCase{Name: report.Visible(row.Name.Full), Class: suiteName, Output: report.Visible(row.Cells["output"].Text)}
		switch v := row.Cells["time"].Value; {
		case i == 0 && v != nil:
			out.Time = fmt.Sprintf("%.3f", *v)
		case v != nil:
			test.Time = fmt.Sprintf("%.9f", *v)
		}
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != suiteName {
			out.Suites = append(out.Suites, suite{Name: suiteName, Hostname: report.Visible(host)})
			if !started.IsZero() {
				out.Suites[n].Timestamp = started.UTC().Format("2006-01-02T15:04:05")
			}
		}
		s := &out.Suites[len(out.Suites)-1]
		switch o := row.Cells["outcome"].Text; o {
		case report.TestFailed:
			s.Failures++
			out.Failures++
		case report.TestError:
			s.Errors++
			out.Errors++
		case report.TestSkipped:
			s.Skipped++
		}
		if o := row.Cells["outcome"].Text; o != "" {
			test.Outcome = []outcome{{xml.Name{Local: o}, report.Visible(row.Cells["kind"].Text), report.Visible(row.Cells["message"].Text)}}
		}
		s.Tests++
		out.Tests++
		s.Cases = append(s.Cases, test)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}
