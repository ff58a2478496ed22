package stats

import (
	"fmt"
	"math"
)

// leastBatches is how many batches say anything about their scatter.
const leastBatches = 4

// SamplingVariance says how much of a process's value, LogProcess, is chance within the process: the variance of the value of n samples is
// about SamplingVariance / n. It is the upper 90 % limit of an estimate from one process, by the means of batches of neighbours, as many as
// each has samples, so that their correlation is in it (batch means; Schmeiser 1982, Operations Research 30(3); Flegal and Jones 2010,
// Annals of Statistics 38(2)). Samples are times above 0 in the order in which they were taken, at least 16.
func SamplingVariance(samples []float64) (float64, error) {
	size := int(math.Sqrt(float64(len(samples))))
	if size < leastBatches {
		return 0, fmt.Errorf("sampling variance: %d samples: %w", len(samples), ErrTooFew)
	}
	var values []float64
	for at := 0; at+size <= len(samples); at += size {
		y, err := LogProcess(samples[at : at+size])
		if err != nil {
			return 0, err
		}
		values = append(values, y)
	}
	squares, level := 0.0, Mean(values)
	for _, y := range values {
		squares += (y - level) * (y - level)
	}
	df := float64(len(values) - 1)
	return float64(size) * squares / chiSquareQuantile(1-scatterConfidence, df), nil
}
