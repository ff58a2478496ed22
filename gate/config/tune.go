package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

// Knob is a parameter of a kernel that perfgate tune tries values of: a macro (-DBLOCK=64) of what perfgate compiles; of a build.command and of an
// adapter in Python a variable of the environment (PERFGATE_TUNE_BLOCK); of the latter a constant of a module, too (kernels.softmax.BLOCK).
type Knob struct {
	Name   string
	Values []string // in the order of the file, at least one
}

// IsConstant says whether a knob is a constant of a module in Python.
func (k Knob) IsConstant() bool { return strings.Contains(k.Name, ".") }

// Setting is a value of each knob, in their order.
type Setting []string

// maxSettings is the most settings of a kernel: each is built, and measured at least twice in every case.
const maxSettings = 256

var (
	// Most processes of this program meet no knob, and to compile this takes as long as all other patterns of this package.
	knobName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]{0,63}\.){0,8}[A-Za-z_][A-Za-z0-9_]{0,31}$`)
	})
	knobValue = regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,64}$`)
)

func (d *decoder) tune(n ast.Node) []Knob {
	var out []Knob
	settings := 1
	for _, e := range d.entries(n, "tune") {
		if e.duplicates {
			continue
		}
		if !knobName().MatchString(e.key) {
			d.fail(e.node, "a letter or _, then up to 31 of A-Z a-z 0-9 _; a constant of Python has its module before it, as in softmax.BLOCK", "name of a macro %s", quoted(e.key))
			continue
		}
		k := Knob{Name: e.key, Values: d.knobValues(e.value, "values of "+e.key)}
		if settings *= max(1, len(k.Values)); settings > maxSettings {
			d.fail(n, "", "tune makes more than %d settings", maxSettings)
			return nil
		}
		out = append(out, k)
	}
	return out
}

func (d *decoder) knobValues(n ast.Node, what string) []string {
	var out []string
	items := d.items(n, what)
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
		d.fail(n, "", "%s: the list is empty", what)
	}
	for _, item := range items {
		v, ok := d.scalar(item, what)
		switch {
		case !ok:
		case !knobValue.MatchString(v.text):
			d.fail(item, "up to 64 of A-Z a-z 0-9 _ . + -", "%s: %s is no number or word", what, quoted(v.text))
		case slices.Contains(out, v.text):
			d.fail(item, "", "%s lists %s twice", what, v.text)
		default:
			out = append(out, v.text)
		}
	}
	return out
}

// tuning checks that there is something that knobs can be turned of.
func (d *decoder) tuning(found map[string]ast.Node, k *Kernel) {
	at, ok := found["tune"]
	switch {
	case !ok:
	case k.Bench != nil:
		d.fail(at, "", "tune has no effect beside bench: a benchmark is built by its own command")
	}
	for _, knob := range k.Tune {
		if knob.IsConstant() && !IsPython(k.Adapter) {
			d.fail(at, "the name of a macro, such as BLOCK", "%s is a constant of Python, and the adapter is none", knob.Name)
		}
	}
}

// Settings are all of a kernel, the last knob turning fastest; none of a kernel without knobs.
func (k Kernel) Settings() []Setting {
	if len(k.Tune) == 0 {
		return nil
	}
	out := []Setting{nil}
	for _, knob := range k.Tune {
		var next []Setting
		for _, s := range out {
			for _, v := range knob.Values {
				next = append(next, append(slices.Clone(s), v))
			}
		}
		out = next
	}
	return out
}

// SettingText is "BLOCK=64,STAGES=2".
func (k Kernel) SettingText(s Setting) string {
	parts := make([]string, len(s))
	for i, v := range s {
		parts[i] = k.Tune[i].Name + "=" + v
	}
	return strings.Join(parts, ",")
}

func tuneText(knobs []Knob) string {
	parts := make([]string, len(knobs))
	for i, k := range knobs {
		parts[i] = k.Name + "=" + strings.Join(k.Values, ",")
	}
	return strings.Join(parts, " ")
}
