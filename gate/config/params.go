package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// MaxCases is how many cases a run can have: a result with more is not read. How many a run has time for, its budget says.
const MaxCases = 10_000

const (
	maxValues = 256
	maxParams = 32
)

var paramName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,31}$`)

func paramNames(params []Param) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// params reads the parameters of a kernel; none where one has a problem.
func (d *decoder) params(n ast.Node, at string) (out []Param) {
	sound := d.clean(func() {
		entries := d.entries(n, "params")
		if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 0 {
			d.fail(n, "", "params is empty; leave it out for a kernel without parameters")
		}
		if len(entries) > maxParams {
			d.fail(n, "", "%d parameters; at most %d", len(entries), maxParams)
			return
		}
		for _, e := range entries {
			switch {
			case e.duplicates:
			case !paramName.MatchString(e.key):
				d.fail(e.node, "a letter or _, then up to 31 of A-Z a-z 0-9 _", "parameter name %s", quoted(e.key))
			default:
				out = append(out, d.param(e, join(at, e.key)))
			}
		}
	})
	if !sound {
		return nil
	}
	return out
}

func (d *decoder) param(e entry, at string) Param {
	p := Param{Name: e.key}
	what := "parameter " + e.key
	if isNull(e.value) {
		d.fail(e.node, "{values: [1, 2]}, {fuzz: {min: 1, max: 48}}", "%s has neither values nor fuzz", what)
		return p
	}
	if s, ok := e.value.(*ast.SequenceNode); ok {
		d.fail(s, fmt.Sprintf("%s: {values: %s}", e.key, "[…]"), "%s must be a mapping, not a list", what)
		return p
	}
	ok := d.clean(func() {
		d.object(e.value, at, what, valueOf(&p))
		if n := d.given(join(at, "values")); n != nil {
			p.Values = d.values(n, e.key)
		}
	})
	if ok && !d.has(at, "values") && !d.has(at, "fuzz") {
		d.fail(e.value, "values, fuzz", "%s has neither values nor fuzz", what)
	}
	if ok && p.Fuzz != nil && p.HasDtypes() {
		d.failAt(join(at, "fuzz"), "", "%s is a dtype, which has no range", what)
	}
	return p
}

func (d *decoder) values(n ast.Node, name string) []Value {
	seen := map[Value]bool{}
	var out []Value
	items := d.items(n, "values")
	if len(items) > maxValues {
		d.fail(n, "", "%d values of %s; at most %d", len(items), name, maxValues)
		return nil
	}
	for _, item := range items {
		v, ok := d.value(item, name)
		switch {
		case !ok:
		case seen[v]:
			d.fail(item, "", "%s lists %s twice", name, v.Text)
		case len(out) > 0 && out[0].IsDtype() != v.IsDtype():
			d.fail(item, "", "%s mixes integers and dtypes", name)
		default:
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (d *decoder) value(n ast.Node, name string) (Value, bool) {
	s, ok := d.scalar(n, "a value of "+name)
	if !ok {
		return Value{}, false
	}
	v, err := ParseValue(s.text)
	// A quoted number is text to YAML, and only a dtype is text to us.
	if err != nil || s.quoted && !v.IsDtype() {
		d.fail(n, "plain decimal integers, "+strings.Join(dtypes, " "), "%s cannot be %s%s", name, quoted(s.text), hint(s.text))
		return Value{}, false
	}
	return v, true
}

// hints are what people try, and what they mean.
var hints = map[string]string{
	"true": "1", "on": "1", "yes": "1", "false": "0", "off": "0", "no": "0", "float": "f32", "fp32": "f32", "float32": "f32",
	"half": "f16", "fp16": "f16", "float16": "f16", "double": "f64", "fp64": "f64", "float64": "f64", "bfloat16": "bf16",
}

func hint(text string) string {
	if word := hints[strings.ToLower(text)]; word != "" {
		return "; write " + word
	}
	return ""
}

func (f *Fuzz) check(d *decoder, _ ast.Node, at string, clean bool) {
	switch _, some := f.First(); {
	case !clean || !d.has(at, "min") || !d.has(at, "max"):
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

// rows reads a list of cases, each with a value for every parameter.
func (d *decoder) rows(n ast.Node, at, what string, params []Param) [][]Value {
	first := map[string]int{}
	var out [][]Value
	for i, item := range d.items(n, what) {
		row, ok := d.assignment(item, what, params)
		if !ok {
			continue
		}
		line, _ := position(item)
		key := fmt.Sprint(row)
		if earlier, seen := first[key]; seen {
			d.fail(item, "", "%s lists this case twice (first at line %d)", what, earlier)
			continue
		}
		d.nodes[index(at, i)] = item
		first[key] = line
		out = append(out, row)
	}
	return out
}

// assignment reads one listed case, in any order, into declared order.
func (d *decoder) assignment(n ast.Node, what string, params []Param) ([]Value, bool) {
	row := make([]Value, len(params))
	ok := d.clean(func() {
		given := map[string]bool{}
		entries := d.entries(n, "a case of "+what)
		for _, e := range entries {
			given[e.key] = true
			i := paramIndex(params, e.key)
			if i < 0 {
				d.fail(e.node, allowedWords(e.key, strings.Split(paramNames(params), ", ")), "%s sets %s, which params does not declare", what, quoted(e.key))
				continue
			}
			if v, ok := d.value(e.value, e.key); ok {
				d.inside(e.value, params[i], v)
				row[i] = v
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
