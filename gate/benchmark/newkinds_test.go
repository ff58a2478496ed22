package benchmark

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// summary is what was read of each case, in a line.
func summary(set Set, err error) string {
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, c := range set.Cases {
		out = append(out, strings.TrimSpace(fmt.Sprint(c.Name, " ", c.Processes[0].Samples, " ", c.Bytes, " ", c.Failed)))
	}
	return strings.Join(out, "; ")
}

func TestGoBenchmarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"goos: linux\npkg: x/y\nBenchmarkA/n=1-8   \t 1000\t  200 ns/op\t 40.00 MB/s\t 0 B/op\nBenchmarkA/n=1-8 900 210 ns/op\nPASS\n": "BenchmarkA/n=1-8 [200 210] 8",
		"pkg: a\nBenchmarkA-8 10 5 ns/op\npkg: b\nBenchmarkA-8 10 5 ns/op\n":                                                           "BenchmarkA-8 [5 5] 0 two packages have a benchmark of this name: give each a separate kernel",
		"BenchmarkA-8\n--- SKIP: BenchmarkB\nBenchmarkA-8 10 3 B/op\n":                                                                 "BenchmarkB [] 0 the benchmark ended with SKIP; BenchmarkA-8 [] 0 it has no ns/op",
		"BenchmarkA-8 10 -5 ns/op\n": `"BenchmarkA-8": "-5" ns/op: -5 is not a latency in nanoseconds`,
		"PASS\n":                     "it printed no line such as BenchmarkSum-8 1000 1234 ns/op (does its command have -bench?)",
	} {
		if got := summary(Read(goBench{}, Spec{}, printed(text))); got != want {
			t.Errorf("%q:\n%s\nwant %s", text, got, want)
		}
	}
	for rows, want := range map[string]string{
		"": "", "BenchmarkA/n=1-8": "^BenchmarkA$/^n=1(-8)?$", "BenchmarkA/n=1-8 BenchmarkA/n=2-8 BenchmarkB-8": "^BenchmarkA$|^BenchmarkB(-8)?$",
	} {
		if got := goFilter(strings.Fields(rows)); got != want {
			t.Errorf("%s: %s, want %s", rows, got, want)
		}
	}
}

func TestCriterion(t *testing.T) {
	t.Parallel()
	const name = `{"group_id":"sum","full_id":"sum/squares/1000","directory_name":"sum/squares/1000","throughput":{"Bytes":8000}}`
	of := func(files ...string) Output {
		folder := fstest.MapFS{}
		for i := 0; i+1 < len(files); i += 2 {
			folder["criterion/"+files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
		}
		return Output{Folder: folder}
	}
	for want, o := range map[string]Output{
		"sum/squares/1000 [100 110] 8000": of("s/new/benchmark.json", name, "s/new/sample.json", `{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[100.0,220.0]}`,
			"s/base/benchmark.json", name, "s/base/sample.json", `{"iters":[1],"times":[9]}`, "s/report/index.html", "<html>"),
		"it ended well and wrote no result: Criterion writes into the folder": of(),
		"no benchmark was written by Criterion":                               of("report/index.html", ""),
		"there is no criterion/s/new/sample.json":                             of("s/new/benchmark.json", name),
		"criterion/s/new/sample.json: 1 times of 2 samples":                   of("s/new/benchmark.json", name, "s/new/sample.json", `{"iters":[1,2],"times":[5]}`),
		`sample 1 of "sum/squares/1000": +Inf is not a`:                       of("s/new/benchmark.json", name, "s/new/sample.json", `{"iters":[0],"times":[5]}`),
		`sample 1 of "sum/squares/1000": NaN is not a`:                        of("s/new/benchmark.json", name, "s/new/sample.json", `{"iters":[1],"times":[null]}`),
		"sum/squares/1000 [5] 8000 two benchmarks have this":                  of("a/new/benchmark.json", name, "a/new/sample.json", `{"iters":[1],"times":[5]}`, "b/new/benchmark.json", name, "b/new/sample.json", `{"iters":[1],"times":[6]}`),
		"criterion/s/new/benchmark.json:1: not JSON":                          of("s/new/benchmark.json", "{"),
	} {
		if got := summary(Read(criterion{}, Spec{}, o)); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A script of cuda.bench is nvbench's in all but its name, and that an interpreter runs it.
func TestCudaBench(t *testing.T) {
	t.Parallel()
	f, _ := Named("cuda.bench")
	if c := f.Command(Spec{Command: "python3 b.py"}, Ask{Out: "/o", Cases: []string{"add/N=8"}}); !f.Traits().Python || !f.Traits().CUDA || strings.Join(c.Args, " ") != "--jsonbin /o/bench.json -b add" {
		t.Errorf("%+v, %+v", f.Traits(), c)
	}
}
