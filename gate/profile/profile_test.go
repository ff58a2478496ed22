package profile

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/profile/ncu"
	"github.com/org/perfgate/gate/result"
)

func compareTo(ratio float64, v gate.Verdict) result.Case {
	return result.Case{Verdict: v, Compared: &gate.Comparison{Theta: math.Log(ratio)}}
}

func TestChoose(t *testing.T) {
	cases := []result.Case{
		compareTo(1.02, gate.Slower),        // 0: sure, and under the threshold
		compareTo(1.5, gate.Regression),     // 1
		compareTo(3, gate.Inconclusive),     // 2: large, and not sure
		compareTo(0.2, gate.Improvement),    // 3
		compareTo(2.5, gate.Regression),     // 4
		{Verdict: gate.Error},               // 5: not compared at all
		compareTo(0.95, gate.Faster),        // 6: under the threshold
		compareTo(1.04, gate.Slower),        // 7
		compareTo(1/1.12, gate.Improvement), // 8
	}
	s := config.ProfileSettings{Regression: 0.03, Improvement: 0.10, Cases: 10}
	for policy, want := range map[string][]int{
		result.ProfileAuto: {4, 1, 7, 3, 8}, result.ProfileNever: nil, result.ProfileAlways: {4, 1, 7, 0, 3, 2, 8, 6},
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
	all := Scaling([]result.Case{batch("2", 1e6, 100, 100), batch("32", 16e6, 800, 1700)})
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
	all = Scaling([]result.Case{batch("32", 16e6, 1700, 800), batch("2", 1e6, 100, 100)})
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
		for _, s := range Scaling(cases) {
			if s.Text != "" {
				t.Errorf("%s: %s", name, s.Text)
			}
		}
	}
	if got := Scaling([]result.Case{{Kernel: "a"}, {Kernel: "a"}, {}}); len(got) != 0 {
		t.Errorf("%+v", got)
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
func TestRecord(t *testing.T) {
	long := strings.Repeat("x", 10*mostText)
	e := explain.Explanation{
		Measured: explain.Measured{Log: 0.5}, Profiled: math.NaN(),
		Causes: []explain.Cause{{ID: explain.GridTooSmall, Log: math.Inf(1), Share: math.NaN(), Changes: []explain.Change{{Name: "a", Base: math.NaN(), Head: 2}}}},
		Pairs:  []explain.Pair{{Head: &ncu.Kernel{Name: long, Grid: "(1, 1, 1)"}}},
	}
	for range 50 {
		e.Rules = append(e.Rules, ncu.Rule{Name: "r", Text: long, Speedup: math.NaN()})
		e.Rest = append(e.Rest, explain.Cause{ID: "other"})
	}
	got := Record(e, "Nsight Compute")
	if c := got.Causes[0].Changes[0]; c.Base != nil || c.Head == nil || *c.Head != 2 {
		t.Errorf("%+v", c)
	}
	if len(got.Advice) != mostAdvice || len(got.Advice[0].Text) > mostText+3 || len(got.Others) != mostOthers || len(got.Launches[0].Head.Kernel) > mostText+3 || got.Launches[0].Base != nil {
		t.Errorf("%d rules, %d others", len(got.Advice), len(got.Others))
	}
	r := &result.Result{
		Schema: result.Schema, Conclusion: gate.Conclusion{Verdict: gate.RunPassed}, Base: result.Side{Kind: result.KindDirectory}, Head: result.Side{Kind: result.KindDirectory},
		Cases: []result.Case{{Name: "k", Verdict: gate.Same, Evidence: got}},
	}
	if err := result.Check(r); err != nil {
		t.Error(err)
	}
}

// TestRoofline: 1e9 flops and 1e8 bytes in 1 ms, under roofs of 2e13 flop/s and 1e12 B/s: memory is the lower one.
func TestRoofline(t *testing.T) {
	c := result.Case{Flops: 1e9, Head: &result.Summary{MedianNS: 1e6}}
	for range 3 {
		c.Processes = append(c.Processes, result.Process{Side: result.SideHead, ComputeFlops: 2e10, ComputeNS: 1e6, MemoryBytes: 1e9, MemoryNS: 1e6, ClockMHz: 1980})
	}
	p := ncu.Profile{Kernels: []ncu.Kernel{{Metrics: map[string]ncu.Metric{"dram__bytes_read.sum": {Value: 6e7}, "dram__bytes_write.sum": {Value: 4e7}}}}}
	got := Roofline(result.SideHead, c, p)
	want := result.RooflineAt{Side: result.SideHead, Flops: 1e9, DRAMBytes: 1e8, Intensity: 10, FlopRate: 1e12, ByteRate: 1e11, FlopRoof: 2e13, ByteRoof: 1e12, ShareOfRoof: 0.1}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := Roofline(result.SideBase, c, p); got.FlopRate != 0 || got.Intensity != 0 {
		t.Errorf("a side that was not timed: %+v", got)
	}
	// Without counted work, the profile's own arithmetic: 2 flops to a multiply-add.
	c.Flops = 0
	p.Kernels[0].Metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed"] = ncu.Metric{Value: 100}
	p.Kernels[0].Metrics["sm__cycles_elapsed.max"] = ncu.Metric{Value: 1e6}
	if got := Roofline(result.SideHead, c, p); got.Flops != 2e8 {
		t.Errorf("%+v", got)
	}
	if Clock(result.SideHead, c) != 1980 || Clock(result.SideBase, c) != 0 {
		t.Error("clock")
	}
}
