package report

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// line is a table line as it will stand: a row with its label, or a heading over a group of rows.
type line struct {
	label  string
	shared string // what a heading says of all rows under it
	row    *Row   // nil for a heading
}

// naming is a way to name rows; none loses a part of a name.
type naming func([]Row) []line

// namings are the ways to name rows, ever shorter: in full; by their parameters under the name of the kernel; by those
// that differ; by the values of those that differ; and each under a line of its own.
var namings = []naming{inFull, byKernel, byDifference, byValue, stacked}

// arrange names the rows in the fullest way from at on that fits room, and returns which that is.
func arrange(rows []Row, room, at int) ([]line, int) {
	for ; ; at++ {
		lines := namings[at](rows)
		if at == len(namings)-1 || fits(lines, room) {
			return lines, at
		}
	}
}

func fits(lines []line, room int) bool {
	return !slices.ContainsFunc(lines, func(l line) bool { return l.row != nil && width(l.label) > room })
}

func inFull(rows []Row) []line {
	out := make([]line, len(rows))
	for i := range rows {
		out[i] = line{label: Visible(rows[i].Name.Full), row: &rows[i]}
	}
	return out
}

func stacked(rows []Row) []line {
	var out []line
	for i := range rows {
		out = append(out, line{label: Clip(Visible(rows[i].Name.Full), longest)}, line{row: &rows[i]})
	}
	return out
}

func byKernel(rows []Row) []line {
	return grouped(rows, func(group []Row) (string, func(Row) string) {
		return "", func(r Row) string { return assignments(r.Name.Params, ",") }
	})
}

func byDifference(rows []Row) []line {
	return grouped(rows, func(group []Row) (string, func(Row) string) {
		shared := common(group)
		return assignments(shared, ", "), func(r Row) string { return assignments(without(r.Name.Params, shared), ",") }
	})
}

func byValue(rows []Row) []line {
	return grouped(rows, func(group []Row) (string, func(Row) string) {
		shared := common(group)
		rest := without(group[0].Name.Params, shared)
		heading := assignments(shared, ", ")
		if names := parts(rest, func(p result.Param) string { return p.Name }); names != "" {
			heading = strings.TrimPrefix(heading+"; by "+names, "; ")
		}
		return heading, func(r Row) string {
			return parts(without(r.Name.Params, shared), func(p result.Param) string { return p.Value })
		}
	})
}

// grouped puts the rows of a kernel under a heading. split says what the heading has to say for all of them and how
// each is called under it.
func grouped(rows []Row, split func([]Row) (shared string, label func(Row) string)) []line {
	var out []line
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].Name.Kernel == rows[start].Name.Kernel {
			end++
		}
		shared, label := split(rows[start:end])
		out = append(out, line{label: Clip(Visible(rows[start].Name.Kernel), longest), shared: shared})
		for i := start; i < end; i++ {
			out = append(out, line{label: "  " + label(rows[i]), row: &rows[i]})
		}
		start = end
	}
	return out
}

// common are the parameters that all rows share. All of one kernel's rows have the same names in the same order.
func common(rows []Row) []result.Param {
	if len(rows) < 2 {
		return nil // or nothing would be left to call it by
	}
	return slices.DeleteFunc(slices.Clone(rows[0].Name.Params), func(p result.Param) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return !slices.Contains(r.Name.Params, p) })
	})
}

func without(params, shared []result.Param) []result.Param {
	return slices.DeleteFunc(slices.Clone(params), func(p result.Param) bool { return slices.Contains(shared, p) })
}

func assignments(params []result.Param, separator string) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = Visible(p.Name + "=" + p.Value)
	}
	return strings.Join(all, separator)
}

func parts(params []result.Param, of func(result.Param) string) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = Visible(of(p))
	}
	return strings.Join(all, ",")
}
