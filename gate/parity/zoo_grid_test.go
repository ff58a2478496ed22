package parity_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// grid says after how many cases of the seed project's matrix an animal is caught: S in 448, 512, 640, D = 64, normal inputs, its
// tolerance. Where there is time for a float64 reference of it, as on a GPU, B is in 16, 32, 48 and H in 4, 8, 16; on one core
// that takes minutes a case, and with small both are scaled down by 16 and by 4.
func (z *zoo) grid(t *testing.T, a animal, small bool) string {
	k := z.kernels["attention"]
	atol, rtol := 2e-3, 1e-3
	k.Parity.ATol, k.Parity.RTol = &atol, &rtol
	var cases []plan.FuzzCase
	for _, text := range gridCases(small) {
		c := caseOf(t, k, text)
		cases = append(cases, plan.FuzzCase{Case: c, Values: "normal", Seed: plan.InputSeed(1, c, "normal"), Origin: 1})
	}
	out := z.run(t, z.subject(k, z.library(t, a.Kernel, a.Flag), cases), 1, func(o *parity.Options) { o.Limit, o.NoShrink = time.Hour, true })
	switch {
	case out.Status == result.ParityFailed:
		return strconv.Itoa(out.Run)
	case out.Status == result.ParityPassed && out.Run == len(cases):
		return passesGrid
	default:
		t.Errorf("%s on the matrix: %+v", a.name(), out)
	}
	return "not run"
}

const passesGrid = "passes all 27"

func gridCases(small bool) []string {
	batches, heads := []int{16, 32, 48}, []int{4, 8, 16}
	if small {
		batches, heads = []int{1, 2, 3}, []int{1, 2, 4}
	}
	var out []string
	for _, s := range []int{448, 512, 640} {
		for _, b := range batches {
			for _, h := range heads {
				out = append(out, fmt.Sprintf("B=%d,H=%d,S=%d,D=64,causal=0", b, h, s))
			}
		}
	}
	return out
}

// sideBySide sums up the matrix against drawn cases: ours are the medians over seeds, 0 where a kernel got away.
func sideBySide(grids []string, ours []int) string {
	var found, both, escaped []int
	for i, g := range grids {
		if n, err := strconv.Atoi(g); err == nil {
			found, both = append(found, n), append(both, ours[i])
		} else if g == passesGrid {
			escaped = append(escaped, ours[i])
		}
	}
	text := fmt.Sprintf("The matrix of 27 cases catches %d of %d wrong attention kernels", len(found), len(found)+len(escaped))
	if len(found) > 0 {
		text += fmt.Sprintf(", with %d cases to the first failure in the median kernel; drawn cases take %d for the same ones", median(found), median(both))
	}
	if len(escaped) > 0 {
		text += fmt.Sprintf(". Drawn cases catch %d of the %d that it lets pass, with %d in the median kernel and %d at most",
			caught(escaped), len(escaped), median(escaped), slices.Max(escaped))
	}
	return text + "."
}

// BenchmarkSmallCases says how many cases of a saxpy-sized kernel are checked a second, process start excluded:
//
//	go test ./gate/parity -run '^$' -bench SmallCases
func BenchmarkSmallCases(b *testing.B) {
	z := theZoo(b)
	k := z.kernels["relu"]
	cases := plan.Fuzz(k, 7, b.N)
	out := z.run(b, z.subject(k, z.library(b, "relu", ""), cases), 7, func(o *parity.Options) {
		o.Limit = time.Hour
		start := o.Start
		o.Start = func(ctx context.Context, library string) (kernels.Process, error) {
			r, err := start(ctx, library)
			b.ResetTimer()
			return r, err
		}
	})
	if out.Status != result.ParityPassed {
		b.Fatal(out)
	}
	b.ReportMetric(float64(out.Run)/b.Elapsed().Seconds(), "cases/s")
}
