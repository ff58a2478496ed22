package benchmark

import (
	"encoding/csv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// separators are what may stand between the columns of a table, the plainest first, in words.
var separators = []struct{ name, words string }{
	{"comma", "commas"}, {"semicolon", "semicolons"}, {"tab", "tabs"}, {"bar", "bars (|)"}, {"columns", "two blanks or more"}, {"blanks", "blanks"},
}

func (m Mapping) separators() string {
	for _, s := range separators {
		if s.name == m.Separator {
			return s.words
		}
	}
	return "commas"
}

var (
	twoBlanks = text.Pattern(`\s{2,}|\t`)
	runes     = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t'}
)

// split are the cells of a line, without the blanks around them; nil where the line has none.
func (m Mapping) split(line string) (fields []string) {
	switch m.Separator {
	case "blanks":
		return strings.Fields(line)
	case "columns":
		fields = twoBlanks().Split(strings.TrimSpace(line), -1)
	case "bar":
		fields = strings.Split(strings.Trim(strings.NewReplacer("│", "|", "┃", "|").Replace(strings.TrimSpace(line)), "|"), "|")
	default:
		r := csv.NewReader(strings.NewReader(line))
		r.LazyQuotes, r.TrimLeadingSpace, r.Comma = true, true, ','
		if separator, ok := runes[m.Separator]; ok {
			r.Comma = separator
		}
		fields, _ = r.Read() // a line that is none of the table's
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}
