package plan

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

// Plan is what a run will do, fixed before anything is built.
type Plan struct {
	Kernels []KernelPlan
	K       int  // cases planned for timing, over all kernels: the error rate is divided among them
	IsPart  bool // only some kernels or cases of the configuration were asked for
}

// KernelPlan is a kernel and the cases of it that are timed.
type KernelPlan struct {
	Kernel   config.Kernel
	Measured []Case

	unknown bool // which cases there are, the benchmark has yet to say
}

// New plans a run of the kernels named in only, or of all where only is empty. The order is the configuration's. An
// unknown name is an error that lists those there are. A tolerance of cases that there are none of is a config.Errors.
func New(cfg *config.Config, only []string) (*Plan, error) {
	for _, name := range only {
		if _, ok := cfg.Kernel(name); !ok {
			return nil, fmt.Errorf("no kernel %q; %s has %s", name, cfg.File, list(cfg.Kernels, func(k config.Kernel) string { return k.Name }))
		}
	}
	all := &Plan{}
	for _, k := range cfg.Kernels {
		measured, err := Measured(k)
		if err != nil {
			return nil, err
		}
		if k.Host {
			measured = withHost(measured)
		}
		all.Kernels = append(all.Kernels, KernelPlan{Kernel: k, Measured: measured, unknown: k.IsSelfTimed()})
	}
	for _, w := range cfg.Suite.Weights {
		if !all.HasCase(w.Cases) {
			return nil, cfg.ErrorAt("suite.weights."+w.Cases, "suite.weights: no timed case matches %q; an example is %q", w.Cases, all.example())
		}
	}
	for i, t := range cfg.Tolerances {
		if !all.HasCase(t.Cases) {
			return nil, cfg.ErrorAt(fmt.Sprintf("tolerances[%d].cases", i), "tolerances: no timed case matches %q; an example is %q", t.Cases, all.example())
		}
	}
	if err := all.checkGoals(cfg); err != nil {
		return nil, err
	}
	wanted := func(kernel string) bool { return len(only) == 0 || slices.Contains(only, kernel) }
	p := all.filter(func(c Case) bool { return wanted(c.Kernel) }, func(k KernelPlan) bool { return wanted(k.Kernel.Name) })
	p.IsPart = len(only) > 0
	if p.K > config.MaxCases {
		return nil, fmt.Errorf("the kernels have %d cases together, more than %d: leave some out of measure, or measure kernels apart", p.K, config.MaxCases)
	}
	return p, nil
}

// Cases is the plan of the cases whose names match a pattern, such as "gemm/**"; a kernel's name stands for all of its cases. Kernels
// without one are left out. The error rate is then held over these cases. An error lists the patterns that match none. A benchmark has
// yet to say which cases there are: as long as a pattern may mean some of them it stays, and the plan of what was Found is asked again.
// Then untimed tells whether a pattern means a case that there is and that is not timed; its kernel stays, too. nil: there is none.
func (p *Plan) Cases(patterns []string, untimed func(kernel, pattern string) bool) (*Plan, error) {
	used := map[string]bool{}
	anyOf := func(means func(pattern string) bool) bool {
		found := false
		for _, pattern := range patterns {
			if means(pattern) {
				used[pattern], found = true, true
			}
		}
		return found
	}
	part := p.filter(func(c Case) bool {
		return anyOf(func(pattern string) bool { return result.CaseMatches(pattern, c.Kernel, c.Name()) })
	}, func(k KernelPlan) bool {
		return anyOf(func(pattern string) bool {
			return k.unknown && mayMean(pattern, k.Kernel.Name) || untimed != nil && untimed(k.Kernel.Name, pattern)
		})
	})
	part.IsPart = true
	for _, pattern := range patterns {
		if !used[pattern] {
			return nil, fmt.Errorf("no timed case matches %q; an example is %q", pattern, p.example())
		}
	}
	return part, nil
}

// filter is the plan of those cases that stay, and of the kernels that have one or stay without.
func (p *Plan) filter(has func(Case) bool, stays func(KernelPlan) bool) *Plan {
	part := &Plan{IsPart: p.IsPart}
	for _, k := range p.Kernels {
		k.Measured = slices.DeleteFunc(slices.Clone(k.Measured), func(c Case) bool { return !has(c) })
		if stays(k) || len(k.Measured) > 0 {
			part.Kernels = append(part.Kernels, k)
			part.K += len(k.Measured)
		}
	}
	return part
}

// HasCase says whether a pattern names a case, or may name one that a benchmark has yet to say.
func (p *Plan) HasCase(pattern string) bool {
	return slices.ContainsFunc(p.Kernels, func(k KernelPlan) bool {
		return k.unknown && mayMean(pattern, k.Kernel.Name) || slices.ContainsFunc(k.Measured, func(c Case) bool {
			return result.CaseMatches(pattern, k.Kernel.Name, c.Name())
		})
	})
}

// mayMean says whether a pattern may name cases of a kernel.
func mayMean(pattern, kernel string) bool {
	first := result.ParseCaseID(pattern).Kernel
	return first == "**" || result.CaseMatches(first, kernel, kernel)
}

// example is the name of some case.
func (p *Plan) example() string {
	for _, k := range p.Kernels {
		for _, c := range k.Measured {
			return c.Name()
		}
	}
	return "kernel/n=64"
}

// Measured returns the cases that are timed, none where a benchmark has yet to say which it has: the measure list, or else the cross product of all values with the last
// parameter running fastest. It fails where a parameter has no values or the product is larger than config.MaxCases.
func Measured(k config.Kernel) ([]Case, error) {
	if k.IsSelfTimed() {
		return nil, nil
	}
	rows := k.Measure
	if len(rows) == 0 {
		if _, err := config.Product(k.Params); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		rows = [][]config.Value{nil}
		for _, p := range k.Params {
			rows = extend(rows, p.Values)
		}
	}
	var out []Case
	for _, row := range rows {
		if len(row) != len(k.Params) {
			return nil, fmt.Errorf("kernel %s: a measured case has %d values for %d parameters", k.Name, len(row), len(k.Params))
		}
		out = append(out, newCase(k, row))
	}
	return out, nil
}

// extend puts every value behind every row.
func extend(rows [][]config.Value, values []config.Value) [][]config.Value {
	var out [][]config.Value
	for _, row := range rows {
		for _, v := range values {
			out = append(out, append(slices.Clone(row), v))
		}
	}
	return out
}

// IsUnknown says whether the kernel's benchmark has yet to say which cases it has.
func (k KernelPlan) IsUnknown() bool { return k.unknown }

// HasUnknown says whether a benchmark has yet to say which cases there are. Until then the plan cannot be cut into parts.
func (p *Plan) HasUnknown() bool {
	return slices.ContainsFunc(p.Kernels, KernelPlan.IsUnknown)
}

// Found is the plan with the cases that benchmarks have, by kernel.
func (p *Plan) Found(rows map[string][]string) *Plan {
	out := &Plan{K: p.K, IsPart: p.IsPart, Kernels: slices.Clone(p.Kernels)}
	for i := range out.Kernels {
		k := &out.Kernels[i]
		found, known := rows[k.Kernel.Name]
		if !known || !k.unknown {
			continue
		}
		k.unknown = false
		for _, row := range found {
			k.Measured = append(k.Measured, RowCase(k.Kernel, row))
		}
		out.K += len(found)
	}
	return out
}
