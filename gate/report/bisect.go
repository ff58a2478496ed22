package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/result"
)

// searchBlocks are the parts of an answer that is not a run's: what goes with it, its table, and how it came about.
func searchBlocks(d parts, figures ...Figure) []Block {
	var all blocks
	all.add(pointsOf("against", Always, d.Tone, d.also))
	all.add(tableOf("cases", Always, d.cases))
	all.addEach(figureBlocks("cases", figures))
	for i, t := range d.competitors {
		all.add(tableOf(fmt.Sprintf("table-%d", i+2), Always, t))
	}
	for _, b := range problemBlocks(d.problems, false) {
		all.add(b)
	}
	all.add(notesOf(d.noted))
	all.add(factsOf(d.facts))
	all.add(repeatOf(Folded, d.repro))
	return all
}

// BisectDocument is a search as its reader meets it.
func BisectDocument(r *bisect.Report) Document {
	d := parts{Document: Document{Kind: "bisect", Verdict: bisectVerdicts[r.Kind], Tone: bisectTone(r.Kind), Headline: bisectAnswer(r)}, repro: r.Repro}
	if c, ok := r.Commits[r.First]; ok {
		d.also = append(d.also, commitText(c))
	}
	d.also = append(d.also, Text{words("the ends: "), code(result.ShortID(r.Ends.Head)), words(" is " + stepSize(r.Ends) + " than "), code(result.ShortID(r.Ends.Base)), words(ofCase(r.Ends))})
	for _, commit := range r.Among {
		d.also = append(d.also, append(Text{code(result.ShortID(commit)), words(whyNot(r.Steps, commit))}, subjectOf(r, commit)...))
	}
	d.cases = stepTable(r)
	d.facts = bisectFacts(r)
	for _, note := range r.Notes {
		d.noted = append(d.noted, Say(note))
	}
	d.Blocks = searchBlocks(d, bisectSteps(r)...)
	return d.Document
}

var bisectVerdicts = map[bisect.Kind]string{
	bisect.Found: "FOUND", bisect.Gradual: "FOUND", bisect.Unconfirmed: "FOUND", bisect.Narrowed: "NARROWED DOWN", bisect.NoChange: "NO REGRESSION", bisect.Open: "COULD NOT MEASURE",
}

func bisectTone(k bisect.Kind) Tone {
	switch k {
	case bisect.Found:
		return Good
	case bisect.NoChange:
		return Bad
	}
	return Warn
}

func bisectAnswer(r *bisect.Report) Text {
	switch r.Kind {
	case bisect.Found:
		return Text{code(result.ShortID(r.First)), words(" is the first slower commit: " + stepSize(*r.Confirm) + " than "), words(beforeIt(r)), code(result.ShortID(r.Parent))}
	case bisect.Gradual:
		return Text{
			words("No single commit makes half of the change. At "), code(result.ShortID(r.First)), words(" half of it is there; compared with its parent it is " + stepSize(*r.Confirm)),
		}
	case bisect.Unconfirmed:
		return Text{
			code(result.ShortID(r.First)), words(" is the first that is significantly slower than the good end, but compared with "), words(beforeIt(r)), code(result.ShortID(r.Parent)),
			words(" it is inconclusive: use a quieter machine or a larger --budget"),
		}
	case bisect.Narrowed:
		return Text{words("The first slower commit is one of " + Count(len(r.Among), "commit") + ": those before the last could not be measured")}
	case bisect.NoChange:
		return Text{words("There is no regression between the ends, so there is nothing to find")}
	}
	return Text{words("The difference between the ends is inconclusive here, even with four times the budget: use a quieter machine or a larger --budget")}
}

// beforeIt is what a found commit was held against.
func beforeIt(r *bisect.Report) string {
	for _, s := range r.Steps {
		if s.Head == r.First && s.Base != r.Parent && s.Base != r.Good && s.BaseReason != "" {
			return "the last good commit before it (its parent cannot be measured) "
		}
	}
	return "its parent "
}

