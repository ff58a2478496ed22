package rule

import (
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Summarize describes the processes of one variant of a case, each of whose launches does so much work; nil of none. Its roofs are those of tensor
// cores, where a GPU has them, if all floating inputs have at most 16 bits each (half). What JSON cannot hold, as of samples that nobody took, is 0.
func Summarize(processes []result.Process, flops, bytes float64, half bool) *result.Summary {
	if len(processes) == 0 {
		return nil
	}
	over := func(value func(result.Process) float64) []float64 {
		values := make([]float64, len(processes))
		for i, p := range processes {
			values[i] = value(p)
		}
		return values
	}
	s := &result.Summary{
		MedianNS:  median(over(func(p result.Process) float64 { return p.Quantiles.P50 })),
		P90NS:     median(over(func(p result.Process) float64 { return p.Quantiles.P90 })),
		P99NS:     median(over(func(p result.Process) float64 { return p.Quantiles.P99 })),
		ProcessCV: finite(stats.Variation(over(func(p result.Process) float64 { return p.ValueNS }))),
		SampleCV:  median(over(func(p result.Process) float64 { return p.CV })), Processes: len(processes),
	}
	if s.MedianNS <= 0 {
		return s
	}
	s.GFlops, s.GBytesPerSec = finite(flops/s.MedianNS), finite(bytes/s.MedianNS) // per ns: 10⁹ a second
	// A share of the roofline is the larger of the share of the memory's rate and that of the arithmetic's (Williams, Waterman and Patterson 2009,
	// "Roofline", Communications of the ACM 52(4)).
	if compute, memory := roofs(processes, half); compute > 0 && memory > 0 {
		s.RooflineShare = finite(math.Max(flops/compute, bytes/memory) / s.MedianNS)
		s.FlopRoof, s.ByteRoof = finite(1e9*compute), finite(1e9*memory)
	}
	return s
}

// roofs are what the canaries of processes reached, in floating operations and bytes a nanosecond; 0 where a roof is not known. Every roof comes
// from here: there is one rule for which of the canaries counts.
func roofs(processes []result.Process, half bool) (compute, memory float64) {
	var flops, bytes []float64
	for _, p := range processes {
		done, ns := p.ComputeFlops, p.ComputeNS
		if half && p.TensorFlops > 0 {
			done, ns = p.TensorFlops, p.TensorNS
		}
		if done <= 0 || ns <= 0 || p.MemoryBytes <= 0 || p.MemoryNS <= 0 {
			return 0, 0
		}
		flops, bytes = append(flops, done/ns), append(bytes, p.MemoryBytes/p.MemoryNS)
	}
	return median(flops), median(bytes)
}

func median(xs []float64) float64 { return finite(stats.MedianOrNaN(xs)) }

// summarizeAgain describes the variants of a case, whose competitors are its own, from their processes.
func summarizeAgain(c *result.Case) {
	c.Base, c.Head = summaryAgain(*c, result.VariantBase, c.Base), summaryAgain(*c, result.VariantHead, c.Head)
	for i, v := range c.Competitors {
		c.Competitors[i].Summary = summaryAgain(*c, result.CompetitorNamed(v.Competitor), v.Summary)
	}
}

// summaryAgain is the summary of a variant from its processes: the stated one where there are none, as of a case that records decided. Which roof
// counts goes by the types of the inputs, which a result does not hold: that of the stated summary does, and none where it has none.
func summaryAgain(c result.Case, v result.Variant, says *result.Summary) *result.Summary {
	processes := c.Of(v)
	if says == nil || len(processes) == 0 {
		return says
	}
	found, half := Summarize(processes, c.Flops, c.Bytes, false), Summarize(processes, c.Flops, c.Bytes, true)
	if math.Abs(half.RooflineShare-says.RooflineShare) < math.Abs(found.RooflineShare-says.RooflineShare) {
		found = half
	}
	if says.RooflineShare == 0 {
		found.RooflineShare = 0
	}
	if says.FlopRoof == 0 {
		found.FlopRoof, found.ByteRoof = 0, 0
	}
	return found
}
