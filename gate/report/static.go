package report

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// staticFacts are what compiled code and growth of time say by themselves.
func staticFacts(r *result.Result) []Text {
	if r.Evidence == nil {
		return nil
	}
	var functions, scaling []Text
	for _, k := range r.Evidence.Kernels {
		for _, f := range k.Functions {
			if t := functionChange(f); t != nil {
				functions = append(functions, append(Text{code(k.Kernel), words(": ")}, t...))
			}
		}
	}
	for _, s := range r.Evidence.Scaling {
		if s.Text != "" {
			scaling = append(scaling, Text{code(s.Kernel), words(": " + s.Text)})
		}
	}
	return slices.Concat(launchFacts(r), functions[:min(len(functions), mostFunctions)], scaling[:min(len(scaling), mostScaling)])
}

// functionChange lists what changed about one GPU function.
func functionChange(f result.FunctionPair) Text {
	b, h := f.Base, f.Head
	if b == nil || h == nil {
		return nil
	}
	var c clauses
	add := func(what string, base, head int) { c.when(base != head, "%s %d → %d", what, base, head) }
	add("registers", b.Registers, h.Registers)
	add("shared bytes", b.SharedBytes, h.SharedBytes)
	if b.DynamicSharedBytes != nil && h.DynamicSharedBytes != nil {
		add("dynamic shared bytes", int(*b.DynamicSharedBytes), int(*h.DynamicSharedBytes))
	}
	add("spilled bytes", b.SpillBytes, h.SpillBytes)
	add("stack bytes", b.StackBytes, h.StackBytes)
	c.when(b.Occupancy > 0 && h.Occupancy > 0 && b.Occupancy != h.Occupancy, "occupancy %s → %s%s", Percent(b.Occupancy), Percent(h.Occupancy), occupancyOf(f))
	c = append(c, mixChange(f)...)
	if len(c) == 0 {
		return nil
	}
	return Text{words("the code of "), code(Clip(FunctionName(f.Function), longest)), words(": " + c.join(", "))}
}

// occupancyOf says what limits head's occupancy, if anything does, and what the figures leave out.
func occupancyOf(f result.FunctionPair) string {
	text := ""
	if f.Head.Limiter != "" {
		text = ", limited by " + Visible(f.Head.Limiter)
	}
	switch {
	case f.Base.Threads == 0 || f.Head.Threads == 0:
		text += " (block size not known)"
	case f.Base.DynamicSharedBytes == nil || f.Head.DynamicSharedBytes == nil:
		text += " (static shared memory only)"
	}
	return text
}

// mixChange lists the classes of instructions whose number changed most.
func mixChange(f result.FunctionPair) []string {
	type change struct {
		class      string
		base, head int
	}
	var all []change
	at := func(class string) *change {
		i := slices.IndexFunc(all, func(c change) bool { return c.class == class })
		if i < 0 {
			i, all = len(all), append(all, change{class: class})
		}
		return &all[i]
	}
	for _, n := range f.Base.Instructions {
		at(n.Class).base = n.Count
	}
	for _, n := range f.Head.Instructions {
		at(n.Class).head = n.Count
	}
	size := func(c change) int { return max(c.head-c.base, c.base-c.head) }
	slices.SortStableFunc(all, func(a, b change) int { return size(b) - size(a) })
	var c clauses
	for _, one := range all[:min(len(all), 3)] {
		c.when(one.base != one.head, "%s %d → %d", Visible(one.class), one.base, one.head)
	}
	return c
}
