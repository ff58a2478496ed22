package benchmark

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// printed is what a process prints.
func printed(text string) Output { return Output{Folder: fstest.MapFS{}, Stdout: text} }

// left is what a process leaves as the JSON that it was asked for.
func left(text string) Output {
	return Output{Folder: fstest.MapFS{jsonAnswer: {Data: []byte(text)}}}
}

func named(t *testing.T, name string) Format {
	t.Helper()
	f, ok := Named(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	return f
}

func TestTable(t *testing.T) {
	set, err := Read(named(t, "csv"), Spec{}, printed("kernel,case,us,bytes\nsum,\"n=1,k=2\",3,600\nsum, \"n=1,k=2\", 5, 600\ncopy,,1e3,\n"))
	must(t, err)
	sum, copied := set.Cases[0], set.Cases[1]
	if sum.Name != "sum/n=1,k=2" || !slices.Equal(sum.Processes[0].Samples, []float64{3000, 5000}) || sum.Bytes != 600 || sum.TotalNS != 8000 {
		t.Errorf("%+v", sum)
	}
	if copied.Name != "copy" || copied.Processes[0].Samples[0] != 1e6 || copied.Bytes != 0 {
		t.Errorf("%+v", copied)
	}
}

// A rate becomes a time by the work that stands beside it: 600 bytes at 2 GB/s are 300 ns, and 1e6 operations at 0.5 TFLOP/s 2 µs.
func TestRatesBecomeTimes(t *testing.T) {
	for text, want := range map[string]float64{
		"kernel,GB/s,bytes\nk,2,600\n":       300,
		"kernel,bytes,GB/s\nk,600,2\n":       300,
		"kernel,TFLOP/s,flops\nk,0.5,1e6\n":  2000,
		"\ufeffkernel,case,s\r\nk,,1e-6\r\n": 1000,

		"\ufeff\"kernel\",\"case\",\"us\"\r\n\"k\",\"\",\"1\"\r\n": 1000,
	} {
		set, err := Read(named(t, "csv"), Spec{}, printed(text))
		if err != nil || set.Cases[0].Processes[0].Samples[0] != want {
			t.Errorf("%q: %+v, %v; want %v ns", text, set.Cases, err, want)
		}
	}
}

func TestTableErrorsNameThePlace(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "wrote no result"},
		{" \n\n", "wrote no result"},
		{"hello\n", `1: unknown column "hello", want kernel,case,ns`},
		{"process,kernel,case,ns\np,k,a,1\n", `1: unknown column "process", want kernel,case,ns`}, // it is one process itself
		{"hello\nkernel,case,ns\nk,a,1\n", "what else it prints belongs on stderr"},
		{"kernel,case,ns\n", "no line behind the header"},
		{"kernel,case\nk,c\n", "1: the header is"},
		{"kernel,ns,ns\nk,1,1\n", "a second column"},
		{"kernel,ns,us\nk,1,1\n", `"us" is a second column for the value of "ns"`},
		{"kernel,GB/s\nk,1\n", "needs one of bytes"},
		{"kernel,TFLOP/s,bytes\nk,1,1\n", "needs one of flops"},
		{"kernel,GB/s,bytes\nk,0,600\n", "2: +Inf is not a latency"},
		{"kernel,GB/s,bytes\nk,5,\n", "2: 0 is not a latency"},
		{"kernel,GB/s,bytes\nk,-2,600\n", "2: -300 is not a latency"},
		{"kernel,ns\nk,NaN\n", "2: NaN is not a latency"},
		{"kernel,ns\nk,-1\n", "2: -1 is not a latency"},
		{"kernel,ns\nk,1\nk,fast\n", `3: ns is "fast", which is not a number`},
		{"kernel,ns\nk,1\nk\n", "3: 1 field, and the header has 2"},
		{"kernel,ms\nk,1,5\n", "2: 3 fields, and the header has 2 fields (quote a value that has commas; a point begins decimals)"},
		{"kernel,case,ns\nk,\"half", "2: column"},
		{"kernel,ns\n,1\n", "2: kernel and process must not be empty"},
		{"kernel,ns,bytes\nk,1,many\n", "2: bytes is"},
		{"kernel,ns,bytes\nk,1,5\nk,1,6\n", "3: \"k\" has other bytes"},
		{"kernel,case,ns\na,b/c,1\na/b,c,1\n", `3: kernels "a" and "a/b", each with its case, are both called "a/b/c"`},
	} {
		if _, err := Read(named(t, "csv"), Spec{}, printed(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A row that cannot be a case by its name fails, and the others are cases: patterns may leave it out.
func TestNamesThatAreNone(t *testing.T) {
	set, err := Read(named(t, "csv"), Spec{}, printed("kernel,ns\nk,1\nk\x07,1\n"+strings.Repeat("k", 300)+",1\n"+strings.Repeat("k", 301)+",1\n"))
	if err != nil || len(set.Cases) != 4 || set.Cases[0].Failed != "" {
		t.Fatalf("%v, %+v", err, set.Cases)
	}
	for i, want := range []string{"cannot be shown", "a name of 300 bytes", "a name of 301 bytes"} {
		if c := set.Cases[i+1]; !strings.Contains(c.Failed, want) || checkName("it", c.Name) != nil {
			t.Errorf("%s: %s, want %q", c.Name, c.Failed, want)
		}
	}
	set, err = Read(named(t, "hyperfine"), Spec{}, left(`{"results":[{"command":"x","times":[1]},{"command":"y","times":[1]},{"command":"x","times":[2]}]}`))
	if err != nil || len(set.Cases) != 2 || !strings.Contains(set.Cases[0].Failed, "two cases") || set.Cases[1].Failed != "" {
		t.Errorf("two commands of one name: %v, %+v", err, set.Cases)
	}
}

// Google Benchmark and Python write NaN and Infinity into JSON: counters that are none harm nobody, a time that is none is refused.
func TestNumbersThatAreNone(t *testing.T) {
	const google = `{"benchmarks": [
{"name": "NaN, \"Infinity\"", "real_time": 5, "time_unit": "ns", "a": NaN, "b": -NaN, "c": Infinity, "d": [-Infinity, -1]}%s]}`
	set, err := Read(named(t, "google-benchmark"), Spec{}, left(strings.Replace(google, "%s", "", 1)))
	if err != nil || set.Cases[0].Name != `NaN, "Infinity"` || set.Cases[0].Processes[0].Samples[0] != 5 {
		t.Errorf("%+v, %v", set, err)
	}
	const pytest = `{"benchmarks": [{"fullname": "t.py::test", "extra_info": {"x": NaN}, "stats": {"data": [DATA]}}]}`
	for format, texts := range map[string][]string{
		"google-benchmark": {strings.Replace(google, "%s", ",\n{\"name\": \"b\", \"real_time\": NaN}", 1), `{"benchmarks": [{"name": "b", "real_time": Infinity}]}`},
		"pytest-benchmark": {strings.Replace(pytest, "DATA", "NaN", 1), strings.Replace(pytest, "DATA", "1e-3, -Infinity", 1)},
		"hyperfine":        {`{"results": [{"command": "c", "times": [NaN]}]}`},
	} {
		for _, text := range texts {
			if _, err := Read(named(t, format), Spec{}, left(text)); err == nil || !strings.Contains(err.Error(), "NaN is not a latency") {
				t.Errorf("%s: %s: %v", format, text, err)
			}
		}
	}
	if _, err := Read(named(t, "google-benchmark"), Spec{}, left(`{"benchmarks": [{"name": "b", "real_time": Nan}]}`)); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("%v", err)
	}
}

// Two benchmarks of one name are not repetitions of one: their mean would be of neither.
func TestGoogleBenchmarksOfOneName(t *testing.T) {
	run := func(family, instance, ns string) string {
		return `{"name": "b", "family_index": ` + family + `, "per_family_instance_index": ` + instance + `, "real_time": ` + ns + `}`
	}
	for again, fails := range map[string]bool{run("0", "0", "5"): false, run("1", "0", "9"): true, run("0", "1", "9"): true} {
		set, err := Read(named(t, "google-benchmark"), Spec{}, left(`{"benchmarks": [`+run("0", "0", "4")+`, `+again+`]}`))
		if err != nil || len(set.Cases) != 1 || strings.Contains(set.Cases[0].Failed, "two benchmarks") != fails {
			t.Errorf("%s: %+v, %v", again, set, err)
		}
	}
}

func TestTableInAFileWins(t *testing.T) {
	o := Output{Folder: fstest.MapFS{csvAnswer: {Data: []byte("kernel,ns\nk,2\n")}}, Stdout: "Running ...\n"}
	if set, err := Read(named(t, "csv"), Spec{}, o); err != nil || set.Cases[0].Name != "k" {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestNoAnswer(t *testing.T) {
	if _, err := Read(named(t, "pytest-benchmark"), Spec{}, printed("1 skipped")); err == nil || !strings.Contains(err.Error(), "--benchmark-disable") {
		t.Errorf("pytest whose benchmarks are off: %v", err)
	}
	for _, name := range Names() {
		if _, err := Read(named(t, name), Spec{}, printed("")); err == nil || !strings.Contains(err.Error(), "wrote no result") {
			t.Errorf("%s: %v", name, err)
		} else if asked := !named(t, name).Traits().Script && !slices.Contains([]string{"criterion", "csv", "go"}, name); asked != strings.Contains(err.Error(), "behind the command") {
			t.Errorf("%s, which is asked by an argument: %v: %v", name, asked, err)
		}
	}
}

// What pytest and its plugin save between processes goes with each of them, and the tree stays as it is.
func TestPytestSavesNothingInTheTree(t *testing.T) {
	args := named(t, "pytest-benchmark").Command(Spec{Command: "pytest"}, Ask{Out: "/o"}).Args
	if !slices.Contains(args, "cache_dir=/o/cache") || !slices.Contains(args, "--benchmark-storage=file:///o/saved") {
		t.Errorf("%q", args)
	}
}

// What it costs to select is nothing: a name that stands for more than itself would run what nobody asked for.
func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		format, command string
		rows            []string
		want            []string
	}{
		{"google-benchmark", "b", []string{"BM_a<int>/8", "b.c|(d)/[e]{f}"}, []string{`--benchmark_filter=^(BM_a<int>/8|b\.c\|\(d\)/\[e]\{f})$`}},
		{"nvbench", "b", []string{"sum/T=F32", "sum/T=F64", "copy"}, []string{"-b", "sum", "-b", "copy"}},
		{"nvbench", "b -b sum", []string{"sum/T=F32"}, nil},
		{"pytest-benchmark", "b", []string{"test_a[1-2]", "T::test_b"}, []string{"-k", "test_a[1-2] or test_b"}},
		{"pytest-benchmark", "b", []string{"test_a[x y]"}, nil},
		{"hyperfine", "b", []string{"sleep 1"}, nil},
		{"csv", "b", []string{"k/n=1"}, nil},
	} {
		f := named(t, tt.format)
		whole := f.Command(Spec{Command: tt.command}, Ask{Mode: List, Out: "/out"})
		asked := f.Command(Spec{Command: tt.command}, Ask{Mode: Measure, Out: "/out", Cases: tt.rows})
		if got := asked.Args[len(whole.Args):]; !slices.Equal(got, tt.want) {
			t.Errorf("%s of %q: %q, want %q", tt.format, tt.rows, got, tt.want)
		}
		if asked.Line != tt.command {
			t.Errorf("%s: line %q", tt.format, asked.Line)
		}
	}
}

func TestGoogleAggregates(t *testing.T) {
	f := named(t, "google-benchmark")
	set, err := Read(f, Spec{}, left(`{"benchmarks":[
		{"name":"a_mean","run_name":"a","run_type":"aggregate","aggregate_name":"mean","real_time":3,"time_unit":"us"},
		{"name":"a_median","run_name":"a","run_type":"aggregate","aggregate_name":"median","real_time":2,"time_unit":"us"},
		{"name":"a_cv","run_name":"a","run_type":"aggregate","aggregate_name":"cv","aggregate_unit":"percentage","real_time":0.01,"time_unit":"us"}]}`))
	if err != nil || len(set.Cases) != 1 || set.Cases[0].Processes[0].ValueNS != 2000 {
		t.Errorf("%+v, %v", set.Cases, err)
	}
	if _, err := Read(f, Spec{}, left(`{"benchmarks":[{"name":"a_cv","run_name":"a","aggregate_name":"cv","real_time":1}]}`)); err == nil {
		t.Error("a coefficient of variation was taken for a time")
	}
	set, err = Read(f, Spec{Time: "cpu"}, left(`{"benchmarks":[{"name":"a","iterations":10,"real_time":3,"cpu_time":2,"time_unit":"ns","bytes_per_second":1e9}]}`))
	if c := set.Cases[0]; err != nil || c.Processes[0].Samples[0] != 2 || c.TotalNS != 20 || c.Bytes != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestPytestAndHyperfine(t *testing.T) {
	set, err := Read(named(t, "pytest-benchmark"), Spec{}, left(`{"machine_info":{},"benchmarks":[{"name":"test_a[2]","fullname":"b/test_x.py::test_a[2]",
		"params":{"n":2},"stats":{"data":[1e-6,2e-6],"median":1e-6,"iterations":10}}]}`))
	if c := set.Cases[0]; err != nil || c.Name != "test_a[2]" || len(c.Processes[0].Samples) != 2 || c.TotalNS != 30_000 || c.Params[0].Value != "2" {
		t.Errorf("%+v, %v", c, err)
	}
	set, err = Read(named(t, "hyperfine"), Spec{}, left(`{"results":[{"command":"sort x","mean":2,"times":[1,3],"exit_codes":[0,0]},{"command":"false","mean":1,"times":[1],"exit_codes":[1]}]}`))
	if err != nil || !slices.Equal(set.Cases[0].Processes[0].Samples, []float64{1e9, 3e9}) || set.Cases[1].Failed == "" {
		t.Errorf("%+v, %v", set.Cases, err)
	}
	for name, text := range map[string]string{
		"pytest-benchmark": `{"machine_info":{},"benchmarks":[{"name":"a","stats":{"data":[-1]}}]}`,
		"hyperfine":        `{"results":[{"command":"x","times":[-1]}]}`,
	} {
		if _, err := Read(named(t, name), Spec{}, left(text)); err == nil || !strings.Contains(err.Error(), "not a latency") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswerTooLarge(t *testing.T) {
	huge := Output{Folder: fstest.MapFS{jsonAnswer: {Data: make([]byte, MaxAnswer+1)}}}
	if _, err := Read(named(t, "hyperfine"), Spec{}, huge); err == nil || !strings.Contains(err.Error(), "no more than 64 MiB are read") {
		t.Error(err)
	}
}

// Tests of one name in two files are two cases, and none that another file of that name would change.
func TestTestsOfOneNameInTwoFiles(t *testing.T) {
	set, err := Read(named(t, "pytest-benchmark"), Spec{}, left(`{"benchmarks":[{"fullname":"a.py::test_x","stats":{"data":[1]}},
		{"fullname":"b.py::test_x","stats":{"data":[2]}},{"fullname":"b.py::T::test_x","stats":{"data":[3]}}]}`))
	var names []string
	for _, c := range set.Cases {
		names = append(names, c.Name)
	}
	if err != nil || !slices.Equal(names, []string{"a.py::test_x", "b.py::test_x", "T::test_x"}) {
		t.Errorf("%q, %v", names, err)
	}
}

// Patterns pick rows, and leave some out.
func TestMatchesRow(t *testing.T) {
	for patterns, want := range map[string]string{
		"":            "",
		"a*":          "a/1 a/2",
		"!a/2":        "a/1 b[1]",
		"a* !*2":      "a/1",
		"!*2 b[1] a*": "a/1 b[1]",
		"!a* !b*":     "",
		"b[*]":        "b[1]",
		"[ab]*":       "a/1 a/2 b[1]",
		"{*/1,b*}":    "a/1 b[1]",
		"* !{a/2,b*}": "a/1",
	} {
		var got []string
		for _, row := range []string{"a/1", "a/2", "b[1]"} {
			if MatchesRow(strings.Fields(patterns), row) {
				got = append(got, row)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q picks %q, want %q", patterns, got, want)
		}
	}
}

// A table's numbers are no finer than their last digit, nor than the clock whose zeros all of them end with.
func TestStepOfTables(t *testing.T) {
	for text, want := range map[string]float64{
		"kernel,ns\nk,100\n":                            1,
		"kernel,us\nk,12.50\nk,13\n":                    10,
		"kernel,ms\nk,1.5e1\n":                          1e6,
		"kernel,ns\nk,4000000\nk,5000000\n":             1,
		"kernel,ns\nk,4000000\nk,50000000\nk,9e6\n":     1,
		"kernel,ns\nk,4000000\nk,50000000\nk,6000000\n": 1e6,
		"kernel,GB/s,bytes\nk,2.0,600\n":                15, // 300 ns, of which a tenth of 2 GB/s is a twentieth
	} {
		set, err := Read(named(t, "csv"), Spec{}, printed(text))
		if err != nil || math.Abs(set.Cases[0].QuantumNS-want) > 1e-9*want {
			t.Errorf("%q: %v, %v; want %v ns", text, set.Cases[0].QuantumNS, err, want)
		}
	}
}

// A clock that does not move in a case is no broken answer: the other cases have theirs, and the case says whose fault it is.
func TestCaseThatAClockIsTooCoarseFor(t *testing.T) {
	for _, tt := range []struct{ format, time, text string }{
		{"csv", "", "kernel,ns\nok,10\nk,0\nk,0\n"},
		{"google-benchmark", "cpu", `{"benchmarks": [{"name": "ok", "real_time": 5, "cpu_time": 5}, {"name": "k", "real_time": 5, "cpu_time": 0}]}`},
		{"google-benchmark", "real", `{"benchmarks": [{"name": "ok", "real_time": 5}, {"name": "k_mean", "run_name": "k", "aggregate_name": "mean", "real_time": 0}]}`},
		{"pytest-benchmark", "", `{"machine_info": {}, "benchmarks": [{"name": "ok", "fullname": "ok", "stats": {"data": [1]}}, {"name": "k", "fullname": "k", "stats": {"data": [0, 0, 1]}}]}`},
		{"pytest-benchmark", "", `{"machine_info": {}, "benchmarks": [{"name": "ok", "fullname": "ok", "stats": {"median": 1}}, {"name": "k", "fullname": "k", "stats": {"median": 0}}]}`},
		{"hyperfine", "", `{"results": [{"command": "ok", "mean": 1, "times": [1], "exit_codes": [0]}, {"command": "k", "mean": 0, "times": [0, 0], "exit_codes": [0, 0]}]}`},
	} {
		out := left(tt.text)
		if tt.format == "csv" {
			out = Output{Folder: fstest.MapFS{}, Stdout: tt.text}
		}
		set, err := Read(named(t, tt.format), Spec{Time: tt.time}, out)
		if err != nil || len(set.Cases) != 2 || set.Cases[0].Failed != "" || !set.Cases[1].Coarse || !strings.Contains(set.Cases[1].Failed, "too coarse for this case") {
			t.Errorf("%s: %v, %+v", tt.format, err, set.Cases)
		}
	}
	few := "kernel,ns\nk,0\n" + strings.Repeat("k,10\n", 10)
	set, err := Read(csvTable{}, Spec{}, Output{Folder: fstest.MapFS{}, Stdout: few})
	if err != nil || set.Cases[0].Failed != "" || len(set.Cases[0].Processes[0].Samples) != 10 {
		t.Errorf("one of eleven: %v, %+v", err, set.Cases)
	}
}
