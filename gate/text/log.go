package text

import (
	"strings"
)

// ForLog returns a text that is printed where a CI service may read along, with every line broken up that it would obey: those that begin with ::
// or hold ##[ or ##vso[.
func ForLog(text string) string {
	return command().ReplaceAllString(bracketed().ReplaceAllString(text, `##\$1`), `${1}\::`)
}

// JSONForLog is ForLog for JSON, which stays the same document: only inside its strings can there be anything to obey.
func JSONForLog(text string) string {
	return bracketed().ReplaceAllStringFunc(text, func(found string) string { return strings.TrimSuffix(found, "[") + `\u005b` })
}

// bracketed matches a log command anywhere in a line.
var bracketed = Pattern(`##([a-z]*\[)`)

// command matches the start of a line that would be a log command, whatever colour it has.
var command = Pattern(`(?m)^((?:\x1b\[[0-9;]*m| )*)::`)
