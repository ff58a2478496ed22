package render

import (
	"html"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// markup is HTML in which nothing of a document acts. Only el and words make it of what a document says; anything else of this type is ours.
type markup string

// attrs are pairs of a name and a value.
type attrs []string

// el is an element with what stands in it. Attributes without a value are left out.
func el(name string, attributes attrs, inside ...markup) markup {
	var b strings.Builder
	b.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			b.WriteString(" " + attributes[i] + `="` + html.EscapeString(text.Visible(attributes[i+1])) + `"`)
		}
	}
	b.WriteByte('>')
	for _, m := range inside {
		b.WriteString(string(m))
	}
	if name != "meta" {
		b.WriteString("</" + name + ">")
	}
	return markup(b.String())
}

// words is a text, all of them visible and none of them markup.
func words(s string) markup {
	parts := strings.Split(s, report.Tie)
	for i, part := range parts {
		parts[i] = html.EscapeString(text.Visible(part))
	}
	return markup(strings.Join(parts, "&nbsp;"))
}

// each is what f makes of all of some things, one after the other.
func each[T any](all []T, f func(T) markup) markup {
	var b strings.Builder
	for _, one := range all {
		b.WriteString(string(f(one)))
	}
	return markup(b.String())
}

// class joins names of the style sheet.
func class(names ...string) attrs {
	return attrs{"class", strings.Join(strings.Fields(strings.Join(names, " ")), " ")}
}

// toneClass are the style sheet's names of tones.
var toneClass = map[report.Tone]string{report.Bad: "bad", report.Good: "good", report.Warn: "warn", report.Quiet: "quiet", report.Strong: "strong"}

// longestSpan is how much of one span is shown: more than any name or message written by hand.
const longestSpan = 2000

// prose is a text: each span in its tone.
func prose(t report.Text) markup {
	return each(t, func(span report.Span) markup {
		said := words(text.Clip(span.Text, longestSpan))
		if span.Code {
			said = el("code", nil, said)
		}
		if tone := toneClass[span.Tone]; tone != "" {
			return el("span", class(tone), said)
		}
		return said
	})
}

// scrolled is a table that may be wider than the page, and is reached by keyboard.
func scrolled(label string, table markup) markup {
	return el("div", attrs{"class", "scroll", "tabindex", "0", "role", "group", "aria-label", label}, table)
}

// safeAddress matches addresses that are written as they are.
var safeAddress = text.Pattern(`^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$|^[0-9]+/report\.html$`)
