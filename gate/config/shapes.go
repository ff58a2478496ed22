package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/gate/benchmark"
)

// shape reads what is neither a single value, a list nor a mapping with fixed keys, into what it points to.
type shape func(d *decoder, n ast.Node, at, what string, to any)

// shapeOf is a shape by its name in tags; nil if there is none.
func shapeOf(is string) shape {
	switch is {
	case "assignments":
		return func(d *decoder, n ast.Node, at, what string, to any) { *to.(*[][]Value) = d.rows(n, at, what) }
	case "condition":
		return func(d *decoder, n ast.Node, _, what string, to any) { *to.(**Where) = d.where(n, what) }
	case "parity":
		return func(d *decoder, n ast.Node, at, what string, to any) {
			p := to.(*Parity)
			p.Off = d.isOff(n, at, what, "cases, atol, rtol, …", p)
		}
	case "check":
		return func(d *decoder, n ast.Node, at, what string, to any) {
			c := &Check{}
			c.Off = d.isOff(n, at, what, "command, atol and rtol", c)
			*to.(**Check) = c
		}
	case "metrics":
		return func(d *decoder, n ast.Node, at, what string, to any) {
			if _, listed := n.(*ast.SequenceNode); listed {
				d.list(n, at, what, `one:"an entry of value" name:"Name" most:"16"`, valueOf(to))
				return
			}
			one := benchmark.Metric{}
			d.single(n, what, "line", valueOf(&one.Name))
			*to.(*[]benchmark.Metric) = []benchmark.Metric{one}
		}
	case "drawn-or-listed":
		return func(d *decoder, n ast.Node, at, what string, to any) {
			if _, listed := n.(*ast.SequenceNode); listed {
				d.kernel.Parity.Listed = d.rows(n, at, "parity.cases")
			} else {
				d.single(n, what, "drawn-or-listed", valueOf(to))
			}
		}
	}
	return nil
}

func valueOf(pointer any) reflect.Value { return reflect.ValueOf(pointer).Elem() }

var pinned = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]* *= *[A-Za-z0-9_.+-]+$`)

// checkChoices is about what a pin chooses.
func checkChoices(text string) (problem, allowed string) {
	for part := range strings.SplitSeq(text, ",") {
		if !pinned().MatchString(strings.TrimSpace(part)) || len(text) > 500 {
			return "is " + quoted(text), "BLOCK=64, num_warps=4"
		}
	}
	return "", ""
}

// TuningParameter is a parameter of a kernel that perfgate tune tries values of: a macro (-DBLOCK=64) of what perfgate compiles; of a build.command and of an
// adapter in Python a variable of the environment (PERFGATE_TUNE_BLOCK); of the latter a constant of a module, too (kernels.softmax.BLOCK).
type TuningParameter struct {
	Name   string
	Values []string `is:"choice"` // in the order of the file, at least one
}

// IsConstant says whether a parameter is a constant of a module in Python.
func (k TuningParameter) IsConstant() bool { return strings.Contains(k.Name, ".") }

// Configuration is a value of each parameter, in their order.
type Configuration []string

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
