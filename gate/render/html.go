package render

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the style sheet and the script
	"encoding/base64"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
)

var (
	//go:embed report.css
	style string
	//go:embed report.js
	script string
)

// HTML writes a document as one file that asks the network for nothing and is complete without its script. Everything in it is written by
// tag, end and text, which escape, but for the pictures, the style sheet and the script.
func HTML(w io.Writer, d report.Document) error {
	d = answered(d)
	p := htmlPage{out: bufio.NewWriterSize(w, 1<<16), ids: map[string]string{}, at: map[string]bool{}}
	p.collect(d.Blocks, 2)
	p.raw(Marks[HTMLName])
	p.tag("html", "lang", "en")
	p.head(strings.TrimPrefix(d.Verdict+": "+report.PlainText(d.Headline), ": "))
	p.tag("body")
	p.element("a", "Skip to the content", "class", "skip", "href", "#main")
	lead := leading(d.Blocks)
	p.banner(d, d.Blocks[:lead])
	p.contents(d.Blocks[lead:])
	p.tag("main", "class", "inner", "id", "main")
	p.blocks(d.Blocks[lead:], 2)
	p.end("main")
	p.tag("script")
	p.raw(script)
	p.end("script")
	p.end("body")
	p.end("html")
	p.raw("\n")
	return p.out.Flush()
}

// answered is a document with its answer first: on a terminal, that of a checklist stands last.
func answered(d report.Document) report.Document {
	if n := len(d.Blocks) - 1; len(d.Headline) == 0 && n >= 0 && d.Blocks[n].Key == "answer" && len(d.Blocks[n].Paragraphs) == 1 {
		d.Headline, d.Blocks = d.Blocks[n].Paragraphs[0], d.Blocks[:n]
		d.Tone = d.Headline[0].Tone
	}
	return d
}

// htmlPage is an HTML file being written.
type htmlPage struct {
	out *bufio.Writer     // Flush has its error
	ids map[string]string // of blocks, by their keys
	at  map[string]bool   // ids that are on the page
}

func (p *htmlPage) raw(s string) { _, _ = p.out.WriteString(s) }

// tag begins an element; attributes are pairs of a name and a value. Those without a value are left out.
func (p *htmlPage) tag(name string, attributes ...string) {
	p.raw("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			p.raw(" " + attributes[i] + `="` + html.EscapeString(report.Visible(attributes[i+1])) + `"`)
		}
	}
	p.raw(">")
}

func (p *htmlPage) end(name string) { p.raw("</" + name + ">") }

// text writes words, all of them visible and none of them markup.
func (p *htmlPage) text(s string) {
	for i, part := range strings.Split(s, hardBlank) {
		if i > 0 {
			p.raw("&nbsp;")
		}
		p.raw(html.EscapeString(report.Visible(part)))
	}
}

func (p *htmlPage) element(name, words string, attributes ...string) {
	p.tag(name, attributes...)
	p.text(words)
	p.end(name)
}

// hardBlank is a blank at which no line ends. It is the one character that package report leaves to its renderers.
const hardBlank = "\u00a0"

// longestSpan is how much of one span is shown: more than any name or message written by hand.
const longestSpan = 2000

// prose writes a text: each span in its tone.
func (p *htmlPage) prose(t report.Text) {
	for _, span := range t {
		class := toneClass[span.Tone]
		if class != "" {
			p.tag("span", "class", class)
		}
		if words := report.Clip(span.Text, longestSpan); span.Code {
			p.element("code", words)
		} else {
			p.text(words)
		}
		if class != "" {
			p.end("span")
		}
	}
}

// toneClass are the style sheet's names of tones.
var toneClass = map[report.Tone]string{report.Bad: "bad", report.Good: "good", report.Warn: "warn", report.Quiet: "quiet", report.Strong: "strong"}

func (p *htmlPage) head(title string) {
	p.tag("head")
	p.tag("meta", "charset", "utf-8")
	p.tag("meta", "http-equiv", "Content-Security-Policy", "content", policy())
	p.tag("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	p.tag("meta", "name", "color-scheme", "content", "light dark")
	p.tag("meta", "name", "referrer", "content", "no-referrer")
	p.element("title", report.Clip(title, longestSpan))
	p.tag("style")
	p.raw(style)
	p.end("style")
	p.end("head")
}

// policy lets nothing act but the style sheet and the script that the page brings along.
func policy() string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'"
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// collect gives every block with a title an address. No word of a document is in it, and it is the first block's if a key is not unique.
func (p *htmlPage) collect(blocks []report.Block, depth int) {
	for _, b := range blocks {
		if _, known := p.ids[b.Key]; !known && b.Key != "" && len(titleOfBlock(b, depth)) > 0 {
			p.ids[b.Key] = "b" + strconv.Itoa(len(p.ids)+1)
		}
		p.collect(b.Blocks, depth+1)
	}
}

// leading is how many blocks belong to the banner: those of words only, before the first with a title.
func leading(blocks []report.Block) int {
	for i, b := range blocks {
		if len(titleOfBlock(b, 2)) > 0 || b.Table != nil || b.Figure != nil || b.Log != nil || leading(b.Blocks) < len(b.Blocks) {
			return i
		}
	}
	return len(blocks)
}

func (p *htmlPage) banner(d report.Document, lead []report.Block) {
	p.tag("header", "class", strings.TrimSpace("top "+toneClass[d.Tone]))
	p.tag("div", "class", "inner")
	if d.Verdict != "" {
		p.element("p", d.Verdict, "class", "verdict")
	}
	p.tag("h1")
	p.prose(d.Headline)
	p.end("h1")
	p.blocks(lead, 2)
	p.end("div")
	p.end("header")
}

// contents links the parts of the page.
func (p *htmlPage) contents(blocks []report.Block) {
	p.tag("nav", "aria-label", "Contents")
	p.tag("div", "class", "inner")
	for _, b := range blocks {
		if p.ids[b.Key] != "" {
			p.element("a", report.Clip(report.PlainText(titleOfBlock(b, 2)), 40), "href", "#"+p.ids[b.Key])
		}
	}
	p.end("div")
	p.end("nav")
}
