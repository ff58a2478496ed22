package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/task"
)

// check judges a kernel as a whole: keys that have no effect next to others, and cases by its parameters.
func (k *Kernel) check(d *decoder, n ast.Node, at string, clean bool) {
	k.checkBuild(d, n, at)
	if IsPython(k.Adapter) {
		checkImports(d, at, k.Adapter, k.Sources)
	}
	for _, x := range k.exclusions() {
		if x.applies {
			d.failEach(at, strings.Fields(x.keys), x.format)
		}
	}
	if b := k.Build; k.Bench != nil && b != nil && b.Output == "" {
		k.Bench.Build, k.Build = b.Command, nil
	}
	if k.Bench != nil && k.HasAdapter() {
		d.failAt(join(at, "bench.check"), "", "check has no effect with an adapter, whose parity checks the kernel")
	}
	k.checkTune(d, at)
	if params := d.nodes[join(at, "params")]; params != nil && clean && k.Bench == nil && !d.has(at, "measure") {
		if _, err := Product(k.Params); err != nil {
			d.fail(params, "", "%v", err)
		}
	}
}

// checkBuild checks that there is exactly one way to get the library. With a build command, adapter and sources are not
// compiled by perfgate, and still say whose files they are and which device they need.
func (k *Kernel) checkBuild(d *decoder, n ast.Node, at string) {
	python := IsPython(k.Adapter)
	switch build := k.Build; {
	case build == nil && k.Bench == nil && !d.has(at, "adapter"):
		d.fail(n, "", "a kernel needs an adapter, a build command that makes its library, or a benchmark (bench)")
	case build == nil:
	case python && build.Output != "":
		d.failAt(join(at, "build"), "", "an adapter in Python has no library: leave output out, the command makes what the adapter loads")
	case !python && k.Bench == nil && build.Command != "" && build.Output == "":
		d.failAt(join(at, "build"), "", "build lacks the key %q", "output")
	}
	if slices.Contains(k.Sources, k.Adapter) {
		d.failAt(join(at, "sources"), "", "sources lists the adapter %s, which is compiled anyway", quoted(k.Adapter))
	}
}

// exclusion says why keys must not be there. Its format begins with the key.
type exclusion struct {
	applies      bool
	keys, format string
}

func (k *Kernel) exclusions() []exclusion {
	python, bench := IsPython(k.Adapter), k.Bench != nil
	builds := k.Build != nil && (k.Build.Output != "" || !bench) // the adapter's library, and not a benchmark alone
	return []exclusion{
		{builds, "flags", "%s have no effect with build; write them into its command"},
		{python, "limits", besidePython},
		{!python && !bench, "python", notPython},
		{!python && bench && k.Bench.Script == "", "python",
			"%s does not apply to bench.command: name the interpreter in the command, such as .venv/bin/python -m pytest"},
		{!python, "pin", "%s has no effect: only adapters in Python have autotuners that it knows (@triton.autotune)"},
		{!bench, "files cases", "%s has no effect without bench"},
		{bench, "measure cache", "%s has no effect with bench: the benchmark says what it times and how, and cases picks from it"},
		{bench, "host-time", "%s has no effect with bench: a benchmark times itself"},
		{bench, "tune", "%s has no effect with bench: a benchmark is built by its own command"},
		{bench, "competitors",
			"%s has no effect with bench: the benchmark times the kernel in its processes, and its rows are its competitors"},
		{bench && k.Adapter == "" && !builds, "sources flags params parity limits",
			"%s needs an adapter: a benchmark hides its tensors, and perfgate does not compile it"},
		{!bench && k.Adapter == "" && !builds, "competitors", "%s needs an adapter of the kernel: they are compared by its tensors and its reference"},
	}
}

const (
	besidePython = "%s has no effect with an adapter in Python: nothing is compiled by perfgate, and it imports what it needs"
	notPython    = "%s has no effect: the adapter is not written in Python (its name does not end in .pg.py)"
)

// checkImports is about what an adapter in Python is given to be compiled with. A problem of a task format has one source: its solution.
func checkImports(d *decoder, at, adapter string, sources []string) {
	d.failEach(at, []string{"flags"}, besidePython)
	if !IsTask(adapter) {
		d.failEach(at, []string{"sources"}, besidePython)
	} else if len(sources) != 1 || !strings.HasSuffix(sources[0], ".py") {
		where := join(at, "sources")
		if !d.has(at, "sources") {
			where = join(at, "adapter")
		}
		d.failAt(where, "", "%s is a problem of %s, so sources lists its solution, one file of Python", quoted(adapter), task.FormatOf(adapter))
	}
}

// checkTune checks that parameters can be tuned, and that their configurations are not too many.
func (k *Kernel) checkTune(d *decoder, at string) {
	configurations := 1
	for _, parameter := range k.Tune {
		if parameter.IsConstant() && !IsPython(k.Adapter) {
			d.failAt(join(at, "tune"), "the name of a macro, such as BLOCK", "%s is a constant of Python, and the adapter is none", parameter.Name)
		}
		configurations = min(configurations*len(parameter.Values), result.MaxConfigurations+1)
	}
	if configurations > result.MaxConfigurations {
		d.failAt(join(at, "tune"), "", "tune makes more than %d configurations", result.MaxConfigurations)
	}
}

