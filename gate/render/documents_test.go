package render

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/search"
)

// inspected is the page of a document, of which inspect found nothing wrong.
func inspected(t *testing.T, name string, d report.Document) *html.Node {
	t.Helper()
	root := parsed(t, d)
	inspect(t, name, root)
	return root
}

// others are the documents of scenarios that are no run of the gate, by the file that they are made of. Names in it would act.
var others = map[string]func([]byte) (report.Document, error){
	"history": decoded(report.HistoryDocument), "bisect": decoded(report.BisectDocument), "versus": decoded(report.New), "drift": decoded(report.DriftDocument),
	"judge": decoded(func(s search.LedgerStatus) report.Document { return report.JudgeStatus(s.Summary, s.Answers) }),
}

func decoded[T any](document func(T) report.Document) func([]byte) (report.Document, error) {
	return func(data []byte) (report.Document, error) {
		var v T
		err := json.Unmarshal(data, &v)
		return document(v), err
	}
}

// documents are those of all scenarios, by their names.
func documents(t *testing.T) map[string]report.Document {
	t.Helper()
	out := map[string]report.Document{}
	for _, name := range samples {
		out[name] = documentOf(load(t, name))
	}
	for name, document := range others {
		data, err := os.ReadFile(filepath.Join(samplesDir, name, name+".json"))
		if err == nil {
			out[name], err = document(data)
		}
		must(t, err)
	}
	return out
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

// TestCellsAreFoundByTheirKeys: wherever a column stands, its cells stand under it, and a format that names cells itself does not mind.
func TestCellsAreFoundByTheirKeys(t *testing.T) {
	t.Parallel()
	columns := []report.Column{{Key: "a", Title: "alpha"}, {Key: "b", Title: "beta"}, {Key: "c", Title: "gamma"}}
	cells := report.Cells{"c": {Text: "third"}, "a": {Text: "first"}, "b": {Text: "second"}}
	for range columns {
		columns = append(columns[1:], columns[0])
		table := report.Table{First: "row", Columns: columns, Rows: []report.Row{{Name: report.Name{Full: "k"}, Cells: cells}}}
		d := report.Document{Verdict: "PASS", Blocks: []report.Block{{Key: "t", Table: &table}}}
		var want, keys, titles []string
		for _, c := range columns {
			keys, titles, want = append(keys, c.Key), append(titles, c.Title), append(want, cells[c.Key].Text)
		}
		if csv := strings.Fields(csvOf(t, table)); csv[0] != strings.Join(keys, ",") || csv[1] != strings.Join(want, ",") {
			t.Errorf("CSV: %q", csv)
		}
		for format, text := range map[string]string{
			"terminal": terminalOf(t, d, TerminalOptions{}), "Markdown": markdownOf(t, d, MarkdownOptions{}), "HTML": textOf(inspected(t, "keys", d)),
		} {
			said := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == '`' || unicode.IsSpace(r) }), "")
			if !strings.Contains(said, strings.Join(titles, "")) || !strings.Contains(said, strings.Join(want, "")) {
				t.Errorf("%s with columns %q: %s", format, titles, said)
			}
		}
	}
	r := load(t, "regression")
	tests := report.Tests(r, report.New(r))
	slices.Reverse(tests.Columns)
	var b strings.Builder
	if err := JUnit(&b, tests, r.Machine.Model, r.Started); err != nil || b.String() != junit(t, r) {
		t.Errorf("JUnit depends on the order of columns: %v", err)
	}
}
