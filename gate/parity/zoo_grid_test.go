package parity_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// grid is the seed project's matrix: S in 448, 512, 640, D = 64, normal inputs; batch and heads scaled down by 16 and 4, since
// a float64 reference on one core would take minutes a case. Its tolerance is the original's.
func (z *zoo) grid(t *testing.T, a animal) string {
	k := z.kernels["attention"]
	atol, rtol := 2e-3, 1e-3
	k.Parity.ATol, k.Parity.RTol = &atol, &rtol
	var cases []plan.FuzzCase
	for _, text := range gridCases() {
		c, err := plan.ParseCase(k, text)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, plan.FuzzCase{Case: c, Values: "normal", Seed: plan.InputSeed(1, c, "normal"), Origin: 1})
	}
	opt := z.options(t, 1)
	opt.Limit = time.Hour
	out, err := parity.Run(context.Background(), z.subject(k, z.library(t, a.Kernel, a.Flag), cases), opt)
	if err != nil {
		t.Fatal(err)
	}
	if out.Status == result.ParityFailed {
		return strconv.Itoa(out.Run)
	}
	return "passes it"
}

func gridCases() []string {
	var out []string
	for _, s := range []int{448, 512, 640} {
		for _, b := range []int{1, 2, 3} {
			for _, h := range []int{1, 2, 4} {
				out = append(out, fmt.Sprintf("B=%d,H=%d,S=%d,D=64,causal=0", b, h, s))
			}
		}
	}
	return out
}

// BenchmarkSmallCases says how many cases of a saxpy-sized kernel are checked a second, process start excluded:
//
//	go test ./gate/parity -run '^$' -bench SmallCases
func BenchmarkSmallCases(b *testing.B) {
	z := theZoo(b)
	k := z.kernels["relu"]
	cases := plan.Fuzz(k, 7, b.N)
	opt := z.options(b, 7)
	opt.Limit = time.Hour
	library := z.library(b, "relu", "")
	start := opt.Start
	opt.Start = func(ctx context.Context, library string) (parity.Runner, error) {
		r, err := start(ctx, library)
		b.ResetTimer()
		return r, err
	}
	out, err := parity.Run(context.Background(), z.subject(k, library, cases), opt)
	if err != nil || out.Status != result.ParityPassed {
		b.Fatal(err, out)
	}
	b.ReportMetric(float64(out.Run)/b.Elapsed().Seconds(), "cases/s")
}
