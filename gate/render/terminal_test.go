package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

func TestWidth(t *testing.T) {
	for _, name := range samples {
		for _, columns := range []int{80, 100, 160} {
			for line := range strings.Lines(terminalOf(t, report.New(load(t, name)), TerminalOptions{Width: columns})) {
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

// TestCellsInLetters: two lines of a high map share one, which is empty or full only where both are, and is named by where it begins.
func TestCellsInLetters(t *testing.T) {
	t.Parallel()
	r := load(t, "parity")
	levels := slices.Repeat([]string{"0000"}, 24)
	levels[21], levels[22], levels[23] = "0159", "0159", "0159"
	r.Kernels[0].Parity.Failure.Map = &result.Map{Tensor: "o", Rows: result.Axis{Name: "s", Size: 130}, Columns: result.Axis{Size: 4}, Levels: levels}
	if text := terminalOf(t, report.New(r), TerminalOptions{}); !strings.Contains(text, "s down (0 to 129), index across (0 to 3)\n  │   0 ····\n") ||
		!strings.Contains(text, "\n  │ 109 ·░░▒\n  │ 120 ·░▒█\n") {
		t.Error(text)
	}
}
