package explain

import (
	"math"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// Instructions explains a change on a CPU by the number of instructions alone: more of them, or nothing. What else was counted stands beside it.
func Instructions(m Measured, base, head profile.Counted) Explanation {
	e := Explanation{Measured: m}
	switch {
	case !m.sure():
		e.Nothing = "the gate measured no sure change, so there is nothing to explain"
		return e
	case !(base.Instructions > 0 && head.Instructions > 0):
		e.Nothing = "no instructions were counted"
		return e
	}
	log := math.Log(head.Instructions / base.Instructions)
	e.Profiled = log
	c := result.Cause{
		ID: MoreInstructions, Title: wordings[MoreInstructions].title, Remedy: wordings[MoreInstructions].remedy, Log: log, Share: log / m.Log,
	}
	for _, counted := range []struct {
		name, unit string
		base, head float64
	}{
		{"instructions of a launch", "inst", base.Instructions, head.Instructions}, {"cycles of a launch", "cycle", base.Cycles, head.Cycles},
		{"cache misses of a launch", "", base.CacheMisses, head.CacheMisses}, {"branch misses of a launch", "", base.BranchMisses, head.BranchMisses},
	} {
		if counted.base > 0 && counted.head > 0 {
			c.Changes = append(c.Changes, result.Change{Name: counted.name, Unit: counted.unit, Base: &counted.base, Head: &counted.head})
		}
	}
	if c.Share >= named && math.Abs(log) >= Smallest {
		e.Causes = []result.Cause{c}
	} else {
		e.Rest = []result.Cause{c}
	}
	return e
}

// Doubted is an explanation of what may not be what was measured: why not, what was found, and no cause.
func (e Explanation) Doubted(why string) Explanation {
	if e.Nothing == "" {
		e.Nothing = why
	}
	e.Rest, e.Causes = append(e.Causes, e.Rest...), nil
	return e
}
