package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A map shows the region, is never right where something is wrong, and stays a dozen lines high; what is no map, or tells nothing, is left out.
func TestMapInText(t *testing.T) {
	m := &result.Map{Tensor: "o\x1b[31m", Rows: result.Axis{Name: "s", Size: 130}, Columns: result.Axis{Size: 4}}
	for i := range 24 {
		line := "0000"
		if i >= 21 {
			line = "0159"
		}
		m.Levels = append(m.Levels, line)
	}
	got := mapLines(m)
	if len(got) != 13 || got[1] != "  0 ····" || !strings.HasSuffix(got[12], "·░▒█") || !strings.HasSuffix(got[11], "·░░▒") || strings.Contains(strings.Join(got, ""), "\x1b") {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got[0], "s down (0 to 129), index across (0 to 3)") {
		t.Errorf("%q", got[0])
	}
	for name, change := range map[string]func(*result.Map){
		"all alike":     func(m *result.Map) { m.Levels = []string{"9999", "9999"} },
		"other letters": func(m *result.Map) { m.Levels = []string{"00<b", "0000"} },
		"ragged":        func(m *result.Map) { m.Levels = []string{"001", "0000"} },
		"too high":      func(m *result.Map) { m.Levels = slices.Repeat([]string{"01"}, 25) },
		"too wide":      func(m *result.Map) { m.Levels = []string{strings.Repeat("01", 40)} },
		"finer than it": func(m *result.Map) { m.Columns.Size = 2 },
		"nothing":       func(m *result.Map) { m.Levels = nil },
	} {
		other := *m
		change(&other)
		if got := mapLines(&other); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}
