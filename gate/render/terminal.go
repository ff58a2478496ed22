package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// TerminalOptions says what the terminal can do. The zero value is 100 columns without colour, and the short layout.
type TerminalOptions struct {
	Color   bool
	Width   int  // in columns; 0 means 100, less than 80 means 80
	Verbose bool // all blocks and all rows, not only what matters most
}

const (
	defaultWidth = 100
	leastWidth   = 80
)

// Terminal prints d as text. Whatever the change under test wrote into it, no control character gets out but line
// ends and, if asked for, the colours of this package.
func Terminal(w io.Writer, d report.Document, opt TerminalOptions) error {
	s := newScreen(opt)
	if d.Verdict != "" {
		const indent = 6
		s.wrap(append(report.Text{{Text: d.Verdict, Tone: d.Tone}, {Text: "  "}}, d.Headline...), indent)
	}
	s.blocks(d.Blocks)
	_, err := io.WriteString(w, text.ForLog(s.out.String()))
	return err
}

// screen gathers lines.
type screen struct {
	TerminalOptions
	naming int // how rows were named so far, an index of namings
	// blanks between the columns of the table that is being printed
	spacing int
	listed  bool // a list stands above, and no table since
	out     strings.Builder
}

func newScreen(opt TerminalOptions) *screen {
	s := &screen{TerminalOptions: opt}
	if s.Width == 0 {
		s.Width = defaultWidth
	}
	s.Width = max(s.Width, leastWidth)
	return s
}

func (s *screen) blocks(all []report.Block) {
	for _, b := range all {
		if b = inLetters(b); s.shows(b) {
			s.block(b)
		}
	}
}

// shows says whether any of a block is printed.
func (s *screen) shows(b report.Block) bool {
	isHere := inLetters(b).Figure == nil && (b.Layer == report.Always || s.Verbose && b.Layer != report.Full)
	return isHere && (len(b.Blocks) == 0 || slices.ContainsFunc(b.Blocks, s.shows))
}

func (s *screen) block(b report.Block) {
	mark := len(b.Title) > 0 || b.Table != nil && (s.Verbose || s.listed)
	if mark {
		s.gap()
	}
	if len(b.Title) > 0 {
		if b.Tone == report.Bad || b.Tone == report.Warn {
			s.out.WriteString(s.paint("✗", b.Tone) + " ")
		}
		s.wrap(b.Title.In(report.Strong), 2)
	}
	for _, t := range b.Paragraphs {
		s.wrap(t, 2)
	}
	s.list(b.List)
	s.listed = len(b.List) > 0 || s.listed && b.Table == nil
	if b.Table != nil {
		s.table(*b.Table)
	}
	if b.Log != nil {
		s.log(*b.Log)
	}
	s.blocks(b.Blocks)
	if mark && len(b.Title) > 0 && !s.Verbose {
		s.gap()
	}
}

// gap leaves one blank line, if there is anything above it.
func (s *screen) gap() {
	if text := s.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		s.out.WriteString("\n")
	}
}

// Columns of a list.
const (
	leastLabel = 9
	mostLabel  = 24
)

// list prints points, and labelled lines with their labels in one column.
func (s *screen) list(items []report.Item) {
	column := leastLabel
	for _, i := range items {
		column = max(column, min(text.Width(text.Visible(i.Label)), mostLabel))
	}
	column++
	for _, i := range items {
		indent := 4
		if i.Label == "" {
			s.out.WriteString("  " + s.paint("·", i.Tone) + " ")
		} else {
			tone := i.Tone
			if tone == report.Plain {
				tone = report.Quiet
			}
			label := text.Clip(text.Visible(i.Label), mostLabel)
			s.out.WriteString(s.cell(label, tone, column, report.Left))
			indent = column
		}
		s.wrap(i.Text, indent)
		if len(i.Next) > 0 {
			s.out.WriteString(strings.Repeat(" ", indent) + s.paint("→", i.Tone) + " ")
			s.wrap(i.Next, indent+2)
		}
	}
}

// mostOutput is about how many lines of a compiler's output are printed.
const mostOutput = 16

// log prints a command that stands alone as a line to copy, and one with its output behind a bar.
func (s *screen) log(l report.Log) {
	if len(l.Lines) == 0 && l.Command != "" {
		s.out.WriteString("  " + text.Visible(l.Command) + "\n")
		return
	}
	if l.Command != "" {
		s.quote("$ " + text.Clip(text.Visible(l.Command), 2*s.Width))
	}
	lines := l.Lines
	if !l.Whole {
		lines = report.Excerpt(lines, mostOutput)
	}
	for _, line := range lines {
		s.quote(line)
	}
}

// quote prints a line of foreign output behind a bar, which also keeps it from the start of the line.
func (s *screen) quote(line string) {
	line = strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", "    ")
	s.out.WriteString(s.paint("  │ ", report.Quiet) + text.Clip(text.Visible(line), 2*s.Width) + "\n")
}

// wrap prints t with the cursor where it stands on the first line and at column indent on all others.
func (s *screen) wrap(t report.Text, indent int) {
	column := s.column()
	all := pieces(t)
	for i, p := range all {
		switch {
		case i > 0 && p.gap > 0 && !p.tied && column+p.gap+unit(all[i:]) > s.Width:
			s.out.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		case i > 0:
			s.out.WriteString(strings.Repeat(" ", p.gap))
			column += p.gap
		}
		s.out.WriteString(s.paint(p.Text, p.Tone))
		column += text.Width(p.Text)
	}
	s.out.WriteString("\n")
}

// unit is the width of the first piece and of those that hang on it.
func unit(all []piece) int {
	n := text.Width(all[0].Text)
	for _, p := range all[1:] {
		if p.gap > 0 && !p.tied {
			break
		}
		n += p.gap + text.Width(p.Text)
	}
	return n
}

// column is where the cursor stands.
func (s *screen) column() int {
	said := s.out.String()
	return text.Width(uncolored().ReplaceAllString(said[strings.LastIndexByte(said, '\n')+1:], ""))
}

// uncolored takes the colours of paint out.
var uncolored = text.Pattern("\x1b\\[[0-9;]*m")

var sgr = map[report.Tone]string{report.Bad: "1;31", report.Good: "32", report.Warn: "33", report.Quiet: "2", report.Strong: "1"}

func (s *screen) paint(text string, tone report.Tone) string {
	if codes := sgr[tone]; s.Color && codes != "" && text != "" {
		return "\x1b[" + codes + "m" + text + "\x1b[0m"
	}
	return text
}

// restText counts rows that a layout leaves out: "22 more within the tolerance", or "22 more: 20 within the tolerance, 2 not compared".
func restText(rows []report.Row) string {
	var order []string
	n := map[string]int{}
	for _, r := range rows {
		if n[r.Group] == 0 {
			order = append(order, r.Group)
		}
		n[r.Group]++
	}
	if len(order) == 1 {
		return strings.TrimSpace(fmt.Sprintf("%d more %s", len(rows), order[0]))
	}
	for i, group := range order {
		order[i] = fmt.Sprintf("%d %s", n[group], group)
	}
	return fmt.Sprintf("%d more: %s", len(rows), strings.Join(order, ", "))
}
