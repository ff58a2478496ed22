package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// telling is findings of one kind and side of which one sentence speaks, and the run that has them: an empty one where there is no report around it.
type telling struct {
	run   *result.Result
	found []result.Finding
	all   bool // they are all of their kind: a sentence counts them
}

// Sentence is a finding in plain words, for logs, errors and tables that have no report around them.
func Sentence(f result.Finding) string { return SentenceOf(&result.Result{}, f) }

// SentenceOf is a finding of a run in plain words.
func SentenceOf(r *result.Result, f result.Finding) string {
	return PlainText(telling{run: r, found: []result.Finding{f}}.text())
}

// Sentences are findings in plain words.
func Sentences(findings []result.Finding) []string {
	out := make([]string, len(findings))
	for i, f := range findings {
		out[i] = Sentence(f)
	}
	return out
}

// Title says in a few words what a kernel's findings of a kind are about; "" where the kind has no title. isDoubt says that head only may be slower.
func Title(kernel string, found []result.Finding) (title string, isDoubt bool) {
	w := wordings[found[0].Kind]
	if w.title == "" {
		return "", false
	}
	t := telling{run: &result.Result{}, found: found}
	return strings.TrimSpace(text.Visible(kernel) + " " + PlainText(t.filled(w.title, nil))), w.doubt
}

// worstOf tells of the largest shift only: a table has the others.
func worstOf(t telling) telling {
	ratio := func(f result.Finding) float64 { return cmp.Or(f.Shift, &result.Shift{}).Ratio }
	t.found = []result.Finding{slices.MaxFunc(t.found, func(a, b result.Finding) int { return cmp.Compare(ratio(a), ratio(b)) })}
	return t
}

// allOf tells of all findings at once.
func allOf(t telling) telling {
	t.all = true
	return t
}

// texts are the sentences on findings of one kind and side: of a kernel's cases with equal ones together.
func (t telling) texts() []Text {
	if together := wordings[t.found[0].Kind].together; together != nil {
		return []Text{together(t).text()}
	}
	type key struct{ kernel, of, said string }
	var out []Text
	for _, alike := range grouped(inOrder(t.run, t.found), func(f result.Finding) key { // by how it is said without the name
		return key{f.Kernel, either(f.Case == "", "kernel", ""), PlainText(telling{run: t.run, found: []result.Finding{f}}.withName(nil))}
	}) {
		seen := map[string]bool{}
		alike = slices.DeleteFunc(alike, func(f result.Finding) bool { // what several machines have in common is said once
			again := seen[f.Case]
			seen[f.Case] = true
			return again
		})
		out = append(out, telling{run: t.run, found: alike}.text())
	}
	return out
}

// inOrder are findings in the order of the report's cases.
func inOrder(r *result.Result, found []result.Finding) []result.Finding {
	place := map[about]int{}
	for i, c := range sorted(r.Cases) {
		place[aboutCase(c)] = i
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b result.Finding) int { return place[aboutFinding(a)] - place[aboutFinding(b)] })
	return found
}

func (t telling) text() Text { return t.withName(t.subject()) }

// subject is what the sentence is about.
func (t telling) subject() Text {
	f := t.found[0]
	if all := len(t.run.Cases); t.all && all > 0 && f.Case != result.SuiteCase {
		switch cases := t.cases(); len(cases) {
		case 1:
			return code(cases[0].Name)
		case all:
			return Say(text.Count(all, "case"))
		default:
			return say("%d of %s", len(cases), text.Count(all, "case"))
		}
	}
	name := aboutOf(f)
	if i := slices.IndexFunc(t.run.Cases, f.About); i >= 0 && f.Machine == "" && f.Shift != nil {
		name = tellingName(t.run, t.run.Cases[i])
	}
	return either(name == "", nil, say("`%s`[ and %s]", name, some(len(t.found)-1, "more case")))
}

