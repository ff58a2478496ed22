// Package plan turns a configuration into what a run does: kernels, the cases that are timed, and the cases that
// parity draws. Everything here is a pure function of the configuration and a seed.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/kernels"
)

// Assignment gives one parameter its value.
type Assignment struct {
	Name  string
	Value config.Value
}

// Case is a kernel and one assignment of its parameters, in declared order.
type Case struct {
	Kernel string
	Params []Assignment
	Row    string // of a kernel with a benchmark: what the benchmark calls the case
	Host   bool   // it is what a launch of the case costs the host

	from *config.Kernel // the kernel that it is a case of
}

// From is the kernel that the case is one of, with the rules for its outputs and the domain that a failure shrinks in; nil
// for a case that was made by hand.
func (c Case) From() *config.Kernel { return c.from }

// Allowed says whether parity may try the case: its condition holds, and it is one of those that the configuration lists, if it lists any.
func (c Case) Allowed() bool {
	rules := c.from.Parity
	if !rules.Where.Holds(c.Int) {
		return false
	}
	is := func(row []config.Value) bool {
		return slices.EqualFunc(row, c.Params, func(v config.Value, a Assignment) bool { return v == a.Value })
	}
	return len(rules.Listed) == 0 || slices.ContainsFunc(rules.Listed, is) || slices.ContainsFunc(c.from.Measure, is)
}

// With is the case with another value of parameter i.
func (c Case) With(i int, v config.Value) Case {
	c.Params = slices.Clone(c.Params)
	c.Params[i].Value = v
	return c
}

// Name is the identity of a case: attention/B=32,H=8,S=512,D=64,causal=0. A kernel without parameters has one case,
// called like the kernel.
func (c Case) Name() string {
	if c.Row != "" {
		return rowName(c.Kernel, c.Row)
	}
	name := c.Kernel
	if len(c.Params) > 0 {
		name += "/" + c.Args()
	}
	if c.Host {
		name += hostSuffix
	}
	return name
}

// hostSuffix tells what a launch costs the host from the launch: softmax/N=4096/host.
const hostSuffix = "/host"

// withHost adds to cases what each of them costs the host.
func withHost(cases []Case) []Case {
	for _, c := range slices.Clone(cases) {
		c.Host = true
		cases = append(cases, c)
	}
	return cases
}

// rowName is a row of a kernel's benchmark as a case. A benchmark that is called like the kernel is not named twice.
func rowName(kernel, row string) string {
	if row == kernel || strings.HasPrefix(row, kernel+"/") {
		return row
	}
	return kernel + "/" + row
}

// RowCase is the case that a row of a kernel's benchmark is.
func RowCase(k config.Kernel, row string) Case { return Case{Kernel: k.Name, Row: row, from: &k} }

// Args is the name without the kernel, the form that --param takes: B=32,H=8,S=512,D=64,causal=0.
func (c Case) Args() string {
	parts := make([]string, len(c.Params))
	for i, a := range c.Params {
		parts[i] = a.Name + "=" + a.Value.Text
	}
	return strings.Join(parts, ",")
}

// Value returns what the case assigns to a parameter.
func (c Case) Value(name string) (config.Value, bool) {
	for _, a := range c.Params {
		if a.Name == name {
			return a.Value, true
		}
	}
	return config.Value{}, false
}

// Int returns the integer of a parameter, 0 where there is none.
func (c Case) Int(name string) int64 {
	v, _ := c.Value(name)
	return v.Int
}

// Spec is the case as a runner sees it.
func (c Case) Spec() kernels.CaseSpec {
	spec := kernels.CaseSpec{Kernel: c.Kernel, Params: []kernels.CaseParam{}}
	for _, a := range c.Params {
		spec.Params = append(spec.Params, kernels.CaseParam{Name: a.Name, Text: a.Value.Text, Value: a.Value.Int})
	}
	return spec
}

// newCase puts values in declared order beside their names.
func newCase(k config.Kernel, values []config.Value) Case {
	c := Case{Kernel: k.Name, Params: make([]Assignment, len(k.Params)), from: &k}
	for i, p := range k.Params {
		c.Params[i] = Assignment{Name: p.Name, Value: values[i]}
	}
	return c
}

// ParseCase reads "B=1,H=1,S=65,D=64,causal=0", in any order, or the full name of a case. Every parameter needs a
// value of its kind, which need not be one that the configuration lists: the smallest failing case may lie outside.
func ParseCase(k config.Kernel, text string) (Case, error) {
	args, err := stripKernel(k, text)
	if err != nil {
		return Case{}, err
	}
	given := map[string]config.Value{}
	for part := range strings.SplitSeq(args, ",") {
		if strings.TrimSpace(args) == "" {
			break
		}
		name, v, err := parseAssignment(k, strings.TrimSpace(part))
		if err != nil {
			return Case{}, fmt.Errorf("case %q: %w", text, err)
		}
		if _, again := given[name]; again {
			return Case{}, fmt.Errorf("case %q: %s is given twice", text, name)
		}
		given[name] = v
	}
	var values []config.Value
	var missing []string
	for _, p := range k.Params {
		v, ok := given[p.Name]
		if !ok {
			missing = append(missing, p.Name)
		}
		values = append(values, v)
	}
	if len(missing) > 0 {
		return Case{}, fmt.Errorf("case %q: no value for %s; %s has %s", text, strings.Join(missing, ", "), k.Name, paramNames(k))
	}
	return newCase(k, values), nil
}

// stripKernel takes the kernel's name off a full name.
func stripKernel(k config.Kernel, text string) (string, error) {
	kernel, args, full := strings.Cut(text, "/")
	switch {
	case !full && len(k.Params) == 0 && text == k.Name:
		return "", nil
	case !full:
		return text, nil
	case kernel != k.Name:
		return "", fmt.Errorf("case %q is one of kernel %q, not of %q", text, kernel, k.Name)
	}
	return args, nil
}

// parseAssignment reads "S=65".
func parseAssignment(k config.Kernel, text string) (name string, v config.Value, err error) {
	name, word, ok := strings.Cut(text, "=")
	i := slices.IndexFunc(k.Params, func(p config.Param) bool { return p.Name == name })
	switch {
	case !ok:
		return "", v, fmt.Errorf("%q is not of the form name=value", text)
	case i < 0:
		return "", v, fmt.Errorf("%s has no parameter %q; it has %s", k.Name, name, paramNames(k))
	}
	if v, err = config.ParseValue(word); err != nil {
		return "", v, fmt.Errorf("%s: %w", name, err)
	}
	if dtypes := k.Params[i].HasDtypes(); v.IsDtype() != dtypes {
		kind := map[bool]string{true: "a dtype", false: "an integer"}[dtypes]
		return "", v, fmt.Errorf("%s: %s is not %s", name, word, kind)
	}
	return name, v, nil
}

func paramNames(k config.Kernel) string {
	return cmp.Or(list(k.Params, func(p config.Param) string { return p.Name }), "no parameters")
}

// list is the names of things, one after the other.
func list[T any](all []T, name func(T) string) string {
	var names []string
	for _, x := range all {
		names = append(names, name(x))
	}
	return strings.Join(names, ", ")
}
