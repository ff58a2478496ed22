package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// noises are kinds of scatter of standard deviation about 1, each with dice of its own.
func noises(seed uint64) map[string]func() float64 {
	r := rand.New(rand.NewPCG(seed, 4))
	return map[string]func() float64{
		"normal": r.NormFloat64,
		"heavy tails": func() float64 { // Student's t with 3 degrees of freedom
			var square float64
			for range 3 {
				square += math.Pow(r.NormFloat64(), 2)
			}
			return r.NormFloat64() / math.Sqrt(square/3) / math.Sqrt(3)
		},
		"spikes": func() float64 { // one day of fifty is a bad day
			if r.Float64() < 0.02 {
				return r.NormFloat64() + 10
			}
			return r.NormFloat64()
		},
	}
}

func series(n int, noise func() float64, level func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = noise() + level(i)
	}
	return out
}

// Pure noise of any kind has a shift in few series: 0 to 1 % of normal ones, up to 6 % of 120 values with heavy tails.
func TestShiftsOfNoise(t *testing.T) {
	t.Parallel()
	const trials = 120
	for name := range noises(0) {
		noise := noises(3)[name]
		for _, n := range []int{7, 20, 60, 120} {
			found := 0
			for range trials {
				found += min(1, len(Shifts(series(n, noise, func(int) float64 { return 0 }), 0, 0)))
			}
			t.Logf("%s, %d values: %.3f of %d series have a shift", name, n, float64(found)/trials, trials)
			if limit := 0.08; float64(found) > limit*trials {
				t.Errorf("%s, %d values: %d of %d series of noise have a shift, more than %.0f %%", name, n, found, trials, 100*limit)
			}
		}
	}
}

func TestShiftsFinds(t *testing.T) {
	t.Parallel()
	const trials = 100
	step := func(at int, by float64) func(int) float64 {
		return func(i int) float64 {
			if i < at {
				return 0
			}
			return by
		}
	}
	for _, c := range []struct {
		name      string
		n, at     int
		by, least float64
	}{
		{"four standard deviations in the middle of 20", 20, 10, 4, 0.9},
		{"two in the middle of 60", 60, 30, 2, 0.7},
		{"eight, four values ago", 20, 16, 8, 0.9},
		{"down by four", 40, 20, -4, 0.9},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		found := 0
		for range trials {
			near := func(place int) bool { return place >= c.at-1 && place <= c.at+1 }
			if slices.ContainsFunc(Shifts(series(c.n, r.NormFloat64, step(c.at, c.by)), 0, 0), near) {
				found++
			}
		}
		if t.Logf("%s: %d of %d", c.name, found, trials); float64(found) < c.least*trials {
			t.Errorf("%s: found in %d of %d", c.name, found, trials)
		}
	}
}

func TestShiftsEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		series []float64
		sd     float64
		least  float64
		want   []int
	}{
		{"nothing", nil, 0, 0, nil},
		{"too few", []float64{1, 2, 3}, 0, 0, nil},
		{"no scatter at all", []float64{1, 1, 1, 1, 2, 2, 2, 2}, 0, 0, []int{4}},
		{"constant", []float64{1, 1, 1, 1, 1, 1, 1, 1}, 0, 0, nil},
		{"one spike", []float64{1, 1.1, 0.9, 9, 1, 1.1, 0.9, 1, 1.1}, 0, 0, nil},
		{"two spikes in a row", []float64{1, 1.1, 0.9, 1, 9, 9, 1, 1.1, 0.9, 1, 1.1}, 0, 0, nil},
		{"known to scatter as much", []float64{1, 1.1, 0.9, 1, 2, 2.1, 1.9, 2}, 1, 0, nil},
		{"a step that counts", []float64{1, 1.01, 0.99, 1, 2, 2.01, 1.99, 2}, 0, 0.9, []int{4}},
		{"a step too small to count", []float64{1, 1.01, 0.99, 1, 2, 2.01, 1.99, 2}, 0, 1.1, nil},
	} {
		if got := Shifts(c.series, c.sd, c.least); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
