package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Nine processes in ten state at least the variance that values of many processes have; where neighbours correlate, eight: batches do too.
func TestSamplingVarianceIsAnUpperLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	process := func(n int, correlation float64) []float64 {
		wave, out := random.NormFloat64(), make([]float64, n)
		for i := range out {
			wave = correlation*wave + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
			out[i] = 1e5 * math.Exp(0.01*wave)
		}
		return out
	}
	for _, correlation := range []float64{0, 0.5, -0.3} {
		const n, processes = 300, 400
		var values, stated []float64
		for range processes {
			xs := process(n, correlation)
			y, err := LogProcess(xs)
			must(t, err)
			v, err := SamplingVariance(xs)
			must(t, err)
			values, stated = append(values, y), append(stated, v/n)
		}
		truth, level := 0.0, Mean(values)
		for _, y := range values {
			truth += (y - level) * (y - level) / (processes - 1)
		}
		enough, times := 0, 0.0
		for _, v := range stated {
			if v >= truth {
				enough++
			}
			times += v / truth / processes
		}
		if enough < processes*78/100 || times > 2.2 {
			t.Errorf("correlation %v: %d of %d state the variance, on average %.1f times", correlation, enough, processes, times)
		}
	}
}

func TestSamplingVarianceOfOddInput(t *testing.T) {
	if v, err := SamplingVariance(make16(5)); err != nil || v != 0 {
		t.Errorf("constant: %v, %v", v, err)
	}
	if _, err := SamplingVariance(make16(5)[:15]); !errors.Is(err, ErrTooFew) {
		t.Errorf("15 samples: %v", err)
	}
	if _, err := SamplingVariance(make16(-1)); !errors.Is(err, ErrNotPositive) {
		t.Errorf("negative: %v", err)
	}
}

func make16(x float64) []float64 {
	out := make([]float64, 16)
	for i := range out {
		out[i] = x
	}
	return out
}
