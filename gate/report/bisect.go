package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/org/perfgate/gate/bisect"
)

// Bisect prints what a search for the first slower commit found, and its steps.
func Bisect(w io.Writer, o bisect.Outcome, opt TerminalOptions) error {
	s := newScreen(opt)
	s.wrap(bisectAnswer(o), 2)
	s.bullet(Quiet, Text{words("the ends: "), code(shortRevision(o.Ends.Head)), words(" is " + stepSize(o.Ends) + " than "), code(shortRevision(o.Ends.Base)), words(ofCase(o.Ends))})
	if o.Kind == bisect.Narrowed {
		for _, commit := range o.Among {
			s.bullet(Plain, Text{code(shortRevision(commit)), words(whyNot(o.Steps, commit))})
		}
	}
	s.gap()
	t := Table{First: "step", Columns: []Column{{Title: "beside"}, {Title: "answer"}, {Title: "change", Align: Right}, {Title: "rounds", Align: Right}, {Title: "took", Align: Right}}}
	for _, step := range o.Steps {
		change := blank
		if step.Ratio > 0 {
			change = Change(step.Ratio-1, 1)
		}
		t.Rows = append(t.Rows, Row{Name: Name{Kernel: shortRevision(step.Head), Full: shortRevision(step.Head)}, Cells: []Cell{
			{Text: shortRevision(step.Base)}, {Text: string(step.Answer)}, {Text: change}, {Text: fmt.Sprint(step.Rounds)}, {Text: Elapsed(step.Seconds)},
		}})
	}
	s.table(t)
	return s.flush(w)
}

func bisectAnswer(o bisect.Outcome) Text {
	switch o.Kind {
	case bisect.Found:
		return Text{code(shortRevision(o.First)), words(" is the first slower commit: " + stepSize(*o.Confirm) + " than its parent "), code(shortRevision(o.Parent))}
	case bisect.Gradual:
		return Text{
			words("No commit alone makes half of the change. By "), code(shortRevision(o.First)), words(" half of it was there; beside its parent it is " + stepSize(*o.Confirm)),
		}
	case bisect.Narrowed:
		return Text{words("The first slower commit is one of these: those before the last could not be measured")}
	case bisect.NoChange:
		return Text{words("There is no regression between the ends, so there is nothing to find")}
	}
	return Text{words("The ends cannot be told apart here, even with four times the budget: a calmer machine or a larger --budget may")}
}

// stepSize words a measured change, such as "3.1 % slower (2.8 to 3.4 %)".
func stepSize(s bisect.Step) string {
	if s.Ratio <= 0 {
		return "not told from it"
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
				return ": " + s.Why
			case bisect.Unsure:
				return ": stayed open after " + Count(s.Rounds, "round")
			}
			return ": " + string(s.Answer)
		}
	}
	return ""
}
