package stats

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
)

// testdata/benchstat.csv is what benchstat (golang.org/x/perf) prints with -format csv for the two files beside it.
func TestMannWhitneyAgainstBenchstat(t *testing.T) {
	base, head := benchmarkTimes(t, "testdata/benchstat_old.txt"), benchmarkTimes(t, "testdata/benchstat_new.txt")
	data, err := os.ReadFile("testdata/benchstat.csv")
	must(t, err)
	table := csv.NewReader(strings.NewReader(string(data)))
	table.FieldsPerRecord = -1
	rows, err := table.ReadAll()
	must(t, err)
	compared := 0
	for _, row := range rows {
		name := "Benchmark" + row[0]
		if base[name] == nil {
			continue
		}
		test, err := MannWhitneyU(base[name], head[name])
		must(t, err)
		if got := fmt.Sprintf("p=%.3f n=10", test.P); got != row[len(row)-1] {
			t.Errorf("%s: %s, benchstat says %s", name, got, row[len(row)-1])
		}
		compared++
	}
	if compared != 5 {
		t.Errorf("%d benchmarks compared, want 5", compared)
	}
}

// benchmarkTimes reads the ns/op of Go benchmark output by name.
func benchmarkTimes(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	times := map[string][]float64{}
	for line := range strings.Lines(string(data)) {
		var name string
		var count int
		var ns float64
		if _, err := fmt.Sscanf(line, "%s %d %g ns/op", &name, &count, &ns); err == nil {
			times[name] = append(times[name], ns)
		}
	}
	return times
}
