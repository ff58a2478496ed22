package explain

import (
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

func compareTo(ratio float64, v result.Verdict) result.Case {
	return result.Case{Verdict: v, Comparisons: result.HeadToBase(&result.Comparison{Theta: math.Log(ratio)})}
}

func TestChoose(t *testing.T) {
	cases := []result.Case{
		compareTo(1.02, result.Slower),
		compareTo(1.5, result.Regression),
		compareTo(3, result.Inconclusive),
		compareTo(0.2, result.Improvement),
		compareTo(2.5, result.Regression),
		{Verdict: result.Error},
		compareTo(0.95, result.Faster),
		compareTo(1.04, result.Slower),
		compareTo(1/1.12, result.Improvement),
	}
	s := config.ProfileSettings{Regression: 0.03, Improvement: 0.10, Cases: 10}
	for policy, want := range map[string][]int{
		result.ProfileAuto: {4, 1, 7, 3, 8}, result.ProfileNever: nil, result.ProfileAlways: {4, 1, 7, 0, 3, 2, 8, 6, 5},
	} {
		if got := Choose(cases, policy, s); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s: %v, want %v", policy, got, want)
		}
	}
	s.Cases = 2
	if got := Choose(cases, result.ProfileAuto, s); !reflect.DeepEqual(got, []int{4, 1}) {
		t.Errorf("the worst two are %v", got)
	}
}

func batch(b string, flops, base, head float64) result.Case {
	return result.Case{
		Name: "k/B=" + b + ",S=512", Kernel: "k", Params: []result.Param{{Name: "B", Value: b}, {Name: "S", Value: "512"}}, Flops: flops,
		Base: &result.Summary{MedianNS: base}, Head: &result.Summary{MedianNS: head},
	}
}

// TestScaling: 16 times the work takes 8 times as long where there was room on the GPU, and 17 times where the batch is a loop.
func TestScaling(t *testing.T) {
	all := Scaling([]result.Case{batch("2", 1e6, 100, 100), batch("32", 16e6, 800, 1700)}, 132)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	s := all[0]
	if s.Param != "B" || s.Work != 16 || s.Base != 8 || s.Head != 17 || s.From != "k/B=2,S=512" {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{"16 times the work along B", "17 times as long on head", "8 times on base", "head does not parallelise over B"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("no %q in %q", want, s.Text)
		}
	}
	// The other way round, cases in the other order.
	all = Scaling([]result.Case{batch("32", 16e6, 1700, 800), batch("2", 1e6, 100, 100)}, 132)
	if len(all) != 1 || !strings.Contains(all[0].Text, "base does not parallelise over B") {
		t.Errorf("%+v", all)
	}
}

