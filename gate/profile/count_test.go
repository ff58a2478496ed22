package profile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	example := job(t)
	example.Cache = "hot"
	within := func(limit time.Duration, n int64) (Counted, error) {
		j := example
		j.Limit, j.Case = limit, saxpy(n)
		return tool.Count(ctx, j)
	}
	count := func(n int64) float64 {
		t.Helper()
		got, err := within(2*time.Minute, n)
		must(t, err)
		if len(got.Hidden) > 0 {
			t.Errorf("saxpy does not ask what the processor has: %v", got.Hidden)
		}
		return got.Instructions
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
	// The same with a path for AVX-512, which valgrind hides.
	own := t.TempDir()
	must(t, os.CopyFS(own, os.DirFS("../../kernels/examples/saxpy")))
	source, err := os.ReadFile(filepath.Join(own, "saxpy.cc"))
	must(t, err)
	text := widePath + strings.Replace(string(source), "  const int64_t end = ", "  volatile int64_t wide = __builtin_cpu_supports(\"avx512f\") ? wide_path(n) : 0;\n  n += 0 * wide;\n  const int64_t end = ", 1)
	must(t, os.WriteFile(filepath.Join(own, "saxpy.cc"), []byte(text), 0o644))
	example.Runner.Library = jobOf(t, own).Runner.Library
	got, err := within(2*time.Minute, 40_000)
	info, _ := os.ReadFile("/proc/cpuinfo")
	hides := tool.Name == "callgrind" && strings.Contains(string(info), "avx512f")
	if err != nil || slices.Contains(got.Hidden, "avx512f") != hides {
		t.Errorf("a processor with AVX-512 (%v), under %s: hidden are %v, %v", hides, tool.Name, got.Hidden, err)
	}
}

// widePath is a path for AVX-512.
const widePath = `#include <cstdint>
__attribute__((target("avx512f"), noinline)) static int64_t wide_path(int64_t n) {
  int64_t out[8];
  asm volatile("vpbroadcastq %1, %%zmm0\n\tvmovdqu64 %%zmm0, %0" : "=m"(out) : "r"(n) : "xmm0");
  return out[n & 7];
}
`

// TestDispatchIsFound: code that asks the processor runs another path under valgrind where that hides features, and the count says so.
func TestDispatchIsFound(t *testing.T) {
	kernelstest.Live(t)
	if hidden := hiddenFrom([]string{"avx2"}, []string{"avx2", "avx512f"}); !slices.Equal(hidden, []string{"avx512f"}) {
		t.Errorf("%v", hidden)
	}
	cc, err := exec.LookPath("c++")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	built := map[bool]string{}
	for asks, text := range map[bool]string{
		true:  widePath + `int64_t f(int64_t x) { return __builtin_cpu_supports("avx512f") ? wide_path(x) : 2 * x; }`,
		false: `int f(int x) { return x; }`,
	} {
		source, lib := filepath.Join(dir, fmt.Sprint(asks, ".cc")), filepath.Join(dir, fmt.Sprint("lib", asks, ".so"))
		must(t, os.WriteFile(source, []byte(text), 0o644))
		if out, err := exec.Command(cc, "-shared", "-fPIC", "-O1", "-o", lib, source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		built[asks] = lib
		if got := dispatching(lib, ""); (len(got) > 0) != asks {
			t.Errorf("code that asks, %v: %q", asks, got)
		}
	}
	seen := "ob=(1) /lib/x86_64-linux-gnu/libc.so.6\nob=(2) " + built[true] + "\nfn=(1) f\n"
	if got := dispatching(built[false], seen); !slices.Equal(got, []string{built[true]}) {
		t.Errorf("of what ran: %q", got)
	}
	// Without a path for it, nothing that is hidden of AVX-512 alone can have been another path.
	if hidden := []string{"avx512f", "avx512vl"}; !couldUse(built[true], hidden) || couldUse(built[false], hidden) || !couldUse(built[false], []string{"avx512f", "amx_tile"}) {
		t.Errorf("code for AVX-512: %v, code without: %v", couldUse(built[true], hidden), couldUse(built[false], hidden))
	}
}
