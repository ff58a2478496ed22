package compare

import (
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
)

// casePair is a case as both files have it; one of the two may be missing.
type casePair struct{ base, head *benchmark.Case }

// single reports whether a side is one process, so that differences between processes cannot be seen.
func (p casePair) single() bool {
	return p.base != nil && p.head != nil && (len(p.base.Processes) == 1 || len(p.head.Processes) == 1)
}

// match pairs the cases by name, in the order of base, then what only head has. Cases that the benchmark itself skips
// on both sides are no failure of either: they are counted and left out.
func match(base, head benchmark.Set) (pairs []casePair, skipped int) {
	at := map[string]int{}
	for i := range base.Cases {
		at[base.Cases[i].Name] = len(pairs)
		pairs = append(pairs, casePair{base: &base.Cases[i]})
	}
	for i := range head.Cases {
		if k, ok := at[head.Cases[i].Name]; ok {
			pairs[k].head = &head.Cases[i]
			continue
		}
		pairs = append(pairs, casePair{head: &head.Cases[i]})
	}
	kept := slices.DeleteFunc(pairs, casePair.skipped)
	return kept, len(pairs) - len(kept)
}

func (p casePair) skipped() bool {
	return p.base != nil && p.head != nil && p.base.Skipped && p.head.Skipped
}

func countBoth(pairs []casePair) int {
	n := 0
	for _, p := range pairs {
		if p.base != nil && p.head != nil {
			n++
		}
	}
	return n
}

// failure returns why there is nothing to compare, and on which side.
func (p casePair) failure() (result.Side, string) {
	switch {
	case p.base.Failed != "" && p.head.Failed != "":
		return result.SideBoth, p.base.Failed
	case p.base.Failed != "":
		return result.SideBase, p.base.Failed
	case p.head.Failed != "":
		return result.SideHead, p.head.Failed
	}
	return result.SideNone, ""
}

// isCopy says whether both sides hold the same measurement of a case: its samples agree in number, order and value, and vary, which two measurements do not.
func (p casePair) isCopy() bool {
	const fewest = 5 // different values: a coarse clock has few, which agree by chance
	different := map[float64]bool{}
	for i, process := range p.base.Processes {
		if i >= len(p.head.Processes) || !slices.Equal(process.Samples, p.head.Processes[i].Samples) {
			return false
		}
		for _, ns := range process.Samples {
			different[ns] = true
		}
	}
	return len(p.base.Processes) == len(p.head.Processes) && len(different) >= fewest
}
