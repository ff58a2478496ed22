package export

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
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
		Name      string `xml:"name,attr"`
		Tests     int    `xml:"tests,attr"`
		Failures  int    `xml:"failures,attr"`
		Errors    int    `xml:"errors,attr"`
		Skipped   int    `xml:"skipped,attr"`
		Timestamp string `xml:"timestamp,attr,omitempty"`
		Hostname  string `xml:"hostname,attr,omitempty"`
		Cases     []test `xml:"testcase"`
	}
	test struct {
		Name      string   `xml:"name,attr"`
		Class     string   `xml:"classname,attr"`
		Time      string   `xml:"time,attr,omitempty"`
		Failure   *outcome `xml:"failure"`
		Error     *outcome `xml:"error"`
		Skipped   *outcome `xml:"skipped"`
		SystemOut string   `xml:"system-out,omitempty"`
	}
	outcome struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a run as test suites: one for each kernel, with its parity and its cases as tests, and one for what concerns the run. A
// test succeeds where something was compared and nothing speaks against it. It fails with what fails the gate, is an error where the
// gate could not measure, and is skipped where nothing was compared. The time of a case is head's median, in seconds.
func JUnit(w io.Writer, r *result.Result, d report.Document) error {
	out := suites{Name: "perfgate", Time: fmt.Sprintf("%.3f", r.Timings.TotalS), Suites: []suite{runSuite(r, d)}}
	for _, kernel := range kernelNames(r) {
		out.Suites = append(out.Suites, kernelSuite(r, d, kernel))
	}
	for i := range out.Suites {
		s := &out.Suites[i]
		s.count()
		s.Hostname = report.Visible(r.Machine.Model)
		if !r.Started.IsZero() {
			s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
		}
		out.Tests, out.Failures, out.Errors = out.Tests+s.Tests, out.Failures+s.Failures, out.Errors+s.Errors
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suite) count() {
	for _, t := range s.Cases {
		s.Tests++
		switch {
		case t.Failure != nil:
			s.Failures++
		case t.Error != nil:
			s.Errors++
		case t.Skipped != nil:
			s.Skipped++
		}
	}
}

// kernelNames are the kernels of the run, and those that only a case names.
func kernelNames(r *result.Result) []string {
	var out []string
	for _, k := range r.Kernels {
		out = append(out, k.Name)
	}
	for _, c := range r.Cases {
		if !slices.Contains(out, c.Kernel) {
			out = append(out, c.Kernel)
		}
	}
	return out
}

// runSuite has one test, the run: it has the verdict, by what concerns no kernel alone where that decides it.
func runSuite(r *result.Result, d report.Document) suite {
	t := test{Name: "run", Class: "perfgate", SystemOut: d.Verdict + ": " + report.PlainText(d.Headline)}
	t.judge(of(r, func(f result.Finding) bool { return f.Kernel == "" && f.Case == "" }))
	o := &outcome{Type: string(r.Conclusion.Verdict), Message: t.SystemOut}
	switch { // a dashboard that shows this test alone shows the answer
	case r.Conclusion.Verdict == result.RunFailed && t.Failure == nil:
		t.Failure, t.Error, t.Skipped = o, nil, nil
	case r.Conclusion.Verdict != result.RunPassed && t.Failure == nil && t.Error == nil:
		t.Error, t.Skipped = o, nil
	}
	return suite{Name: "perfgate", Cases: []test{t}}
}

func kernelSuite(r *result.Result, d report.Document, kernel string) suite {
	s := suite{Name: report.Visible(kernel)}
	for _, k := range r.Kernels {
		if k.Name == kernel {
			s.Cases = append(s.Cases, kernelTest(r, d, k))
		}
	}
	for _, c := range r.Cases {
		if c.Kernel == kernel {
			s.Cases = append(s.Cases, caseTest(r, c))
		}
	}
	return s
}

// kernelTest says whether a kernel is right, and what else concerns all of it.
func kernelTest(r *result.Result, d report.Document, k result.Kernel) test {
	t := test{Name: "parity", Class: report.Visible(k.Name)}
	for _, check := range d.Parity {
		if check.Kernel == k.Name {
			t.SystemOut = check.Status + ": " + report.PlainText(check.Text)
		}
	}
	t.judge(of(r, func(f result.Finding) bool { return f.Kernel == k.Name && f.Case == "" }))
	if t.open() && k.Parity.Status != result.ParityPassed {
		t.Skipped = &outcome{Type: cmp.Or(string(k.Parity.Status), "not-run"), Message: "parity was not checked"}
	}
	return t
}

// compared are the verdicts of cases in which head was held against base.
var compared = []result.Verdict{result.Same, result.Slower, result.Faster, result.Improvement}

func caseTest(r *result.Result, c result.Case) test {
	name := strings.TrimPrefix(c.Name, c.Kernel+"/")
	if c.Machine != "" {
		name += " on " + c.Machine
	}
	t := test{Name: report.Visible(name), Class: report.Visible(c.Kernel), SystemOut: says(c)}
	if c.Head != nil && c.Head.MedianNS > 0 {
		t.Time = fmt.Sprintf("%.9f", c.Head.MedianNS/1e9)
	}
	t.judge(of(r, func(f result.Finding) bool { return f.About(c) }))
	if t.open() && !slices.Contains(compared, c.Verdict) {
		t.Skipped = &outcome{Type: string(c.Verdict), Message: report.Visible(cmp.Or(report.Reason(c.Reason), "not compared"))}
	}
	return t
}

// says is the verdict of a case with its figures.
func says(c result.Case) string {
	text := string(c.Verdict)
	if q := c.Compared; q != nil {
		text += fmt.Sprintf(": %s (%s to %s)", report.Change(q.Ratio-1, 2), report.Change(q.RatioLow-1, 2), report.Change(q.RatioHigh-1, 2))
	}
	return text
}

func of(r *result.Result, about func(result.Finding) bool) []result.Finding {
	return slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool { return !about(f) })
}

// judge makes the worst of what was found the outcome of a test.
func (t *test) judge(found []result.Finding) {
	for _, effect := range result.Effects {
		for _, f := range found {
			if f.Effect != effect || !t.open() {
				continue
			}
			o := &outcome{Type: string(f.Kind), Message: report.Sentence(f)}
			switch effect {
			case result.EffectFails:
				t.Failure = o
			case result.EffectUnmeasured:
				t.Error = o
			case result.EffectAccepted:
				t.Skipped = o
			}
		}
	}
}

// open says whether nothing speaks against the test so far.
func (t *test) open() bool { return t.Failure == nil && t.Error == nil && t.Skipped == nil }
