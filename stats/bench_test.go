package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func normals(n int, centre, sd float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = centre + sd*random.NormFloat64()
	}
	return xs
}

func BenchmarkCliffsDelta(b *testing.B) {
	base, head := normals(10_000, 100, 3, 1), normals(10_000, 101, 3, 2)
	for b.Loop() {
		if _, err := CliffsDelta(base, head, 0.99); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBootstrapBounds(b *testing.B) {
	for _, rounds := range []int{4, 11, 36} {
		data := make([]Round, rounds)
		for i := range data {
			ys := normals(4, 10, 0.01, uint64(i))
			data[i] = Round{Base: []float64{ys[0], ys[1]}, Head: []float64{ys[2], ys[3]}}
		}
		fit, err := FitRounds(data, 0)
		must(b, err)
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			for b.Loop() {
				fit.BootstrapBounds(4e-5)
			}
		})
	}
}

func BenchmarkTQuantile(b *testing.B) {
	for b.Loop() {
		tQuantile(4.1666e-5, 32)
	}
}

func BenchmarkMedianBootstrap(b *testing.B) {
	for _, n := range []int{101, 100, 10_000} {
		xs := normals(n, 100, 3, 1)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := BootstrapMedian(xs, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// must ends a test, a benchmark or a property where something failed that it needs.
func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
