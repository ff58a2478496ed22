package measure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// of are the processes of a side so far.
func (c *Case) of(side result.Side) []result.Process {
	if b := c.competitor(side); b != nil {
		return b.processes
	}
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Variant != side.Variant() })
}

// All are the processes of a case in the order in which they ran; those of a competitor that has no answer count for nothing, and are not among them.
func (c *Case) All() []result.Process {
	all := slices.Clone(c.Processes)
	for _, b := range c.competitors {
		if b.head.Verdict != result.Unmeasured {
			all = append(all, b.processes...)
		}
	}
	slices.SortStableFunc(all, func(a, b result.Process) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Position, b.Position))
	})
	return all
}

// Summary describes a side of a case over its processes; nil if it has none.
func (c *Case) Summary(side result.Side) *result.Summary {
	var values, medians, p90s, p99s, cvs []float64
	for _, p := range c.of(side) {
		values = append(values, p.ValueNS)
		medians = append(medians, p.Quantiles.P50)
		p90s = append(p90s, p.Quantiles.P90)
		p99s = append(p99s, p.Quantiles.P99)
		cvs = append(cvs, p.CV)
	}
	if len(values) == 0 {
		return nil
	}
	s := &result.Summary{
		MedianNS: median(medians), P90NS: median(p90s), P99NS: median(p99s),
		ProcessCV: variation(values), SampleCV: median(cvs), Processes: len(values),
	}
	if s.MedianNS > 0 {
		s.GFlops, s.GBytesPerSec = c.Flops/s.MedianNS, c.Bytes/s.MedianNS // per ns: 10⁹ a second
	}
	if s.MedianNS > 0 && !isCompetitor(side) {
		s.RooflineShare = c.rooflineShare(side, s.MedianNS)
		if c.calibrated { // the types of the inputs are known, and which roof is theirs
			flops, bytes := c.roofs(side)
			s.FlopRoof, s.ByteRoof = 1e9*flops, 1e9*bytes
		}
	}
	return s
}

func median(xs []float64) float64 {
	m, err := stats.Median(xs)
	if err != nil {
		return 0
	}
	return m
}

// variation is the coefficient of variation: standard deviation over mean, 0 for fewer than two values.
func variation(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	return sd / mean
}

// roofs are what the canaries of a side's processes reached, in floating operations and bytes a nanosecond: those of tensor
// cores where all floating inputs are of 16 or 8 bits. 0 where a roof is not known. Every roof of
// this case comes from here: there is one rule for which of the canaries counts.
func (c *Case) roofs(side result.Side) (flops, bytes float64) {
	var compute, memory []float64
	for _, p := range c.of(side) {
		flops, flopsNS := p.ComputeFlops, p.ComputeNS
		if c.HalfInputs && p.TensorFlops > 0 {
			flops, flopsNS = p.TensorFlops, p.TensorNS
		}
		if flops <= 0 || flopsNS <= 0 || p.MemoryBytes <= 0 || p.MemoryNS <= 0 {
			return 0, 0
		}
		compute, memory = append(compute, flops/flopsNS), append(memory, p.MemoryBytes/p.MemoryNS)
	}
	return median(compute), median(memory)
}

// rooflineShare is what a side of the case reaches, with ns a launch, of what the machine could do with that work: the
// larger of its share of the memory's rate and its share of the arithmetic's (Williams, Waterman and Patterson 2009,
// "Roofline", Communications of the ACM 52(4)). 0 where a roof or the work is not known.
func (c *Case) rooflineShare(side result.Side, ns float64) float64 {
	flops, bytes := c.roofs(side)
	if flops <= 0 || bytes <= 0 {
		return 0
	}
	return math.Max(c.Flops/flops, c.Bytes/bytes) / ns
}

// halfInputs tells whether the floating inputs, of which there is at least one, have at most 16 bits each.
func halfInputs(tensors []kernels.Tensor) bool {
	found := false
	for _, t := range tensors {
		if !t.IsInput() {
			continue
		}
		switch {
		case t.Dtype == "f64" || t.Dtype == "f32":
			return false
		case strings.HasPrefix(t.Dtype, "f") || t.Dtype == "bf16":
			found = true
		}
	}
	return found
}