// withName fills the sentence of the kind, with a name in its place or without it.
func (t telling) withName(name Text) Text {
	f := t.found[0]
	w := wordings[f.Kind]
	sentence := cmp.Or(w.sentence[f.Side], w.sentence[""], "{name}: {detail}")
	if w.refused != "" && f.Reason.Is(result.ReasonBudgetShort) {
		sentence = w.refused
	} else if w.tuned != "" && t.run.Kind == result.KindTune {
		sentence = w.tuned
	}
	if len(name) == 0 {
		sentence = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(sentence, "{name}"), ":"), " ")
	}
	out := t.filled(sentence, name)
	for i := range out {
		if out[i].Tone == Strong {
			out[i].Tone = either(f.Effect == result.EffectFails, Bad, Warn)
		}
	}
	if f.IsExcused() {
		worst := either(f.Effect == result.EffectTraded && t.run.Policy.Suite.Worst > 0, tied(text.Limit(t.run.Policy.Suite.Worst)), "")
		out = append(out, say("; %s[, and a slowdown of %s is excluded, against its best-known level too]", f.Effect, worst)...)
	}
	return out
}

// filled puts what findings have into a sentence.
func (t telling) filled(sentence string, name Text) Text {
	f, waiver := t.found[0], cmp.Or(t.found[0].Waiver, &result.Waiver{})
	goal := cmp.Or(f.Goal, &result.GoalCount{})
	return slots{
		"owner": code(waiver.Owner), "waived": code(waiver.Cases), "until": waiver.Until, "sessions": text.Count(result.WaiverSessions, "session"),
		"wanted": fmt.Sprint(goal.Cases), "reached": fmt.Sprintf("%d of %s", goal.Reached, text.Count(goal.Of, "case")),
		"less": fmt.Sprintf("%d of %s", goal.Below, text.Count(goal.Of, "case")), "unknown": fmt.Sprint(goal.Of - goal.Reached - goal.Below),
		"name": name, "competitor": f.Competitor, "rounds": fmt.Sprint(f.Rounds), "apart": fmt.Sprint(f.Apart), "cases": text.Count(len(t.found), "case"),
		"speedup": either(f.MinSpeedup > 0, timesText(f.MinSpeedup), ""), "below": text.Times(f.MetBelow), "noise": either(f.MDE > 0, text.Percent(f.MDE), ""), "limit": tied(text.Limit(f.Limit)),
		"shift": given(f.Shift, between), "beyond": given(f.Beyond, between), "speed": given(f.Speed, speedBetween), "outside": given(f.Times, outside),
		"most":    given(f.Shift, func(s result.Shift) string { return text.Change(s.Ratio-1, 1) }),
		"elapsed": given(f.Elapsed, func(e result.Elapsed) string { return between(shiftOfLogs(e.Theta, e.Low, e.High)) }), "waits": given(f.Elapsed, waits),
		"hindrance": func() any { return hindrance(f) },
		"failure":   failure(f.Side), "exceeded": limitPhrase(f), "detail": detail(f),
		"reason": t.reason, "error": t.errorLine, "adapter": func() any { return adapterWords(f.Adapter, Reason(f.Reason)) },
		"amount": func() any { amount, _ := t.shift(f); return amount }, "bounds": func() any { _, bounds := t.shift(f); return bounds },
		"wrong": func() any { what, _ := t.wrong(f); return what }, "where": func() any { _, where := t.wrong(f); return where },
		"tolerance": func() any { return t.tolerance() }, "more": func() any { return t.moreBudget() }, "noisy": func() any { return t.noisy() },
		"done": t.done, "exhausted": t.exhausted, "passes": func() any { return cmp.Or(t.passesOver(), text.Percent(0)) }, "mde": t.mde,
		"first-comparison": t.firstComparison, "available": either(t.run.BudgetS > 0, tied(text.Elapsed(t.run.BudgetS)), "this length"), "holds": t.holds, "cures": t.cures,
	}.fill(sentence)
}

// reason is why, in the words of the run, which may have more than the finding keeps.
func (t telling) reason() any {
	f, whole := t.found[0], ""
	switch f.Kind {
	case result.FindingParityError:
		whole = Reason(t.run.KernelOf(f).Parity.Reason)
	case result.FindingCaseError, result.FindingNotTimed:
		if i := slices.IndexFunc(t.run.Cases, f.About); i >= 0 {
			whole = Reason(t.run.Cases[i].Reason)
		}
	}
	return cmp.Or(whole, Reason(f.Reason))
}

// detail is what was said, or at least the kind.
func detail(f result.Finding) string { return cmp.Or(Reason(f.Reason), string(f.Kind)) }

