package report

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// TerminalOptions says what the terminal can do. The zero value is 100 columns without colour.
type TerminalOptions struct {
	Color bool
	Width int // in columns; 0 means 100, less than 80 means 80
}

const (
	defaultWidth = 100
	leastWidth   = 80
)

// Terminal prints d as text. Whatever the change under test wrote into it, no control character gets out but line
// ends and, if asked for, the colours of this package.
func Terminal(w io.Writer, d Document, opt TerminalOptions) error {
	s := newScreen(opt)
	s.answer(d)
	s.gap()
	s.table(d.Cases)
	s.remarks(d.Remarks)
	s.competitors(d)
	s.past(d)
	s.accepted(d)
	s.evidence(d)
	s.gap()
	s.checks(d.Parity)
	s.problems(d.Problems, false)
	s.gap()
	s.table(d.Rates)
	s.gap()
	s.facts(d)
	return s.flush(w)
}

// TerminalTimings prints where the wall time of the run went.
func TerminalTimings(w io.Writer, d Document) error {
	s := newScreen(TerminalOptions{})
	s.table(d.Timings)
	return s.flush(w)
}

// TerminalParity prints whether head is right, the parity of each kernel and what went wrong, and nothing of speed.
func TerminalParity(w io.Writer, d Document, opt TerminalOptions) error {
	s := newScreen(opt)
	s.answer(d)
	s.gap()
	s.checks(d.Parity)
	s.problems(d.Problems, true)
	return s.flush(w)
}

// List prints rows of words under their titles. The first of a row is its name.
func List(w io.Writer, titles []string, rows [][]string, opt TerminalOptions) error {
	t := Table{First: titles[0]}
	for i, title := range titles[1:] {
		t.Columns = append(t.Columns, Column{Key: strconv.Itoa(i), Title: title})
	}
	for _, row := range rows {
		r := Row{Name: Name{Kernel: row[0], Full: row[0]}, Cells: Cells{}}
		for i, text := range row[1:] {
			r.Cells[strconv.Itoa(i)] = cell(text, Plain)
		}
		t.Rows = append(t.Rows, r)
	}
	s := newScreen(opt)
	s.table(t)
	return s.flush(w)
}

// screen gathers lines.
type screen struct {
	color  bool
	width  int
	naming int // how rows were named so far, an index of namings
	// blanks between the columns of the table that is being printed
	spacing int
	out     strings.Builder
}

func newScreen(opt TerminalOptions) *screen {
	s := &screen{color: opt.Color, width: opt.Width}
	if s.width == 0 {
		s.width = defaultWidth
	}
	s.width = max(s.width, leastWidth)
	return s
}

// flush writes the lines. Log viewers of CI services act on lines that begin with :: or hold ##[ or ##vso[, so those
// are broken up here, where no text can get by.
func (s *screen) flush(w io.Writer) error {
	out := bufio.NewWriter(w)
	for line := range strings.Lines(s.out.String()) {
		out.WriteString(disarm(line)) // errors stick and come back from Flush
	}
	return out.Flush()
}

func disarm(line string) string {
	return command.ReplaceAllString(bracketed.ReplaceAllString(line, `##\$1`), `${1}\::`)
}

// bracketed matches a log command anywhere in a line.
var bracketed = regexp.MustCompile(`##([a-z]*\[)`)

// command matches the start of a line that would be a log command, whatever colour it has.
var command = regexp.MustCompile(`^((?:\x1b\[[0-9;]*m| )*)::`)

// gap leaves one blank line, if there is anything above it.
func (s *screen) gap() {
	if text := s.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		s.out.WriteString("\n")
	}
}

// answer prints the first line and what belongs to it.
func (s *screen) answer(d Document) {
	const indent = 6
	s.wrap(append(Text{{Text: d.Verdict, Tone: d.Tone}, words("  ")}, d.Headline...), indent)
	for _, t := range d.Also {
		s.bullet(d.Tone, t)
	}
}

// bullet prints a text behind a point in the given tone.
func (s *screen) bullet(tone Tone, t Text) {
	s.out.WriteString("  " + s.paint("·", tone) + " ")
	s.wrap(t, 4)
}

// wrap prints t with the cursor where it stands on the first line and at column indent on all others.
func (s *screen) wrap(t Text, indent int) {
	column := s.column()
	all := pieces(t)
	for i, p := range all {
		switch {
		case i > 0 && p.gap > 0 && !p.tied && column+p.gap+unit(all[i:]) > s.width:
			s.out.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		case i > 0:
			s.out.WriteString(strings.Repeat(" ", p.gap))
			column += p.gap
		}
		s.out.WriteString(s.paint(p.Text, p.Tone))
		column += width(p.Text)
	}
	s.out.WriteString("\n")
}

// unit is the width of the first piece and of those that hang on it.
func unit(all []piece) int {
	n := width(all[0].Text)
	for _, p := range all[1:] {
		if p.gap > 0 && !p.tied {
			break
		}
		n += p.gap + width(p.Text)
	}
	return n
}

// column is where the cursor stands.
func (s *screen) column() int {
	text := s.out.String()
	return width(uncolored.ReplaceAllString(text[strings.LastIndexByte(text, '\n')+1:], ""))
}

// uncolored takes the colours of paint out.
var uncolored = regexp.MustCompile("\x1b\\[[0-9;]*m")

var sgr = map[Tone]string{Bad: "1;31", Good: "32", Warn: "33", Quiet: "2", Strong: "1"}

func (s *screen) paint(text string, tone Tone) string {
	if codes := sgr[tone]; s.color && codes != "" && text != "" {
		return "\x1b[" + codes + "m" + text + "\x1b[0m"
	}
	return text
}
