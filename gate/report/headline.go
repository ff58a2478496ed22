package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// verdictWords are how a report begins.
var verdictWords = map[result.RunVerdict]struct {
	words string
	tone  Tone
}{
	result.RunPassed: {"PASS", Good},
	result.RunFailed: {"FAIL", Bad},
	result.RunError:  {"COULD NOT MEASURE", Warn},
}

// EarlierAttempts says how earlier runs of the same head ended, the oldest first; "" is one that failed or gave no answer, and passed by fail-on.
func EarlierAttempts(verdicts []result.RunVerdict) string {
	const most = 20
	older := max(0, len(verdicts)-most)
	var said []string
	for _, v := range verdicts[older:] {
		said = append(said, cmp.Or(verdictWords[v].words, "let pass by fail-on"))
	}
	text := text.Count(len(verdicts), "earlier attempt") + " at this head: " + strings.Join(said, ", ")
	if older > 0 {
		text += fmt.Sprintf(", and %d more before these", older)
	}
	return text
}

// answer is the first line of a report and what belongs right under it.
func answer(r *result.Result) (headline Text, also []Text) {
	found := points(r)
	switch {
	case isIdle(r):
		return Say(detail(ofKinds(r, result.FindingNothingToDo)[0])), append(reservations(r), texts(found)...)
	case r.Conclusion.Verdict == result.RunPassed && len(r.Cases) == 0:
		return correct(r), append(reservations(r), texts(found)...)
	case r.Conclusion.Verdict == result.RunPassed:
		return passed(r), append(append(reservations(r), qualifications(r)...), texts(found)...)
	case len(found) == 0:
		return Say("no reason is given"), nil
	}
	var more phrases
	reds := tally(r).red - 1
	more.when(rule.ProblemOf(found[0].of) == rule.ProblemRegression && reds > 0, "%s regressed as well", text.Count(reds, "more case"))
	return found[0].text, slices.Concat(more, texts(found[1:]), notesIn(r, "against"))
}

// isIdle is true of a run that passed because it had nothing to do: its first finding of that kind is the headline.
func isIdle(r *result.Result) bool {
	return r.Conclusion.Verdict == result.RunPassed && len(r.Cases) == 0 && len(ofKinds(r, result.FindingNothingToDo)) > 0 &&
		!slices.ContainsFunc(r.Kernels, func(k result.Kernel) bool { return parityStatus(k.Parity) == result.ParityPassed })
}

// correct words a pass of a run that times nothing.
func correct(r *result.Result) Text {
	kernels, cases := 0, 0
	for _, k := range r.Kernels {
		if parityStatus(k.Parity) == result.ParityPassed {
			kernels, cases = kernels+1, cases+k.Parity.Run
		}
	}
	if kernels == 0 {
		return Say("nothing was checked and nothing timed")
	}
	return say("right in all of %s (%s)", text.Count(cases, "case"), text.Count(kernels, "kernel"))
}

func texts(found []point) []Text {
	out := make([]Text, len(found))
	for i, f := range found {
		out[i] = f.text
	}
	return out
}

// passed words a pass: how many cases, and what is excluded with what confidence.
func passed(r *result.Result) Text {
	n := tally(r)
	var p phrases
	if traded := r.Conclusion.With(result.EffectTraded); len(traded) > 0 {
		p = append(p, tradedText(r, traded))
	}
	if len(r.Accepted) > 0 {
		p = append(p, excusedText(r, r.Conclusion.With(result.EffectAccepted), "accepted", cmp.Or(r.Accepted[0].By, "an unnamed person")))
	}
	if waived := r.Conclusion.With(result.EffectWaived); len(waived) > 0 {
		p = append(p, excusedText(r, waived, "waived", owner(r, waived)))
	}
	fresh, identical := n.fresh, n.identical
	switch said := len(p) > 0; {
	case n.bounded > 0:
		p = append(p, boundedText(r, n)...)
	case said:
	case n.identical > 0:
		same := either(identicalWords(r.Kernels) == identicalCode, "build to identical code", "are the same in every file that was requested")
		p.say("base and head %s (%s): nothing to time", same, text.Count(n.identical, "case"))
		identical = 0
	case n.open > 0:
		p = append(p, openText(r, n))
	case n.fresh > 0:
		p = append(p, nothingCompared(r, n))
		fresh = 0
	default:
		p.say("no case was timed")
	}
	p.when(identical > 0, "%s with %s, not timed", text.Count(identical, "more case"), identicalWords(r.Kernels))
	p.when(fresh > 0, "%s with nothing on base to compare with", text.Count(fresh, "new case"))
	return p.joined("; ")
}

const identicalCode = "identical code"

// identicalWords say what is the same of kernels that are not timed: all of their code, or of one at least what was asked for.
func identicalWords(ks []result.Kernel) string {
	files := slices.ContainsFunc(ks, func(k result.Kernel) bool { return k.Reason.Is(result.ReasonSameFiles) })
	return either(files, "the same files", identicalCode)
}

