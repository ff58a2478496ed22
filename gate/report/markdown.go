package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
)

// MarkdownOptions says how much room there is. The zero value is as much as it takes.
type MarkdownOptions struct {
	MaxBytes  int    // 0 means no limit; GitHub takes 65 536 characters in a comment
	ReportURL string // where all of it can be read; linked if rows had to be left out. Not a word of a change may be in it
}

// errNoRoom says that a limit leaves no room even for the answer.
var errNoRoom = errors.New("markdown: the size limit leaves no room for the verdict")

// Markdown writes d as GitHub Markdown.
func Markdown(w io.Writer, d Document) error { return MarkdownWith(w, d, MarkdownOptions{}) }

// MarkdownWith writes d as GitHub Markdown of at most opt.MaxBytes. What does not fit is left out, the least
// important first, and the text says so.
func MarkdownWith(w io.Writer, d Document, opt MarkdownOptions) error {
	for _, c := range cuts(len(d.Cases.Rows)) {
		if opt.MaxBytes > 0 && min(c.rows, len(d.Cases.Rows)) > opt.MaxBytes/leastRow {
			continue // saves the time of rendering what cannot fit
		}
		c.report = opt.ReportURL
		text := page(d, c)
		if opt.MaxBytes <= 0 || len(text) <= opt.MaxBytes {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	return errNoRoom
}

// leastRow is how many bytes any row of a table takes.
const leastRow = 16

// cut says what a page may hold.
type cut struct {
	output  int  // lines of each compiler output
	items   int  // entries of each list
	rows    int  // rows of the table
	tables  bool // rates and scatter
	details bool // machine, method, policy

	report string // where the whole report is
}

// all is more than anything has.
const all = 1 << 30

// cuts are ever smaller pages.
func cuts(rows int) []cut {
	out := []cut{
		{mostOutput * 2, all, all, true, true, ""},
		{mostOutput / 2, 20, all, true, true, ""},
		{mostOutput / 2, 20, all, false, true, ""},
		{4, 10, all, false, true, ""},
		{2, 5, all, false, false, ""},
	}
	for rows > 1 {
		rows = rows * 3 / 4
		out = append(out, cut{2, 5, rows, false, false, ""})
	}
	return append(out, cut{0, 1, 1, false, false, ""}, cut{})
}

var icons = map[Tone]string{Good: "✅", Bad: "❌", Warn: "⚠️"}

func page(d Document, c cut) string {
	sections := []string{
		answerMarkdown(d, c),
		casesMarkdown(d.Cases, c.rows),
		moreMarkdown(d, c),
		competitorsMarkdown(d, c),
		list(remarkItems(d.Remarks), c.items),
		list(lineItems(pastLines(d.Past)), c.items),
		acceptedMarkdown(d, c),
		evidenceMarkdown(d, c),
		parityMarkdown(d.Parity, c),
		problemsMarkdown(d.Problems, c),
		repeatMarkdown(d, c),
		detailsMarkdown(d, c),
	}
	sections = slices.DeleteFunc(sections, func(s string) bool { return s == "" })
	return strings.Join(sections, "\n")
}

// fewUnchanged is how many unchanged cases may stand in the open: a table of them is shorter than what folds it.
const fewUnchanged = 3

// casesMarkdown writes the table of cases; many that did not change are one line, and open on a click.
func casesMarkdown(t Table, keep int) string {
	open, unchanged := t, t
	open.Rows, unchanged.Rows = nil, nil
	for _, row := range t.Rows {
		if row.Unchanged {
			unchanged.Rows = append(unchanged.Rows, row)
		} else {
			open.Rows = append(open.Rows, row)
		}
	}
	if len(unchanged.Rows) <= fewUnchanged {
		return tableMarkdown(t.withBars(), keep)
	}
	sections := []string{tableMarkdown(open.withBars(), keep), folded(unchangedSummary(unchanged), tableMarkdown(unchanged, max(0, keep-len(open.Rows))))}
	sections = slices.DeleteFunc(sections, func(s string) bool { return s == "" })
	return strings.Join(sections, "\n")
}

// Lengths of bars, in block characters.
const (
	longestBar = 10
	slowerBar  = "▇"
	fasterBar  = "░"
)

// withBars has under each sure change a bar of its size, so that a glance finds the largest: GitHub shows no picture of ours in a comment.
// One bar alone would say nothing.
func (t Table) withBars() Table {
	under := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Under })
	largest, changed := 0.0, 0
	for _, row := range t.Rows {
		if row.Changed {
			largest, changed = max(largest, sizeOf(t.shift(row))), changed+1
		}
	}
	if under < 0 || changed < 2 {
		return t
	}
	t.Columns = slices.Insert(slices.Clone(t.Columns), under+1, Column{Key: "bar", Under: true})
	rows := slices.Clone(t.Rows)
	for i, row := range rows {
		bar := ""
		if row.Changed {
			bar = barOf(t.shift(row), largest)
		}
		rows[i].Cells = maps.Clone(row.Cells)
		rows[i].Cells["bar"] = cell(bar, Plain)
	}
	t.Rows = rows
	return t
}

