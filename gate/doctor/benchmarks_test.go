package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
)

func TestMain(m *testing.M) {
	locks, err := os.MkdirTemp("", "perfgate-locks-") // no time counts here: nothing has to wait for others that measure
	if err != nil {
		panic(err)
	}
	os.Setenv("PERFGATE_LOCK_DIR", locks)
	code := m.Run()
	os.RemoveAll(locks)
	os.Exit(code)
}

// The benchmarks of a configuration are tried: how much they scatter, whether one that is asked for a case runs that alone, and why one
// cannot be run at all.
func TestBenchmarksAreTried(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const table = "echo kernel,case,ns; for c in ${PERFGATE_BENCH_CASES-a b}; do for i in 1 2 3; do echo k,${c#k/},$((100000 + $$ % 500)); done; done"
	for name, text := range map[string]string{
		"some.sh": table,
		"all.sh":  strings.Replace(table, "${PERFGATE_BENCH_CASES-a b}", "a b", 1),
		"perfgate.yaml": "version: 1\nkernels:\n  - name: k\n    bench: {command: sh some.sh, format: csv}\n" +
			"  - name: whole\n    bench: {command: sh all.sh, format: csv}\n  - name: gone\n    bench: {command: ./gone, format: google-benchmark}\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cfg, err := config.Load(filepath.Join(dir, "perfgate.yaml"))
	must(t, err)
	var f Facts
	f.measureBenchmarks(t.Context(), Options{Scratch: t.TempDir(), Cache: t.TempDir(), Config: cfg})
	var said []string
	for _, b := range f.Benchmarks {
		for _, found := range []Finding{b.finding(), b.filter()} {
			said = append(said, b.Kernel+" "+string(found.Status)+" "+found.Text)
		}
	}
	for i, want := range []string{
		"k ok csv: 2 cases; its 12 processes vary by 0.", "k ok asked for one case, it runs only that",
		"whole ok csv: 2 cases", "whole warn asked for one case, it runs 2",
		"gone bad google-benchmark: base's benchmark: it could not be started: exit status 127", "gone  ",
	} {
		if i >= len(said) || !strings.HasPrefix(said[i], want) {
			t.Errorf("%d: want %q in\n%s", i, want, strings.Join(said, "\n"))
		}
	}
}

// A benchmark is weighed by the tolerance of its own configuration.
func TestNoisyBenchmarkIsAWarning(t *testing.T) {
	b := Benchmark{Kernel: "k", Format: "csv", Tolerance: 0.02, Noise: []Noise{
		{Case: "k/a", Processes: 16, Scatter: 0.001, SeenLast: 0.0008}, {Case: "k/b", Processes: 16, Scatter: 0.05, SeenLast: 0.04},
	}}
	if f := b.finding(); f.Status != Warn || !strings.Contains(f.Text, "5.0 % (k/b)") || !strings.Contains(f.Text, "2.0 % is tolerated") || f.Cure == "" {
		t.Errorf("%+v", f)
	}
	b.Tolerance = 0.05
	if f := b.finding(); f.Status != OK {
		t.Errorf("%+v", f)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