// commitText is what a commit says of itself.
func commitText(c bisect.Commit) Text {
	text := Text{words("it says: "), code(c.Subject), words(" by "), code(c.Author)}
	if !c.Time.IsZero() {
		text = append(text, words(", "+c.Time.Format(time.DateOnly)))
	}
	return text
}

func subjectOf(r *bisect.Report, commit string) Text {
	if c, ok := r.Commits[commit]; ok {
		return Text{words(", "), code(c.Subject)}
	}
	return nil
}

func stepTable(r *bisect.Report) Table {
	t := Table{First: "step", Columns: []Column{
		{Key: "base", Title: "compared with"}, {Key: "answer", Title: "answer"}, {Key: "change", Title: "change", Unit: "ratio", Align: Right},
		{Key: "rounds", Title: "rounds", Unit: "1", Align: Right, Priority: 1}, {Key: "took", Title: "took", Unit: "s", Align: Right, Priority: 1},
	}}
	for i, step := range r.Steps {
		change := cell(blank, Plain)
		if step.Ratio > 0 {
			change = changeCell(step.Ratio-1, 1, Plain)
		}
		t.Rows = append(t.Rows, Row{Name: Name{Kernel: result.ShortID(step.Head), Full: result.ShortID(step.Head)}, Rank: i, Cells: Cells{
			"base": cell(result.ShortID(step.Base), Plain), "answer": cell(string(step.Answer), Plain), "change": change,
			"rounds": countCell(step.Rounds, Plain), "took": secondsCell(step.Seconds, Plain),
		}})
	}
	return t
}

func bisectFacts(r *bisect.Report) []Fact {
	searched := Count(r.Candidates, "candidate") + " of " + Count(r.Line, "commit") + candidatesWords[r.Narrowing]
	if r.Widened {
		searched += "; the loss is at none of these, so the others before it were tried too"
	}
	facts := []Fact{{"between", Text{code(result.ShortID(r.Good)), words(" and "), code(result.ShortID(r.Bad))}}, {"searched", Say(searched)}}
	if len(r.Hints) > 0 {
		text := Text{words("tried first, since records have the case slower by then:")}
		for _, h := range r.Hints {
			text = append(text, words(" "), code(result.ShortID(h.At)))
		}
		facts = append(facts, Fact{"records", text})
	}
	return append(facts, Fact{"tolerance", Say(Percent(r.Tolerance))}, Fact{"machine", Text{code(r.Machine)}})
}

var candidatesWords = map[bisect.Narrowing]string{
	bisect.ByReads: ": those that change a file that the kernel is made of",
	bisect.ByWatch: ": those that change what the configuration watches (what a build command or a benchmark reads cannot be listed)",
	bisect.ByNone:  "",
}

// stepSize words a measured change, such as "3.1 % slower (2.8 to 3.4 %)".
func stepSize(s bisect.Step) string {
	if s.Ratio <= 0 {
		return "not distinguished from it"
	}
	word := "slower"
	if s.Ratio < 1 {
		word = "faster"
	}
	return fmt.Sprintf("%s %s (%s to %s)", strings.TrimLeft(Change(s.Ratio-1, 1), "+"+minus), word, signed(s.Low-1, 1), Change(s.High-1, 1))
}

func ofCase(s bisect.Step) string {
	if s.Case == "" {
		return ""
	}
	return ", " + s.Case
}

// whyNot says why a commit could not be measured, or how it came out.
func whyNot(steps []bisect.Step, commit string) string {
	for _, s := range steps {
		if s.Head == commit {
			switch s.Answer {
			case bisect.Skip:
				return ": " + s.Reason
			case bisect.Unsure:
				return ": inconclusive after " + Count(s.Rounds, "round")
			}
			return ": " + string(s.Answer)
		}
	}
	return ""
}
