package render

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// line is a table line as it will stand: a row with its label, or a heading over a group of rows.
type line struct {
	label  string
	shared string      // what a heading says of all rows under it
	row    *report.Row // nil for a heading
}

// namings are the ways to name rows, ever shorter: in full; by their parameters under the name of the kernel; by those
// that differ; by the values of those that differ; and each under a line of its own. None loses a part of a name.
var namings = []func([]report.Row) []line{inFull, grouped(false, false), grouped(true, false), grouped(true, true), stacked}

// arrange names the rows in the fullest way from at on that fits room, and returns which that is.
func arrange(rows []report.Row, room, at int) ([]line, int) {
	for ; ; at++ {
		lines := namings[at](rows)
		if at == len(namings)-1 || fits(lines, room) {
			return lines, at
		}
	}
}

func fits(lines []line, room int) bool {
	return !slices.ContainsFunc(lines, func(l line) bool { return l.row != nil && text.Width(l.label) > room })
}

func inFull(rows []report.Row) []line {
	out := make([]line, len(rows))
	for i := range rows {
		out[i] = line{label: text.Visible(rows[i].Name.Full), row: &rows[i]}
	}
	return out
}

func stacked(rows []report.Row) []line {
	var out []line
	for i := range rows {
		out = append(out, line{label: text.Clip(text.Visible(rows[i].Name.Full), report.LongestCode)}, line{row: &rows[i]})
	}
	return out
}

// grouped puts the rows of a kernel under a heading, which may have the parameters that all of them share, and the names of
// the others.
func grouped(share, valuesAlone bool) func([]report.Row) []line {
	label, separator := result.Param.String, ","
	if valuesAlone {
		label = func(p result.Param) string { return p.Value }
	}
	return func(rows []report.Row) []line {
		var out []line
		for group := range kernelsOf(rows) {
			var shared []result.Param
			if share {
				shared = common(group)
			}
			heading := listed(shared, ", ", result.Param.String)
			if rest := without(group[0].Name.Params, shared); valuesAlone && len(rest) > 0 {
				heading = strings.TrimPrefix(heading+"; by "+listed(rest, separator, func(p result.Param) string { return cmp.Or(p.Name, "row") }), "; ")
			}
			if group[0].Name.Kernel != "" || heading != "" {
				out = append(out, line{label: text.Clip(text.Visible(group[0].Name.Kernel), report.LongestCode), shared: heading})
			}
			for i := range group {
				own := cmp.Or(listed(without(group[i].Name.Params, shared), separator, label), unparsed(group[i].Name))
				out = append(out, line{label: "  " + own, row: &group[i]})
			}
		}
		return out
	}
}

// unparsed is what a name that has no parameters adds to its kernel's.
func unparsed(n report.Name) string {
	if n.Full == n.Kernel || len(n.Params) > 0 {
		return ""
	}
	return text.Visible(strings.TrimPrefix(n.Full, n.Kernel+"/"))
}

// kernelsOf are the rows of each kernel, which stand together.
func kernelsOf(rows []report.Row) iter.Seq[[]report.Row] {
	return func(yield func([]report.Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r report.Row) bool { return r.Name.Kernel != rows[0].Name.Kernel })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// common are the parameters that all rows share. All of one kernel's rows have the same names in the same order.
func common(rows []report.Row) []result.Param {
	if len(rows) < 2 {
		return nil // or nothing would be left to call it by
	}
	return slices.DeleteFunc(slices.Clone(rows[0].Name.Params), func(p result.Param) bool {
		return slices.ContainsFunc(rows, func(r report.Row) bool { return !slices.Contains(r.Name.Params, p) })
	})
}

func without(params, shared []result.Param) []result.Param {
	return slices.DeleteFunc(slices.Clone(params), func(p result.Param) bool { return slices.Contains(shared, p) })
}

func listed(params []result.Param, separator string, word func(result.Param) string) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = text.Visible(word(p))
	}
	return strings.Join(all, separator)
}
