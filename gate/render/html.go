package render

import (
	"crypto/sha256"
	_ "embed" // the style sheet and the script
	"encoding/base64"
	"io"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

var (
	//go:embed report.css
	style string
	//go:embed report.js
	script string
)

// HTML writes a document as one file that asks the network for nothing and is complete without its script.
func HTML(w io.Writer, d report.Document) error {
	p := htmlPage{ids: map[string]string{}, at: map[string]bool{}}
	p.collect(d.Blocks, 2)
	lead := leading(d.Blocks)
	page := el("html", attrs{"lang", "en"},
		head(strings.TrimPrefix(d.Verdict+": "+report.PlainText(d.Headline), ": ")),
		el("body", nil,
			el("a", attrs{"class", "skip", "href", "#main"}, "Skip to the content"),
			p.banner(d, d.Blocks[:lead]),
			p.contents(d.Blocks[lead:]),
			el("main", attrs{"class", "inner", "id", "main"}, p.blocks(d.Blocks[lead:], 2)),
			el("script", nil, markup(script))))
	_, err := io.WriteString(w, Marks[HTMLName]+string(page)+"\n")
	return err
}

// htmlPage is what the parts of a page know of each other.
type htmlPage struct {
	ids map[string]string // of blocks, by their keys
	at  map[string]bool   // ids that are on the page
}

func head(title string) markup {
	// The policy lets nothing act but the style sheet and the script that the page brings along.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'"
	return el("head", nil,
		el("meta", attrs{"charset", "utf-8"}),
		el("meta", attrs{"http-equiv", "Content-Security-Policy", "content", policy}),
		el("meta", attrs{"name", "viewport", "content", "width=device-width, initial-scale=1"}),
		el("meta", attrs{"name", "color-scheme", "content", "light dark"}),
		el("meta", attrs{"name", "referrer", "content", "no-referrer"}),
		el("title", nil, words(text.Clip(title, longestSpan))),
		el("style", nil, markup(style)))
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

func (p *htmlPage) banner(d report.Document, lead []report.Block) markup {
	verdict := markup("")
	if d.Verdict != "" {
		verdict = el("p", class("verdict"), words(d.Verdict))
	}
	return el("header", class("top", toneClass[d.Tone]), el("div", class("inner"), verdict, el("h1", nil, prose(d.Headline)), p.blocks(lead, 2)))
}

// contents links the parts of the page.
func (p *htmlPage) contents(blocks []report.Block) markup {
	return el("nav", attrs{"aria-label", "Contents"}, el("div", class("inner"), each(blocks, func(b report.Block) markup {
		if p.ids[b.Key] == "" {
			return ""
		}
		return el("a", attrs{"href", "#" + p.ids[b.Key]}, words(text.Clip(report.PlainText(titleOfBlock(b, 2)), 40)))
	})))
}
