package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
)

// bisectEnding is how a search that ended so is told of. The answer has {first}, its {parent} with what that is {before} it, what is {slower}, and how many
// commits it is {among}.
type bisectEnding struct {
	verdict string
	tone    Tone
	answer  string
}

var bisectEndings = map[search.BisectKind]bisectEnding{
	search.Found: {"FOUND", Good, "`{first}` is the first slower commit: {slower} than {before}`{parent}`"},
	search.Gradual: {"FOUND", Warn,
		"No single commit makes half of the change. At `{first}` half of it is there; compared with its parent it is {slower}"},
	search.Unconfirmed: {"FOUND", Warn, "`{first}` is the first that is significantly slower than the good end, but compared with {before}`{parent}` it is inconclusive: " +
		"use a quieter machine or a larger --budget"},
	search.Narrowed: {"NARROWED DOWN", Warn, "The first slower commit is one of {among}: those before the last could not be measured"},
	search.NoChange: {"NO REGRESSION", Bad, "There is no regression between the ends, so there is nothing to find"},
	search.InconclusiveEnds: {"COULD NOT MEASURE", Warn,
		"The difference between the ends is inconclusive here, even with four times the budget: use a quieter machine or a larger --budget"},
}

// BisectDocument is a search as its reader meets it.
func BisectDocument(r *search.Bisection) Document {
	end := bisectEndings[r.Kind]
	before := "its parent "
	if slices.ContainsFunc(r.Steps, func(s search.Step) bool {
		return s.Head == r.First && s.Base != r.Parent && s.Base != r.Good && s.OfBase
	}) {
		before = "the last good commit before it (its parent cannot be measured) "
	}
	d := Document{Verdict: end.verdict, Tone: end.tone, Headline: slots{
		"first": result.ShortID(r.First), "before": before, "parent": result.ShortID(r.Parent), "among": text.Count(len(r.Among), "commit"),
		"slower": stepSize(cmp.Or(r.Confirm, &search.Step{})),
	}.fill(end.answer)}
	var also phrases
	if c, ok := r.Commits[r.First]; ok {
		also.say("its message: `%s` by `%s`[, %s]", c.Subject, c.Author, either(c.Time.IsZero(), "", c.Time.Format(time.DateOnly)))
	}
	also.say("over the whole range: `%s` is %s than `%s`[, %s]", result.ShortID(r.Ends.Head), stepSize(&r.Ends), result.ShortID(r.Ends.Base), r.Ends.Case)
	for _, commit := range r.Among {
		also.say("`%s`[: %s][, `%s`]", result.ShortID(commit), whyNot(r.Steps, commit), r.Commits[commit].Subject)
	}
	d.Blocks = filled(pointsOf("against", Always, d.Tone, also), tableOf("cases", Always, stepTable(r)),
		notesOf(plainNotes(r.Notes)), factsOf(bisectFacts(r)), repeatOf(Folded, r.Repro))
	return d
}

func stepTable(r *search.Bisection) Table {
	shift := func(s search.Step) *result.Shift { return measured(s.Ratio, s.Low, s.High) }
	change, interval := shiftIn("change", "change", 0, asChange, shift)
	t := tableBy("step", r.Steps, func(i int, s search.Step) Row {
		id := result.ShortID(s.Head)
		drawn := drawnShift(id+" compared with "+result.ShortID(s.Base), shift(s), bisectAnswerStyles[s.Answer])
		return Row{Name: Name{Kernel: id, Full: id}, Rank: i, Drawn: drawn}
	},
		wordsIn("base", "compared with", 0, func(s search.Step) string { return result.ShortID(s.Base) }),
		wordsIn("answer", "answer", 0, func(s search.Step) string { return string(s.Answer) }),
		change, interval,
		numbersIn("rounds", "rounds", 1, func(s search.Step) Cell { return countCell(s.Rounds, Plain) }),
		numbersIn("took", "took", 1, func(s search.Step) Cell { return secondsCell(s.Seconds, Plain) }))
	caption := Say("Each step's time over that of its base, with the interval. A triangle is slower than the good end, a circle is not.")
	return t.drawnOver(forest("time over that of the base of the step", QuantityChange, r.Tolerance, caption))
}

func bisectFacts(r *search.Bisection) []Item {
	searched := say("%s of %s[: %s]%s", text.Count(r.Candidates, "candidate"), text.Count(r.Line, "commit"), candidatesWords[r.Narrowing],
		either(r.Widened, "; the loss is at none of these, so the others before it were tried too", ""))
	var hints phrases
	for _, h := range r.Hints {
		hints.say("`%s`", result.ShortID(h.At))
	}
	return []Item{
		{Label: "between", Text: say("`%s` and `%s`", result.ShortID(r.Good), result.ShortID(r.Bad))}, {Label: "searched", Text: searched},
		{Label: "records", Text: say("[tried first, since records have the case slower by then: %v]", hints.joined(" "))},
		{Label: "tolerance", Text: Say(text.Percent(r.Tolerance))}, {Label: "machine", Text: code(r.Machine)},
	}
}

var candidatesWords = map[search.Narrowing]string{
	search.ByReads: "those that change a file that the kernel is made of",
	search.ByWatch: "those that change a file that a kernel may read (what a build command or a benchmark reads cannot be listed)",
}

// stepSize words a measured change, such as "3.1 % slower (+2.8 … +3.4 %)".
func stepSize(s *search.Step) string {
	if s.Ratio <= 0 {
		return "not distinguished from it"
	}
	change, interval := changeOf(result.Shift{Ratio: s.Ratio, Low: s.Low, High: s.High})
	return fmt.Sprintf("%s %s (%s)", strings.TrimLeft(change, "+"+text.Minus), either(s.Ratio < 1, "faster", "slower"), interval)
}

// whyNot says why a commit could not be measured, or how it came out.
func whyNot(steps []search.Step, commit string) string {
	i := slices.IndexFunc(steps, func(s search.Step) bool { return s.Head == commit })
	switch {
	case i < 0:
		return ""
	case steps[i].Answer == search.StepSkipped:
		return strings.Join(Sentences(steps[i].Findings), "; ")
	case steps[i].Answer == search.StepInconclusive:
		return "inconclusive after " + text.Count(steps[i].Rounds, "round")
	}
	return string(steps[i].Answer)
}

// bisectAnswerStyles are how the answers of a search are drawn.
var bisectAnswerStyles = map[search.StepAnswer]Style{
	search.StepGood: Style(result.Same), search.StepBad: Style(result.Regression), search.StepInconclusive: Style(result.Inconclusive), search.StepSkipped: Style(result.Skipped),
}
