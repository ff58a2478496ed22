package report

import (
	"io"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// evidence prints why cases changed, right under what changed.
func (s *screen) evidence(d Document) {
	for _, e := range d.Evidence {
		s.gap()
		s.label("why", Quiet)
		s.wrap(e.Lead, labelWidth)
		naming := s.naming
		s.naming = 0 // its rows are no cases: there is nothing to share
		s.table(e.Table)
		s.naming = naming
		for _, t := range e.More {
			s.bullet(Quiet, t)
		}
	}
	if len(d.Gaps)+len(d.Static) > 0 {
		s.gap()
	}
	for _, t := range d.Gaps {
		s.bullet(Warn, t)
	}
	for _, t := range d.Static {
		s.bullet(Quiet, t)
	}
}

// evidenceMarkdown says why in a few lines, and folds the rest away.
func evidenceMarkdown(d Document, c cut) string {
	if c.items == 0 {
		return ""
	}
	var parts []string
	for i, e := range d.Evidence {
		if i >= c.items {
			break
		}
		text := whyMarkdown(e, c)
		if rest := figuresMarkdown(e.beyondBrief(), c); rest != "" && c.details {
			text += "\n" + folded("All figures", rest)
		}
		parts = append(parts, text)
	}
	if gaps := list(lineItems(d.Gaps), c.items); gaps != "" {
		parts = append(parts, gaps)
	}
	code := list(lineItems(d.Static), c.items)
	switch {
	case code == "":
	case len(d.Evidence) > 0:
		parts = append(parts, folded("Compiled code and growth", code))
	default:
		parts = append(parts, code)
	}
	return strings.Join(parts, "\n")
}

func whyMarkdown(e Evidence, c cut) string {
	text := "**Why**: " + inline(e.Lead) + "\n"
	if brief := list(lineItems(e.Brief), c.items); brief != "" {
		text += "\n" + brief
	}
	return text
}

// beyondBrief is the evidence without the lines that its brief form has already.
func (e Evidence) beyondBrief() Evidence {
	said := func(t Text) bool {
		return slices.ContainsFunc(e.Brief, func(b Text) bool { return PlainText(b) == PlainText(t) })
	}
	e.More = slices.DeleteFunc(slices.Clone(e.More), said)
	return e
}

// figuresMarkdown is all that shows a cause.
func figuresMarkdown(e Evidence, c cut) string {
	parts := slices.DeleteFunc([]string{tableMarkdown(e.Table, c.rows), list(lineItems(e.More), c.items)}, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n")
}

// EvidenceOf is the evidence on a case alone, where there is no run.
func EvidenceOf(c result.Case) Evidence { return caseEvidence(c) }

// TerminalEvidence prints why one case changed, and nothing else.
func TerminalEvidence(w io.Writer, e Evidence, opt TerminalOptions) error {
	s := newScreen(opt)
	s.evidence(Document{Evidence: []Evidence{e}})
	return s.flush(w)
}

// MarkdownEvidence writes the same as GitHub Markdown, with nothing folded.
func MarkdownEvidence(w io.Writer, e Evidence) error {
	c := cut{items: all, rows: all, details: true}
	text := "**Why**: " + inline(e.Lead) + "\n"
	if rest := figuresMarkdown(e, c); rest != "" {
		text += "\n" + rest
	}
	_, err := io.WriteString(w, text)
	return err
}
