package benchmark

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// tables are what programs print: their mapping, as init proposes it, and the cases that come of it.
var tables = map[string]struct{ text, mapping, cases string }{
	"CUDA program with comments, progress and a footer": {
		"# device: NVIDIA L4\nWarming up...\nkernel,rows,cols,time_ms,GB/s,check\nRunning naive, please wait\nnaive,1024,512,0.250,8.1,PASS\ntiled,1024,512,0.125,16.2,PASS\n\nDone: 2 kernels, all passed\n",
		"{kernel}/rows={rows},cols={cols} <- time_ms; comma", "naive/rows=1024,cols=512 250000; tiled/rows=1024,cols=512 125000",
	},
	"columns of blanks, units in the header": {
		"Matrix transpose benchmark\n\nKernel             Size    Avg Time (us)    Max Time (us)    Bandwidth (GB/s)\n" +
			"-------            ----    -------------    -------------    ----------------\ncopy               1024    12.5             14.0             671.1\nnaive transpose    1024    50               61               167.7\n\nTotal time: 3.1 s\n",
		"{Kernel}/Size={Size} <- Avg Time (us); columns", "copy/Size=1024 12500; naive transpose/Size=1024 50000",
	},
	"one blank": {"N threads ms\n256 1 1.5\n512 1 3\n", "N={N},threads={threads} <- ms; blanks", "N=256,threads=1 1.5e+06; N=512,threads=1 3e+06"},
	"Markdown": {
		"| op | dtype | median | iters |\n|:---|---|---|---|\n| add | f16 | 1.5 ms | 100 |\n| add | f32 | 900 us | 100 |\n", "{op}/dtype={dtype} <- median; bar", "add/dtype=f16 1.5e+06; add/dtype=f32 900000",
	},
	"rates of one unit": {
		"# op;naive GB/s;tiled GB/s\nsum;1;4\n", "{op} <- naive GB/s+, tiled GB/s+; semicolon", "sum [naive GB/s] 1000; sum [tiled GB/s] 250",
	},
	"two times":                  {"case\thost_ms\tgpu_ms\na\t2\t1\n", "{case} <- host_ms, gpu_ms; tab", "a [host_ms] 2e+06; a [gpu_ms] 1e+06"},
	"what could not be measured": {"op,ns\na,5\nb,OOM\n", "{op} <- ns; comma", `a 5; b its ns is "OOM", which is not a number`},
	"two tables":                 {"f16\nop,ns\na,5\n\nf32\nop,ns\na,7\n", "{op} <- ns; comma", "a 5; a #2 7"},
	"a sentence a row": {
		"Using kernel 2\nChecking block size 32.\nAll results match. Starting benchmarks.\n\nblock_size   32 | time 0.5000 ms | bandwidth 100.00 GB/s\nblock_size 1024 | time 0.2500 ms | bandwidth 200.00 GB/s\n",
		"block_size={block_size} <- time; block_size {block_size} | time {time} ms | bandwidth {bandwidth} GB/s", "block_size=32 500000; block_size=1024 250000",
	},
	"numbers in brackets, padded": {
		"Max size: 4096\ndimensions(m=n=k) 128, alpha: 0.5, beta: 3\nAverage elapsed time: (0.000128) s, performance: (    7.8) GFLOPS. size: (128).\ndimensions(m=n=k) 256, alpha: 0.5, beta: 3\n" +
			"Average elapsed time: (0.000256) s, performance: (  781.2) GFLOPS. size: (256).\n",
		"size={size} <- time; Average elapsed time: ({time}) s, performance: ({performance}) GFLOPS. size: ({size}).", "size=128 128000; size=256 256000",
	},
	"a name in front, of one word or more": {"naive: 12ms (45% of peak)\ntiled, padded: 3ms\nshared memory: 6ms (90% of peak)\n", "{name} <- time; {name}: {time}ms ({number}% of peak)", "naive 1.2e+07; shared memory 6e+06"},
	"a number behind another":              {"size 128: 0.5 ms\nsize 256: 1 ms\n", "size={size} <- time; size {size}: {time} ms", "size=128 500000; size=256 1e+06"},
	"kernels by name":                      {"kernel naive took 3.5 us\nkernel warp tiling took 700 ns\nkernel tiled took 1.5 us\n", "{kernel} <- took; kernel {kernel} took {took}", "naive 3500; warp tiling 700; tiled 1500"},
	"a rate alone":                         {"Copy: 512.5 GB/s\nTriad: 480 GB/s\n", "{name} <- rate+; {name}: {rate} GB/s", "Copy 1.951219512195122; Triad 2.0833333333333335"},
	"two rates without a name":             {"Copy: 512.5 GB/s, 40 GFLOPS\nTriad: 480 GB/s, 80 GFLOPS\n", "{name} <- rate+, GFLOPS+; {name}: {rate} GB/s, {GFLOPS} GFLOPS", "Copy [rate] 1.951219512195122; Copy [GFLOPS] 25; Triad [rate] 2.0833333333333335; Triad [GFLOPS] 12.5"},
	"progress that a carriage return overwrites": {"\r1-XX : 10 -> 3 us\r1-XX : 10 ->   2 us\r1#XX : 10 ->   2 us\n\r1-YY : 10 -> 7 us\r1#YY : 10 ->   5 us \r\n",
		"{name} <- time; {name} : 10 -> {time} us", "1#XX 2000; 1#YY 5000"},
	"progress that is overwritten in part": {"  :    7 -> 1\r|-a : 7 -> 1 us\r1#\n  :    7 -> 1\r|-b : 7 -> 2 us\r1#\n", "{name} <- time; {name} : 7 -> {time} us", "1#a 1000; 1#b 2000"},
	"colours and erased progress":          {"10 % of the work is done\r\x1b[Ka: \x1b[32m5 us\x1b[0m\nwait\r\x1b[2Kb: \x1b[32m6 us\x1b[0m\r\n", "{name} <- time; {name}: {time} us", "a 5000; b 6000"},
	"another table below":                  {"op,ns\na,5\na,6\n\nop,calls\na,9\n", "{op} <- ns; comma", "a 5.5"},
}

