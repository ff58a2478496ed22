package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

func TestWidth(t *testing.T) {
	for _, name := range samples {
		for _, columns := range []int{80, 100, 160} {
			var out bytes.Buffer
			if err := Terminal(&out, report.New(load(t, name)), TerminalOptions{Width: columns}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				isCommand := strings.Contains(line, "perfgate run") || strings.Contains(line, "perfgate parity") || strings.Contains(line, "│")
				isName := len(strings.Fields(strings.TrimLeft(line, " ·"))) == 1
				if text.Width(line) > columns && !isCommand && !isName {
					t.Errorf("%s: %d columns of %d: %s", name, text.Width(line), columns, line)
				}
			}
		}
	}
}

// parity writes no result.json, so none is named: all lines of a compiler are printed.
func TestParityPrintsAllThatACompilerSays(t *testing.T) {
	said := strings.Repeat("an error\n", 3*mostOutput) + "the last line\n"
	r := &result.Result{Kernels: []result.Kernel{{Name: "k", Head: &result.Build{Failed: true, Output: said}}}}
	if text := terminalOf(t, report.Parity(r), TerminalOptions{}); !strings.Contains(text, "the last line") || strings.Contains(text, "result.json") {
		t.Errorf("parity: %s", text)
	}
	if text := terminalOf(t, report.New(r), TerminalOptions{}); !strings.Contains(text, "the last line") || !strings.Contains(text, "more lines in result.json") {
		t.Errorf("run: %s", text)
	}
}
