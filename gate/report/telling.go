package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// telling is findings of one kind and side of which one sentence speaks, and the run that has them: nil where there is no report around it.
type telling struct {
	run   *result.Result
	found []result.Finding
	all   bool // they are all of their kind: a sentence counts them
}

// Sentence is a finding in plain words, for logs, errors and tables that have no report around them.
func Sentence(f result.Finding) string { return SentenceOf(nil, f) }

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

// Title says in a few words what a kernel's findings of a kind are about; "" where the kind has no title.
func Title(kernel string, found []result.Finding) string {
	return strings.TrimSpace(Visible(kernel) + " " + telling{found: found}.filled(wordings[found[0].Kind].title))
}

// worstOf tells of the largest shift only: a table has the others.
func worstOf(t telling) telling {
	t.found = []result.Finding{slices.MaxFunc(t.found, func(a, b result.Finding) int { return cmp.Compare(ratioOf(a), ratioOf(b)) })}
	return t
}

func ratioOf(f result.Finding) float64 {
	if f.Shift == nil {
		return 0
	}
	return f.Shift.Ratio
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
	var groups []telling
	place := map[string]int{}
	for _, f := range inOrder(t.run, t.found) {
		one := telling{run: t.run, found: []result.Finding{f}}
		key := f.Kernel + "\x00" + PlainText(one.withName(nil)) // how it is said without the name
		if f.Case == "" {
			key += "\x00" + f.Kernel
		}
		i, known := place[key]
		switch {
		case !known:
			place[key] = len(groups)
			groups = append(groups, one)
		case !slices.ContainsFunc(groups[i].found, func(o result.Finding) bool { return o.Case == f.Case }): // what several machines have in common is said once
			groups[i].found = append(groups[i].found, f)
		}
	}
	out := make([]Text, len(groups))
	for i, g := range groups {
		out[i] = g.text()
	}
	return out
}

// inOrder are findings in the order of the report's cases.
func inOrder(r *result.Result, found []result.Finding) []result.Finding {
	type about struct{ name, machine string }
	place := map[about]int{}
	for i, c := range sorted(r.Cases) {
		place[about{c.Name, c.Machine}] = i
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b result.Finding) int {
		return place[about{a.Case, a.Machine}] - place[about{b.Case, b.Machine}]
	})
	return found
}

func (t telling) text() Text { return t.withName(t.subject()) }

// subject is what the sentence is about.
func (t telling) subject() Text {
	f := t.found[0]
	if t.all && t.run != nil {
		return subject(t.run, casesOf(t.run, t.found))
	}
	name := aboutOf(f)
	if name == "" {
		return nil
	}
	if t.run != nil && f.Machine == "" && f.Shift != nil {
		if i := slices.IndexFunc(t.run.Cases, f.About); i >= 0 {
			name = tellingName(t.run, t.run.Cases[i])
		}
	}
	out := Text{code(name)}
	if more := len(t.found) - 1; more > 0 {
		out = append(out, words(" and "+Count(more, "more case")))
	}
	return out
}

// withName fills the sentence of the kind, with a name in its place or without it.
func (t telling) withName(name Text) Text {
	f := t.found[0]
	w := wordings[f.Kind]
	sentence := cmp.Or(w.sentence[f.Side], w.sentence[""], "{name}: {detail}")
	if w.refused != "" && f.Reason.Is(result.ReasonBudgetShort) {
		sentence = w.refused
	}
	tone := Warn
	if f.Effect == result.EffectFails {
		tone = Bad
	}
	rest, named := strings.CutPrefix(sentence, "{name}")
	if len(name) == 0 {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ":"), " ")
	}
	var out Text
	if named {
		out = slices.Clone(name)
	}
	for i, part := range strings.FieldsFunc(strings.ReplaceAll(rest, "«", "\x00«"), func(r rune) bool { return r == '\x00' || r == '»' }) {
		mark, strong := strings.CutPrefix(part, "«")
		span := Span{Text: t.filled(mark)}
		if strong {
			span.Tone = tone
		}
		if span.Text != "" || i > 0 {
			out = append(out, span)
		}
	}
	if line := t.errorLine(); line != "" && strings.Contains(sentence, "{error}") {
		out = append(out, words(": "), code(line))
	}
	return slices.DeleteFunc(out, func(s Span) bool { return s.Text == "" })
}

// filled puts what findings have into a sentence: each place once, so that a brace in what a tool said stays one.
func (t telling) filled(sentence string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(sentence, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		key, after, _ := strings.Cut(rest, "}")
		out.WriteString(fillers[key](t))
		sentence = after
	}
}

// fillers say what a sentence may have between braces.
var fillers map[string]func(t telling) string

