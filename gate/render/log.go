package render

import (
	"regexp"
	"strings"
)

// ForLog returns a text that is printed where a CI service may read along, with every line broken up that it would obey.
func ForLog(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(disarm(line))
	}
	return b.String()
}

// JSONForLog is ForLog for JSON, which stays the same document: only inside its strings can there be anything to obey.
func JSONForLog(text string) string { return bracketed.ReplaceAllStringFunc(text, escapeBracket) }

func escapeBracket(found string) string { return strings.TrimSuffix(found, "[") + `\u005b` }

func disarm(line string) string {
	return command.ReplaceAllString(bracketed.ReplaceAllString(line, `##\$1`), `${1}\::`)
}

// bracketed matches a log command anywhere in a line.
var bracketed = regexp.MustCompile(`##([a-z]*\[)`)

// command matches the start of a line that would be a log command, whatever colour it has.
var command = regexp.MustCompile(`^((?:\x1b\[[0-9;]*m| )*)::`)
