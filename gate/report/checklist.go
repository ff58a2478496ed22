package report

import (
	"io"
	"strings"
)

// Entry is a line of a checklist: the state that something is in, and beneath it what helps.
type Entry struct {
	Group, State, Name, Text, Cure string
	Tone                           Tone // of State
}

// Checklist prints entries by their groups, and an answer below them.
func Checklist(w io.Writer, entries []Entry, answer Text, opt TerminalOptions) error {
	const stateWidth, textAt = 8, 23
	s := newScreen(opt)
	for i, e := range entries {
		if i == 0 || e.Group != entries[i-1].Group {
			s.gap()
			s.out.WriteString(s.paint(e.Group, Strong) + "\n")
		}
		s.out.WriteString(s.paint("  "+pad(e.State, stateWidth, Left), e.Tone) + pad(e.Name, textAt-stateWidth-2, Left))
		s.wrap(Say(e.Text), textAt)
		if e.Cure != "" {
			s.out.WriteString(strings.Repeat(" ", textAt) + s.paint("→", e.Tone) + " ")
			s.wrap(Say(e.Cure), textAt+2)
		}
	}
	s.gap()
	s.wrap(answer, 0)
	return s.flush(w)
}