// TestScalingIsNoCharge: where both sides grow alike, or nothing can be compared, nothing is said.
func TestScalingIsNoCharge(t *testing.T) {
	other := batch("8", 4e6, 400, 400)
	other.Params = []result.Param{{Name: "B", Value: "8"}, {Name: "S", Value: "64"}}
	words := batch("f16", 4e6, 1, 1)
	for name, cases := range map[string][]result.Case{
		"both serial":      {batch("2", 1e6, 100, 100), batch("32", 16e6, 1600, 1600)},
		"both parallel":    {batch("2", 1e6, 100, 100), batch("32", 16e6, 700, 800)},
		"two parameters":   {batch("2", 1e6, 100, 100), other},
		"no number":        {batch("2", 1e6, 100, 100), words},
		"not timed":        {batch("2", 1e6, 0, 0), batch("32", 16e6, 800, 1700)},
		"little more work": {batch("2", 1e6, 100, 100), batch("3", 1.5e6, 100, 150)},
	} {
		for _, s := range Scaling(cases, 132) {
			if s.Text != "" {
				t.Errorf("%s: %s", name, s.Text)
			}
		}
	}
	if got := Scaling([]result.Case{{Kernel: "a"}, {Kernel: "a"}, {}}, 132); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// launched gives a case its grids, as the driver or a profile tells them.
func launched(c result.Case, base, head int) result.Case {
	shape := func(blocks int) []result.LaunchShape {
		return []result.LaunchShape{{Function: "_Z1kv", Grid: []int{blocks, 1, 1}, Block: []int{256, 1, 1}}}
	}
	c.Launched = &result.Launched{Base: shape(base), Head: shape(head)}
	return c
}

// TestScalingAlone: what grows like a loop while SMs stand idle does not parallelise, whatever base does. Growth alone, or a
// grid that fills the GPU, says nothing.
func TestScalingAlone(t *testing.T) {
	small, large := batch("2", 1e6, 100, 100), batch("32", 16e6, 1650, 1700)
	alone := func(c result.Case) result.Case { c.Base = nil; return c }
	share := func(c result.Case, x float64) result.Case {
		h := *c.Head
		h.RooflineShare = x
		c.Head = &h
		return c
	}
	seen := large
	seen.Evidence = &result.CaseEvidence{Launches: []result.LaunchPair{{Head: &result.Launch{Kernel: "k()", Grid: "(2, 1, 1)", Block: "(256, 1, 1)"}}}}
	mixed := launched(large, 2, 2)
	mixed.Launched.Head = append(mixed.Launched.Head, result.LaunchShape{Grid: []int{500, 1, 1}, Block: []int{32, 1, 1}})
	for name, c := range map[string]struct {
		cases []result.Case
		sms   int
		want  string
	}{
		"both sides":            {[]result.Case{small, launched(large, 2, 2)}, 132, "neither side parallelises over B"},
		"both, idle SMs":        {[]result.Case{small, launched(large, 2, 2)}, 132, "2 blocks leaves 130 of 132 SMs"},
		"a new kernel":          {[]result.Case{alone(small), alone(launched(large, 0, 32))}, 132, "head does not parallelise over B"},
		"a profile saw it":      {[]result.Case{small, seen}, 132, "head does not parallelise over B"},
		"a full GPU":            {[]result.Case{small, launched(large, 2000, 2000)}, 132, ""},
		"one of two fills it":   {[]result.Case{small, mixed}, 132, ""},
		"SMs not known":         {[]result.Case{small, launched(large, 2, 2)}, 0, ""},
		"grows less":            {[]result.Case{small, launched(batch("32", 16e6, 1200, 1200), 2, 2)}, 132, ""},
		"nothing known":         {[]result.Case{small, large}, 132, ""},
		"far from the roof":     {[]result.Case{share(small, 0.02), share(large, 0.02)}, 132, "head may not parallelise over B"},
		"near the roof":         {[]result.Case{share(small, 0.4), share(large, 0.4)}, 132, ""},
		"far from it, but full": {[]result.Case{share(small, 0.02), launched(large, 2000, 2000)}, 132, ""},
	} {
		got := Scaling(c.cases, c.sms)
		if len(got) != 1 || c.want == "" && got[0].Text != "" || !strings.Contains(got[0].Text, c.want) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

// TestScalingSaysItOnce: of all pairs of cases along a parameter the largest step speaks.
func TestScalingSaysItOnce(t *testing.T) {
	var cases []result.Case
	for _, b := range []string{"2", "4", "8", "32"} {
		n, _ := strconv.ParseFloat(b, 64)
		cases = append(cases, launched(batch(b, n*1e6, n*100, n*100), 2, 2))
	}
	said := 0
	for _, s := range Scaling(cases, 132) {
		if s.Text != "" {
			said++
			if s.Work != 16 {
				t.Errorf("%+v", s)
			}
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

func TestRemarkableFirst(t *testing.T) {
	all := make([]result.Scaling, 100)
	all[99].Text = "x"
	got := Remarkable(all)
	if len(got) != mostScaling || got[0].Text != "x" {
		t.Errorf("%d, first %+v", len(got), got[0])
	}
}

// TestRecord: what the code under test can make long is capped, what is no number is left out, and the result can be written.
func TestEvidenceIsBounded(t *testing.T) {
	long := strings.Repeat("x", 10*mostText)
	e := Explanation{
		Measured: Measured{Log: 0.5}, Profiled: math.NaN(),
		Causes: []result.Cause{{ID: GridTooSmall, Changes: []result.Change{{Name: "a", Base: ifFinite(math.NaN()), Head: ifFinite(2)}}}},
		Pairs:  []Pair{{Head: &profile.Kernel{Name: long, Grid: "(1, 1, 1)"}}},
	}
	for range 50 {
		e.Rules = append(e.Rules, profile.Rule{Name: "r", Text: long, Speedup: math.NaN()})
		e.Rest = append(e.Rest, result.Cause{ID: other})
	}
	got := Record(e, "Nsight Compute")
	if c := got.Causes[0].Changes[0]; c.Base != nil || c.Head == nil || *c.Head != 2 {
		t.Errorf("%+v", c)
	}
	if len(got.Advice) != mostAdvice || len(got.Advice[0].Text) > mostText+3 || len(got.Others) != mostOthers || len(got.Launches[0].Head.Kernel) > mostText+3 || got.Launches[0].Base != nil {
		t.Errorf("%d rules, %d others", len(got.Advice), len(got.Others))
	}
	r := &result.Result{
		Schema: result.Schema, Conclusion: result.Conclusion{Verdict: result.RunPassed}, Base: result.Version{Kind: result.KindDirectory}, Head: result.Version{Kind: result.KindDirectory},
		Cases: []result.Case{{Name: "k", Verdict: result.Same, Evidence: got}},
	}
	if err := result.Write(io.Discard, r); err != nil {
		t.Error(err)
	}
}

// TestDynamicShared: the launch's own word, else what is left of the whole; nothing where that is not known.
func TestDynamicShared(t *testing.T) {
	const name = "launch__shared_mem_per_block"
	for _, c := range []struct {
		metrics map[string]float64
		want    int64 // -1: not known
	}{
		{map[string]float64{name + "_dynamic": 65536, name: 70000}, 65536},
		{map[string]float64{name + "_dynamic": 0}, 0},
		{map[string]float64{name: 18432, name + "_static": 1024, name + "_driver": 1024}, 16384},
		{map[string]float64{name: 18432}, -1},
		{map[string]float64{name + "_dynamic": -5}, -1},
		{nil, -1},
	} {
		k := profile.Kernel{Metrics: map[string]profile.Metric{}}
		for name, v := range c.metrics {
			k.Metrics[name] = profile.Metric{Value: v, Unit: "byte/block"}
		}
		got := launch(&k).DynamicSharedBytes
		if c.want < 0 && got != nil || c.want >= 0 && (got == nil || *got != c.want) {
			t.Errorf("%v: %v, want %d", c.metrics, got, c.want)
		}
	}
}

// roofed is a case of 1e9 flops in 1 ms on head, whose roofs are those that measuring found.
func roofed(flopRoof float64) result.Case {
	c := result.Case{Flops: 1e9, Bytes: 2e8, Head: &result.Summary{MedianNS: 1e6, FlopRoof: flopRoof, ByteRoof: 1e12}}
	for range 3 {
		c.Processes = append(c.Processes, result.Process{Variant: result.VariantHead, ComputeFlops: 2e10, ComputeNS: 1e6, MemoryBytes: 1e9, MemoryNS: 1e6, TensorFlops: 2e11, TensorNS: 1e6, ClockMHz: 1980})
	}
	return c
}

func dramOf(read, write float64, more ...string) profile.Profile {
	k := profile.Kernel{Metrics: map[string]profile.Metric{"dram__bytes_read.sum": {Value: read}, "dram__bytes_write.sum": {Value: write}, "sm__cycles_elapsed.max": {Value: 1e6}, "gpc__cycles_elapsed.max": {Value: 1e6}}}
	for _, name := range more {
		k.Metrics[name] = profile.Metric{Value: 50}
	}
	return profile.Profile{Kernels: []profile.Kernel{k}}
}

const tensorPipe = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"

// TestRoofline: 1e9 flops and 1e8 bytes in 1 ms, under roofs of 2e13 flop/s and 1e12 B/s: memory is the lower one.
func TestRoofline(t *testing.T) {
	c, p := roofed(2e13), dramOf(6e7, 4e7)
	got := Roofline(result.SideHead, c, p)
	want := result.RooflineAt{Side: result.SideHead, Flops: 1e9, DRAMBytes: 1e8, Intensity: 10, FlopRate: 1e12, ByteRate: 1e11, FlopRoof: 2e13, ByteRoof: 1e12, ShareOfRoof: 0.1}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := Roofline(result.SideBase, c, p); got.FlopRate != 0 || got.Intensity != 0 {
		t.Errorf("a side that was not timed: %+v", got)
	}
	// Without a profiler, what the adapter counts.
	got = Roofline(result.SideHead, c, profile.Profile{})
	if got.CountedBytes != 2e8 || got.DRAMBytes != 0 || got.Intensity != 5 || got.ByteRate != 2e11 || got.ShareOfRoof != 0.2 {
		t.Errorf("counted: %+v", got)
	}
	// Without counted work, the profile's own arithmetic: 2 flops to a multiply-add.
	c.Flops = 0
	p.Kernels[0].Metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed"] = profile.Metric{Value: 100}
	if got := Roofline(result.SideHead, c, p); got.Flops != 2e8 {
		t.Errorf("%+v", got)
	}
	if Clock(result.SideHead, c) != 1980 || Clock(result.SideBase, c) != 0 {
		t.Error("clock")
	}
}

// TestRooflineOfTensorCores: 60 times the multiply-adds' rate is no share of their roof. Where the inputs are narrow the roof
// is that of tensor cores; where they are wide, or not known, there is none.
func TestRooflineOfTensorCores(t *testing.T) {
	p := dramOf(6e7, 4e7, tensorPipe)
	fast := func(flopRoof float64) result.Case {
		c := roofed(flopRoof)
		c.Flops, c.Head.ByteRoof = 120e9, 1e15
		return c
	}
	if got := Roofline(result.SideHead, fast(2e14), p).ShareOfRoof; math.Abs(got-0.6) > 1e-9 {
		t.Errorf("%v of the tensor cores' roof", got)
	}
	for name, c := range map[string]result.Case{"inputs of 32 bits": fast(2e13), "inputs that are not known": fast(0)} {
		if got := Roofline(result.SideHead, c, p); got.ShareOfRoof != 0 || got.FlopRate != 120e12 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
