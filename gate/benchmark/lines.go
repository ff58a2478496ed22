package benchmark

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/org/perfgate/gate/text"
)

// Programs often print a sentence for each result instead of a table:
//
//	block_size  128 | time 0.0345 ms | bandwidth 1458.3 GB/s
//
// A line of a mapping is such a sentence with {NAME} for what differs. Each line that fits is a row whose columns are those names, with the unit that
// stands behind the number, so that all else is as with a table.

// rowOfText reads the lines that fit a template.
type rowOfText struct {
	pattern *regexp.Regexp
	names   []string
	units   []string // behind each; "" for none
}

var (
	blanks   = text.Pattern(`\s+`)
	literals = text.Pattern(`\s+|[\pL\pN_]+|.`)
	isWord   = text.Pattern(`^[\pL\pN_]+$`)
	isNamed  = text.Pattern(`[\pL\pN]`)
)

// patternOf is a pattern for what a template has around its names. Programs pad numbers, so that blanks next to punctuation come and go.
func patternOf(text string) string {
	tokens := literals().FindAllString(text, -1)
	word := func(i int) bool { return i < 0 || i >= len(tokens) || isWord().MatchString(tokens[i]) }
	var pattern strings.Builder
	for i, token := range tokens {
		switch {
		case isWord().MatchString(token):
			pattern.WriteString(regexp.QuoteMeta(token))
		case strings.TrimSpace(token) != "":
			pattern.WriteString(`\s*` + regexp.QuoteMeta(token) + `\s*`)
		case word(i-1) && word(i+1):
			pattern.WriteString(`\s+`)
		default:
			pattern.WriteString(`\s*`)
		}
	}
	return pattern.String()
}

// rowOfText is the reader of a mapping with a line.
func (m Mapping) rowOfText() rowOfText {
	var r rowOfText
	line := strings.TrimSpace(m.Line)
	pattern, from := `^\s*`, 0
	for _, at := range placeholder().FindAllStringIndex(line, -1) {
		pattern += patternOf(line[from:at[0]]) + `(.+?)`
		from = at[1]
		r.names = append(r.names, line[at[0]+1:at[1]-1])
		r.units = append(r.units, unitBehind(line[from:]))
	}
	r.pattern = regexp.MustCompile(pattern + patternOf(line[from:]) + `\s*$`) // all text is quoted
	return r
}

// fields are the columns of a line, nil where it does not fit.
func (r rowOfText) fields(line string) []string {
	found := r.pattern.FindStringSubmatch(line)
	if found == nil {
		return nil
	}
	for i, text := range found[1:] {
		if found[i+1] = strings.TrimSpace(text); r.units[i] != "" && hasNumber(found[i+1]) {
			found[i+1] += " " + r.units[i]
		}
	}
	return found[1:]
}

var behind = text.Pattern(`^[\s)\]]*([^\s|:,;()\[\]="'{}]+)`)

// unitBehind is the unit that a text begins with, whatever closes before it; "" for none.
func unitBehind(text string) string {
	word := behind().FindStringSubmatch(text)
	if word == nil {
		return ""
	}
	if unit := strings.TrimRight(word[1], "."); isUnit(unit) {
		return unit
	}
	return ""
}

// isUnit says whether a word is a unit and nothing else.
func isUnit(word string) bool {
	_, isTime := timeWords[strings.ToLower(word)]
	return isTime || rateWord().MatchString(word)
}

// problemOfLine says why a line cannot be one of a mapping's.
func (m Mapping) problemOfLine() (problem, allowed string) {
	if m.Separator != "" && m.Separator != "comma" {
		return "separator is of a table with a header, and line takes its place", "one of the two"
	}
	if rest := placeholder().ReplaceAllString(m.Line, ""); strings.ContainsAny(rest, "{}") {
		return fmt.Sprintf("line %s has a brace without its other one", Quoted(m.Line)), "a line that the program prints, such as size {size}: {time} ms"
	}
	names := m.rowOfText().names
	for _, name := range slices.Concat(m.columns(), names) {
		switch {
		case count(names, name) > 1:
			return fmt.Sprintf("line %s has {%s} twice", Quoted(m.Line), name), "a name for each number or word that differs"
		case count(names, name) == 0:
			return fmt.Sprintf("line %s has no {%s}", Quoted(m.Line), name), "columns that line names"
		}
	}
	return "", ""
}

