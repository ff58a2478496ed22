package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// point is one thing that speaks against a pass, in words.
type point struct {
	of   result.Finding
	text Text
}

// points lists what speaks against a pass, the worst first, and after it what is excused. A report speaks at once of findings of one kind and side.
func points(r *result.Result) []point {
	type key struct {
		kind    result.FindingKind
		head    bool
		excused result.Effect
	}
	var out []point
	said := r.Conclusion.With(append([]result.Effect{result.EffectFails, result.EffectUnmeasured}, result.Excused...)...)
	for _, group := range grouped(said, func(f result.Finding) key {
		return key{either(f.Kind == result.FindingTooFewRounds, result.FindingUnfinished, f.Kind), f.Side == result.SideHead, either(f.IsExcused(), f.Effect, "")}
	}) {
		for _, t := range (telling{run: r, found: group}).texts() {
			out = append(out, point{group[0], t})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return result.WorseFirst(a.of, b.of) })
	return out
}

// notesIn are the sentences that parts of a report have on findings that keep no run from passing.
func notesIn(r *result.Result, parts ...string) []Text {
	var out []Text
	for _, kind := range result.FindingKinds {
		found := slices.DeleteFunc(ofKinds(r, kind), result.Finding.Against)
		if len(found) > 0 && slices.Contains(parts, wordings[kind].note) {
			out = append(out, telling{run: r, found: found}.texts()...)
		}
	}
	return out
}

// casesOf returns the cases that findings are about, in the order of the report.
func casesOf(r *result.Result, found []result.Finding) []result.Case {
	named := map[about]bool{}
	for _, f := range found {
		named[aboutFinding(f)] = true
	}
	return slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool { return !named[aboutCase(c)] })
}

// ofKinds returns the findings of these kinds, whatever their effect.
func ofKinds(r *result.Result, kinds ...result.FindingKind) []result.Finding {
	return slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool { return !slices.Contains(kinds, f.Kind) })
}

// tolerance is that of cases: one, or from the smallest to the largest.
func tolerance(r *result.Result, names ...string) string {
	wanted, all := map[string]bool{}, []float64{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, c := range r.Cases {
		if wanted[c.Name] {
			all = append(all, r.Policy.OfCase(c).Tolerance)
		}
	}
	if len(all) == 0 {
		all = []float64{r.Policy.Tolerance}
	}
	least, most := slices.Min(all), slices.Max(all)
	if least == most {
		return tied(text.Limit(most))
	}
	return tied(text.Limit(least)) + " to " + tied(text.Limit(most))
}

// minutes words seconds as a budget that can be pasted into a configuration, rounded up: 45s, 3m, 12m30s.
func minutes(seconds float64) string {
	s := int(math.Ceil(seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s%60 == 0:
		return fmt.Sprintf("%dm", s/60)
	}
	return fmt.Sprintf("%dm%ds", s/60, s%60)
}

// timesText words how many times as fast as a competitor head has to be, as the configuration has it.
func timesText(times float64) string { return strconv.FormatFloat(times, 'f', -1, 64) + "x" }
