package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
)

// CompareDocument is a comparison of saved samples as its reader meets it. Files have no rounds, so no inconclusive case is told how many it would take.
func CompareDocument(d search.Comparison) Document {
	r := result.Result{Policy: d.Policy, Conclusion: d.Conclusion, Notes: d.Notes}
	r.Base = result.Version{Kind: result.VersionKind(d.Old.Format), Label: d.Old.Path}
	r.Head = result.Version{Kind: result.VersionKind(d.New.Format), Label: d.New.Path}
	for _, row := range d.Rows {
		r.Cases = append(r.Cases, row.Case())
	}
	run := withExcused(&r)
	remarks := slices.DeleteFunc(remarks(run), func(m remark) bool { return m.open })
	columns := Say("base and head are geometric means over processes; " + columnsLegend)
	method := Say(strings.TrimSuffix(d.Method+"; "+processesWords(d.Rows), "; "))
	return runDocument(run, remarks, append(factsWithout(run, labelColumns), Item{Label: labelColumns, Text: columns}, Item{Label: "method", Text: method}))
}

// processesWords say how many each side has, which may differ between cases.
func processesWords(rows []search.ComparedCase) string {
	var words []string
	for _, r := range rows {
		word := fmt.Sprintf("%s of base and %d of head", text.Count(r.BaseProcesses, "process", "processes"), r.HeadProcesses)
		if r.Comparison != nil && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	const most = 3
	if len(words) > most {
		words = append(words[:most], "…")
	}
	return strings.Join(words, ", or ")
}

// ComparedValues has a row for every case, with the numbers in full: times in ns, the rest as fractions. Without a comparison there are times, and their
// ratio where both sides have one.
func ComparedValues(d search.Comparison) Table {
	timed := func(key string, of func(search.ComparedCase) float64) column[search.ComparedCase] {
		return rawIn(key, func(r search.ComparedCase) float64 { return either(r.BaseNS > 0 && r.HeadNS > 0, of(r), math.NaN()) })
	}
	compared := func(key string, of func(result.Comparison) float64) column[search.ComparedCase] {
		return rawIn(key, func(r search.ComparedCase) float64 {
			if r.Comparison == nil {
				return math.NaN()
			}
			return of(*r.Comparison)
		})
	}
	return tableBy("case", d.Rows, func(i int, r search.ComparedCase) Row { return Row{Name: caseName(r.Name), Rank: i} },
		keyIn("case", func(r search.ComparedCase) string { return r.Name }),
		keyIn("verdict", func(r search.ComparedCase) string { return string(r.Verdict) }),
		rawIn("base_processes", func(r search.ComparedCase) float64 { return float64(r.BaseProcesses) }),
		rawIn("head_processes", func(r search.ComparedCase) float64 { return float64(r.HeadProcesses) }),
		timed("base_ns", func(r search.ComparedCase) float64 { return r.BaseNS }),
		timed("head_ns", func(r search.ComparedCase) float64 { return r.HeadNS }),
		timed("ratio", func(r search.ComparedCase) float64 {
			return cmp.Or(r.Comparison, &result.Comparison{Ratio: r.HeadNS / r.BaseNS}).Ratio
		}),
		compared("ratio_low", func(c result.Comparison) float64 { return c.RatioLow }),
		compared("ratio_high", func(c result.Comparison) float64 { return c.RatioHigh }),
		compared("delta", func(c result.Comparison) float64 { return c.Delta }),
		compared("delta_low", func(c result.Comparison) float64 { return c.DeltaLow }),
		compared("delta_high", func(c result.Comparison) float64 { return c.DeltaHigh }),
		compared("mde", func(c result.Comparison) float64 { return c.MDE }),
		keyIn("reason", func(r search.ComparedCase) string { return Reason(r.Reason) }))
}
