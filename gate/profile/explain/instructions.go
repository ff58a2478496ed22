package explain

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// Instructions explains a change on a CPU by the number of instructions alone: more of them, or nothing.
func Instructions(m Measured, base, head float64) Explanation {
	e := Explanation{Measured: m}
	switch {
	case !m.sure():
		e.Nothing = "the gate measured no sure change, so there is nothing to explain"
		return e
	case !(base > 0 && head > 0):
		e.Nothing = "no instructions were counted"
		return e
	}
	log := math.Log(head / base)
	e.Profiled = log
	c := result.Cause{
		ID: MoreInstructions, Title: wordings[MoreInstructions].title, Remedy: wordings[MoreInstructions].remedy, Log: log, Share: log / m.Log,
		Changes: []result.Change{{Name: "instructions of a launch", Unit: "inst", Base: &base, Head: &head}},
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
