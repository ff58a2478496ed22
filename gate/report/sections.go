package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// labelWidth is the column at which the text behind a label begins.
const labelWidth = 10

func (s *screen) label(label string, tone Tone) {
	s.out.WriteString(s.paint(pad(label, labelWidth, Left), tone))
}

// mostOpen is how many open cases have a line each: a noisy machine leaves all of them open, for one reason.
const mostOpen = 3

// remarks prints the sentences that single rows need, under their table.
func (s *screen) remarks(remarks []Remark) {
	open := 0
	for _, r := range remarks {
		if r.Open {
			open++
		}
		if !r.Open || open <= mostOpen {
			s.bullet(Quiet, append(Text{code(r.Case.Full), words(": ")}, r.Text...))
		}
	}
	if more := open - mostOpen; more > 0 {
		s.bullet(Quiet, Say(Count(more, "more open case")+"; report.html says what each would take"))
	}
}

// checks prints the parity lines.
func (s *screen) checks(checks []Check) {
	const status = 13
	label := "parity"
	for _, c := range alikeChecks(checks) {
		s.label(label, Quiet)
		s.out.WriteString(s.paint(pad(c.Status, status, Left), c.Tone))
		t := c.Text
		if len(checks) > 1 || c.Status != "passed" {
			t = append(c.about(": "), t...)
		}
		s.wrap(t, labelWidth+status)
		if c.Repro != "" {
			s.out.WriteString(strings.Repeat(" ", labelWidth+status) + Visible(c.Repro) + "\n")
		}
		for _, line := range c.Map {
			s.out.WriteString(strings.Repeat(" ", labelWidth+status) + line + "\n")
		}
		label = ""
	}
}

// mostOutput is about how many lines of a compiler's output are printed.
const mostOutput = 16

// problems prints all of what compilers said where it is whole, for a command that writes no result.json with the rest in it.
func (s *screen) problems(problems []Problem, whole bool) {
	for _, p := range problems {
		s.gap()
		s.out.WriteString(s.paint("✗", p.Tone) + " ")
		s.wrap(p.Title, 2)
		if p.Command != "" {
			s.quote("$ " + Clip(Visible(p.Command), 2*s.width))
		}
		shown := p.Output
		if !whole {
			shown = excerpt(p.Output, mostOutput)
		}
		for _, line := range shown {
			s.quote(line)
		}
	}
}

// quote prints a line of foreign output behind a bar, which also keeps it from the start of the line.
func (s *screen) quote(line string) {
	line = strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", "    ")
	s.out.WriteString(s.paint("  │ ", Quiet) + Clip(Visible(line), 2*s.width) + "\n")
}

// excerpt is what matters of a long log: what follows its first error, and its end, where a build system says what it stopped at.
func excerpt(lines []string, most int) []string {
	if len(lines) <= most+1 { // a line saying "1 more line" is no shorter than the line
		return lines
	}
	first := slices.IndexFunc(lines, result.IsFaultLine)
	from, to := 0, 0
	if first >= 0 {
		from = max(0, first-1) // which often says where it is
		to = min(len(lines), from+max(2, most/2))
		if from == 1 { // as long as a line that stands for it
			from = 0
		}
	}
	end := max(to, len(lines)-max(1, most-(to-from)))
	out := append(moreLines(from), lines[from:to]...)
	return append(append(out, moreLines(end-to)...), lines[end:]...)
}

// Excerpt is what matters of a build's output, in about the given number of lines.
func Excerpt(output string, most int) string { return strings.Join(excerpt(lines(output), most), "\n") }

// moreLines is a line that stands for others.
func moreLines(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("… %s in result.json", Count(n, "more line"))}
}

// facts prints the labelled lines, then the notes and the command that does it all again.
func (s *screen) facts(d Document) {
	for _, f := range d.Facts {
		s.label(f.Label, Quiet)
		s.wrap(f.Text, labelWidth)
	}
	for _, n := range d.Notes {
		s.label("note", Quiet)
		s.wrap(n, labelWidth)
	}
	if d.Repro != "" {
		s.label("repeat", Quiet)
		s.out.WriteString(Visible(d.Repro) + "\n")
	}
}

func (s *screen) past(d Document) {
	for _, t := range pastLines(d.Past) {
		s.bullet(Quiet, t)
	}
}

func (s *screen) accepted(d Document) {
	for _, t := range d.Accepted {
		s.bullet(Warn, t)
	}
}

// competitors prints a table for each competitor, and what to know of them.
func (s *screen) competitors(d Document) {
	for _, t := range d.Competitors {
		s.gap()
		s.table(t)
	}
	for _, t := range d.Beside {
		s.bullet(Quiet, t)
	}
}
