package benchmark

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Proposal is a mapping for a table of a program's own, as its header and its cells suggest.
type Proposal struct {
	Mapping Mapping
	Unused  []string // columns that look like values, too
}

// How much is searched: lines of a text, rows of a table, cells of a row.
const (
	mostLines   = 5000
	mostRows    = 1000
	mostCells   = 64
	mostBetween = 20 // lines between a header and its first row
)

// propose finds the table in what a program printed: the header with the most rows below it that have a time or a rate, else sentences that have one.
func propose(text string) (best Proposal, found bool) {
	lines := strings.Split(text, "\n")
	lines = lines[:min(len(lines), mostLines)]
	most := 0
	for _, s := range separators {
		m := Mapping{Separator: s.name}
		rows := make([][]string, len(lines))
		for i, line := range lines {
			if rows[i] = m.split(line); isRule(rows[i]) {
				rows[i] = nil
			}
		}
		for i, line := range lines {
			header := m.split(strings.TrimLeft(strings.TrimSpace(line), "#/ "))
			if !canBeHeader(header) {
				continue
			}
			below := rowsBelow(rows[i+1:], len(header))
			if p, ok := proposeColumns(m, header, below); ok && len(below) > most {
				best, found, most = p, true, len(below)
			}
		}
	}
	if !found {
		return proposeLine(lines)
	}
	return best, found
}

// canBeHeader says whether cells are names of columns.
func canBeHeader(cells []string) bool {
	return len(cells) > 1 && len(cells) <= mostCells && !slices.ContainsFunc(cells, func(c string) bool {
		return c == "" || isMeasured(c) || count(cells, c) > 1 || strings.ContainsAny(c, "{}")
	})
}

// rowsBelow are the lines of as many cells, up to the next header.
func rowsBelow(rows [][]string, columns int) (below [][]string) {
	for i, row := range rows[:min(len(rows), mostRows)] {
		switch {
		case i > mostBetween && len(below) == 0:
			return nil
		case len(row) != columns || strings.HasPrefix(row[0], "#"):
		case slices.ContainsFunc(row, hasNumber):
			below = append(below, row)
		case len(below) > 0:
			return below
		}
	}
	return below
}

var (
	typical  = text.Pattern(`(?i)median|p50`)
	average  = text.Pattern(`(?i)mean|avg|average`)
	extreme  = text.Pattern(`(?i)min|max|best|worst|p[0-9]{2}|total|sum`)
	spread   = text.Pattern(`(?i)std|stdev|\bsd\b|var|ci\b|err|cv`)
	notNames = text.Pattern(`(?i)iter|reps?$|repeat|runs?$|samples?$|loops?$|warm|seed|pid|date|time|stamp|err|check|pass|ok$|speed`)
	integer  = text.Pattern(`^[+-]?\d+$`)
)

// rank is how well a column of times stands for a row; of several the best are taken.
func rank(name string) int {
	switch {
	case spread().MatchString(name):
		return 0
	case typical().MatchString(name):
		return 4
	case average().MatchString(name):
		return 3
	case extreme().MatchString(name):
		return 1
	}
	return 2
}

// proposeColumns says which columns of a table are values and which name its rows.
func proposeColumns(m Mapping, header []string, rows [][]string) (p Proposal, ok bool) {
	units := map[int]unit{}
	for i, name := range header {
		if u, is := columnUnit(name, rows, i); is {
			units[i] = u
		}
	}
	values := bestValues(header, units)
	if len(values) == 0 {
		return p, false
	}
	for i, name := range header {
		if u, is := units[i]; is && slices.Contains(values, i) {
			v := Metric{Name: name}
			if u.rate {
				v.Better = "higher"
			}
			m.Values = append(m.Values, v)
		} else if is {
			p.Unused = append(p.Unused, name)
		}
	}
	m.Case = caseTemplate(header, rows, units)
	p.Mapping = m
	return p, true
}

// columnUnit is the unit of a column of numbers; false where it is none, or has no unit.
func columnUnit(name string, rows [][]string, i int) (of unit, ok bool) {
	var ofCell *unit
	for _, row := range rows {
		if !isMeasured(row[i]) {
			return of, false
		}
		if _, _, u, err := readCell(row[i]); err == nil {
			ok = true
			if u != nil {
				ofCell = u
			}
		}
	}
	if u, known := unitOf(name); known || ofCell == nil {
		return u, ok && known
	}
	return *ofCell, ok
}

// bestValues are the columns that stand for a row: times before rates, the median before the mean, of rates those of one unit.
func bestValues(header []string, units map[int]unit) (values []int) {
	key := func(i int) int { // a time counts more than any rate
		if units[i].rate {
			return rank(header[i])
		}
		return 10 + rank(header[i])
	}
	for i := range header {
		if _, is := units[i]; !is {
			continue
		}
		switch {
		case len(values) == 0 || key(i) > key(values[0]):
			values = []int{i}
		case key(i) == key(values[0]) && (!units[i].rate || units[i] == units[values[0]]):
			values = append(values, i)
		}
	}
	return values
}

// caseTemplate names rows by the columns of texts and whole numbers before the first value, or anywhere where there is none before.
func caseTemplate(header []string, rows [][]string, units map[int]unit) string {
	first := len(header)
	for i := range header {
		if _, is := units[i]; is {
			first = min(first, i)
		}
	}
	var names, numbers []int
	take := func(from, to int) {
		for i := from; i < to; i++ {
			_, is := units[i]
			texts := slices.ContainsFunc(rows, func(row []string) bool { return !isMeasured(row[i]) })
			whole := !slices.ContainsFunc(rows, func(row []string) bool { return !integer().MatchString(row[i]) })
			switch {
			case is || notNames().MatchString(header[i]):
			case texts:
				names = append(names, i)
			case whole:
				numbers = append(numbers, i)
			}
		}
	}
	if take(0, first); len(names)+len(numbers) == 0 {
		take(first, len(header))
	}
	template, rest := "", slices.Concat(names, numbers)
	if len(names) > 0 {
		template, rest = "{"+header[names[0]]+"}", rest[1:]
	}
	for k, i := range rest {
		join := ","
		if k == 0 && template != "" {
			join = "/"
		} else if k == 0 {
			join = ""
		}
		template += fmt.Sprintf("%s%s={%s}", join, strings.ReplaceAll(header[i], " ", "_"), header[i])
	}
	if template == "" {
		return "all"
	}
	return template
}
