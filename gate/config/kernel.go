package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/task"
)

// nodes are the parts of a kernel that can be judged only when all of it was read.
type nodes struct {
	params, measure, where, listed ast.Node

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
	found := map[string]ast.Node{}
	clean := d.clean(func() { found = d.object(n, "a kernel", kernelFields(&k, &later)) })
	if _, ok := n.(*ast.MappingNode); !ok {
		return k, nil
	}
	d.require(n, found, "a kernel", "name")
	d.building(n, found, &k)
	d.benchmarks(found, &k)
	d.beside(found, &k)
	d.tuning(found, &k)
	k.places = append(filePlaces(found, k), competitorPlaces(found["competitors"], k.Competitors)...)
	k.filesAt = patternPlaces(found["files"], k.Files)
	if found["name"] != nil {
		k.measured = []place{placeOf(found["name"], "")} // of a kernel without parameters
	}
	for _, key := range []string{"bench", "cases"} {
		if found[key] != nil {
			k.casesAt = placeOf(found[key], "")
		}
	}
	sound := later.sound || later.params == nil
	if later.where != nil && sound {
		k.Parity.Where = d.where(later.where, k.Params)
	}
	if later.listed != nil && sound {
		k.Parity.Listed, _ = d.rows(later.listed, "parity.cases", k.Params)
	}
	switch {
	case later.measure != nil && sound:
		k.Measure, k.measured = d.rows(later.measure, "measure", k.Params)
	case k.Bench != nil:
	case later.measure == nil && later.params != nil && clean:
		if _, err := Product(k.Params); err != nil {
			d.fail(later.params, "", "%v", err)
		}
		k.measured = []place{placeOf(later.params, "")}
	}
	return k, found["name"]
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
func (d *decoder) building(n ast.Node, found map[string]ast.Node, k *Kernel) {
	_, adapter := found["adapter"]
	_, build := found["build"]
	flags, hasFlags := found["flags"]
	switch {
	case !adapter && !build && k.Bench == nil:
		d.fail(n, "", "a kernel needs an adapter, a build command that makes its library, or a benchmark (bench)")
	case build && hasFlags && !k.buildsBenchmark():
		d.fail(flags, "", "flags have no effect beside build; write them into its command")
	}
	if build && k.Build.Command != "" && k.Build.Output == "" && k.Bench == nil && !IsPython(k.Adapter) {
		d.fail(found["build"], "", "build lacks the key %q", "output")
	}
	d.hosting(n, found, k)
	if at, ok := found["host-time"]; ok && k.Bench != nil {
		d.fail(at, "", "host has no effect beside bench: a benchmark times itself")
	}
	for _, s := range k.Sources {
		if s == k.Adapter {
			d.fail(found["sources"], "", "sources lists the adapter %s, which is compiled anyway", quoted(s))
		}
	}
}

// buildsBenchmark says whether the build command makes a benchmark alone, and no adapter's library.
func (k Kernel) buildsBenchmark() bool { return k.Bench != nil && k.Build.Output == "" }

// hosting checks what has no effect on an adapter in Python, or on any other.
func (d *decoder) hosting(n ast.Node, found map[string]ast.Node, k *Kernel) {
	if !IsPython(k.Adapter) {
		if at, ok := found["python"]; ok && k.Bench == nil {
			d.fail(at, "", "python has no effect: the adapter %s is not written in Python (its name does not end in .pg.py)", quoted(k.Adapter))
		}
		if at, ok := found["python"]; ok && k.Bench != nil && k.Bench.Script == "" {
			d.fail(at, "", "python does not apply to bench.command: name the interpreter in the command, such as .venv/bin/python -m pytest")
		}
		if at, ok := found["pin"]; ok {
			d.fail(at, "", "pin has no effect: only adapters in Python have autotuners that it knows (@triton.autotune)")
		}
		return
	}
	if IsTask(k.Adapter) {
		at := found["adapter"]
		if listed, ok := found["sources"]; ok {
			at = listed
		}
		d.solved(at, k.Adapter, k.Sources)
	}
	for _, key := range []string{"sources", "flags", "limits"} {
		if at, ok := found[key]; ok && !(key == "sources" && IsTask(k.Adapter)) {
			d.fail(at, "", "%s has no effect beside an adapter in Python: nothing is compiled by perfgate, and it imports what it needs", key)
		}
	}
	if k.Build != nil && k.Build.Output != "" {
		d.fail(found["build"], "", "an adapter in Python has no library: leave output out, the command makes what the adapter loads")
	}
}

// IsPython says whether an adapter is run by Python: one that is written in it, a problem of a task format, or one that comes with perfgate.
func IsPython(adapter string) bool {
	return strings.HasSuffix(adapter, ".pg.py") || IsTask(adapter) || kernels.IsAgainst(adapter)
}

// IsTask says whether a problem of a task format stands for an adapter. Its sources are the solution.
func IsTask(adapter string) bool { return task.FormatOf(adapter) != "" }

// solved checks what is listed as the sources of a problem: its solution, a file of Python.
func (d *decoder) solved(at ast.Node, adapter string, sources []string) {
	if len(sources) != 1 || !strings.HasSuffix(sources[0], ".py") {
		d.fail(at, "", "%s is a problem of %s, so sources lists its solution, one file of Python", quoted(adapter), task.FormatOf(adapter))
	}
}

func (d *decoder) build(n ast.Node, what string) *Build {
	var b Build
	found := d.object(n, what, buildFields(&b))
	if _, ok := n.(*ast.MappingNode); ok {
		d.require(n, found, what, "command")
	}
	return &b
}

// parity is a mapping, or the word off.
func (d *decoder) parity(n ast.Node, p *Parity, later *nodes) {
	if _, ok := n.(*ast.MappingNode); ok {
		d.object(n, "parity", parityFields(p, later))
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
	var text string
	// It is evaluated for every drawn case.
	tooLong := func(s string) (string, string) {
		if len(s) > maxWhere {
			return "is too long", fmt.Sprintf("%d characters", maxWhere)
		}
		return "", ""
	}
	if !d.clean(func() { into(&text, checked(tooLong))(d, n, "where") }) {
		return nil
	}
	w, err := ParseWhere(text, params)
	if err == nil {
		return w
	}
	what := "comparisons of " + paramNames(params) + " and integers, joined by && and ||"
	if len(params) == 0 {
		what = "nothing here: params declares nothing to compare"
	}
	d.fail(n, what, "where: %v", err)
	return nil
}