// errorLine is what a compiler said of the side that does not build.
func (t telling) errorLine() any {
	f, line := t.found[0], ""
	k := t.run.KernelOf(f)
	if b := either(f.Side == result.SideBase, k.Base, k.Head); b != nil {
		line = firstError(b.Output)
	}
	return either(f.Kind == result.FindingBuild, cmp.Or(line, Reason(f.Reason)), line)
}

// wrong says that a result is wrong, and in which case.
func (t telling) wrong(f result.Finding) (what, where string) {
	k := t.run.KernelOf(f)
	failure := k.Parity.Failure
	if failure == nil {
		return "computes the wrong result", because(cmp.Or(Reason(k.Parity.Reason), Reason(f.Reason)))
	}
	what = either(failure.Code == result.CodeWrongOutput, "computes the wrong result", "fails the parity check")
	return what, " at " + result.ParseCaseID(failure.Case).Short() + ": " + failure.Message
}

// shift is how far a case is from base, and with which bounds.
func (t telling) shift(f result.Finding) (amount, bounds string) {
	if f.Shift == nil {
		return "slower", ""
	}
	return shiftWords(*f.Shift, either(t.run.Policy.Confidence > 0, tied(confidence(t.run))+" interval", "interval"))
}

// tolerance is that of the run or of the finding; "" where neither has one.
func (t telling) tolerance() string {
	if t.run.Policy.Tolerance > 0 {
		var names []string
		for _, f := range t.found {
			names = append(names, f.Case)
		}
		return tolerance(t.run, names...)
	}
	return either(t.found[0].Limit > 0, tied(text.Limit(t.found[0].Limit)), "")
}

// aboutOf is what a finding is about: a case or a kernel, with the machine where there are several.
func aboutOf(f result.Finding) string {
	name := cmp.Or(f.Case, f.Kernel)
	return name + either(f.Machine != "" && name != "", " on "+f.Machine, "")
}

// hindrance is why a trade was refused: the suite is not faster, or a case may have become too much slower.
func hindrance(f result.Finding) Text {
	switch limit := tied(text.Limit(f.Limit)); {
	case f.Limit == 0:
		return nil
	case f.Case == result.SuiteCase:
		return say("it is not significantly faster[ (%s)], so it makes up for no slower case", given(f.Shift, between))
	case f.Beyond != nil || f.Reason != nil:
		return say("a slowdown of %s against its best-known level is not excluded[ (%s)][: %s]", limit, given(f.Beyond, between), Reason(f.Reason))
	default:
		return say("a slowdown of %s is not excluded", limit)
	}
}

// outside is what was seen of a benchmark's processes, and what they say.
func outside(t result.TimesDiffer) string {
	return fmt.Sprintf("head says that it measured for %s, and its processes took %s (CPU time: %s) than base's, which took %s",
		lessOrMore(t.ClaimedS), lessOrMore(t.LivedS), lessOrMore(t.CPUS), text.Duration(t.BaseS*1e9))
}

// lessOrMore is a time of head against base's.
func lessOrMore(s float64) string {
	if math.Abs(s) < 1e-3 {
		return "no less"
	}
	return text.Duration(math.Abs(s)*1e9) + either(s < 0, " less", " more")
}

// given is what is said of something; "" of nothing.
func given[T any](x *T, say func(T) string) string {
	if x == nil {
		return ""
	}
	return say(*x)
}

// between is a shift with its bounds, as in "+3.10 %, +2.00 … +4.20 %".
func between(s result.Shift) string {
	change, interval := changeOf(s)
	return change + ", " + interval
}

// speedBetween is a speed with its bounds, as in "1.17x, 1.15 … 1.19x".
func speedBetween(s result.Shift) string {
	return fmt.Sprintf("%s, %s … %s", text.Times(s.Ratio), text.Digits(s.Low, text.Decimals(s.Low)), text.Times(s.High))
}

// waits says where elapsed time went that the value of a process does not have.
func waits(e result.Elapsed) string {
	if e.HeadWaitedNS > 0 {
		return fmt.Sprintf("a launch of head waits %s on average, one of base %s", text.Duration(e.HeadWaitedNS), text.Duration(e.BaseWaitedNS))
	}
	return "some launches of head take far longer than most"
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
