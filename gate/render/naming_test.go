package render

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// However little room there is, a row can be told from the others: benchmarks name rows as they like, and have no parameters.
func TestNamesOfRowsAreWholeInAnyRoom(t *testing.T) {
	for _, machine := range []string{"", "box"} {
		names := []string{"sum/T=F32,Elements=2^24", "copy", "fixture<long, long>/threads:8/real_time"}
		var rows []report.Row
		for _, name := range names {
			rows = append(rows, report.Row{Name: nameOn("suite", name, machine)})
		}
		for at, naming := range namings {
			var all []string
			for _, l := range naming(rows) {
				all = append(all, l.label+l.shared)
			}
			text := strings.Join(all, "\n")
			for _, name := range names {
				if !strings.Contains(text, name) {
					t.Errorf("naming %d, machine %q: no %q in\n%s", at, machine, name, text)
				}
			}
		}
	}
}

// Rows whose names were never taken apart, as those of settings, keep them in every naming.
func TestNamesWithoutParametersStay(t *testing.T) {
	for at, naming := range namings {
		rows := []report.Row{{Name: report.Name{Full: "BLOCK=64,STAGES=2"}}, {Name: report.Name{Kernel: "gemm", Full: "gemm/M=4096"}}, {Name: report.Name{Kernel: "copy", Full: "copy"}}}
		var all []string
		for _, l := range naming(rows) {
			all = append(all, l.label)
		}
		for _, name := range []string{"BLOCK=64,STAGES=2", "M=4096", "gemm", "copy"} {
			if !strings.Contains(strings.Join(all, "\n"), name) {
				t.Errorf("naming %d: no %q in %q", at, name, all)
			}
		}
	}
}

// nameOn is how a row of a benchmark on a machine is named: its words are no parameters.
func nameOn(kernel, row, machine string) report.Name {
	n := report.Name{Kernel: kernel, Params: []result.Param{{Value: row}}, Full: kernel + "/" + row}
	if machine != "" {
		n.Params = append([]result.Param{{Name: "on", Value: machine}}, n.Params...)
		n.Full += " on " + machine
	}
	return n
}
