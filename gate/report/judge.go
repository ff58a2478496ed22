package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
)

// JudgeSays is what a loop has to know of an answer, the most important first.
func JudgeSays(a *search.Answer) []string {
	says := []string{judgeHeadline(a)}
	for _, f := range a.Faults {
		isShown := f.Kind == result.FindingWrongOutput && slices.ContainsFunc(a.Parity, func(p search.JudgedParity) bool { return p.Kernel == f.Kernel && p.Failure != nil })
		if !isShown { // or it is said below, with the command that shows it again
			built := result.Kernel{Name: f.Kernel, Head: &result.Build{Output: f.Output}}
			says = append(says, SentenceOf(&result.Result{Kernels: []result.Kernel{built}}, f.Finding))
		}
	}
	says = append(says, Sentences(a.Unchecked)...)
	for _, change := range a.Ignored {
		what := slots{"file": change.File, "detail": change.Detail}.fill(cmp.Or(ignoredWords[change.Kind], "its change of the configuration {file}"))
		says = append(says, "not used, since base's policy is in force: "+PlainText(what))
	}
	for _, p := range a.Parity {
		if f := p.Failure; f != nil {
			says = append(says, text.Visible(failureWords(*f)))
		}
	}
	for _, c := range a.Cases {
		for _, cause := range c.Causes {
			says = append(says, text.Visible(judgedCause(c.Name, cause)))
		}
	}
	return says
}

// judgedCause says of which side a cause is, and what a candidate that is slower can do about it.
func judgedCause(name string, c search.JudgedCause) string {
	says := fmt.Sprintf("%s %s because %s (explains %s)", name, either(c.Side == result.SideBase, "was slower before", "is slower"), c.Title, shareWords(c.Share))
	if c.Side != result.SideBase && c.Remedy != "" {
		says += "; what helps: " + c.Remedy
	}
	return says
}

// ignoredWords name what a candidate changes of the rules.
var ignoredWords = map[result.RuleKind]string{
	result.RuleAdapter: "its change of the adapter {file}", result.RuleBenchmark: "its change of the benchmark's {file}",
	result.RuleKey: "its change of the configuration, {detail}",
}

// failureWords say what is wrong with the smallest failing case, and how to see it again.
func failureWords(f result.ParityFailure) string {
	message, _, _ := strings.Cut(f.Message, "\n")
	if f.Pattern != "" {
		message += "; " + f.Pattern
	}
	return fmt.Sprintf("the smallest case that fails is %s on %s values: %s; again with: %s", f.Case, f.Values, message, f.Repro)
}

// judged are the sentences of the verdicts. Those of worse and inconclusive have more than one.
var judged = map[search.Verdict]string{
	search.Better:       "faster than {who}{shift}, confirmed in separate rounds: it is the best now",
	search.Same:         "not distinguished from {who}{shift}; a gain that is worth finding is excluded",
	search.Worse:        "slower than {who}{shift}",
	search.Inconclusive: "inconclusive whether it is faster than {who}{shift}; the MDE of these rounds is {mde}. Use a quieter machine or a larger --budget",
	search.Wrong:        "it computes something else than base says it should",
	search.Broken:       "it does not build, does not run, or breaks a limit",
	search.Cheating:     "what it does where it is timed is not what it does where it is checked, or the clock does not see it",
}

// judgeHeadline is the verdict in one sentence.
func judgeHeadline(a *search.Answer) string {
	at := slots{"who": "base", "shift": "", "mde": text.Percent(a.SmallestEffect)}
	if a.Against != search.BaseCandidate {
		at["who"] = fmt.Sprintf("candidate %d, the best so far", a.Against)
	}
	if a.Ratio != nil {
		at["shift"] = ": " + shifted(*a.Ratio)
	}
	worseCase := slices.IndexFunc(a.Cases, func(c search.JudgedCase) bool {
		return c.Verdict == result.Regression && a.Ratio != nil && a.Ratio.Low <= 1
	})
	template := judged[a.Verdict]
	switch isOpen := a.Verdict == search.Inconclusive; {
	case a.Verdict == search.Same && a.Ratio == nil:
		template = "builds to the same code as {who}, so nothing was timed"
	case a.Verdict != search.Worse && !isOpen:
	case a.Against != search.BaseCandidate && a.RatioOfBase != nil:
		template = "faster than {who}{shift}, but against base it is " + either(isOpen, "inconclusive whether it is faster at all", "slower, as a whole or in one case")
	case !isOpen && worseCase >= 0:
		at["case"] = text.Visible(a.Cases[worseCase].Name)
		template = "slower than {who} in {case} by more than the tolerance; all cases together{shift}"
	}
	return PlainText(at.fill(template))
}

