package page

import (
	"strconv"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// mostFunctions bounds the functions of a kernel that are shown: a library of templates has thousands.
const mostFunctions = 40

// codeTables are what the compiled code of each kernel needs, base against head; functions that did not change are left out.
func codeTables(r *result.Result) []table {
	if r.Evidence == nil {
		return nil
	}
	var out []table
	for _, k := range r.Evidence.Kernels {
		t := table{
			Title: k.Kernel,
			Head:  []string{"function", "side", "registers", "shared", "spilled", "stack", "occupancy", "instructions"},
			Right: []bool{false, false, true, true, true, true, true, true},
		}
		for _, f := range k.Functions {
			if len(t.Rows) < 2*mostFunctions && differs(f) {
				t.Rows = append(t.Rows, codeRow(f, result.SideBase, f.Base, f.Head), codeRow(f, result.SideHead, f.Head, f.Base))
			}
		}
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func differs(f result.FunctionPair) bool {
	if f.Base == nil || f.Head == nil {
		return f.Base != f.Head
	}
	a, b := codeWords(f.Base), codeWords(f.Head)
	for i := range a {
		if a[i] != b[i] {
			return true
		}
	}
	return false
}

// codeRow is one side of a function; what the other side has otherwise stands out.
func codeRow(f result.FunctionPair, side result.Side, of, other *result.FunctionCode) row {
	out := row{Name: report.FunctionName(f.Function), Cells: []cell{{Text: string(side), Class: "side-" + string(side)}}}
	mine, theirs := codeWords(of), codeWords(other)
	for i, word := range mine {
		c := cell{Text: word, Right: true}
		if word != theirs[i] && of != nil && other != nil {
			c.Class = "changed"
		}
		out.Cells = append(out.Cells, c)
	}
	return out
}

func codeWords(f *result.FunctionCode) []string {
	if f == nil {
		return []string{"–", "–", "–", "–", "–", "–"}
	}
	occupancy, instructions := "–", "–"
	if f.Occupancy > 0 {
		occupancy = report.Percent(f.Occupancy)
	}
	n := 0
	for _, class := range f.Instructions {
		n += class.Count
	}
	if n > 0 {
		instructions = strconv.Itoa(n)
	}
	return []string{
		strconv.Itoa(f.Registers), report.Bytes(int64(f.SharedBytes)), report.Bytes(int64(f.SpillBytes)), report.Bytes(int64(f.StackBytes)), occupancy, instructions,
	}
}
