package measure

import (
	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Summary describes a side of a case over its processes; nil if it has none.
func (c *Case) Summary(side result.Side) *result.Summary {
	var values, medians, p90s, p99s, cvs []float64
	for _, p := range c.Processes {
		if p.Side != side {
			continue
		}
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