// shift is the raw value of a row in the column of bars, 0 where it has none.
func (t Table) shift(r Row) float64 {
	for _, c := range t.Columns {
		if v := r.Cells[c.Key].Value; c.Bar && v != nil {
			return *v
		}
	}
	return 0
}

func barOf(shift, largest float64) string {
	block := slowerBar
	if shift < 0 {
		block = fasterBar
	}
	return strings.Repeat(block, max(1, int(math.Round(longestBar*sizeOf(shift)/largest))))
}

// sizeOf is a change on a logarithmic scale, where twice as fast is as much as twice as slow.
func sizeOf(shift float64) float64 { return math.Abs(math.Log1p(shift)) }

// unchangedSummary says what is folded away, such as "27 cases same, largest change +0.7 %".
func unchangedSummary(t Table) string {
	text := Count(len(t.Rows), "case") + " same"
	timed := slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return t.shift(r) == 0 })
	if len(timed) == 0 {
		return text
	}
	largest := slices.MaxFunc(timed, func(a, b Row) int { return cmp.Compare(math.Abs(t.shift(a)), math.Abs(t.shift(b))) })
	return text + ", largest change " + Change(t.shift(largest), 1)
}

func answerMarkdown(d Document, c cut) string {
	first := fmt.Sprintf("### %s %s: %s\n", icons[d.Tone], d.Verdict, inline(d.Headline))
	if rest := list(lineItems(d.Also), c.items); rest != "" {
		return first + "\n" + rest
	}
	return first
}

// competitorsMarkdown writes a table for each competitor.
func competitorsMarkdown(d Document, c cut) string {
	var sections []string
	for _, t := range d.Competitors {
		sections = append(sections, tableMarkdown(t, c.rows))
	}
	if notes := list(lineItems(d.Beside), c.items); notes != "" {
		sections = append(sections, notes)
	}
	return strings.Join(sections, "\n")
}

func lineItems(texts []Text) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = inline(t)
	}
	return out
}

func remarkItems(remarks []Remark) []string {
	out := make([]string, len(remarks))
	for i, r := range remarks {
		out[i] = inline(append(Text{code(r.Case.Full), words(": ")}, r.Text...))
	}
	return out
}

// list writes items, the first most of them.
func list(items []string, most int) string {
	var b strings.Builder
	for i, item := range items {
		if i == most {
			fmt.Fprintf(&b, "- … and %d more\n", len(items)-most)
			break
		}
		b.WriteString("- " + item + "\n")
	}
	return b.String()
}

func parityMarkdown(checks []Check, c cut) string {
	if len(checks) == 0 || c.items == 0 {
		return ""
	}
	checks = alikeChecks(checks)
	if len(checks) == 1 {
		return "**Parity**: " + checkMarkdown(checks[0], "\n") + "\n"
	}
	items := make([]string, len(checks))
	for i, check := range checks {
		items[i] = checkMarkdown(check, "\n  ")
	}
	return "**Parity**\n\n" + list(items, c.items)
}

