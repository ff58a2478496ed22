package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

var update = flag.Bool("update", false, "write testdata/report anew: sample results and golden files")

const samplesDir = "../../testdata/report"

// TestGolden renders every sample as a report job would, from its file.
func TestGolden(t *testing.T) {
	if *update {
		writeSamples(t)
	}
	for name := range samples {
		t.Run(name, func(t *testing.T) {
			r, err := result.ReadFile(filepath.Join(samplesDir, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			d := New(r)
			for suffix, text := range renderings(t, d) {
				golden(t, filepath.Join(samplesDir, name+suffix), text)
			}
		})
	}
}

func renderings(t *testing.T, d Document) map[string]string {
	t.Helper()
	var terminal, markdown, timings bytes.Buffer
	for _, err := range []error{
		Terminal(&terminal, d, TerminalOptions{}), Markdown(&markdown, d), TerminalTimings(&timings, d),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{".txt": terminal.String() + "\n" + timings.String(), ".md": markdown.String()}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test ./gate/report -update writes it anew\n%s", path, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one ends earlier"
}

func writeSamples(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(samplesDir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, make := range samples {
		if err := result.WriteFile(filepath.Join(samplesDir, name+".json"), make(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnchangedCasesFold: many unchanged cases are a line that says how much they may hide; what did not pass never folds.
func TestUnchangedCasesFold(t *testing.T) {
	t.Parallel()
	table := func(same int, others ...string) Table {
		out := Table{First: "case", Columns: []Column{{Key: "change", Title: "change", Bar: true}, {Key: "verdict", Title: "verdict"}}}
		for _, verdict := range others {
			out.Rows = append(out.Rows, Row{Name: Name{Full: "k/" + verdict, Kernel: "k/" + verdict}, Cells: Cells{"verdict": {Text: verdict}}})
		}
		for i := range same {
			out.Rows = append(out.Rows, Row{
				Name: Name{Full: fmt.Sprint("s/", i), Kernel: fmt.Sprint("s/", i)}, Cells: Cells{"verdict": {Text: "same"}, "change": changeCell(-0.001*float64(i+1), 1, Plain)}, Unchanged: true, Rank: 9,
			})
		}
		return out
	}
	for _, c := range []struct {
		same   int
		others []string
		folded string // "" for an open table
	}{
		{3, []string{"regression"}, ""},
		{3, nil, ""},
		{27, []string{"regression", "error"}, "27 cases same, largest change −2.7 %"},
		{30, nil, "30 cases same, largest change −3.0 %"},
	} {
		text := casesMarkdown(table(c.same, c.others...), all)
		before, after, found := strings.Cut(text, "<details>")
		if found != (c.folded != "") || !strings.Contains(after, c.folded) || strings.Count(text, "same") < c.same {
			t.Errorf("%d same and %q:\n%s", c.same, c.others, text)
		}
		for _, verdict := range c.others {
			if !strings.Contains(before, verdict) {
				t.Errorf("%s is folded away:\n%s", verdict, text)
			}
		}
	}
}
