package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/result"
)

// JudgeSays is what a loop has to know of an answer, the most important first. res is the run that settled it.
func JudgeSays(a *judge.Answer, res *result.Result) []string {
	says := []string{judgeHeadline(a)}
	for _, f := range res.Conclusion.Findings {
		switch fault := foundFault(a, f); {
		case fault == nil && !isUnchecked(f), fault != nil && hasFailure(a, f): // what failed is said below, with the command that shows it again
		case fault != nil && f.Kind == result.FindingBuild && fault.Output != "":
			built := &result.Build{Failed: true, Output: fault.Output}
			says = append(says, SentenceOf(&result.Result{Kernels: []result.Kernel{{Name: f.Kernel, Head: built}}}, f))
		default:
			says = append(says, Sentence(f))
		}
	}
	for _, change := range a.Ignored {
		says = append(says, Visible("not used, since base's policy is in force: "+ignoredWords(change)))
	}
	for _, p := range a.Parity {
		if f := p.Failure; f != nil {
			says = append(says, Visible(failureWords(*f)))
		}
	}
	for _, c := range a.Cases {
		for _, cause := range c.Causes {
			says = append(says, Visible(judgedCause(c.Name, cause)))
		}
	}
	return says
}

// judgedCause says of which side a cause is, and what a candidate that is slower can do about it.
func judgedCause(name string, c judge.Cause) string {
	if c.Side == result.SideBase {
		return fmt.Sprintf("%s was slower before because %s (explains %s)", name, c.Title, shareWords(c.Share))
	}
	says := fmt.Sprintf("%s is slower because %s (explains %s)", name, c.Title, shareWords(c.Share))
	if c.Remedy != "" {
		says += "; what helps: " + c.Remedy
	}
	return says
}

// ignoredWords name what a candidate changes of the rules.
func ignoredWords(c result.RuleChange) string {
	switch c.Kind {
	case result.RuleAdapter:
		return "its change of the adapter " + c.File
	case result.RuleBenchmark:
		return "its change of the benchmark's " + c.File
	case result.RuleKey:
		return "its change of the configuration, " + c.Detail
	}
	return "its change of the configuration " + c.File
}

// foundFault is the fault of the answer that a finding is; nil where it is none.
func foundFault(a *judge.Answer, f result.Finding) *judge.Fault {
	for i, fault := range a.Faults {
		if fault.Kind == f.Kind && fault.Kernel == f.Kernel {
			return &a.Faults[i]
		}
	}
	return nil
}

// hasFailure says whether parity has a failing case of what a finding says is wrong.
func hasFailure(a *judge.Answer, f result.Finding) bool {
	return f.Kind == result.FindingWrongOutput && slices.ContainsFunc(a.Parity, func(p judge.Parity) bool { return p.Kernel == f.Kernel && p.Failure != nil })
}

// isUnchecked says whether a finding is that less than usual speaks for the candidate.
func isUnchecked(f result.Finding) bool {
	return f.Kind == result.FindingParityOff || f.Kind == result.FindingParityUnavailable || f.Kind == result.FindingSelfTimed ||
		f.Kind == result.FindingNotCompared
}

