package render

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// MarkdownOptions says how much room there is. The zero value is as much as it takes.
type MarkdownOptions struct {
	MaxBytes  int    // 0 means no limit; GitHub takes 65 536 characters in a comment
	ReportURL string // where all of it can be read; linked if anything had to be left out. Not a word of a change may be in it
}

// errNoRoom says that a limit leaves no room even for the answer.
var errNoRoom = errors.New("markdown: the size limit leaves no room for the verdict")

// Markdown writes d as GitHub Markdown of at most opt.MaxBytes. What does not fit is left out, the least important first, and the text
// says so.
func Markdown(w io.Writer, d report.Document, opt MarkdownOptions) error {
	rows := mostRows(d.Blocks)
	fitting := opt.MaxBytes / leastRow
	for _, c := range cuts(rows) {
		if opt.MaxBytes > 0 && min(c.rows, rows) > fitting {
			continue // saves the time of rendering what cannot fit
		}
		text := c.document(d)
		if !c.whole {
			text += "\n" + missing(opt.ReportURL)
		}
		if opt.MaxBytes <= 0 || len(text) <= opt.MaxBytes {
			_, err := io.WriteString(w, text)
			return err
		}
		if c.whole { // without what is folded, it shows how many rows can fit at all
			c = cut{output: 2, items: 5, rows: all}
			text = c.document(d)
		}
		if !c.folded && len(text) > opt.MaxBytes {
			fitting = min(fitting, max(1, min(c.rows, rows)*opt.MaxBytes/len(text)))
		}
	}
	return errNoRoom
}

// missing says that a text is not all there is, and where all of it can be read.
func missing(address string) string {
	where := Link("The whole report", address)
	if where == "" {
		where = "result.json"
	}
	return "Parts of the report are left out for want of room. " + where + " has them all.\n"
}

// leastRow is how many bytes any row of a table takes.
const leastRow = 16

// mostRows is the number of rows of the longest table.
func mostRows(blocks []report.Block) int {
	n := 0
	for _, b := range blocks {
		if b.Table != nil {
			n = max(n, len(b.Table.Rows))
		}
		n = max(n, mostRows(b.Blocks))
	}
	return n
}

// cut says what a text may hold.
type cut struct {
	output int  // lines of each compiler output
	items  int  // entries of each list, and blocks of what went wrong
	rows   int  // rows of each table
	tables bool // in what is folded
	folded bool // what is folded at all
	whole  bool // nothing is left out but lines of output that another file has
	terse  bool // of the blocks only those that qualify the answer, their entries clipped
}

// qualifies are the keys of the blocks without which an answer would promise more than it may.
var qualifies = map[string]bool{"publication": true, "against": true, "accepted": true, "notes": true}

const (
	leastQualifying = 5   // entries of a block that qualifies the answer, wherever there is room for other blocks
	longestTerse    = 200 // columns of an entry where there is not
)

// all is more than anything has.
const all = 1 << 30

// cuts are ever smaller texts.
func cuts(rows int) []cut {
	out := []cut{
		{output: mostOutput * 2, items: all, rows: all, tables: true, folded: true, whole: true},
		{output: mostOutput / 2, items: 20, rows: all, tables: true, folded: true},
		{output: mostOutput / 2, items: 20, rows: all, folded: true},
		{output: 4, items: 10, rows: all, folded: true},
		{output: 2, items: 5, rows: all},
	}
	for rows > 1 {
		rows = rows * 3 / 4
		out = append(out, cut{output: 2, items: 5, rows: rows})
	}
	return append(out, cut{items: 1, rows: 1}, cut{items: leastQualifying, terse: true}, cut{items: 1, terse: true}, cut{terse: true})
}

var icons = map[report.Tone]string{report.Good: "✅ ", report.Bad: "❌ ", report.Warn: "⚠️ "}

func (c cut) document(d report.Document) string {
	answer := ""
	if d.Verdict != "" {
		answer = fmt.Sprintf("### %s%s: %s\n", icons[d.Tone], d.Verdict, Line(d.Headline))
	}
	return joined(answer, c.blocks(d.Blocks))
}

// blocks writes what is not folded in its place, and each folded block behind its title.
func (c cut) blocks(blocks []report.Block) string {
	var parts []string
	for i := 0; i < len(blocks); i++ {
		b := inLetters(blocks[i])
		switch {
		case b.Layer >= report.Verbose, b.Figure != nil, b.Layer == report.Folded && !c.folded, c.terse && !qualifies[b.Key]:
		case b.Layer == report.Folded:
			inner := c
			if !c.tables {
				inner.rows = 0
			}
			parts = append(parts, folded(summary(b), inner.content(b)))
		case wentWrong(b):
			end := i + 1
			for end < len(blocks) && wentWrong(blocks[end]) {
				end++
			}
			parts = append(parts, c.wrong(blocks[i:end])...)
			i = end - 1
		default:
			parts = append(parts, c.titled(b))
		}
	}
	return joined(parts...)
}

// wentWrong reports whether a block is one of any number alike: a wrong kernel, a failed build.
func wentWrong(b report.Block) bool {
	return b.Layer == report.Always && (b.Tone == report.Bad || b.Tone == report.Warn)
}

