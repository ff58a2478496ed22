package benchmark

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A first run is asked for the rows that are wanted, and never for fewer, as each format can say it.
func TestListsAreNarrowedByWhatIsWanted(t *testing.T) {
	for _, tt := range []struct{ format, wanted, want string }{
		{"csv", "k/a k/b", "PERFGATE_BENCH_CASES=k/a\nk/b"}, {"csv", "k/a k/*", ""}, {"csv", "", ""}, {"hyperfine", "x?", ""},
		{"google-benchmark", "BM_a/8", `--benchmark_filter=^(BM_a/8)$`}, {"google-benchmark", "BM_a/* *x.y*", `--benchmark_filter=^(BM_a/.*|.*x\.y.*)$`},
		{"google-benchmark", "BM_{a,b}/8", `--benchmark_filter=^(BM_.*/8)$`}, {"google-benchmark", "", ""},
		{"pytest-benchmark", "b/test_x.py::test_a[1]", "test_a"}, {"pytest-benchmark", "test_a*", "test_a"}, {"pytest-benchmark", "test_a* x=?", ""},
		{"nvbench", "sum/* sum/T=F32", "-b sum"}, {"nvbench", "copy sum/*", "-b copy -b sum"}, {"nvbench", "su*", ""},
	} {
		f, wanted := named(t, tt.format), strings.Fields(tt.wanted)
		c := f.Command(Spec{Command: "b"}, Ask{Mode: List, Wanted: wanted})
		got := strings.Join(c.Args, " ") + " " + strings.Join(c.Env, " ")
		if tt.want != "" && !strings.Contains(got, tt.want) || NarrowsList(f, Spec{Command: "b"}, wanted) != (tt.want != "") {
			t.Errorf("%s of %q: %q, want %q", tt.format, tt.wanted, got, tt.want)
		}
	}
	for _, row := range []string{"BM_a/8", "BM_a<int, 2>/8/real_time", "a{b}", "a[1]", "x^y$(z)|w"} {
		for _, pattern := range []string{"*", "BM_a*", "BM_?/8", "BM_[ab]/8", "a[1]", "a{b}", "{a{b},BM_*}", "*/8*", "*2>*real*", "x*", "x^y$(z)|w", `BM\_a/8`, "a[[]1]", "a[]1]"} {
			c := googleBenchmark{}.Command(Spec{}, Ask{Mode: List, Wanted: []string{pattern}})
			i := slices.IndexFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "--benchmark_filter=") })
			filter := regexp.MustCompile(strings.TrimPrefix(c.Args[i], "--benchmark_filter="))
			if MatchesRow([]string{pattern}, row) && !filter.MatchString(row) {
				t.Errorf("%q picks %q, and %s does not", pattern, row, filter)
			}
		}
	}
}

// Of thousands of rows no argument and no variable is longer than Linux takes: where a filter would be, all rows run. A short one of many stays.
func TestThousandsOfRows(t *testing.T) {
	const linux = 128 << 10
	for _, tt := range []struct {
		format   string
		rows     int
		long     int // of a row
		filtered bool
	}{
		{"csv", 2000, 20, true}, {"csv", 2000, 150, false}, {"google-benchmark", 2000, 20, true}, {"google-benchmark", 2000, 150, false},
		{"pytest-benchmark", 2000, 20, true}, {"pytest-benchmark", 2000, 150, false}, {"hyperfine", 2000, 150, false},
	} {
		var ask Ask
		for i := range tt.rows {
			ask.Cases = append(ask.Cases, fmt.Sprintf("%0*d", tt.long, i))
		}
		ask.Mode = Measure
		c := named(t, tt.format).Command(Spec{Command: "b"}, ask)
		filtered := false
		for _, text := range slices.Concat(c.Args, c.Env) {
			if len(text) >= linux {
				t.Errorf("%s: %d bytes", tt.format, len(text))
			}
			filtered = filtered || strings.Contains(text, ask.Cases[tt.rows-1])
		}
		if filtered != tt.filtered {
			t.Errorf("%s: %d rows of %d bytes: filtered %v", tt.format, tt.rows, tt.long, filtered)
		}
	}
}
