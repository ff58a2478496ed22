package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

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

// tuning checks that there is something that parameters can be turned of.
func (d *decoder) tuning(found map[string]ast.Node, k *Kernel) {
	at, ok := found["tune"]
	switch {
	case !ok:
	case k.Bench != nil:
		d.fail(at, "", "tune has no effect beside bench: a benchmark is built by its own command")
	}
	for _, parameter := range k.Tune {
		if parameter.IsConstant() && !IsPython(k.Adapter) {
			d.fail(at, "the name of a macro, such as BLOCK", "%s is a constant of Python, and the adapter is none", parameter.Name)
		}
	}
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

func tuneText(parameters []TuningParameter) string {
	parts := make([]string, len(parameters))
	for i, k := range parameters {
		parts[i] = k.Name + "=" + strings.Join(k.Values, ",")
	}
	return strings.Join(parts, " ")
}