// nothingCompared words a pass of new kernels alone: they are right, and there is nothing that says how fast they were before.
func nothingCompared(r *result.Result, n tallied) Text {
	const most = 3
	var fresh []string
	for _, c := range r.Cases {
		if c.Verdict == result.New && !slices.Contains(fresh, c.Kernel) {
			fresh = append(fresh, c.Kernel)
		}
	}
	what := either(n.otherMeaning == n.fresh, "the cases of base mean something else in", "base does not have")
	return say("nothing was compared: %s %v[ and %s] (%s)", what, codes(fresh[:min(len(fresh), most)]), some(len(fresh)-most, "more kernel"),
		text.Count(n.fresh, "new case"))
}

// boundedText says what is excluded: a slowdown above the largest of the upper bounds by which the cases passed, as the table shows it.
func boundedText(r *result.Result, n tallied) (p phrases) {
	gains := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.Verdict != result.Improvement || c.Compared() == nil })
	if len(gains) > 0 {
		p = append(p, shiftText(r, slices.MinFunc(gains, func(a, b result.Case) int { return cmp.Compare(ratio(a), ratio(b)) })))
	}
	total, each := text.Count(n.bounded, "case"), ""
	if rest := n.open + n.red + n.excused; rest > 0 {
		// A bound for passing holds for all cases at once where all of them pass by it, else for one case at a time.
		total, each = fmt.Sprintf("%d of %s", n.bounded, text.Count(n.bounded+rest, "case")), " for each case"
	}
	if n.bounded == 1 {
		each = ""
	}
	bound, shown := upperBound(n.worst)
	p.say("%s: %s typically slower[ by more than %s] (%s confidence%s, tolerance %s)", total, either(n.bounded == 1, "not", "none"),
		either(bound > 0, tied(shown), ""), tied(confidence(r)), each, tolerance(r, n.boundedNames...))
	if n.open > 0 {
		p = append(p, openText(r, n))
	}
	return p
}

// openText says of cases that pass by policy how much slower they may be.
func openText(r *result.Result, n tallied) Text {
	_, possible := upperBound(n.possible)
	return say("%s inconclusive, passed by policy (on-inconclusive: %s)[: up to %s slower is not excluded]", text.Count(n.open, "case"), r.Policy.OnInconclusive,
		tied(possible)).In(Warn)
}

// upperBound is the upper bound of a comparison as a change, and as the table shows it; "" of none.
func upperBound(c *result.Comparison) (bound float64, shown string) {
	if c == nil {
		return 0, ""
	}
	_, interval := changeOf(shiftOf(c))
	_, shown, _ = strings.Cut(interval, " … ")
	shown = strings.TrimPrefix(shown, "+")
	if bound = c.RatioHigh - 1; strings.Trim(shown, "0. %") == "" {
		shown = text.Percent(bound)
	}
	return bound, shown
}

// tallied counts the cases of a run by what may be said of them.
type tallied struct {
	bounded      int // timed, with an upper bound within the tolerance
	boundedNames []string
	identical    int                // same without timing
	fresh        int                // new
	otherMeaning int                // of these, since they mean something else than base's
	open         int                // left open by the last look
	red          int                // regressions
	excused      int                // either, and passed all the same
	worst        *result.Comparison // with the largest upper bound among the bounded
	possible     *result.Comparison // with the largest upper bound among the open ones; nil where none was compared
}

func tally(r *result.Result) tallied {
	var n tallied
	for _, c := range r.Cases {
		if isExcused(c) {
			n.excused++
		}
		switch c.Verdict {
		case result.Same, result.Slower, result.Faster, result.Improvement:
			if c.Compared() == nil {
				n.identical++
				continue
			}
			n.bounded, n.boundedNames = n.bounded+1, append(n.boundedNames, c.Name)
			n.worst = higher(n.worst, deciding(c))
		case result.New:
			n.fresh++
			n.otherMeaning += either(c.Reason.Is(result.ReasonEpoch), 1, 0)
		case result.Regression:
			n.red++
		case result.Inconclusive, result.Undecided:
			n.open++
			if c.Compared() != nil {
				n.possible = higher(n.possible, c.Compared())
			}
		}
	}
	return n
}

// higher is the comparison with the larger upper bound.
func higher(a, b *result.Comparison) *result.Comparison {
	if a == nil || b.RatioHigh > a.RatioHigh {
		return b
	}
	return a
}

// reservations are what a pass leaves unproven.
func reservations(r *result.Result) []Text {
	return slices.Concat(notesIn(r, "against", "reservations"), atMost(notesIn(r, "inconclusive")), slowerWithin(r))
}

// slowerWithin says which cases lost a little: many of those together are what a tolerance lets through.
func slowerWithin(r *result.Result) []Text {
	lost := slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool { return c.Verdict != result.Slower || c.Compared() == nil })
	slices.SortStableFunc(lost, func(a, b result.Case) int { return cmp.Compare(ratio(b), ratio(a)) })
	var out []Text
	for _, c := range lost {
		out = append(out, say("%v, within the tolerance of %s", shiftText(r, c), tolerance(r, c.Name)))
	}
	return atMost(out)
}

