package report

import "strings"

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
