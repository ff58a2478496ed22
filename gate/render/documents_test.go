package render

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// inspected is the page of a document, of which inspect found nothing wrong.
func inspected(t *testing.T, name string, d report.Document) *html.Node {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, d); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, name, root)
	return root
}

// aHistory is a case that became slower once, under names that would act.
func aHistory() history.History {
	c := history.Case{Name: payloads[0], Kernel: payloads[0], OverBest: 0.1, BestCommit: "0123456789abcdef"}
	for i := range 8 {
		c.Points = append(c.Points, history.Point{Commit: history.Commit{ID: fmt.Sprintf("%040d", i)}, NS: 1e6, Steadied: 1e6 + 1e5*float64(i/4)})
	}
	c.Levels = []history.Level{{First: 0, Count: 4, NS: 1e6}, {First: 4, Count: 4, NS: 1.1e6}}
	c.Changes = []history.Change{{At: c.Points[4].Commit, After: c.Points[3].Commit, Ratio: 1.1, Low: 1.09, High: 1.11, Cause: result.LevelByCommit}}
	return history.History{Machine: payloads[1], Records: 8, From: c.Points[0].Commit, To: c.Points[7].Commit, Cases: []history.Case{c}}
}

// TestHistoryPage: each case has a chart that says how many levels it has and why they changed.
func TestHistoryPage(t *testing.T) {
	t.Parallel()
	root := inspected(t, "history", report.HistoryDocument(aHistory()))
	said := strings.Join(labels(root), " ")
	if want := "2 levels in 8 records; the last is +10.0 % over the best, of 0123456789ab."; !strings.Contains(said, want) {
		t.Errorf("the chart says %q, want %q", said, want)
	}
	if text := textOf(root); !strings.Contains(text, "+10.0 %, code") || !strings.Contains(text, payloads[0]) {
		t.Errorf("the page does not say why, or of what: %s", text)
	}
}

func aBisect() *bisect.Report {
	bad := bisect.Step{Ask: bisect.Ask{Base: "aaaa", Head: "bbbb"}, Answer: bisect.Bad, Ratio: 1.1, Low: 1.08, High: 1.12, Rounds: 4}
	r := &bisect.Report{Tolerance: 0.015}
	r.Kind, r.First, r.Parent, r.Confirm, r.Ends = bisect.Found, "bbbb", "aaaa", &bad, bad
	r.Steps = []bisect.Step{bad, {Ask: bisect.Ask{Base: "aaaa", Head: payloads[0]}, Answer: bisect.Skip, Reason: payloads[1]}}
	return r
}

// TestBisectPage: every step is drawn, also one that could not be measured.
func TestBisectPage(t *testing.T) {
	t.Parallel()
	root := inspected(t, "bisect", report.BisectDocument(aBisect()))
	marks := 0
	for _, e := range elements(root) {
		if e.Data == "title" && e.Parent.Data == "path" {
			marks++
		}
	}
	if len(labels(root)) != 1 || marks != len(aBisect().Steps) {
		t.Errorf("%d figures, %d steps are drawn", len(labels(root)), marks)
	}
}

// TestSideBySide: every case of every result has a row, and what a result lacks is a dash.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	one, other := load(t, "regression"), load(t, "parity")
	one.Cases[0].Name, one.Cases[0].Params = payloads[0], nil
	root := inspected(t, "side by side", report.SideBySide([]report.Named{{Name: payloads[1], Page: "1/report.html", Result: one}, {Name: "b", Page: "2/report.html", Result: other}}))
	rows, names, links := map[string]bool{}, map[string]bool{}, 0
	for _, e := range elements(root) {
		switch {
		case e.Data == "a" && attr(e, "href") == "2/report.html":
			links++
		case e.Data == "tr" && e.Parent.Data == "tbody":
			rows[textOf(e)] = true
		}
	}
	for _, c := range append(one.Cases, other.Cases...) {
		names[c.Name] = true
	}
	if text := textOf(root); links != 1 || len(rows) != len(names) || !strings.Contains(text, payloads[0]) || !strings.Contains(text, "+94.9 %, regression") {
		t.Errorf("%d links, rows %v", links, rows)
	}
}

// aVersus has cases along a parameter, and one that crashed.
func aVersus() *result.VersusResult {
	d := &result.VersusResult{A: "<b>new</b>", B: "torch:sdpa", Machine: result.Machine{Model: "a machine"}}
	for i, theta := range []float64{0.4, -0.2, -0.5} {
		n := fmt.Sprint(64 << i)
		c := result.Case{
			Name: "k/S=" + n, Params: []result.Param{{Name: "S", Value: n}}, Head: &result.Summary{MedianNS: 1e5 * math.Exp(theta)}, Base: &result.Summary{MedianNS: 1e5},
			Comparisons: result.HeadToBase(&result.Comparison{Theta: theta, Low: theta - 0.1, High: theta + 0.1, Ratio: math.Exp(theta), RatioLow: math.Exp(theta - 0.1), RatioHigh: math.Exp(theta + 0.1)}),
		}
		for j := range 4 {
			c.Processes = append(c.Processes, result.Process{Round: j / 2, Position: j, Variant: []result.Variant{result.VariantBase, result.VariantHead}[j%2], ValueNS: 1e5 + float64(j)})
		}
		d.Cases = append(d.Cases, c)
	}
	d.Cases = append(d.Cases, result.Case{Name: "k/S=9", Params: []result.Param{{Name: "S", Value: "9"}}, Reason: result.Message("crashed")})
	return d
}

// A versus result has a page: all cases, the course along a parameter with the place where the one overtakes the other, and each distribution, under
// names that are no markup.
func TestVersusPage(t *testing.T) {
	t.Parallel()
	text := textOf(inspected(t, "versus", report.VersusDocument(aVersus())))
	for _, want := range []string{"<b>new</b> is faster in 2 of 4 cases", "torch:sdpa in 1", "1 could not be measured", "they cross between S=64 and 128", "Along S", "Distribution: k/S=256", "could not be measured: crashed"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q in\n%s", want, text)
		}
	}
}

// Above the cases stands what they come to together, where that is more than reading two lines.
func TestAllCasesTogether(t *testing.T) {
	t.Parallel()
	text := textOf(pageOf(t, load(t, "improvement")))
	if !strings.Contains(text, "All 3 cases: −") || !strings.Contains(text, "in the geometric mean, from −38") {
		t.Error(text[:600])
	}
	if strings.Contains(textOf(pageOf(t, load(t, "parity"))), "geometric mean") {
		t.Error("one case is no crowd")
	}
}

func aWatch() *drift.Report {
	return &drift.Report{Cases: []drift.Case{
		{Name: "k/n=1", Kernel: "k", NS: 1.1e5, UsualNS: 1e5, Ratio: 1.1, Low: 1.05, High: 1.15, Records: 9}, {Name: "k/n=2", Kernel: "k", NS: 1e5},
	}}
}

// Drift has one too.
func TestDriftPage(t *testing.T) {
	t.Parallel()
	if text := textOf(inspected(t, "drift", report.WatchDocument(aWatch()))); !strings.Contains(text, "time over the usual one") || !strings.Contains(text, "n=2") {
		t.Error(text)
	}
}