func TestOwnTables(t *testing.T) {
	t.Parallel()
	for name, tt := range tables {
		_, text, err := printed(tt.text).table()
		must(t, err)
		p, found := propose(text)
		if got := shown(p.Mapping); !found || got != tt.mapping {
			t.Errorf("%s: proposed %s, want %s", name, got, tt.mapping)
			continue
		}
		set, err := Read(csvTable{}, Spec{Table: &p.Mapping}, printed(tt.text))
		var cases []string
		for _, c := range set.Cases {
			value, _ := c.Processes[0].Value()
			if c.Failed != "" {
				cases = append(cases, c.Name+" "+c.Failed)
			} else {
				cases = append(cases, fmt.Sprint(c.Name, " ", value))
			}
		}
		if got := strings.Join(cases, "; "); err != nil || got != tt.cases {
			t.Errorf("%s: %s, %v; want %s", name, got, err, tt.cases)
		}
	}
}

func shown(m Mapping) string {
	var values []string
	for _, v := range m.Values {
		name := v.Name
		if v.Better == "higher" {
			name += "+"
		}
		values = append(values, name)
	}
	return fmt.Sprintf("%s <- %s; %s", m.Case, strings.Join(values, ", "), cmp.Or(m.Line, m.Separator))
}

// A run follows its mapping, and nothing else: what the mapping does not find is one error.
func TestMappingsAreFollowedToTheLetter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m          Mapping
		text, want string
	}{
		{Mapping{Case: "{op}", Values: []Metric{{Name: "ms"}}}, "op,time_ms\na,5\n", `what it printed:1: the header has no column "ms", which csv in perfgate.yaml asks for: it has "op", "time_ms"`},
		{Mapping{Case: "{op}", Values: []Metric{{Name: "ms"}}}, "op,ms,ms\na,5,6\n", `:1: the header has "ms" twice`},
		{Mapping{Case: "{op}", Values: []Metric{{Name: "ms"}}}, "hello\n", `no line has the columns "ms", "op", with commas between them`},
		{Mapping{Case: "{op}", Values: []Metric{{Name: "ms"}}}, "op,ms\n", "the table has a header and no line with a number"},
		{Mapping{Case: "{op}", Values: []Metric{{Name: "t"}}}, "op,t\na,5\n", `:2: t is "5", and neither its column nor the cell has a unit`},
		{Mapping{Case: "{op}", Values: []Metric{{Name: "ms"}}}, "op,ms\na,5 GB/s\n", `:2: ms is "5 GB/s": a time where its column`},
	} {
		_, err := Read(csvTable{}, Spec{Table: &tt.m}, printed(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
	m := Mapping{Case: "{op}", Values: []Metric{{Name: "t", Unit: "us"}, {Name: "speed", Better: "higher"}}}
	set, err := Read(csvTable{}, Spec{Table: &m}, printed("op,t,speed\na,5,-1\n"))
	if err != nil || set.Cases[0].Processes[0].Samples[0] != 5000 || !strings.Contains(set.Cases[1].Failed, "not a latency") {
		t.Errorf("%+v, %v", set, err)
	}
}

// What cannot be meant is refused before anything runs.
func TestMappingsThatContradictThemselves(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]Mapping{
		"a brace without its other one":                {Case: "{op", Values: []Metric{{Name: "ms"}}},
		"of a time less is better":                     {Case: "{op}", Values: []Metric{{Name: "time (ms)", Better: "higher"}}},
		"of a rate more is better":                     {Case: "{op}", Values: []Metric{{Name: "TFLOP/s", Better: "lower"}}},
		`"time {ms" has a brace without its other one`: {Line: "time {ms", Case: "x", Values: []Metric{{Name: "ms"}}},
		`"time {t} ms" has no {op}`:                    {Line: "time {t} ms", Case: "{op}", Values: []Metric{{Name: "t"}}},
		"line takes its place":                         {Line: "{t} ms", Separator: "bar", Case: "x", Values: []Metric{{Name: "t"}}},
		`"{t} is {t} ms" has {t} twice`:                {Line: "{t} is {t} ms", Case: "x", Values: []Metric{{Name: "t"}}},
		"":                                             {Case: "{op}", Values: []Metric{{Name: "tokens per second", Better: "higher"}, {Name: "t"}}},
	} {
		if problem, _ := m.Problem(); !strings.HasSuffix(problem, want) || (problem == "") != (want == "") {
			t.Errorf("%+v: %q, want %q", m, problem, want)
		}
	}
}

func FuzzOwnTable(f *testing.F) {
	for _, tt := range tables {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, found := propose(asShown(text))
		if !found {
			return
		}
		if problem, _ := p.Mapping.Problem(); problem != "" {
			t.Fatalf("proposed %+v: %s", p.Mapping, problem)
		}
		set, err := Read(csvTable{}, Spec{Table: &p.Mapping}, printed(text))
		if err != nil {
			return
		}
		for _, c := range set.Cases {
			if value, err := c.Processes[0].Value(); c.Failed == "" && (err != nil || CheckNS(value) != nil) {
				t.Fatalf("%s is %v, %v", c.Name, value, err)
			}
		}
	})
}

// Progress that a carriage return overwrites is not of the table, in perfgate's own columns too.
func TestPrintedTableAfterProgress(t *testing.T) {
	set, err := csvTable{}.Read(Spec{}, printed("\r10 %\r20 %\rkernel,case,ns\r\na,n=1,9\ra,n=1,5\r\n"))
	if err != nil || len(set.Cases) != 1 || set.Cases[0].Name != "a/n=1" || set.Cases[0].Processes[0].Samples[0] != 5 {
		t.Errorf("%+v, %v", set, err)
	}
}