// JudgeStatus is where a search stands: its best candidates, each with what it was compared with, and a line for every answer.
func JudgeStatus(s *search.LedgerSummary, answers []*search.Answer) Document {
	d := Document{Verdict: "NOTHING BETTER", Tone: Warn, Headline: say("No candidate is better than `%s` so far", s.Best.Label)}
	if s.Best.Number != search.BaseCandidate {
		d.Headline = say("The best is candidate %d, `%s`", s.Best.Number, s.Best.Label)
		if s.BestRatio != nil {
			d.Headline = say("%v: against base %s", d.Headline, shifted(*s.BestRatio))
		}
	}
	var also phrases
	if s.Better > 0 {
		d.Verdict, d.Tone = "BETTER", Good
		also.say("lineage: %s", lineage(answers))
	}
	for _, c := range s.Interrupted {
		also.say("candidate %d (`%s`) was begun and has no answer: perfgate judge --resume judges it again", c.Number, c.Label)
	}
	also.when(s.Torn > 0, "line %d of the ledger was cut off as it was written, and is dropped: what it would have said is not known", s.Torn)
	facts := factsOf([]Item{
		{Label: "judged", Text: Say(text.Count(s.Judged, "candidate"))},
		{Label: "requests", Text: say("%d to be called better, %d granted", s.Requests, s.Better)},
		{Label: "next", Text: say("request may be granted wrongly with a chance of %.2g", s.NextAlpha)},
		{Label: "ledger", Text: code(s.Folder)},
	})
	facts.Layer, facts.Title = Always, nil
	d.Blocks = filled(pointsOf("against", Always, d.Tone, also), tableOf("cases", Always, answerTable(answers)), facts)
	return d
}

// lineage is the line of bests, each better than the one before it.
func lineage(answers []*search.Answer) string {
	line := []string{"base"}
	for _, a := range answers {
		if a.Verdict == search.Better {
			line = append(line, fmt.Sprintf("%d (%s)", a.Candidate.Number, text.Visible(a.Candidate.Label)))
		}
	}
	return strings.Join(line, " -> ")
}

func answerTable(answers []*search.Answer) Table {
	change, interval := shiftIn("change", "change", 0, asChange, func(a *search.Answer) *result.Shift { return a.Ratio })
	t := tableBy("candidate", answers, func(i int, a *search.Answer) Row {
		name := fmt.Sprintf("%d %s", a.Candidate.Number, a.Candidate.Label)
		style := changeStyle(a.Verdict == search.Worse, a.Verdict == search.Better, result.Same)
		return Row{Name: Name{Kernel: name, Full: name}, Rank: i, Drawn: drawnShift(name, a.Ratio, style)}
	},
		wordsIn("verdict", "verdict", 0, func(a *search.Answer) string { return string(a.Verdict) }),
		numbersIn("against", "against", 0, func(a *search.Answer) Cell { return cell(fmt.Sprint(a.Against), Plain) }),
		change, interval,
		numbersIn("processes", "processes", 1, func(a *search.Answer) Cell { return countCell(a.Processes, Plain) }),
		numbersIn("took", "took", 1, func(a *search.Answer) Cell { return secondsCell(a.Seconds, Plain) }))
	caption := Say("Left of 0 the candidate is faster. Wrong, broken and cheating candidates have no interval.")
	return t.drawnOver(forest("candidate over what it was compared with", QuantityChange, 0, caption))
}
