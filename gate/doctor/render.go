package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/org/perfgate/gate/report"
)

// TextOptions say where the text goes.
type TextOptions struct {
	Color bool
	Width int // columns; 0 means 100
}

// JSON writes the report as one JSON document.
func (r Report) JSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(r)
}

// Text writes the report for people: a line for each finding, with its cure beneath where there is something to cure.
func (r Report) Text(w io.Writer, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 100
	}
	t := &page{width: max(o.Width, 60), color: o.Color}
	previous := ""
	for _, f := range r.Findings {
		if f.Group != previous {
			t.heading(f.Group, previous != "")
			previous = f.Group
		}
		t.finding(f)
	}
	t.WriteString("\n" + t.paint(r.Verdict, colorOf[statusOf(r.Verdict)]) + r.sentence() + "\n")
	_, err := io.WriteString(w, t.String())
	return err
}

// sentence says what the verdict rests on.
func (r Report) sentence() string {
	warnings := ""
	if n := r.Count(Warn); n > 0 {
		warnings = ", with " + report.Count(n, "warning")
	}
	switch r.Verdict {
	case Fit:
		return ": this machine can measure" + warnings
	case Unfit:
		return fmt.Sprintf(": %s first%s", report.Count(r.Count(Bad), "thing has to be helped", "things have to be helped"), warnings)
	}
	return fmt.Sprintf(": %s could not be told%s", report.Count(r.Count(Unknown), "thing"), warnings)
}

func statusOf(verdict string) Status {
	return map[string]Status{Fit: OK, Unfit: Bad, CantTell: Unknown}[verdict]
}

// colorOf are the terminal's colours: green, yellow, red, yellow, grey.
var colorOf = map[Status]string{OK: "32", Warn: "33", Bad: "1;31", Unknown: "33", Absent: "90"}

// Columns at which name and text begin.
const (
	nameAt = 10
	textAt = 23
)

type page struct {
	strings.Builder
	width int
	color bool
}

func (p *page) paint(text, color string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

func (p *page) heading(group string, gap bool) {
	if gap {
		p.WriteByte('\n')
	}
	p.WriteString(p.paint(group, "1") + "\n")
}

func (p *page) finding(f Finding) {
	status := fmt.Sprintf("  %-*s", nameAt-2, f.Status)
	p.WriteString(p.paint(status, colorOf[f.Status]))
	fmt.Fprintf(p, "%-*s", textAt-nameAt, f.Name)
	p.wrapped(f.Text, textAt)
	if f.Cure != "" {
		p.WriteString(strings.Repeat(" ", textAt) + p.paint("→", colorOf[f.Status]) + " ")
		p.wrapped(f.Cure, textAt+2)
	}
}

// wrapped writes text whose first line begins at a column, and its other lines below.
func (p *page) wrapped(text string, column int) {
	at := column
	for i, word := range strings.Fields(report.Visible(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > p.width:
			p.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			p.WriteByte(' ')
			at++
		}
		p.WriteString(word)
		at += n
	}
	p.WriteByte('\n')
}
