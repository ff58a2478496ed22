package pipeline

import (
	"maps"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// lines are the libraries' rows of a benchmark, by the row that they stand beside and by the library.
type lines map[string]map[string]benchmark.Case

// withLines makes the libraries that a benchmark measures beside rows that are timed competitors of the kernel. The error is that of a configuration that
// names too many.
func (f *finding) withLines(k Kernel, pairs []benchmark.Pair, timed []benchmark.Case) (Kernel, error) {
	k.Lines = lines{}
	found := map[string]bool{}
	for _, row := range timed {
		if beside := benchmark.Beside(pairs, row); len(beside) > 0 {
			k.Lines[row.Name] = beside
			for name := range beside {
				found[name] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if len(names) > result.MaxCompetitors {
		return k, f.opt.Trusted.Config.CasesError(k.Name(), "competitors of its bench are %d lines (%s), and at most %d are measured beside a kernel: name fewer",
			len(names), strings.Join(names, ", "), result.MaxCompetitors)
	}
	for _, name := range names {
		k.Competitors = append(slices.Clip(k.Competitors), Competitor{Record: result.Competitor{Name: name, Status: result.CompetitorNoRounds}})
	}
	return k, nil
}

// measuredLines are the competitors of a case of a benchmark. Records have none of them: what code a line is of cannot be told.
func (k Kernel) measuredLines(c plan.Case) []measure.Competitor {
	var out []measure.Competitor
	for _, r := range k.Competitors {
		if r.Record.Status == result.CompetitorNotAsked {
			continue
		}
		one := measure.Competitor{Name: r.Record.Name}
		if row, ok := k.Lines[c.Row][one.Name]; ok {
			one.Row = row.Name
		} else {
			one.Fault = &kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark has no such line at this point"}
		}
		out = append(out, one)
	}
	return out
}
