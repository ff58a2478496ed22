package config

import (
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/ast"
)

// nodes are the parts of a kernel that can be judged only when all of it was read.
type nodes struct {
	params, measure, where ast.Node

	sound bool // params has no problem, so the rest can be held against it
}

func (d *decoder) kernels(n ast.Node) []Kernel {
	first := map[string]int{}
	var out []Kernel
	for _, item := range d.items(n, "kernels") {
		k, at := d.kernel(item)
		out = append(out, k)
		if at == nil || k.Name == "" {
			continue
		}
		if line, ok := first[k.Name]; ok {
			d.fail(at, "", "a second kernel %s (first at line %d)", quoted(k.Name), line)
			continue
		}
		first[k.Name], _ = position(at)
	}
	return out
}

// kernel reads one kernel and returns the node of its name.
func (d *decoder) kernel(n ast.Node) (Kernel, ast.Node) {
	k := defaultKernel()
	var later nodes
	there := map[string]ast.Node{}
	clean := d.clean(func() { there = d.object(n, "a kernel", kernelFields(&k, &later)) })
	if _, ok := n.(*ast.MappingNode); !ok {
		return k, nil
	}
	d.require(n, there, "a kernel", "name")
	d.building(n, there, &k)
	k.places = filePlaces(there, k)
	if there["name"] != nil {
		k.measured = []place{placeOf(there["name"])} // of a kernel without parameters
	}
	sound := later.sound || later.params == nil
	if later.where != nil && sound {
		k.Parity.Where = d.where(later.where, k.Params)
	}
	switch {
	case later.measure != nil && sound:
		k.Measure, k.measured = d.measure(later.measure, k.Params)
	case later.measure == nil && later.params != nil && clean:
		d.product(later.params, k.Params)
		k.measured = []place{placeOf(later.params)}
	}
	return k, there["name"]
}

func kernelFields(k *Kernel, later *nodes) []field {
	return []field{
		{"name", checked("name", &k.Name, checkName)},
		{"adapter", file("adapter", &k.Adapter)},
		{"sources", list("sources", &k.Sources, true, file)},
		{"flags", compilerFlags(&k.Flags)},
		{"build", func(d *decoder, n ast.Node) { k.Build = d.build(n) }},
		{"params", func(d *decoder, n ast.Node) {
			later.params = n
			later.sound = d.clean(func() { k.Params = d.params(n) })
		}},
		{"measure", func(_ *decoder, n ast.Node) { later.measure = n }},
		{"cache", word("cache", &k.Cache, CacheCold, CacheHot)},
		{"parity", func(d *decoder, n ast.Node) { d.parity(n, &k.Parity, &later.where) }},
		{"resources", section("resources", resourceFields(&k.Resources))},
	}
}

var kernelName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// checkName keeps names fit for files, globs and command lines.
func checkName(name string) (problem, allowed string) {
	if !kernelName.MatchString(name) {
		return "is " + quoted(name), "up to 64 of A-Z a-z 0-9 _ . - and neither . nor - in front"
	}
	return "", ""
}

// building checks that there is exactly one way to get the library. With a build command, adapter and sources are not
// compiled by perfgate, and still say whose files they are and which device they need.
func (d *decoder) building(n ast.Node, there map[string]ast.Node, k *Kernel) {
	_, adapter := there["adapter"]
	_, build := there["build"]
	flags, hasFlags := there["flags"]
	switch {
	case !adapter && !build:
		d.fail(n, "", "a kernel needs an adapter, or a build command that makes its library")
	case build && hasFlags:
		d.fail(flags, "", "flags have no effect beside build; write them into its command")
	}
	for _, s := range k.Sources {
		if s == k.Adapter {
			d.fail(there["sources"], "", "sources lists the adapter %s, which is compiled anyway", quoted(s))
		}
	}
}

func (d *decoder) build(n ast.Node) *Build {
	var b Build
	there := d.object(n, "build", buildFields(&b))
	if _, ok := n.(*ast.MappingNode); ok {
		d.require(n, there, "build", "command", "output")
	}
	return &b
}

func buildFields(b *Build) []field {
	return []field{
		{"command", script("command", &b.Command)},
		{"output", file("output", &b.Output)},
	}
}

// parity is a mapping, or the word off.
func (d *decoder) parity(n ast.Node, p *Parity, where *ast.Node) {
	if _, ok := n.(*ast.MappingNode); ok {
		d.object(n, "parity", parityFields(p, where))
		return
	}
	s, ok := d.scalar(n, "parity")
	if !ok {
		return
	}
	// Some editors turn off into false, which is what YAML 1.1 takes it for.
	if s.text != "off" && s.text != "false" {
		d.fail(n, "off, or a mapping with cases, atol, rtol, …", "parity is %s", quoted(s.text))
		return
	}
	p.Off = true
}

func (d *decoder) where(n ast.Node, params []Param) *Where {
	var src string
	// It is evaluated for every drawn case.
	tooLong := func(s string) (string, string) {
		if len(s) > maxWhere {
			return "is too long", fmt.Sprintf("%d characters", maxWhere)
		}
		return "", ""
	}
	if !d.clean(func() { checked("where", &src, tooLong)(d, n) }) {
		return nil
	}
	w, err := ParseWhere(src, params)
	if err != nil {
		what := "comparisons of " + paramNames(params) + " and integers, joined by && and ||"
		if len(params) == 0 {
			what = "nothing here: params declares nothing to compare"
		}
		d.fail(n, what, "where: %v", err)
		return nil
	}
	return w
}
