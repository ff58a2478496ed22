package search_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

// sampleFile writes a CSV of cases whose processes scatter by 0.6 % and launches by 1 %, shifted by the given log.
func sampleFile(cases, processes, samples int, shift float64, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	b.WriteString("process,kernel,case,ns\n")
	for p := range processes {
		for c := range cases {
			level := 1e4 * float64(c+1) * math.Exp(shift+0.006*random.NormFloat64())
			for range samples {
				fmt.Fprintf(&b, "p%d,kernel%d,\"B=32,S=%d\",%.1f\n", p, c%5, 64*c, level*math.Exp(0.01*random.NormFloat64()))
			}
		}
	}
	return b.Bytes()
}

// BenchmarkCompare is what perfgate compare does with two files of 30 cases x 40 processes x 100 samples, from their
// bytes to the table. docs/measurements/rule quotes it beside the same in numpy (testdata/compare_numpy.py).
func BenchmarkCompare(b *testing.B) {
	oldFile, newFile := sampleFile(30, 40, 100, 0, 1), sampleFile(30, 40, 100, 0.004, 2)
	b.SetBytes(int64(len(oldFile) + len(newFile)))
	b.ReportAllocs()
	for b.Loop() {
		base, err := benchmark.ReadTable("old", bytes.NewReader(oldFile))
		must(b, err)
		head, err := benchmark.ReadTable("new", bytes.NewReader(newFile))
		must(b, err)
		d, err := search.CompareSets(base, head, search.CompareOptions{Policy: rule.Default()})
		must(b, err)
		written(b, d, "text", render.TerminalOptions{})
	}
}

// BenchmarkDecision is BenchmarkCompare without reading: samples in memory to verdicts.
func BenchmarkDecision(b *testing.B) {
	base, err := benchmark.ReadTable("old", bytes.NewReader(sampleFile(30, 40, 100, 0, 1)))
	must(b, err)
	head, err := benchmark.ReadTable("new", bytes.NewReader(sampleFile(30, 40, 100, 0.004, 2)))
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := search.CompareSets(base, head, search.CompareOptions{Policy: rule.Default()}); err != nil {
			b.Fatal(err)
		}
	}
}
