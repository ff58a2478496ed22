package task

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits far beyond any task.yml, within which the parser of YAML is quick whatever the text: it recurses once a level, and takes the square
// of the length for deep nesting and for rows of less-than signs.
const (
	maxDescription = 32 << 10
	maxNesting     = 64 // brackets that are open at once, those in texts among them
	maxRow         = 64 // signs of one kind in a row
)

// guard refuses what would keep the parser busy, and aliases, by which a small file becomes an enormous tree.
func guard(source string) error {
	if len(source) > maxDescription {
		return fmt.Errorf("it has more than %d KiB", maxDescription>>10)
	}
	for _, row := range []string{"<", "- ", "? "} {
		if strings.Contains(source, strings.Repeat(row, maxRow)) {
			return fmt.Errorf("it has more than %d of %q in a row", maxRow, row)
		}
	}
	open := 0
	for _, r := range source {
		switch r {
		case '[', '{':
			open++
		case ']', '}':
			open = max(open-1, 0)
		}
		if open > maxNesting {
			return fmt.Errorf("more than %d brackets are open at once", maxNesting)
		}
	}
	for _, t := range lexer.Tokenize(source) {
		if t.Type == token.AnchorType || t.Type == token.AliasType {
			return fmt.Errorf("line %d: anchors (&) and aliases (*) are not read", t.Position.Line)
		}
	}
	return nil
}
