package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// point is one thing that speaks against a pass, in words.
type point struct {
	rank rank
	text Text
}

// points lists what speaks against a pass, and what was accepted, the worst first.
func points(r *result.Result) []point {
	var out []point
	for _, group := range groupFindings(r.Conclusion.With(result.EffectFails, result.EffectUnmeasured, result.EffectAccepted)) {
		w := wordings[group[0].Kind]
		at := w.other
		if group[0].Side == result.SideHead {
			at = w.head
		}
		if w.sentence == nil {
			at = rankOther
		}
		for _, t := range (telling{run: r, found: group}).texts() {
			out = append(out, point{at, t})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return int(a.rank) - int(b.rank) })
	return out
}

// sentencesOn are the sentences on findings of these kinds.
func sentencesOn(r *result.Result, kinds ...result.FindingKind) []Text {
	var out []Text
	for _, kind := range kinds {
		if found := ofKinds(r, kind); len(found) > 0 {
			out = append(out, telling{run: r, found: found}.texts()...)
		}
	}
	return out
}

// groupFindings puts findings together that a report speaks of at once: those of one kind and side.
func groupFindings(found []result.Finding) [][]result.Finding {
	type key struct {
		kind result.FindingKind
		head bool
	}
	var order []key
	groups := map[key][]result.Finding{}
	for _, f := range found {
		k := key{f.Kind, f.Side == result.SideHead}
		if f.Kind == result.FindingTooFewRounds {
			k.kind = result.FindingUnfinished
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	var out [][]result.Finding
	for _, k := range order {
		if !wordings[k.kind].elsewhere {
			out = append(out, groups[k])
		}
	}
	return out
}

// casesOf returns the cases that findings are about, in the order of the report.
func casesOf(r *result.Result, found []result.Finding) []result.Case {
	return slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool {
		return !slices.ContainsFunc(found, func(f result.Finding) bool { return f.About(c) })
	})
}

// ofKinds returns the findings of these kinds, whatever their effect.
func ofKinds(r *result.Result, kinds ...result.FindingKind) []result.Finding {
	return slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool { return !slices.Contains(kinds, f.Kind) })
}

// worst is the case with the largest ratio; nil of none.
func worst(cases []result.Case) *result.Case {
	if len(cases) == 0 {
		return nil
	}
	c := slices.MaxFunc(cases, func(a, b result.Case) int { return cmp.Compare(ratio(a), ratio(b)) })
	return &c
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
		return tied(limit(most))
	}
	return tied(limit(least)) + " to " + tied(limit(most))
}

func casesOfFindings(found []result.Finding) (names []string) {
	for _, f := range found {
		names = append(names, f.Case)
	}
	return names
}

// adapterWords say why the adapter does not build against head, with what was said of it.
func adapterWords(fault result.AdapterFault, detail string) string {
	switch fault {
	case result.AdapterNeedsLabel:
		return "head needs an adapter change and the label: " + cmp.Or(detail, "base's adapter does not build against it")
	case result.AdapterNeedsChange:
		return "head needs an adapter change: the adapter does not build against it"
	case result.AdapterNotLinked:
		return "the adapter does not link"
	case result.AdapterNotCompiled:
		return "the adapter does not compile"
	case result.AdapterNotImported:
		return "the adapter cannot be imported"
	}
	return cmp.Or(detail, "head needs an adapter change")
}

// subject names one case, or says how many of the run's cases there are.
func subject(r *result.Result, cases []result.Case) Text {
	if len(cases) == 1 {
		return Text{code(cases[0].Name)}
	}
	if len(cases) == len(r.Cases) {
		return Say(Count(len(cases), "case"))
	}
	return Say(fmt.Sprintf("%d of %s", len(cases), Count(len(r.Cases), "case")))
}

// between words a shift with its bounds, as in " (+3.10 %, between +2.00 % and +4.20 %)".
func between(s *result.Shift) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)", Change(s.Ratio-1, 2), Change(s.Low-1, 2), Change(s.High-1, 2))
}

func elapsedBetween(e *result.Elapsed) string {
	if e == nil {
		return ""
	}
	return between(&result.Shift{Ratio: math.Exp(e.Theta), Low: math.Exp(e.Low), High: math.Exp(e.High)})
}

// waits says where elapsed time went that the value of a process does not have.
func waits(e *result.Elapsed) string {
	switch {
	case e == nil:
		return ""
	case e.HeadWaitedNS > 0:
		return fmt.Sprintf("; a launch of head waits %s on average, one of base %s", Duration(e.HeadWaitedNS), Duration(e.BaseWaitedNS))
	}
	return "; some launches of head take far longer than most"
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

// speedBetween words a speed with its bounds, as in " (1.17x, between 1.15x and 1.19x)".
func speedBetween(s *result.Shift) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)", times(s.Ratio), times(s.Low), times(s.High))
}

// noiseOf says of an inconclusive question what this machine cannot show.
func noiseOf(f result.Finding) string {
	if f.MDE <= 0 {
		return ""
	}
	return ": this machine is too noisy, the minimum detectable effect is " + Percent(f.MDE)
}

// upTo is the largest shift of findings whose worst comes first.
func upTo(f result.Finding) string {
	if f.Shift == nil {
		return ""
	}
	return ", by up to " + Change(f.Shift.Ratio-1, 1)
}
