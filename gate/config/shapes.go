package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

// shape reads what is neither a single value, a list nor a mapping with fixed keys, into what it points to.
type shape func(d *decoder, n ast.Node, at, what string, to any)

// shapeOf is a shape by its name in tags; nil if there is none.
func shapeOf(is string) shape {
	switch is {
	case "later": // by what needs it
		return func(*decoder, ast.Node, string, string, any) {}
	case "parity":
		return func(d *decoder, n ast.Node, at, _ string, to any) { d.parity(n, at, to.(*Parity)) }
	case "drawn-or-listed":
		return func(d *decoder, n ast.Node, _, what string, to any) {
			if _, listed := n.(*ast.SequenceNode); !listed {
				d.single(n, what, "drawn", valueOf(to))
			}
		}
	case "params":
		return func(d *decoder, n ast.Node, at, _ string, to any) { *to.(*[]Param) = d.params(n, at) }
	case "pins":
		return func(d *decoder, n ast.Node, _, _ string, to any) { *to.(*[]Pin) = d.pins(n) }
	case "tune":
		return func(d *decoder, n ast.Node, _, _ string, to any) { *to.(*[]TuningParameter) = d.tune(n) }
	}
	return nil
}

func valueOf(pointer any) reflect.Value { return reflect.ValueOf(pointer).Elem() }

// Pin takes the choice from an autotuner: of its configurations only those remain that have these values.
type Pin struct {
	Function string // the name of the tuned function
	Config   string // NAME=VALUE, NAME=VALUE, as reports name a configuration
}

// maxPins bounds the tuners of one kernel.
const maxPins = 64

var (
	pythonName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	pinned     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]* *= *[A-Za-z0-9_.+-]+$`)
)

const pinForms = `BLOCK=64, num_warps=4`

// pins reads a mapping from the names of tuned functions to configurations.
func (d *decoder) pins(n ast.Node) []Pin {
	entries := d.entries(n, "pin")
	if len(entries) > maxPins {
		d.fail(n, "", "%d entries in pin; at most %d", len(entries), maxPins)
		return nil
	}
	var out []Pin
	for _, e := range entries {
		if e.duplicates {
			continue
		}
		if !pythonName.MatchString(e.key) {
			d.fail(e.node, "the name of a function that is decorated with @triton.autotune", "pin names %s", quoted(e.key))
			continue
		}
		if s, ok := d.scalar(e.value, "the configuration of "+e.key); ok && d.pinned(e, s.text) {
			out = append(out, Pin{e.key, s.text})
		}
	}
	return out
}

func (d *decoder) pinned(e entry, text string) bool {
	bad := slices.IndexFunc(strings.Split(text, ","), func(part string) bool { return !pinned.MatchString(strings.TrimSpace(part)) })
	if bad >= 0 || len(text) > 500 {
		d.fail(e.value, pinForms, "the configuration of %s is %s", e.key, quoted(text))
		return false
	}
	return true
}

func (p Pin) String() string { return p.Function + ": " + p.Config }

// TuningParameter is a parameter of a kernel that perfgate tune tries values of: a macro (-DBLOCK=64) of what perfgate compiles; of a build.command and of an
// adapter in Python a variable of the environment (PERFGATE_TUNE_BLOCK); of the latter a constant of a module, too (kernels.softmax.BLOCK).
type TuningParameter struct {
	Name   string
	Values []string // in the order of the file, at least one
}

// IsConstant says whether a parameter is a constant of a module in Python.
func (k TuningParameter) IsConstant() bool { return strings.Contains(k.Name, ".") }

// Configuration is a value of each parameter, in their order.
type Configuration []string

// maxConfigurations is the most configurations of a kernel: each is built, and measured at least twice in every case.
const maxConfigurations = 256

var (
	// Most processes of this program meet no parameter, and to compile this takes as long as all other patterns of this package.
	parameterName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]{0,63}\.){0,8}[A-Za-z_][A-Za-z0-9_]{0,31}$`)
	})
	parameterValue = regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,64}$`)
)

func (d *decoder) tune(n ast.Node) []TuningParameter {
	var out []TuningParameter
	configurations := 1
	for _, e := range d.entries(n, "tune") {
		if e.duplicates {
			continue
		}
		if !parameterName().MatchString(e.key) {
			d.fail(e.node, "a letter or _, then up to 31 of A-Z a-z 0-9 _; a constant of Python has its module before it, as in softmax.BLOCK", "name of a macro %s", quoted(e.key))
			continue
		}
		k := TuningParameter{Name: e.key, Values: d.parameterValues(e.value, "values of "+e.key)}
		if configurations *= max(1, len(k.Values)); configurations > maxConfigurations {
			d.fail(n, "", "tune makes more than %d configurations", maxConfigurations)
			return nil
		}
		out = append(out, k)
	}
	return out
}

func (d *decoder) parameterValues(n ast.Node, what string) []string {
	var out []string
	items := d.items(n, what)
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
		d.fail(n, "", "%s: the list is empty", what)
	}
	for _, item := range items {
		v, ok := d.scalar(item, what)
		switch {
		case !ok:
		case !parameterValue.MatchString(v.text):
			d.fail(item, "up to 64 of A-Z a-z 0-9 _ . + -", "%s: %s is no number or word", what, quoted(v.text))
		case slices.Contains(out, v.text):
			d.fail(item, "", "%s lists %s twice", what, v.text)
		default:
			out = append(out, v.text)
		}
	}
	return out
}

// Configurations are all of a kernel, the last parameter turning fastest; none of a kernel without parameters.
func (k Kernel) Configurations() []Configuration {
	if len(k.Tune) == 0 {
		return nil
	}
	out := []Configuration{nil}
	for _, parameter := range k.Tune {
		var next []Configuration
		for _, s := range out {
			for _, v := range parameter.Values {
				next = append(next, append(slices.Clone(s), v))
			}
		}
		out = next
	}
	return out
}

// ConfigurationText is "BLOCK=64,STAGES=2".
func (k Kernel) ConfigurationText(s Configuration) string {
	parts := make([]string, len(s))
	for i, v := range s {
		parts[i] = k.Tune[i].Name + "=" + v
	}
	return strings.Join(parts, ",")
}

func (k TuningParameter) String() string { return k.Name + "=" + strings.Join(k.Values, ",") }