// checkMarkdown is one parity line and, on lines of their own, what reproduces a failure.
func checkMarkdown(c Check, newline string) string {
	text := inline(append(append(c.about(" "), Text{{Text: c.Status, Tone: Strong}, words(": ")}...), c.Text...))
	if c.Repro == "" {
		return text
	}
	block := codeBlock("sh", []string{Clip(Visible(c.Repro), longestCommand)})
	if len(c.Map) > 0 {
		block += folded("Where it is wrong", codeBlock("text", c.Map))
	}
	return text + newline + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", newline)
}

func problemsMarkdown(problems []Problem, c cut) string {
	var b strings.Builder
	for i, p := range problems {
		if i > 0 {
			b.WriteString("\n") // what follows the end of a fold without a blank line is HTML, not Markdown
		}
		if i >= c.items {
			fmt.Fprintf(&b, "… and %d more\n", len(problems)-i)
			break
		}
		b.WriteString(inline(strong(p.Title)) + "\n\n")
		b.WriteString(outputMarkdown(p, c.output))
	}
	return b.String()
}

// strong is t with all of it to be read first.
func strong(t Text) Text {
	out := slices.Clone(t)
	for i := range out {
		out[i].Tone = Strong
	}
	return out
}

// outputMarkdown folds what the tools said.
func outputMarkdown(p Problem, most int) string {
	var body []string
	if p.Command != "" {
		body = append(body, "$ "+Clip(Visible(p.Command), longestCommand))
	}
	for _, l := range excerpt(p.Output, most) {
		body = append(body, Clip(Visible(strings.ReplaceAll(l, "\t", "    ")), 2*defaultWidth))
	}
	if len(body) == 0 {
		return ""
	}
	return folded("Output", codeBlock("text", body))
}

// folded hides a block behind a summary, which is ours.
func folded(summary, block string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + strings.TrimSuffix(block, "\n") + "\n\n</details>\n"
}

// longestCommand is how much of a command line is shown: more than anybody types, less than a comment holds.
const longestCommand = 2000

func repeatMarkdown(d Document, c cut) string {
	if d.Repro == "" || c.items == 0 {
		return ""
	}
	return "Repeat it with\n\n" + codeBlock("sh", []string{Clip(Visible(d.Repro), longestCommand)})
}

func detailsMarkdown(d Document, c cut) string {
	if !c.details {
		return ""
	}
	var b strings.Builder
	for _, f := range d.Facts {
		b.WriteString("- **" + f.Label + "**: " + inline(f.Text) + "\n")
	}
	for _, n := range d.Notes {
		b.WriteString("- **note**: " + inline(n) + "\n")
	}
	if c.tables {
		for _, t := range []Table{d.Rates, d.Spread} {
			if len(t.Rows) > 0 {
				b.WriteString("\n" + tableMarkdown(t, c.rows))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return folded("How this was measured", b.String())
}

func acceptedMarkdown(d Document, c cut) string {
	if len(d.Accepted) == 0 || c.items == 0 {
		return ""
	}
	return "**Accepted**\n\n" + list(lineItems(d.Accepted), c.items)
}

// moreMarkdown links the whole report under a table that lost rows.
func moreMarkdown(d Document, c cut) string {
	if len(d.Cases.Rows) <= c.rows || !isLink(c.report) {
		return ""
	}
	return "[The whole report](" + c.report + ") has them all.\n"
}

// isLink reports whether an address can stand in Markdown as it is.
func isLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.ContainsAny(address, " ()<>[]\\`\"'|*~\t\r\n") && Visible(address) == address
}

// MarkdownLink writes a link with a text of ours; "" if the address cannot stand in Markdown as it is.
func MarkdownLink(text, address string) string {
	if !isLink(address) {
		return ""
	}
	return "[" + text + "](" + address + ")"
}

// MarkdownTimings writes where the wall time of the run went; "" if it is not known.
func MarkdownTimings(d Document) string { return tableMarkdown(d.Timings, all) }