// A piece of a line is text that lies between numbers and words, a number, or words with one blank between them.
type piece struct {
	kind byte // one of the next
	text string
}

const (
	between  = 'b'
	numeral  = 'n'
	wordText = 'w'
	unitText = 'u'
)

var (
	runs     = text.Pattern(`[^\s|:,;()\[\]="']+`)
	numberAt = text.Pattern(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)
	digits   = text.Pattern(`\d`)
	joined   = text.Pattern(`^[^\pL\pN%.].*\pL`) // to a number, makes a word of it, such as 1#NAME
)

// piecesOf takes a line apart. What stands behind a number in the same run, such as the unit of 12ms, is a piece of its own.
func piecesOf(line string) (all []piece) {
	add := func(kind byte, text string) {
		if text == "" {
			return
		}
		n := len(all)
		switch {
		case kind == wordText && n > 1 && all[n-1].text == " " && all[n-2].kind == wordText:
			all[n-2].text += " " + text
			all = all[:n-1]
		case kind == between && n > 0 && all[n-1].kind == between:
			all[n-1].text += text
		default:
			all = append(all, piece{kind, text})
		}
	}
	from := 0
	for _, at := range runs().FindAllStringIndex(line, -1) {
		add(between, blanks().ReplaceAllString(line[from:at[0]], " "))
		run := line[at[0]:at[1]]
		from = at[1]
		number := numberAt().FindString(run)
		rest := run[len(number):]
		switch word := strings.TrimRight(run, "."); {
		case number != "" && !digits().MatchString(rest) && !joined().MatchString(rest):
			add(numeral, number)
			if isUnit(rest) {
				add(unitText, rest)
			} else {
				add(between, rest)
			}
		case isUnit(word):
			add(unitText, word)
			add(between, run[len(word):])
		default:
			add(wordText, run)
		}
	}
	add(between, blanks().ReplaceAllString(line[from:], " "))
	return all
}

// shapeOf is what lines of one kind have in common: all but their numbers and words.
func shapeOf(pieces []piece) string {
	var shape strings.Builder
	for _, p := range pieces {
		shape.WriteByte(p.kind)
		if p.kind == between {
			shape.WriteString(blanks().ReplaceAllString(p.text, ""))
		}
		shape.WriteByte(0)
	}
	return shape.String()
}

// mostLine bounds the bytes of a sentence.
const mostLine = 4 << 10

// proposeLine finds the sentences of one shape, with a time or a rate, of which there are most.
func proposeLine(lines []string) (best Proposal, found bool) {
	shapes := map[string][][]piece{}
	var order []string
	for _, line := range lines {
		if strings.ContainsAny(line, "{}") || len(line) > mostLine || !utf8.ValidString(line) { // no template can have it
			continue
		}
		pieces := piecesOf(strings.TrimSpace(line))
		shape := shapeOf(pieces)
		if len(pieces) > mostCells || len(shapes[shape]) >= mostRows {
			continue
		}
		if shapes[shape] == nil {
			order = append(order, shape)
		}
		shapes[shape] = append(shapes[shape], pieces)
	}
	most := 0
	for _, shape := range order {
		rows := shapes[shape]
		if p, ok := proposeOf(rows); ok && len(rows) > most {
			best, found, most = p, true, len(rows)
		}
	}
	return best, found
}

