package measure

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// Of are the processes of a variant so far.
func (c *Case) Of(v result.Variant) []result.Process { // for whatever purpose
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Variant != v })
}

// sides are the processes of base and head so far.
func (c *Case) sides() []result.Process { return result.Case{Processes: c.Processes}.Sides() }

// All are the processes of a case in the order in which they ran; those of a competitor that has no answer count for nothing, and are not among them.
func (c *Case) All() []result.Process {
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool {
		return slices.ContainsFunc(c.competitors(), func(v *variant) bool { return v.Variant == p.Variant && v.hasFailed() })
	})
}

// Summary describes a variant of a case over its processes; nil if it has none.
func (c *Case) Summary(v result.Variant) *result.Summary {
	var values, medians, p90s, p99s, cvs []float64
	for _, p := range c.Of(v) {
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
	if s.MedianNS > 0 && v.Role != result.RoleCompetitor {
		s.RooflineShare = c.rooflineShare(v, s.MedianNS)
		if c.calibrated { // the types of the inputs are known, and which roof is theirs
			flops, bytes := c.roofs(v)
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

// roofs are what the canaries of a variant's processes reached, in floating operations and bytes a nanosecond: those of tensor
// cores where all floating inputs are of 16 or 8 bits. 0 where a roof is not known. Every roof of
// this case comes from here: there is one rule for which of the canaries counts.
func (c *Case) roofs(v result.Variant) (flops, bytes float64) {
	var compute, memory []float64
	for _, p := range c.Of(v) {
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

// rooflineShare is what a variant of the case reaches, with ns a launch, of what the machine could do with that work: the
// larger of its share of the memory's rate and its share of the arithmetic's (Williams, Waterman and Patterson 2009,
// "Roofline", Communications of the ACM 52(4)). 0 where a roof or the work is not known.
func (c *Case) rooflineShare(v result.Variant, ns float64) float64 {
	flops, bytes := c.roofs(v)
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
