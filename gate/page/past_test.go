package page_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/result"
)

func parsed(t *testing.T, write func(io.Writer) error) *html.Node {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestHistoryPage: each case has a chart that says how many levels it has and why they changed.
func TestHistoryPage(t *testing.T) {
	t.Parallel()
	c := history.Case{Name: payloads[0], Kernel: payloads[0], OverBest: 0.1, BestCommit: "0123456789abcdef"}
	for i := range 8 {
		c.Points = append(c.Points, history.Point{Commit: history.Commit{ID: fmt.Sprintf("%040d", i)}, NS: 1e6, Steadied: 1e6 + 1e5*float64(i/4)})
	}
	c.Levels = []history.Level{{First: 0, Count: 4, NS: 1e6}, {First: 4, Count: 4, NS: 1.1e6}}
	c.Changes = []history.Change{{At: c.Points[4].Commit, After: c.Points[3].Commit, Ratio: 1.1, Low: 1.09, High: 1.11, Cause: result.LevelByCommit}}
	h := history.History{Machine: payloads[1], Records: 8, From: c.Points[0].Commit, To: c.Points[7].Commit, Cases: []history.Case{c}}
	root := parsed(t, func(w io.Writer) error { return page.WriteHistory(w, h, page.Options{}) })
	inspect(t, "history", root)
	said := strings.Join(labels(root), " ")
	if want := "2 levels in 8 records; the last is +10.0 % over the best, of 0123456789ab."; !strings.Contains(said, want) {
		t.Errorf("the chart says %q, want %q", said, want)
	}
	if text := textOf(root); !strings.Contains(text, "+10.0 %, code") || !strings.Contains(text, payloads[0]) {
		t.Errorf("the page does not say why, or of what: %s", text)
	}
}

// TestBisectPage: every step is drawn, also one that could not be measured.
func TestBisectPage(t *testing.T) {
	t.Parallel()
	bad := bisect.Step{Ask: bisect.Ask{Base: "aaaa", Head: "bbbb"}, Answer: bisect.Bad, Ratio: 1.1, Low: 1.08, High: 1.12, Rounds: 4}
	r := &bisect.Report{Tolerance: 0.015}
	r.Kind, r.First, r.Parent, r.Confirm, r.Ends = bisect.Found, "bbbb", "aaaa", &bad, bad
	r.Steps = []bisect.Step{bad, {Ask: bisect.Ask{Base: "aaaa", Head: payloads[0]}, Answer: bisect.Skip, Reason: payloads[1]}}
	root := parsed(t, func(w io.Writer) error { return page.WriteBisect(w, r, page.Options{}) })
	inspect(t, "bisect", root)
	marks := 0
	for _, e := range elements(root) {
		if e.Data == "title" && e.Parent.Data == "path" {
			marks++
		}
	}
	if len(labels(root)) != 1 || marks != len(r.Steps) {
		t.Errorf("%d figures, %d steps are drawn", len(labels(root)), marks)
	}
}

// TestBeside: every case of every result has a line, and what a result lacks is a dash.
func TestBeside(t *testing.T) {
	t.Parallel()
	one, other := read(t, "regression"), read(t, "parity")
	one.Cases[0].Name = payloads[0]
	all := []page.Named{{Name: payloads[1], Page: "1/report.html", Result: one}, {Name: "b", Page: "2/report.html", Result: other}}
	root := parsed(t, func(w io.Writer) error { return page.WriteBeside(w, all) })
	said := map[string]bool{}
	links := 0
	for _, e := range elements(root) {
		switch {
		case e.Data == "a" && attr(e, "href") == "2/report.html":
			links++
		case e.Data == "script" && textOf(e) == "alert(1)", e.Data == "img":
			t.Error("a name acts")
		case e.Data == "tr":
			said[textOf(e)] = true
		}
	}
	names := map[string]bool{}
	for _, r := range all {
		for _, c := range r.Result.Cases {
			names[c.Name] = true
		}
	}
	if links != 1 || len(said) != len(names)+1 || !said["attention/B=1,H=8,S=128,D=64,causal=0+93.1 %, regressionskipped"] || !strings.Contains(textOf(root), payloads[0]) || !strings.Contains(textOf(root), "regression") {
		t.Errorf("%d links, rows %v", links, said)
	}
}
