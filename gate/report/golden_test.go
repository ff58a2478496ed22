package report

import (
	"bytes"
	"flag"
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
