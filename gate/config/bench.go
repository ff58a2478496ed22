package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/gate/benchmark"
)

// Bench is a benchmark of the user's that times the cases of a kernel itself.
type Bench struct {
	Format string
	Build  string // command that builds it; "" where none does, or the one that makes the adapter's library
	benchmark.Spec
}

func benchFields(b *Bench) []field {
	return []field{
		{"command", into(&b.Command, script)},
		{"format", into(&b.Format, word(benchmark.Names()...))},
		{"script", into(&b.Script, file)},
		{"args", list(&b.Args, false, "an entry of args", line)},
		{"competitors", list(&b.Competitors, true, "an entry of competitors", checked(checkCases))},
		{"time", into(&b.Time, line)},
		{"kernel", into(&b.Kernel, line)},
	}
}

// bench reads a benchmark. Which of the other keys there are depends on its format.
func (d *decoder) bench(n ast.Node, what string) *Bench {
	var b Bench
	var found map[string]ast.Node
	clean := d.clean(func() { found = d.object(n, what, benchFields(&b)) })
	if _, ok := n.(*ast.MappingNode); !ok {
		return &b
	}
	d.require(n, found, what, "format")
	format, known := benchmark.Named(b.Format)
	if !clean || !known {
		return &b
	}
	d.started(n, found, what, format.Traits())
	times := format.Traits().Times
	switch time := found["time"]; {
	case time == nil && len(times) > 0:
		b.Time = times[0]
	case time != nil && len(times) == 0:
		d.fail(time, "", "%s has one time, so there is none to choose", b.Format)
	case time != nil && !slices.Contains(times, b.Time):
		d.fail(time, strings.Join(times, ", "), "time is %s", quoted(b.Time))
	}
	return &b
}

// started checks that a benchmark is given as its format has it: by a command, or by a script.
func (d *decoder) started(n ast.Node, found map[string]ast.Node, what string, format benchmark.Traits) {
	needs, others := "command", []string{"script", "args", "competitors"}
	if format.Script {
		needs, others = "script", []string{"command", "kernel"}
	}
	d.require(n, found, what, needs)
	for _, key := range others {
		if n := found[key]; n != nil {
			d.fail(n, "", "%s has no effect with format %s, which takes a %s", key, format.Name, needs)
		}
	}
}

// benchmarks checks what stands beside a benchmark, or needs one.
func (d *decoder) benchmarks(found map[string]ast.Node, k *Kernel) {
	if k.Bench == nil {
		for _, key := range []string{"files", "cases"} {
			if n := found[key]; n != nil {
				d.fail(n, "", "%s has no effect without bench", key)
			}
		}
		return
	}
	for _, key := range []string{"measure", "cache"} {
		if n := found[key]; n != nil {
			d.fail(n, "", "%s has no effect beside bench: the benchmark says what it times and how, and cases picks from it", key)
		}
	}
	if b := k.Build; b != nil && b.Output == "" {
		k.Bench.Build, k.Build = b.Command, nil
	}
	if k.HasAdapter() {
		return
	}
	for _, key := range []string{"sources", "flags", "params", "parity", "limits"} {
		if n := found[key]; n != nil {
			d.fail(n, "", "%s needs an adapter: a benchmark hides its tensors, and perfgate does not compile it", key)
		}
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
	if k.Bench == nil {
		return k.NeedsPython()
	}
	format, known := benchmark.Named(k.Bench.Format)
	return k.NeedsPython() || known && format.Traits().Python
}

// checkCases is about a pattern over the rows of a benchmark.
func checkCases(p string) (problem, allowed string) {
	const forms = `the name of a row, or a pattern like "sum/*", in which * stands for any text and {a,b} for either; with ! before it, those are left out`
	if strings.TrimPrefix(p, "!") == "" {
		return "is empty", forms
	}
	if !doublestar.ValidatePattern(p) {
		return fmt.Sprintf("%s has a bracket or a brace that is not closed", quoted(p)), forms
	}
	return "", ""
}

// Takes says whether the kernel's cases name a row of its benchmark.
func (k Kernel) Takes(row string) bool {
	return len(k.Cases) == 0 || benchmark.MatchesRow(k.Cases, row)
}

// CasesError is an Errors about the cases that a kernel's benchmark is asked for, at the place that picks them.
func (c *Config) CasesError(kernel, format string, args ...any) error {
	k, _ := c.Kernel(kernel)
	return Errors{c.src.at(k.casesAt.line, k.casesAt.column, "", format, args...)}
}