// IsPython says whether an adapter is run by Python: one that is written in it, a problem of a task format, or one that comes with perfgate.
func IsPython(adapter string) bool {
	return strings.HasSuffix(adapter, ".pg.py") || IsTask(adapter) || kernels.IsAgainst(adapter)
}

// IsTask says whether a problem of a task format stands for an adapter. Its sources are the solution.
func IsTask(adapter string) bool { return task.FormatOf(adapter) != "" }

// isOff reads a mapping, or says that the word off stands in its place.
func (d *decoder) isOff(n ast.Node, at, what, keys string, to any) bool {
	if _, ok := n.(*ast.MappingNode); ok {
		d.read(n, at, what, "", valueOf(to))
		return false
	}
	s, ok := d.scalar(n, what)
	off := ok && (s.text == "off" || s.text == "false") // some editors turn off into false, which is what YAML 1.1 takes it for
	if ok && !off {
		d.fail(n, "off, or a mapping with "+keys, "%s is %s", what, quoted(s.text))
	}
	return off
}

// check judges a benchmark by its format, which says how it is started and which other keys there are.
func (b *Bench) check(d *decoder, n ast.Node, at string, clean bool) {
	format, known := benchmark.Named(b.Format)
	if !clean || !known {
		return
	}
	traits := format.Traits()
	needs, others := "command", []string{"script", "args", "competitors"}
	if traits.Script {
		needs, others = "script", []string{"command", "kernel"}
	}
	d.require(n, at, "bench", needs, "")
	d.failEach(at, others, "%s has no effect with format %s, which takes a %s", traits.Name, needs)
	if b.Table != nil && b.Format != "csv" {
		d.failAt(join(at, "csv"), "", "csv has no effect with format %s, whose result has named columns", b.Format)
	} else if b.Table != nil {
		if problem, allowed := b.Table.Problem(); problem != "" {
			d.failAt(join(at, "csv"), allowed, "%s", problem)
		}
	}
	time, times := join(at, "time"), traits.Times
	switch given := d.has(at, "time"); {
	case !given && len(times) > 0:
		b.Time = times[0]
	case given && len(times) == 0:
		d.failAt(time, "", "%s has one time, so there is none to choose", b.Format)
	case given && !slices.Contains(times, b.Time):
		d.failAt(time, strings.Join(times, ", "), "time is %s", quoted(b.Time))
	}
}

// check checks what has no effect on a competitor like this.
func (r *Competitor) check(d *decoder, _ ast.Node, at string, _ bool) {
	if r.When == WhenRecord {
		d.failEach(at, []string{"min-speedup"}, "%s has no effect with when: record: nothing is decided where records are made")
	}
	switch {
	case r.Adapter == "":
	case !IsPython(r.Adapter):
		d.failEach(at, []string{"python"}, notPython)
	case IsTask(r.Adapter) && !d.has(at, "sources"): // a reference alone
		d.failEach(at, []string{"flags"}, besidePython)
	default:
		checkImports(d, at, r.Adapter, r.Sources)
	}
}

// HasAdapter says whether the kernel has an adapter's library, which parity asks, and where there is no benchmark the rounds too.
func (k Kernel) HasAdapter() bool { return k.Adapter != "" || k.Build != nil }

// NeedsPython says whether an interpreter runs a part of the kernel: its adapter, or its benchmark's script.
func (k Kernel) NeedsPython() bool {
	return IsPython(k.Adapter) || k.Bench != nil && k.Bench.Script != ""
}

// RunsPython says whether an interpreter is known to run the kernel, also by a command that starts it.
func (k Kernel) RunsPython() bool {
	format := k.Format()
	return k.NeedsPython() || format != nil && format.Traits().Python
}

// Takes says whether the kernel's cases name a row of its benchmark.
func (k Kernel) Takes(row string) bool {
	return len(k.Cases) == 0 || benchmark.MatchesRow(k.Cases, row)
}

// where reads a condition over the kernel's parameters; none where these have a problem.
func (d *decoder) where(n ast.Node, what string) *Where {
	s, ok := d.scalar(n, what)
	if !ok || d.unknownParams() {
		return nil
	}
	text, problem, allowed := line(s)
	if problem == "" && len(text) > maxWhere { // it is evaluated for every drawn case
		problem, allowed = "is too long", fmt.Sprintf("%d characters", maxWhere)
	}
	if problem != "" {
		d.fail(n, allowed, "%s %s", what, problem)
		return nil
	}
	w, err := ParseWhere(text, d.kernel.Params)
	if err != nil {
		allowed = "comparisons of " + paramNames(d.kernel.Params) + " and integers, joined by && and ||"
		if len(d.kernel.Params) == 0 {
			allowed = "nothing here: params declares nothing to compare"
		}
		d.fail(n, allowed, "%s: %v", what, err)
	}
	return w
}

// checkInterpreters refuses paths of interpreters where each side has an environment: its interpreter is in that, or both sides would share one.
func (c *Config) checkInterpreters(d *decoder) {
	for _, k := range c.Kernels {
		if c.EnvironmentOf(k) == nil || !k.NeedsPython() {
			continue
		}
		for _, at := range []string{join(k.at, "python"), "python"} {
			if name := cmp.Or(k.Python, c.Python); d.nodes[at] != nil && strings.ContainsAny(name, "/~") {
				d.failAt(at, "the name of a program in the bin of the environment, such as python3",
					"kernel %s has an environment, so python cannot be the path %s", quoted(k.Name), quoted(name))
				break
			}
		}
	}
}
