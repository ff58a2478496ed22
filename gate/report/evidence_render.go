package report

import (
	"io"
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

func evidenceMarkdown(d Document, c cut) string {
	if c.items == 0 {
		return ""
	}
	var parts []string
	for i, e := range d.Evidence {
		if i >= c.items {
			break
		}
		text := "**Why**: " + inline(e.Lead) + "\n"
		if table := tableMarkdown(e.Table, c.rows); table != "" {
			text += "\n" + table
		}
		if more := list(lineItems(e.More), c.items); more != "" && c.details {
			text += "\n" + more
		}
		parts = append(parts, text)
	}
	if notes := list(lineItems(append(append([]Text{}, d.Gaps...), d.Static...)), c.items); notes != "" {
		parts = append(parts, notes)
	}
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

// MarkdownEvidence writes the same as GitHub Markdown.
func MarkdownEvidence(w io.Writer, e Evidence) error {
	_, err := io.WriteString(w, evidenceMarkdown(Document{Evidence: []Evidence{e}}, cut{items: all, rows: all, details: true}))
	return err
}
