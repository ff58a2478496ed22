package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Tone says what a text means. A renderer with colours may show it; no other may lose a word by it.
type Tone int

// Tones.
const (
	Plain  Tone = iota
	Bad         // the gate says no
	Good        // better than before
	Warn        // not measured, inconclusive or not checked
	Quiet       // there for completeness
	Strong      // read this first
)

// Span is a run of text in one tone. Code is verbatim: a name, a command, a value.
type Span struct {
	Text string
	Code bool
	Tone Tone
}

// Text is a line of words; renderers may wrap it at spaces.
type Text []Span

// Say is a line of plain words.
func Say(s string) Text { return Text{{Text: s}} }

// code is verbatim text.
func code(s string) Text { return Text{{Text: s, Code: true}} }

// marks are what a template may have: what is verbatim, what to read first, what may be missing, and the places of arguments.
var marks = text.Pattern("[`«»\\[\\]]|%[-+.0-9]*[a-z%]|{[a-z-]+}")

// fill fills a template, in which `…` is verbatim and «…» is read first; […] is left out where one of its places has nothing: "", 0 or no
// text. at says what stands in a place: a Text, which keeps its tones, or what fmt writes by the verb. Nothing of it is read as a template.
// A place that at does not know stays as it is.
func fill(template string, at func(place string) (any, bool)) Text {
	var out, kept Text // kept is what stood before what may be missing
	var like Span      // the next words are like it
	joins, missing := false, false
	put := func(text string) {
		switch {
		case text == "":
		case joins:
			out[len(out)-1].Text += text
		default:
			out, joins = append(out, Span{text, like.Code, like.Tone}), true
		}
	}
	done := 0
	for _, m := range marks().FindAllStringIndex(template, -1) {
		put(template[done:m[0]])
		done = m[1]
		switch mark := template[m[0]:m[1]]; mark {
		case "`":
			like.Code, joins = !like.Code, false
		case "«", "»":
			like.Tone, joins = either(mark == "«", Strong, Plain), false
		case "[":
			kept, missing = slices.Clone(out), false
		case "]":
			if missing {
				out, like, joins = kept, Span{}, false
			}
		case "%%":
			put("%")
		default:
			said, known := at(mark)
			text, isText := said.(Text)
			missing = missing || known && (said == nil || isText && len(text) == 0 || !isText && reflect.ValueOf(said).IsZero())
			switch {
			case !known:
				put(mark)
			case isText:
				out, joins = append(out, text...), false
			default:
				put(fmt.Sprintf(either(mark[0] == '%', mark, "%v"), said))
			}
		}
	}
	put(template[done:])
	return out
}

// say fills a template that has verbs for its arguments, as fmt.Sprintf does.
func say(template string, args ...any) Text {
	return fill(template, func(place string) (any, bool) {
		if place[0] != '%' {
			return "", false
		}
		arg := args[0]
		args = args[1:]
		return arg, true
	})
}

// some is how many things, where there are any.
func some(n int, one string) string {
	if n <= 0 {
		return ""
	}
	return text.Count(n, one)
}

// slots are what stands in the places of a template, by their names; a func() any says it when it is asked for.
type slots map[string]any

func (p slots) fill(template string) Text {
	return fill(template, func(place string) (any, bool) {
		if place[0] != '{' {
			return "", false
		}
		said, known := p[place[1:len(place)-1]]
		if say, late := said.(func() any); late {
			said = say()
		}
		return said, known
	})
}

// In is the text in a tone, where it has none.
func (t Text) In(tone Tone) Text {
	out := append(Text(nil), t...)
	for i := range out {
		if out[i].Tone == Plain {
			out[i].Tone = tone
		}
	}
	return out
}

// phrases are parts of a sentence, of which some may not hold.
type phrases []Text

func (p *phrases) say(template string, args ...any) { *p = append(*p, say(template, args...)) }

// when adds a phrase that holds.
func (p *phrases) when(holds bool, template string, args ...any) {
	if holds {
		p.say(template, args...)
	}
}

// joined puts a separator between them.
func (p phrases) joined(separator string) Text {
	var t Text
	for i, phrase := range p {
		if i > 0 {
			t = append(t, Span{Text: separator})
		}
		t = append(t, phrase...)
	}
	return t
}

// because puts what is known of a reason behind a sentence.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// andMore is a list of the first of all names, which ends with how many it leaves out.
func andMore(first []string, all int, separator string) string {
	said := strings.Join(first, separator)
	if more := all - len(first); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}

// codes is a list of verbatim texts.
func codes(list []string) Text {
	var p phrases
	for _, one := range list {
		p = append(p, code(one))
	}
	return p.joined(", ")
}

// Tie is a blank at which no line ends, as between a number and its unit.
const Tie = "\u00a0"

// tied is s on one line.
func tied(s string) string { return strings.ReplaceAll(s, " ", Tie) }

// How many columns of a verbatim text, such as the name of a function, stand in a line, and how many a cell may take. Reasons that are longer
// have a remark.
const (
	LongestCode = 160
	LongestCell = 48
)

// PlainText is t without tones and mark-up, on one line.
func PlainText(t Text) string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(strings.ReplaceAll(span.Text, Tie, " "))
	}
	return text.Visible(b.String())
}

// either is one of two.
func either[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}

// grouped puts together what is alike, in the order in which it first appears.
func grouped[T any, K comparable](all []T, by func(T) K) [][]T {
	var out [][]T
	place := map[K]int{}
	for _, x := range all {
		key := by(x)
		i, known := place[key]
		if !known {
			i = len(out)
			place[key], out = i, append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// capped are the first most of some sentences, and how many more there are.
func capped(all []Text, most int, rest func(more int) string) []Text {
	if more := len(all) - most; more > 0 {
		return append(all[:most:most], Say(rest(more)))
	}
	return all
}

// like says that what is left out is like what is not.
func like(one string) func(int) string {
	return func(more int) string { return text.Count(more, one) + " like these" }
}

// count is how many things are so.
func count[T any](all []T, is func(T) bool) int {
	n := 0
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
}
