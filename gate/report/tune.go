package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/stats"
)

// tuned is a result of tune, which is about one kernel.
type tuned struct {
	*result.Result
	kernel result.Kernel
}

// onlyKernel is the kernel that a result of tune or versus is about.
func onlyKernel(r *result.Result) (only result.Kernel) {
	if len(r.Kernels) > 0 {
		only = r.Kernels[0]
	}
	return only
}

// tuneDocument is what tune found as its reader meets it: the answer case by case, then every configuration over all cases.
func tuneDocument(r *result.Result) Document {
	t := tuned{r, onlyKernel(r)}
	d := Document{Verdict: "TUNED", Tone: Quiet, Headline: Say(t.answer())}
	if _, measured := result.Fastest(t.kernel.Comparisons); !measured {
		d.Verdict, d.Tone = verdictWords[result.RunError].words, verdictWords[result.RunError].tone
	}
	var same phrases
	var failed []Block
	fails := func(s string, why *result.Reason, output string) {
		failed = append(failed, logOf(fmt.Sprintf("problem-%d", len(failed)+1), Say(s+": "+Reason(why)), Warn, "", Lines(output)))
	}
	for _, c := range t.kernel.Configurations {
		switch {
		case c.SameAs != nil:
			same.say("%s builds to the same code as %s", c.Name, configurationName(*c.SameAs))
		case c.Reason != nil && c.Build != nil:
			fails(c.Name, c.Reason, c.Build.Output)
		}
	}
	for _, q := range t.kernel.Comparisons {
		if q.Reason != nil {
			fails(configurationName(q.Of), q.Reason, "")
		}
	}
	d.Blocks = filled(slices.Concat([]Block{tableOf("cases", Always, t.cases()), tableOf("table-2", Always, t.configurations())}, failed,
		[]Block{notesOf(append(same, plainNotes(t.Notes)...)), factsOf(factsWithout(r, "base", "rule", labelColumns, "rounds")), repeatOf(Folded, t.Repro)})...)
	return d
}

// configurationName is what people call a variant that tune measures.
func configurationName(v result.Variant) string {
	if v == result.VariantHead {
		return "shipped"
	}
	return v.Name
}

// answer is the answer in one sentence.
func (t tuned) answer() string {
	best, measured := result.Fastest(t.kernel.Comparisons)
	if !measured {
		return Untuned(t.Result)
	}
	said := fmt.Sprintf("%s is the fastest of %s", configurationName(best), text.Count(len(t.kernel.Configurations)+1, "configuration"))
	if len(t.Cases) > 1 {
		said += " over all cases"
	}
	if others := len(asGood(t.kernel.Comparisons)); others > 0 {
		said += fmt.Sprintf(", and %s may be as fast", text.Count(others, "other"))
	}
	if q := result.Standing(t.kernel.Comparisons, result.VariantHead); best != result.VariantHead && q.HasNumbers() {
		said += fmt.Sprintf("; the shipped configuration: %s", text.Change(q.Ratio-1, 1))
	}
	if isOpen(t.kernel.Comparisons) || slices.ContainsFunc(t.Cases, func(c result.Case) bool { return isOpen(c.Comparisons) }) {
		said += fmt.Sprintf("; successive elimination was not finished after %s", text.Count(roundsDone(t.Rounds), "round"))
	}
	return said
}

func isOpen(standings []result.Comparison) bool {
	return slices.ContainsFunc(standings, func(q result.Comparison) bool { return q.Verdict == result.Inconclusive })
}

// roundsDone is how many rounds were not voided.
func roundsDone(rounds []result.Round) int {
	return count(rounds, func(r result.Round) bool { return r.Voided == "" })
}

// asGood are the variants that may be as fast as the fastest.
func asGood(standings []result.Comparison) (out []result.Comparison) {
	for _, q := range standings {
		if !q.IsOfFastest() && (q.Verdict == result.Same || q.Verdict == result.Inconclusive) {
			out = append(out, q)
		}
	}
	return out
}

// tuneSpare is how much more than it seems to need a run is given, so that the next one is not cut short as well.
const tuneSpare = 1.25

// Untuned says what keeps a result of tune from a pass, and what to do.
func Untuned(r *result.Result) string {
	return PlainText(phrases(texts(points(r))).joined("; "))
}

