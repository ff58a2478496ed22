package kernels

import (
	"context"
	"slices"
	"testing"
	"time"
)

// BenchmarkRunner starts runners with and without the sandbox in turn, and times a kernel in each: ms to start one, and the
// median launch. docs/measurements/sandbox has what it came to.
func BenchmarkRunner(b *testing.B) {
	r := rigOf(b)
	lib := r.adapter("cheats/honest.cc")
	boxes := []*Sandbox{nil, {}}
	starts, launches := make([][]float64, 2), make([][]float64, 2)
	for i := 0; b.Loop(); i++ {
		for turn := range boxes {
			which := (turn + i) % 2 // each goes first every second time
			began := time.Now()
			runner, err := StartRunner(context.Background(), RunnerSpec{
				Harness: r.harness.Path, Library: lib.Path, Dir: b.TempDir(), MemoryBytes: 2 << 30, Sandbox: boxes[which],
			})
			must(b, err)
			starts[which] = append(starts[which], float64(time.Since(began).Microseconds())/1000)
			must(b, runner.Call(context.Background(), "warm", "", map[string]any{"limitNs": 2e7, "fixed": true}, nil, time.Minute))
			reply, err := runner.time(time.Minute, 40, "relaunch")
			must(b, err)
			launches[which] = append(launches[which], median(reply.Samples))
			runner.Close()
		}
	}
	for which, name := range []string{"off", "on"} {
		b.ReportMetric(median(starts[which]), "ms-start-"+name)
		b.ReportMetric(median(launches[which]), "ns-launch-"+name)
	}
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}
