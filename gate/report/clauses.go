package report

import (
	"fmt"
	"strings"
)

// clauses are parts of a sentence, of which some may not hold.
type clauses []string

// say adds a clause.
func (c *clauses) say(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

// when adds a clause that holds.
func (c *clauses) when(holds bool, format string, args ...any) {
	if holds {
		c.say(format, args...)
	}
}

func (c clauses) join(separator string) string { return strings.Join(c, separator) }

// phrases are texts that become one.
type phrases []Text

func (p *phrases) when(holds bool, spans ...Span) {
	if holds {
		*p = append(*p, spans)
	}
}

// joined puts a separator between them.
func (p phrases) joined(separator string) Text {
	var t Text
	for i, phrase := range p {
		if i > 0 {
			t = append(t, words(separator))
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