// failureWords say what is wrong with the smallest failing case, and how to see it again.
func failureWords(f result.ParityFailure) string {
	s := fmt.Sprintf("the smallest case that fails is %s on %s values: %s", f.Case, f.Values, firstLine(f.Message))
	if f.Pattern != "" {
		s += "; " + f.Pattern
	}
	return s + "; again with: " + f.Repro
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// judgeHeadline is the verdict in one sentence.
func judgeHeadline(a *judge.Answer) string {
	who := "base"
	if a.Against != judge.Base {
		who = fmt.Sprintf("candidate %d, the best so far", a.Against)
	}
	shift := ""
	if r := a.Ratio; r != nil {
		shift = fmt.Sprintf(": %s (%s to %s)", Change(r.Ratio-1, 2), Change(r.Low-1, 2), Change(r.High-1, 2))
	}
	switch a.Verdict {
	case judge.Better:
		return "faster than " + who + shift + ", confirmed in separate rounds: it is the best now"
	case judge.Worse, judge.Unsure:
		return notBetter(a, who, shift)
	case judge.Same:
		if a.Ratio == nil {
			return "builds to the same code as " + who + ", so nothing was timed"
		}
		return "not distinguished from " + who + shift + "; a gain that is worth finding is excluded"
	}
	return map[judge.Verdict]string{
		judge.Wrong: "it computes something else than base says it should", judge.Broken: "it does not build, does not run, or breaks a limit",
		judge.Cheats: "what it does where it is timed is not what it does where it is checked, or the clock does not see it",
	}[a.Verdict]
}

// notBetter says why a candidate is worse, or why that stayed open: beside base, in one case, or as a whole.
func notBetter(a *judge.Answer, who, shift string) string {
	if a.Against != judge.Base && a.RatioOfBase != nil {
		return "faster than " + who + shift + ", but against base " + map[judge.Verdict]string{
			judge.Worse: "it is slower, as a whole or in one case", judge.Unsure: "it is inconclusive whether it is faster at all",
		}[a.Verdict]
	}
	if a.Verdict == judge.Unsure {
		return fmt.Sprintf("inconclusive whether it is faster than %s%s; the MDE of these rounds is %s. Use a quieter machine or a larger --budget", who, shift, Percent(a.SmallestEffect))
	}
	for _, c := range a.Cases {
		if c.Verdict == result.Regression && a.Ratio != nil && a.Ratio.Low <= 1 {
			return fmt.Sprintf("slower than %s in %s by more than the tolerance; all cases together%s", who, Visible(c.Name), shift)
		}
	}
	return "slower than " + who + shift
}

// JudgeStatus is where a search stands: its best candidates, each with what it was compared with, and a line for every answer.
func JudgeStatus(s *judge.Summary, answers []*judge.Answer) Document {
	d := parts{Document: Document{Kind: "judge", Verdict: "NOTHING BETTER", Tone: Warn, Headline: statusHeadline(s)}, cases: answerTable(answers)}
	if s.Better > 0 {
		d.Verdict, d.Tone = "BETTER", Good
		d.also = append(d.also, Say("lineage: "+lineage(answers)))
	}
	for _, c := range s.Interrupted {
		d.also = append(d.also, Text{words(fmt.Sprintf("candidate %d (", c.Number)), code(c.Label), words(") was begun and has no answer: perfgate judge --resume judges it again")})
	}
	if s.Torn > 0 {
		d.also = append(d.also, Say(fmt.Sprintf("line %d of the ledger was cut off as it was written, and is dropped: what it would have said is not known", s.Torn)))
	}
	d.facts = []Fact{
		{"judged", Say(Count(s.Judged, "candidate"))}, {"requests", Say(fmt.Sprintf("%d to be called better, %d granted", s.Requests, s.Better))},
		{"next", Say(fmt.Sprintf("request may be granted wrongly with a chance of %.2g", s.NextAlpha))}, {"ledger", Text{code(s.Folder)}},
	}
	var all blocks
	all.add(pointsOf("against", Always, d.Tone, d.also))
	all.add(tableOf("cases", Always, d.cases))
	facts := factsOf(d.facts)
	facts.Layer, facts.Title = Always, nil
	all.add(facts)
	d.Blocks = all
	return d.Document
}

func statusHeadline(s *judge.Summary) Text {
	if s.Best.Number == judge.Base {
		return Text{words("No candidate is better than "), code(s.Best.Label), words(" so far")}
	}
	t := Text{words(fmt.Sprintf("The best is candidate %d, ", s.Best.Number)), code(s.Best.Label)}
	if r := s.BestRatio; r != nil {
		t = append(t, words(fmt.Sprintf(": %s against base (%s to %s)", Change(r.Ratio-1, 2), Change(r.Low-1, 2), Change(r.High-1, 2))))
	}
	return t
}

// lineage is the line of bests, each better than the one before it.
func lineage(answers []*judge.Answer) string {
	line := []string{"base"}
	for _, a := range answers {
		if a.Verdict == judge.Better {
			line = append(line, fmt.Sprintf("%d (%s)", a.Candidate.Number, Visible(a.Candidate.Label)))
		}
	}
	return strings.Join(line, " -> ")
}

func answerTable(answers []*judge.Answer) Table {
	t := Table{First: "candidate", Columns: []Column{
		{Key: "verdict", Title: "verdict"}, {Key: "against", Title: "against", Align: Right}, {Key: "change", Title: "change", Unit: "ratio", Align: Right},
		{Key: "processes", Title: "processes", Unit: "1", Align: Right, Priority: 1}, {Key: "took", Title: "took", Unit: "s", Align: Right, Priority: 1},
	}}
	for i, a := range answers {
		change := cell(blank, Plain)
		if a.Ratio != nil {
			change = changeCell(a.Ratio.Ratio-1, 2, Plain)
		}
		name := fmt.Sprintf("%d %s", a.Candidate.Number, a.Candidate.Label)
		t.Rows = append(t.Rows, Row{Name: Name{Kernel: name, Full: name}, Rank: i, Cells: Cells{
			"verdict": cell(string(a.Verdict), Plain), "against": cell(fmt.Sprint(a.Against), Plain), "change": change,
			"processes": countCell(a.Processes, Plain), "took": secondsCell(a.Seconds, Plain),
		}})
	}
	return t
}
