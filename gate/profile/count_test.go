package profile

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{
		"version: 1\nevents: Ir\nfn=(1)\n1 5\ntotals: 12345\n": 12345,
		"summary: 77\n":      77,
		"summary: 0\n":       0,
		"":                   0,
		"summary: -5\n":      0,
		"fn=summary: 5 x\n1": 0,
	} {
		got, err := parseCallgrind(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]float64{
		"# started on\n\n1234567,,instructions:u,5000,100.00,,\n": 1234567,
		"<not supported>,,instructions:u,0,100.00,,\n":            0,
		"<not counted>,,instructions:u,0,100.00,,\n":              0,
		"1,,cycles:u,0\n": 0,
	} {
		got, err := parsePerf(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestCountsTheLaunch compares two launches of which one does twice the work: whatever the harness does around them must
// not be in the count.
func TestCountsTheLaunch(t *testing.T) {
	kernelstest.Live(t)
	ctx := context.Background()
	tool, err := FindCounter(ctx)
	if err != nil {
		kernelstest.Missing(t, err.Error())
	}
	compiler, err := kernels.FindCompiler(ctx)
	if err != nil {
		t.Skip(err)
	}
	scratch, cache := t.TempDir(), kernelstest.CacheOf(t)
	harness, err := kernels.BuildHarness(ctx, compiler, kernels.CPU, cache, scratch)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := filepath.Abs("../../kernels/examples/saxpy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tree); err != nil {
		t.Fatal(err)
	}
	b := &kernels.Builder{Compiler: compiler, Target: kernels.CPU, Cache: cache, Scratch: scratch}
	lib, err := b.Build(ctx, kernels.BuildSpec{Kernel: "saxpy", Tree: tree, AdapterTree: tree, Adapter: "saxpy.pg.cc", Sources: []string{"saxpy.cc"}})
	if err != nil {
		t.Fatal(err)
	}
	within := func(limit time.Duration, n int64) (float64, error) {
		return tool.Count(ctx, Job{
			Runner: kernels.RunnerSpec{Harness: harness.Path, Library: lib.Path, Dir: scratch}, Seed: "7", Cache: "hot", Limit: limit,
			Case: kernels.CaseSpec{Kernel: "saxpy", Params: []kernels.CaseParam{{Name: "n", Text: strconv.FormatInt(n, 10), Value: n}}},
		})
	}
	count := func(n int64) float64 {
		t.Helper()
		got, err := within(2*time.Minute, n)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one, two, again := count(40_000), count(80_000), count(40_000)
	if math.Abs(two/one-2) > 0.02 {
		t.Errorf("%s counts %.0f instructions of 40 000 elements and %.0f of twice as many", tool.Name, one, two)
	}
	if math.Abs(again/one-1) > 0.001 {
		t.Errorf("%.0f and %.0f instructions of the same launch", one, again)
	}
	if _, err := within(time.Millisecond, 40_000); !errors.Is(err, ErrCountTime) {
		t.Errorf("within a millisecond: %v", err)
	}
}
