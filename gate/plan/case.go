// Package plan turns a configuration into what a run does: kernels, the cases that are timed, and the cases that
// parity draws. Everything here is a pure function of the configuration and a seed.
//
//	configuration, seed -> Kernels, each with the cases that are timed and those that parity draws
//	changed files -> the kernels that may read one
//	shard i of n -> its share of the cases
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
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

// ID is what everybody calls the case by. A benchmark that is called like the kernel is not named twice.
func (c Case) ID() result.CaseID {
	id := result.CaseID{Kernel: c.Kernel, Host: c.Host}
	if c.Row != c.Kernel {
		id.Row = strings.TrimPrefix(c.Row, c.Kernel+"/")
	}
	for _, a := range c.Params {
		id.Params = append(id.Params, result.Param{Name: a.Name, Value: a.Value.Text})
	}
	return id
}

// Name is the ID as it is written.
func (c Case) Name() string { return c.ID().String() }

// withHost adds to cases what each of them costs the host.
func withHost(cases []Case) []Case {
	for _, c := range slices.Clone(cases) {
		c.Host = true
		cases = append(cases, c)
	}
	return cases
}

// RowCase is the case that a row of a kernel's benchmark is.
func RowCase(k config.Kernel, row string) Case { return Case{Kernel: k.Name, Row: row, from: &k} }

// Int returns the integer of a parameter, 0 where there is none.
func (c Case) Int(name string) int64 {
	for _, a := range c.Params {
		if a.Name == name {
			return a.Value.Int
		}
	}
	return 0
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
	id := result.ParseCaseID(strings.ReplaceAll(text, " ", ""))
	switch {
	case id.Row != "" || text != "" && id.Kernel == text && text != k.Name:
		return Case{}, fmt.Errorf("case %q: %q is not of the form name=value", text, cmp.Or(id.Row, text))
	case id.Kernel != "" && id.Kernel != k.Name:
		return Case{}, fmt.Errorf("case %q is one of kernel %q, not of %q", text, id.Kernel, k.Name)
	}
	given := map[string]config.Value{}
	for _, p := range id.Params {
		v, err := parseAssignment(k, p)
		if err != nil {
			return Case{}, fmt.Errorf("case %q: %w", text, err)
		}
		if _, again := given[p.Name]; again {
			return Case{}, fmt.Errorf("case %q: %s is given twice", text, p.Name)
		}
		given[p.Name] = v
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

// parseAssignment reads the value that a kernel's parameter is given.
func parseAssignment(k config.Kernel, p result.Param) (config.Value, error) {
	i := slices.IndexFunc(k.Params, func(own config.Param) bool { return own.Name == p.Name })
	if i < 0 {
		return config.Value{}, fmt.Errorf("%s has no parameter %q; it has %s", k.Name, p.Name, paramNames(k))
	}
	v, err := config.ParseValue(p.Value)
	if err != nil {
		return v, fmt.Errorf("%s: %w", p.Name, err)
	}
	if dtypes := k.Params[i].HasDtypes(); v.IsDtype() != dtypes {
		kind := map[bool]string{true: "a dtype", false: "an integer"}[dtypes]
		return v, fmt.Errorf("%s: %s is not %s", p.Name, p.Value, kind)
	}
	return v, nil
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