// wrong writes blocks of what went wrong, as many as a list may have entries. Where there are more, what fails a run goes first.
func (c cut) wrong(blocks []report.Block) []string {
	more := len(blocks) - c.items
	if more > 0 {
		blocks = slices.Clone(blocks)
		slices.SortStableFunc(blocks, func(a, b report.Block) int { return cmp.Compare(a.Tone, b.Tone) }) // Bad comes before Warn
		blocks = blocks[:c.items]
	}
	var parts []string
	for _, b := range blocks {
		parts = append(parts, c.titled(b))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("… and %d more that went wrong.", more))
	}
	return parts
}

// titled is a block under its title, which is never the only thing that is left of it.
func (c cut) titled(b report.Block) string {
	content := c.content(b)
	if len(b.Title) == 0 || content == "" {
		return content
	}
	return Line(b.Title.In(report.Strong)) + "\n\n" + content
}

func (c cut) content(b report.Block) string {
	switch {
	case len(b.Paragraphs) > 0:
		return joined(paragraphs(b.Paragraphs)...)
	case len(b.List) > 0:
		return c.list(b)
	case b.Table != nil && c.rows > 0:
		return tableMarkdown(*b.Table, c.rows)
	case b.Log != nil:
		return c.log(*b.Log)
	}
	return c.blocks(b.Blocks)
}

// summary is the title of what is folded, which is HTML: only words that cannot act in it stay.
func summary(b report.Block) string {
	var b2 strings.Builder
	for _, span := range b.Title {
		if !span.Code {
			b2.WriteString(span.Text)
		}
	}
	if text := strings.TrimSpace(b2.String()); text != "" && !strings.ContainsAny(text, "<>&*_`[]\n") {
		return text
	}
	return "More"
}

// joined puts a blank line between parts, and leaves out empty ones.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	for i, p := range parts {
		parts[i] = strings.TrimSuffix(p, "\n") + "\n"
	}
	return strings.Join(parts, "\n")
}

// paragraphs are lines of words. One that begins with a long fence becomes a point of a list, so that it opens no block of code.
func paragraphs(texts []report.Text) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Line(t)
		if strings.HasPrefix(out[i], "```") {
			out[i] = "- " + out[i]
		}
	}
	return out
}

// list writes the first entries of a list.
func (c cut) list(block report.Block) string {
	most := c.items
	if qualifies[block.Key] && !c.terse {
		most = max(most, leastQualifying)
	}
	var b strings.Builder
	for i, item := range block.List {
		if i == most {
			fmt.Fprintf(&b, "- … and %d more\n", len(block.List)-i)
			break
		}
		if c.terse {
			item.Next = nil
			if said := report.PlainText(item.Text); text.Width(said) > longestTerse {
				item.Text = report.Say(text.Clip(said, longestTerse))
			}
		}
		b.WriteString("- ")
		if item.Label != "" {
			b.WriteString(Line(report.Text{{Text: item.Label, Tone: report.Strong}}) + ": ")
		}
		b.WriteString(Line(item.Text) + "\n")
		if len(item.Next) > 0 {
			b.WriteString("  → " + Line(item.Next) + "\n")
		}
	}
	return b.String()
}

// longestCommand is how much of a command line is shown: more than anybody types, less than a comment holds.
const longestCommand = 2000

// log writes a command that stands alone so that it can be copied, and folds what the tools said.
func (c cut) log(l report.Log) string {
	if len(l.Lines) == 0 {
		if l.Command == "" {
			return ""
		}
		return codeBlock("sh", []string{text.Clip(text.Visible(l.Command), longestCommand)})
	}
	var body []string
	if l.Command != "" {
		body = append(body, "$ "+text.Clip(text.Visible(l.Command), longestCommand))
	}
	lines := l.Lines
	if !l.Whole || !c.whole {
		lines = report.Excerpt(lines, c.output)
	}
	for _, line := range lines {
		body = append(body, text.Clip(text.Visible(strings.ReplaceAll(line, "\t", "    ")), 2*defaultWidth))
	}
	return folded("Output", codeBlock("text", body))
}

// folded hides a block behind a summary, which is ours.
func folded(summary, block string) string {
	if block == "" {
		return ""
	}
	return "<details><summary>" + summary + "</summary>\n\n" + strings.TrimSuffix(block, "\n") + "\n\n</details>\n"
}

// isLink reports whether an address can stand in Markdown as it is.
func isLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.ContainsAny(address, " ()<>[]\\`\"'|*~\t\r\n") &&
		text.Visible(address) == address
}

// Link writes a link with a text of ours as Markdown; "" if the address cannot stand there as it is.
func Link(text, address string) string {
	if !isLink(address) {
		return ""
	}
	return "[" + text + "](" + address + ")"
}

// Timings writes where the wall time of a run went, as Markdown; "" if it is not known.
func Timings(d report.Document) string {
	for _, b := range d.Blocks {
		if b.Key == "timings" {
			return plainTable(*b.Table, all)
		}
	}
	return ""
}