// proposeOf makes the mapping of lines of one shape: what is the same in all of them stays, all else gets a name.
func proposeOf(rows [][]piece) (p Proposal, ok bool) {
	var m Mapping
	var names []string
	before := ""
	named := func(wanted ...string) {
		names = append(names, newName(names, wanted...))
		m.Line += "{" + names[len(names)-1] + "}"
	}
	for i := 0; i < len(rows[0]); i++ {
		first, same := rows[0][i], isShared(rows, i)
		unit := unitBehind(rest(rows[0][i+1:]))
		_, saysUnit := unitOf(before)
		switch {
		case first.kind == between:
			m.Line += opening().ReplaceAllString(first.text, "$1")
		case first.kind == numeral && (!same || unit != "" || saysUnit):
			named(cmp.Or(before, nameOfNumber(unit)), unit)
			before = "" // it names one number
			i += differentUnit(rows, i+1)
		case same:
			m.Line += first.text
		default:
			begin, end := sharedWords(rows, i)
			m.Line += begin
			named(cmp.Or(lastWord(begin), before, "name"))
			m.Line += end
			before = cmp.Or(lastWord(end), before)
		}
		if first.kind == wordText && same {
			before = lastWord(first.text)
		}
	}
	var table [][]string
	reader := m.rowOfText()
	for _, row := range rows {
		if fields := reader.fields(rest(row)); fields != nil {
			table = append(table, fields)
		}
	}
	if len(names) == 0 || len(table) != len(rows) {
		return p, false
	}
	return proposeColumns(m, names, table)
}

// opening is a bracket with blanks behind it, which pad the number.
var opening = text.Pattern(`([(\[])\s+$`)

// isShared says whether all rows have the same piece at a place.
func isShared(rows [][]piece, i int) bool {
	return !slices.ContainsFunc(rows, func(row []piece) bool { return row[i].text != rows[0][i].text })
}

// differentUnit is how many pieces behind a number are its unit, where that is not the same in all rows: the unit is then in the column.
func differentUnit(rows [][]piece, i int) int {
	for n := range 2 {
		switch at := i + n; {
		case at >= len(rows[0]):
			return 0
		case rows[0][at].kind == unitText && !isShared(rows, at):
			return n + 1
		case rows[0][at].kind != between || strings.TrimSpace(rows[0][at].text) != "":
			return 0
		}
	}
	return 0
}

// rest is the text of pieces.
func rest(pieces []piece) string {
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text)
	}
	return text.String()
}

// sharedWords are the words that all rows begin with at a place, and those that they end with, each with the blank next to the rest.
func sharedWords(rows [][]piece, i int) (begin, end string) {
	fewest := len(strings.Fields(rows[0][i].text))
	for _, row := range rows {
		fewest = min(fewest, len(strings.Fields(row[i].text)))
	}
	all := func(word func(words []string) string) bool {
		first := word(strings.Fields(rows[0][i].text))
		return !slices.ContainsFunc(rows, func(row []piece) bool { return word(strings.Fields(row[i].text)) != first })
	}
	words := strings.Fields(rows[0][i].text)
	from, to := 0, 0 // at least one word stays
	for from+1 < fewest && all(func(words []string) string { return words[from] }) {
		from++
	}
	for from+to+1 < fewest && all(func(words []string) string { return words[len(words)-1-to] }) {
		to++
	}
	if from > 0 {
		begin = strings.Join(words[:from], " ") + " "
	}
	if to > 0 {
		end = " " + strings.Join(words[len(words)-to:], " ")
	}
	return begin, end
}

// lastWord is the last word with a letter or digit, so that an arrow names nothing.
func lastWord(text string) string {
	words := slices.DeleteFunc(strings.Fields(text), func(word string) bool { return !isNamed().MatchString(word) })
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// nameOfNumber is that of a number without a word before it.
func nameOfNumber(unit string) string {
	switch {
	case unit == "":
		return "number"
	case rateWord().MatchString(unit):
		return "rate"
	}
	return "time"
}

// newName is the first of some names that is not taken, or else the first with a number behind it.
func newName(taken []string, names ...string) string {
	for _, name := range names {
		if name != "" && !slices.Contains(taken, name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if out := fmt.Sprintf("%s_%d", names[0], n); !slices.Contains(taken, out) {
			return out
		}
	}
}
