package benchmark

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A benchmark of nvbench without a GPU has times of its own, and one without the time that rules fails alone.
func TestNVBenchWithoutGPUTimes(t *testing.T) {
	const file = `{"benchmarks": [{"name": "host", "states": [{"name": "", "summaries": [{"tag": "nv/cpu_only/time/cpu/mean", "data": [{"name": "value", "value": "2e-6"}]}]}]},
{"name": "sum", "states": [{"name": "", "summaries": [{"tag": "nv/batch/time/gpu/mean", "data": [{"name": "value", "value": "1e-6"}]}]}]}]}`
	for which, want := range map[string][2]float64{NVBenchCold: {2000, 0}, NVBenchBatch: {0, 1000}} {
		set, err := Read(named(t, "nvbench"), Spec{Time: which}, left(file))
		must(t, err)
		for i, c := range set.Cases {
			if c.Processes[0].ValueNS != want[i] || (c.Failed == "") != (want[i] > 0) || want[i] == 0 && !strings.Contains(c.Failed, "gives no "+which+" time") {
				t.Errorf("%s: %+v", which, c)
			}
		}
	}
}

// Of nvbench's states those are chosen that are asked for, by their axes; all of a benchmark, or what no argument can say, by its name alone.
func TestNVBenchStates(t *testing.T) {
	row := func(name string, axes ...result.Param) Case { return Case{Name: name, Params: axes} }
	known := []Case{
		row("sum/T=F32,N=2^10", result.Param{Name: "T", Value: "F32"}, result.Param{Name: "N", Value: "2^10"}),
		row("sum/T=F64,N=7", result.Param{Name: "T", Value: "F64"}, result.Param{Name: "N", Value: "7"}),
		row("odd/T=a,b", result.Param{Name: "T", Value: "a,b"}), row("odd/T=c", result.Param{Name: "T", Value: "c"}), row("copy"),
	}
	for want, rows := range map[string][]string{
		"-b sum -a T=F32 -a N[pow2]=10": {"sum/T=F32,N=2^10"}, "-b sum -a T=F64 -a N=7 -b copy": {"sum/T=F64,N=7", "copy"},
		"-b sum": {"sum/T=F32,N=2^10", "sum/T=F64,N=7"}, "-b odd": {"odd/T=a,b"}, "-b odd -a T=c": {"odd/T=c"}, "-b gone": {"gone/T=1"},
	} {
		c := named(t, "nvbench").Command(Spec{Command: "b"}, Ask{Mode: Measure, Out: "/out", Cases: rows, Known: known})
		if got := strings.Join(c.Args[2:], " "); got != want {
			t.Errorf("%q: %q, want %q", rows, got, want)
		}
	}
}

func TestNVBenchRows(t *testing.T) {
	f := named(t, "nvbench")
	const state = `{"name":"Device=0 T=F32 Elements=2^24","summaries":[
		{"tag":"nv/cold/time/gpu/mean","data":[{"name":"value","value":"2e-6"}]},
		{"tag":"nv/batch/time/gpu/mean","data":[{"name":"value","value":"1e-6"}]}]}`
	o := left(`{"devices":[],"benchmarks":[{"name":"sum","states":[` + state + `,{"name":"T=F64","is_skipped":true,"skip_reason":"no room"}]}]}`)
	for which, want := range map[string]float64{"": 2000, NVBenchCold: 2000, NVBenchBatch: 1000} {
		set, err := Read(f, Spec{Time: which}, o)
		if err != nil || set.Cases[0].Name != "sum/T=F32,Elements=2^24" || set.Cases[0].Processes[0].ValueNS != want || !set.Cases[1].Skipped {
			t.Errorf("%s: %+v, %v; want %v ns", which, set.Cases, err, want)
		}
	}
	if _, err := Read(f, Spec{Time: NVBenchBatch}, left(strings.ReplaceAll(`{"devices":[],"benchmarks":[{"name":"sum","states":[`+state+`]}]}`, "batch", "other"))); err == nil {
		t.Error("cold times were taken for those of batches")
	}
}

// A profiler is shown one state of one benchmark: nvbench runs it once, by its axes as nvbench writes them.
func TestNVBenchShowsOneState(t *testing.T) {
	f := named(t, "nvbench")
	set, err := Read(f, Spec{}, left(`{"benchmarks":[{"name":"sum","states":[{"name":"Device=0 T=F32 Elements=2^24 Ratio=0.33333","axis_values":[
		{"name":"T","type":"string","value":"F32"},{"name":"Elements","type":"int64","value":"16777216"},{"name":"Ratio","type":"float64","value":0.3333333333}],
		"summaries":[{"tag":"nv/cold/time/gpu/mean","data":[{"name":"value","value":"3.1e-05"}]}]}]}]}`))
	if err != nil || set.Cases[0].Name != "sum/T=F32,Elements=2^24,Ratio=0.33333" {
		t.Fatalf("%v, %+v", err, set)
	}
	for line, want := range map[string]string{
		"./b":         "--profile -b sum -a T=F32 -a Elements[pow2]=24 -a Ratio=0.3333333333",
		"./b -b sum ": "--profile -a T=F32 -a Elements[pow2]=24 -a Ratio=0.3333333333",
	} {
		c := f.(Profiled).Profile(Spec{Command: line}, Ask{Out: "/out"}, set.Cases[0])
		if got := strings.Join(c.Args, " "); got != want || c.Line != line {
			t.Errorf("%s: %q", line, got)
		}
	}
	c := named(t, "triton").(Profiled).Profile(Spec{Script: "b.py"}, Ask{Out: "/out"}, Case{Name: "s/N=1"})
	if !slices.Contains(c.Env, `PERFGATE_BENCH_ASK={"version":1,"mode":"profile","cases":["s/N=1"],"seed":0}`) {
		t.Errorf("%q", c.Env)
	}
}