func init() { // an initializer would refer to itself: sentences hold reasons
	of := func(say func(f result.Finding) string) func(t telling) string {
		return func(t telling) string { return say(t.found[0]) }
	}
	fillers = map[string]func(t telling) string{
		"because": func(t telling) string { return because(t.reason()) }, "detail": of(detail), "error": func(telling) string { return "" },
		"adapter":  of(func(f result.Finding) string { return adapterWords(f.Adapter, Reason(f.Reason)) }),
		"exceeded": of(func(f result.Finding) string { return because(LimitPhrase(f)) }),
		"failure":  of(func(f result.Finding) string { return failure(f.Side) }),
		"limit":    of(func(f result.Finding) string { return tied(limit(f.Limit)) }),
		"shift":    of(func(f result.Finding) string { return between(f.Shift) }), "beyond": of(func(f result.Finding) string { return between(f.Beyond) }),
		"elapsed": of(func(f result.Finding) string { return elapsedBetween(f.Elapsed) }), "waits": of(func(f result.Finding) string { return waits(f.Elapsed) }),
		"rounds": of(func(f result.Finding) string { return strconv.Itoa(f.Rounds) }), "apart": of(func(f result.Finding) string { return strconv.Itoa(f.Apart) }),
		"competitor": of(func(f result.Finding) string { return f.Competitor }), "speedup": of(func(f result.Finding) string { return timesText(f.MinSpeedup) }),
		"speed": of(func(f result.Finding) string { return speedBetween(f.Speed) }), "noise": of(noiseOf), "most": of(upTo),
		"cases":  func(t telling) string { return Count(len(t.found), "case") },
		"passes": telling.passesAt, "mde": telling.mdeText, "below": of(func(f result.Finding) string { return times(f.MetBelow) }),
		"done": telling.done, "exhausted": telling.exhausted, "more": telling.moreBudget, "noisy": telling.noisy, "tolerated": telling.tolerated,
		"amount": func(t telling) string { amount, _ := t.shift(); return amount }, "bounds": func(t telling) string { _, bounds := t.shift(); return bounds },
		"wrong": func(t telling) string { what, _ := t.wrong(); return what }, "where": func(t telling) string { _, where := t.wrong(); return where },
		"available": func(t telling) string { return t.refusal().available }, "holds": func(t telling) string { return t.refusal().holds },
		"cures": func(t telling) string { return t.refusal().cures },
	}
}

// reason is why, in the words of the run, which may have more than the finding keeps.
func (t telling) reason() string {
	f := t.found[0]
	if t.run == nil {
		return Reason(f.Reason)
	}
	whole := ""
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
func (t telling) errorLine() string {
	f := t.found[0]
	line := ""
	if t.run != nil {
		k := t.run.KernelOf(f)
		b := k.Head
		if f.Side == result.SideBase {
			b = k.Base
		}
		if b != nil {
			line = firstError(b.Output)
		}
	}
	if f.Kind == result.FindingBuild {
		line = cmp.Or(line, Reason(f.Reason))
	}
	return line
}

// wrong says that a result is wrong, and in which case.
func (t telling) wrong() (what, where string) {
	f := t.found[0]
	what = "computes the wrong result"
	if t.run == nil {
		return what, because(Reason(f.Reason))
	}
	k := t.run.KernelOf(f)
	failure := k.Parity.Failure
	if failure == nil {
		return what, because(cmp.Or(Reason(k.Parity.Reason), Reason(f.Reason)))
	}
	if failure.Code != result.CodeWrongOutput {
		what = "fails the parity check"
	}
	return what, " at " + result.ParseCaseID(failure.Case).Short() + ": " + failure.Message
}

// shift is how far a case is from base, and with which bounds.
func (t telling) shift() (amount, bounds string) {
	f := t.found[0]
	if f.Shift == nil {
		return "slower", ""
	}
	interval := "interval"
	if t.run != nil {
		interval = tied(confidence(t.run)) + " interval"
	}
	return shiftWords(*f.Shift, interval)
}

// tolerated names the tolerance.
func (t telling) tolerated() string {
	if limit := t.tolerance(); limit != "" {
		return "; " + limit + " is tolerated"
	}
	return ""
}

// tolerance is that of the finding or of its run; "" where neither has one.
func (t telling) tolerance() string {
	if t.run != nil && t.run.Policy.Tolerance > 0 {
		return tolerance(t.run, casesOfFindings(t.found)...)
	}
	if t.run != nil || t.found[0].Limit <= 0 {
		return ""
	}
	return tied(limit(t.found[0].Limit))
}

// aboutOf is what a finding is about: a case or a kernel, with the machine where there are several.
func aboutOf(f result.Finding) string {
	name := cmp.Or(f.Case, f.Kernel)
	if f.Machine != "" && name != "" {
		name += " on " + f.Machine
	}
	return name
}