// firstComparison is what one would take, where the budget ended before it.
func (t telling) firstComparison() any {
	s := t.found[0].BudgetNeededS
	if !(s > 0) {
		return ""
	}
	return fmt.Sprintf("time budget exhausted after %s; the first comparison is after 2, which need about %s: --budget %s",
		text.Count(roundsDone(t.run.Rounds), "complete round"), minutes(s), minutes(tuneSpare*s))
}

func (t tuned) cases() Table {
	overall, _ := result.Fastest(t.kernel.Comparisons)
	return tableBy("case", t.Cases, func(_ int, c result.Case) Row {
		row := Row{Name: caseName(c.Name)}
		if _, measured := result.Fastest(c.Comparisons); !measured {
			row.Instead = cell("could not be measured", Warn)
		}
		return row
	},
		column[result.Case]{Column{Key: "best", Title: "best"}, func(c result.Case) Cell { return cell(configurationName(fastest(c)), Good) }},
		numbersIn("time", "time", 0, func(c result.Case) Cell { return timeCell(medianOf(c, fastest(c))) }),
		column[result.Case]{Column{Key: "as-good", Title: "as good", Priority: 1}, func(c result.Case) Cell {
			var names []string
			for _, q := range asGood(c.Comparisons) {
				names = append(names, configurationName(q.Of))
			}
			if len(names) == 0 {
				return cell("none", Quiet)
			}
			return cell(andMore(names[:min(len(names), mostAsGood)], len(names), "; "), Quiet)
		}},
		numbersIn("shipped", "as shipped", 0, func(c result.Case) Cell { return lossCell(result.Standing(c.Comparisons, result.VariantHead)) }),
		numbersIn("overall", "one for all", 0, func(c result.Case) Cell { return lossCell(result.Standing(c.Comparisons, overall)) }))
}

func fastest(c result.Case) result.Variant {
	best, _ := result.Fastest(c.Comparisons)
	return best
}

// medianOf is the time of a variant in a case, 0 where it has none.
func medianOf(c result.Case, v result.Variant) float64 {
	if s := rule.Summarize(c.Of(v), 0, 0, false); s != nil {
		return s.MedianNS
	}
	return 0
}

// mostAsGood is how many configurations a cell names.
const mostAsGood = 3

func lossCell(q *result.Comparison) Cell {
	switch {
	case !q.HasNumbers():
		return cell(text.Blank, Quiet)
	case q.IsOfFastest():
		return cell("best", Good)
	case q.Verdict == result.Slower || q.Verdict == result.Regression:
		return changeCell(q.Ratio-1, Bad)
	}
	return changeCell(q.Ratio-1, Plain)
}

// configurations are all of them over all cases; their times are geometric means.
func (t tuned) configurations() Table {
	change, interval := shiftIn("change", "against the best", 0, asChange, func(q result.Comparison) *result.Shift { return either(q.IsOfFastest(), nil, result.ShiftOf(&q)) })
	table := tableBy("configuration", t.kernel.Comparisons, func(_ int, q result.Comparison) Row {
		row := named(0, configurationName(q.Of))
		if q.Verdict == result.Unmeasured {
			row.Instead = cell(standingWords[q.Verdict], Warn)
		}
		return row
	},
		numbersIn("time", "time", 0, func(q result.Comparison) Cell {
			var logs []float64
			for _, c := range t.Cases {
				logs = append(logs, math.Log(medianOf(c, q.Of)))
			}
			return timeCell(math.Exp(stats.Mean(logs)))
		}),
		change, interval,
		numbersIn("rounds", "rounds", 1, func(q result.Comparison) Cell {
			fewest := math.MaxInt
			for _, c := range t.Cases {
				fewest = min(fewest, len(c.Of(q.Of))/2)
			}
			return countCell(fewest, Quiet)
		}),
		column[result.Comparison]{Column{Key: "standing", Title: "stands"}, func(q result.Comparison) Cell {
			if q.IsOfFastest() {
				return cell("best", Good)
			}
			return cell(standingWords[q.Verdict], Plain)
		}})
	table.Title = "Configurations over all cases"
	return table
}

var standingWords = map[result.Verdict]string{
	result.Same: "as good", result.Inconclusive: "may be as fast", result.Slower: "slower", result.Regression: "slower", result.Unmeasured: "not measured",
}