// shiftText says how far a case moved, and with which bounds: "x is 1.92x slower (+92.1 %, 99 % interval +91.2 % … +93.0 %)".
func shiftText(r *result.Result, c result.Case) Text {
	amount, bounds := shiftWords(shiftOf(deciding(c)), tied(confidence(r))+" interval")
	return say("`%s` is %v%s", tellingName(r, c), Say(amount).In(cmp.Or(verdictTone[c.Verdict], Strong)), bounds)
}

// shiftWords are how far something moved, and with which bounds.
func shiftWords(s result.Shift, interval string) (amount, bounds string) {
	change, between := changeOf(s)
	amount, direction := strings.TrimLeft(change, "+"+text.Minus), "slower"
	bounds = fmt.Sprintf(" (%s %s)", interval, tied(between))
	withChange := fmt.Sprintf(" (%s, %s %s)", tied(change), interval, tied(between))
	switch {
	case s.Ratio >= largeRatio:
		amount = change
	case s.Ratio >= plainRatio:
		amount, bounds = text.Times(s.Ratio), withChange
	case s.Ratio < 1/plainRatio:
		amount, direction, bounds = text.Times(1/s.Ratio), "faster", withChange
	case s.Ratio < 1:
		direction = "faster"
	}
	return tied(amount) + " " + direction, bounds
}

// longName is from where the name of a case hides the figures behind it.
const longName = 40

// tellingName is the name of a case; of a long one only the parameters in which the cases of its kernel differ. The table has all.
func tellingName(r *result.Result, c result.Case) string {
	if len(c.Name) <= longName {
		return c.Name
	}
	differs := map[string]bool{}
	for _, other := range r.Cases {
		if other.Kernel != c.Kernel || len(other.Params) != len(c.Params) {
			continue
		}
		for i, p := range other.Params {
			differs[p.Name] = differs[p.Name] || p != c.Params[i]
		}
	}
	telling := slices.DeleteFunc(slices.Clone(c.Params), func(p result.Param) bool { return !differs[p.Name] })
	if len(telling) == 0 {
		return c.Name
	}
	return result.CaseID{Kernel: c.Kernel, Params: telling}.String()
}

// plainRatio is from where a factor is easier to grasp than a percentage.
const plainRatio = 1.5

// tradedText is the headline of a run that passes by a trade: the worst of the slower cases, and what the suite gained.
func tradedText(r *result.Result, found []result.Finding) Text {
	worst := worstOf(telling{run: r, found: found}).found[0]
	var gain phrases
	for _, s := range r.Conclusion.Suites {
		if (s.Machine == "" || s.Machine == worst.Machine) && s.Comparison != nil {
			amount, bounds := shiftWords(shiftOf(s.Comparison), tied(confidence(r))+" interval")
			gain.say("the suite is %v%s", Say(amount).In(Good), bounds)
		}
	}
	shift := Say("slower").In(Warn)
	if worst.Shift != nil {
		amount, bounds := shiftWords(*worst.Shift, tied(confidence(r))+" interval")
		shift = say("%v%s", Say(amount).In(Warn), bounds)
	}
	return say("traded: `%s` is %v[ and %s slower too][, and %v]", aboutOf(worst), shift, some(len(found)-1, "more case"), gain.joined("; "))
}

// excusedText is the headline of a run that passes because a person took the responsibility, by a label or by a waiver: how many regressions, whose
// word, and the worst of them.
func excusedText(r *result.Result, found []result.Finding, excused, by string) Text {
	slower := slices.DeleteFunc(slices.Clone(found), rule.IsOpen)
	open := slices.DeleteFunc(slices.Clone(found), func(f result.Finding) bool { return !rule.IsOpen(f) })
	var p phrases
	if cases := casesOf(r, slower); len(cases) > 0 {
		worst := slices.MaxFunc(cases, func(a, b result.Case) int { return cmp.Compare(ratio(a), ratio(b)) })
		shift := say("`%s` is slower", worst.Name)
		if worst.Compared() != nil {
			shift = shiftText(r, worst)
		}
		p.say("%v`%s`: %s%v", Say(text.Count(len(cases), "regression")+" "+excused+" by ").In(Warn), by, either(len(cases) > 1, "the worst, ", ""), shift)
	}
	if cases := casesOf(r, open); len(cases) > 0 {
		var worst *result.Comparison
		for _, c := range cases {
			if c.Compared() != nil && isExcused(c) {
				worst = higher(worst, c.Compared())
			}
		}
		_, possible := upperBound(worst)
		p.say("%v`%s`[: up to %s slower is not excluded]", Say(text.Count(len(cases), "case")+" without an answer "+excused+" by ").In(Warn), by, tied(possible))
	}
	p.when(len(p) == 0, "regressions %s by `%s`", excused, by)
	return p.joined("; ")
}

// accepted says of each accepted regression who took the responsibility for it, and how.
func accepted(r *result.Result) []Text {
	var out phrases
	for _, a := range r.Accepted {
		what := either(a.Case == "", Say("all regressions of this run"), code(a.Case))
		out.say("%v accepted by `%s`[, %s]", what, cmp.Or(a.By, "an unnamed person"), a.How)
	}
	return out
}
