package github

import (
	"strings"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Meta is what a rendering says in addition to the document.
type Meta struct {
	Key       string   // of the comment: the name of the gate; shown if it is not perfgate
	ReportURL string   // where the whole report is: the summary of the workflow run; "" leaves it out. Ours, not a change's
	PageURL   string   // where the report with figures is; "" leaves it out. Ours
	SHA       string   // that was measured; shown short
	Advisory  string   // why the verdict does not bind, a sentence in plain text; "" if it does
	Warnings  []string // sentences in plain text, such as what the token may not do
}

// defaultKey needs no mention: the comment says perfgate by itself.
const defaultKey = "perfgate"

// RenderComment writes d as the Markdown of a comment of at most MaxComment bytes, its hidden marker included. The first
// line is the answer; what there is no room for is left out, the least important first. Texts of a change cannot act:
// see package report.
func RenderComment(d report.Document, m Meta) string {
	tail := "\n" + Marker(m.Key) + "\n"
	if foot := m.foot(); foot != "" {
		tail = "\n" + foot + "\n" + tail
	}
	return renderWithin(d, m, MaxComment-len(tail)) + tail
}

// RenderSummary writes d as the Markdown of a step summary of at most maxBytes, which are at least 1024.
func RenderSummary(d report.Document, m Meta, maxBytes int) string {
	return renderWithin(d, m, maxBytes)
}

// RenderCheck writes d as what a check run shows, each text within its limit. The text is where the time went.
func RenderCheck(d report.Document, m Meta) Output {
	return Output{Title: Describe(d), Summary: renderWithin(d, m, MaxCheckText), Text: render.Timings(d)}.cut()
}

func renderWithin(d report.Document, m Meta, most int) string {
	d.Blocks = append([]report.Block{m.above()}, d.Blocks...)
	var b strings.Builder
	if err := render.Markdown(&b, d, render.MarkdownOptions{MaxBytes: most, ReportURL: m.ReportURL}); err != nil {
		return "### " + render.Line(report.Text{{Text: d.Verdict}}) + "\n" // no room: a caller that gives less than 1024 bytes
	}
	return b.String()
}

// above is what belongs right under the answer.
func (m Meta) above() report.Block {
	out := report.Block{Key: "publication"}
	if m.Advisory != "" {
		out.List = append(out.List, report.Item{Label: "advisory", Text: report.Say(m.Advisory)})
	}
	for _, w := range m.Warnings {
		out.List = append(out.List, report.Item{Text: report.Say(w)})
	}
	return out
}

var commitHash = text.Pattern(`^[0-9a-f]{12,64}$`)

// foot is the last visible line.
func (m Meta) foot() string {
	var parts []string
	if m.Key != "" && m.Key != defaultKey {
		parts = append(parts, render.Line(report.Text{{Text: "gate "}, {Text: m.Key, Code: true}}))
	}
	if commitHash().MatchString(m.SHA) {
		parts = append(parts, render.Line(report.Text{{Text: "measured at "}, {Text: m.SHA[:12], Code: true}}))
	}
	for _, link := range []string{render.Link("whole report", m.ReportURL), render.Link("with figures", m.PageURL)} {
		if link != "" {
			parts = append(parts, link)
		}
	}
	return strings.Join(parts, " · ")
}

// Notable reports whether a run has something to tell that a green check does not, which is when the policy `comment:
// on-change` writes a first comment: it is not a pass, a case is not plainly the same, a rule was changed or a
// regression accepted.
func Notable(r *result.Result) bool {
	if r.Conclusion.Verdict != result.RunPassed || len(r.Config.Changed) > 0 || len(r.Accepted) > 0 || len(r.CumulativeRegressions()) > 0 {
		return true
	}
	for _, c := range r.Cases {
		if c.Verdict != result.Same && c.Verdict != result.Faster {
			return true
		}
	}
	return false
}

// Describe is the answer in a line, which a check run and a commit status cut where it is too long for them.
func Describe(d report.Document) string {
	return d.Verdict + ": " + report.PlainText(d.Headline)
}
