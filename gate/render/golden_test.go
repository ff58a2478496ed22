package render

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

var update = flag.Bool("update", false, "write the golden files of testdata/report")

const samplesDir = "../../testdata/report"

// samples are the scenarios: a folder each, with a saved result and what every format makes of it.
var samples = func() []string {
	paths, _ := filepath.Glob(filepath.Join(samplesDir, "*", "result.json")) // the pattern is well-formed
	for i, path := range paths {
		paths[i] = filepath.Base(filepath.Dir(path))
	}
	return paths
}()

func load(t testing.TB, name string) *result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(samplesDir, name, "result.json"))
	must(t, err)
	return r
}

// written is what a layout writes.
func written(t testing.TB, layout func(io.Writer) error) string {
	t.Helper()
	var out strings.Builder
	must(t, layout(&out))
	return out.String()
}

func terminalOf(t testing.TB, d report.Document, opt TerminalOptions) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return Terminal(w, d, opt) })
}

func markdownOf(t testing.TB, d report.Document, opt MarkdownOptions) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return Markdown(w, d, opt) })
}

func htmlOf(t testing.TB, d report.Document) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return HTML(w, d) })
}

func csvOf(t testing.TB, table report.Table) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return CSV(w, table) })
}

func junit(t testing.TB, r *result.Result) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return JUnit(w, report.Tests(r, report.New(r)), r.Machine.Model, r.Started) })
}

// TestGolden lays every scenario out in every format as a job would, from what was saved. Of the HTML page, the file has the verdict,
// headings, figures and tables.
func TestGolden(t *testing.T) {
	for name, d := range documents(t) {
		files := map[string]string{
			"report.txt":  terminalOf(t, d, TerminalOptions{}),
			"verbose.txt": terminalOf(t, d, TerminalOptions{Verbose: true}),
			"comment.md":  markdownOf(t, d, MarkdownOptions{}),
			"page.txt":    strings.Join(outline(inspected(t, name, d)), "\n") + "\n",
		}
		if others[name] == nil {
			r := load(t, name)
			files["junit.xml"], files["cases.csv"] = junit(t, r), csvOf(t, report.Values(r))
		}
		for file, text := range files {
			golden(t, filepath.Join(samplesDir, name, file), text)
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s differs; go test ./gate/render -update writes it\n%s", path, firstDifference(got, string(want)))
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
