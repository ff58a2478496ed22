package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// MaxCases is how many cases a run can have: a result with more is not read. How many a run has time for, its budget says.
const MaxCases = 10_000

func paramNames(params []Param) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// check checks what the values and the range of a parameter are together.
func (p *Param) check(d *decoder, n ast.Node, at string, clean bool) {
	if !clean {
		return
	}
	if !d.has(at, "values") && !d.has(at, "fuzz") {
		d.fail(n, "values, fuzz", "parameter %s has neither values nor fuzz", p.Name)
	}
	for i, v := range p.Values {
		if v.IsDtype() != p.HasDtypes() {
			d.failAt(index(join(at, "values"), i), "", "%s mixes integers and dtypes", p.Name)
			break
		}
	}
	if p.Fuzz != nil && p.HasDtypes() {
		d.failAt(join(at, "fuzz"), "", "parameter %s is a dtype, which has no range", p.Name)
	}
}

func (f *Fuzz) check(d *decoder, _ ast.Node, at string, clean bool) {
	switch _, some := f.First(); {
	case !clean:
	case f.Min > f.Max:
		d.failAt(join(at, "min"), "", "min %d is larger than max %d", f.Min, f.Max)
	case !some:
		d.failAt(join(at, "multiple-of"), "", "no multiple of %d lies between %d and %d", f.MultipleOf, f.Min, f.Max)
	case f.Log && f.Min < 1:
		d.failAt(join(at, "min"), "", "log needs a min of at least 1, not %d", f.Min)
	}
}

// First returns the smallest value that can be drawn.
func (f Fuzz) First() (int64, bool) {
	first := f.Min + modulo(-f.Min, max(f.MultipleOf, 1))
	return first, first <= f.Max
}

// Last returns the largest value that can be drawn.
func (f Fuzz) Last() (int64, bool) {
	last := f.Max - modulo(f.Max, max(f.MultipleOf, 1))
	return last, last >= f.Min
}

// modulo is how far a lies above the largest multiple of m that is not above it.
func modulo(a, m int64) int64 { return (a%m + m) % m }

// rows reads a list of cases, each with a value for every parameter of the kernel; none where these have a problem.
func (d *decoder) rows(n ast.Node, at, what string) (out [][]Value) {
	if d.unknownParams() {
		return nil
	}
	first := map[string]int{}
	for i, item := range d.items(n, what) {
		row, ok := d.assignment(item, what, d.kernel.Params)
		if ok && !d.again(item, fmt.Sprint(row), first, "%s lists this case twice", what) {
			d.nodes[index(at, i)] = item
			out = append(out, row)
		}
	}
	return out
}

// unknownParams says that the kernel's parameters have a problem, so that nothing can be compared with them.
func (d *decoder) unknownParams() bool {
	return d.has(d.kernel.at, "params") && len(d.kernel.Params) == 0
}

// assignment reads one listed case, in any order, into declared order.
func (d *decoder) assignment(n ast.Node, what string, params []Param) ([]Value, bool) {
	row := make([]Value, len(params))
	ok := d.clean(func() {
		given := map[string]bool{}
		for _, e := range d.entries(n, "a case of "+what) {
			given[e.key] = true
			i := paramIndex(params, e.key)
			if i < 0 {
				d.fail(e.node, allowedWords(e.key, strings.Split(paramNames(params), ", ")), "%s sets %s, which params does not declare", what, quoted(e.key))
			} else if d.clean(func() { d.single(e.value, e.key, "value", valueOf(&row[i])) }) {
				d.inside(e.value, params[i], row[i])
			}
		}
		for _, p := range params {
			if _, isMap := n.(*ast.MappingNode); isMap && !given[p.Name] {
				d.fail(n, "", "a case of %s lacks parameter %s", what, p.Name)
			}
		}
	})
	return row, ok
}

func paramIndex(params []Param, name string) int {
	return slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
}

// inside reports a measured value that the parameter does not list. A parameter with a range may be measured outside
// of it: the range keeps parity's cases small, and parity checks the measured cases besides.
func (d *decoder) inside(n ast.Node, p Param, v Value) {
	ranged := p.Fuzz != nil && !v.IsDtype()
	switch {
	case !ranged && !p.Contains(v):
		d.fail(n, p.describe(), "%s=%s is not among what params allows", p.Name, v.Text)
	case ranged && v.Int < 0 && p.Fuzz.Min >= 0 && !p.Contains(v):
		d.fail(n, fmt.Sprintf("integers of at least 0, since fuzz draws from %d on", p.Fuzz.Min), "%s=%s is negative", p.Name, v.Text)
	}
}

func (p Param) describe() string {
	if p.Fuzz != nil {
		return "integers"
	}
	return p.describeValues()
}

func (p Param) describeValues() string {
	var texts []string
	for _, v := range p.Values {
		texts = append(texts, v.Text)
	}
	return strings.Join(texts, ", ")
}

// Product is how many cases the values of all parameters multiply out to; an error if a parameter has none or the
// cases are more than MaxCases.
func Product(params []Param) (int, error) {
	n := 1
	for _, p := range params {
		if len(p.Values) == 0 {
			return 0, fmt.Errorf("parameter %s has no values to measure; add measure, the list of cases to time", p.Name)
		}
		// Saturates: the true number says no more than that there are too many.
		n = min(n*len(p.Values), math.MaxInt32)
	}
	if n > MaxCases {
		return 0, fmt.Errorf("the values multiply out to %d cases, more than %d; add measure, the list of cases to time", n, MaxCases)
	}
	return n, nil
}

// String is the parameter with what it may be, as messages show it.
func (p Param) String() string {
	text := p.Name + "=" + strings.ReplaceAll(p.describeValues(), ", ", ",")
	if f := p.Fuzz; f != nil {
		text += fmt.Sprintf("[%d..%d near %d multiple-of %d log %t]", f.Min, f.Max, f.Near, f.MultipleOf, f.Log)
	}
	return text
}
