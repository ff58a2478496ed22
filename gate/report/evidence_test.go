package report

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
)

func value(x float64) *float64 { return &x }

// evidenceSample is a regression whose worst case was profiled, beside one that could not be, and one that is unexplained.
func evidenceSample(t testing.TB) *result.Result {
	r := gpuSample(t)
	r.Evidence = &result.Evidence{
		Policy: result.ProfileAuto, Profiler: "Nsight Compute 2025.3.1.0", Seconds: 21.4,
		Gaps: []result.Gap{{
			Case: r.Cases[len(r.Cases)-1].Name, Side: result.SideHead, Kind: "permission",
			Text:    "the driver lets only administrators read performance counters",
			Message: "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.",
			Cure:    "on the host, set NVreg_RestrictProfilingToAdminUsers=0 and reboot",
		}},
		Kernels: []result.StaticEvidence{{Kernel: r.Cases[0].Kernel, Functions: []result.FunctionPair{{
			Function: "_ZN3foo5naiveEv",
			Base:     &result.FunctionCode{Registers: 40, Threads: 256, Occupancy: 0.75, Limiter: "registers", Instructions: []result.InstructionCount{{Class: "load 128 bit", Count: 8}}},
			Head:     &result.FunctionCode{Registers: 64, SpillBytes: 32, Threads: 256, Occupancy: 0.5, Limiter: "registers", Instructions: []result.InstructionCount{{Class: "load 32 bit", Count: 32}}},
		}}}},
		Scaling: []result.Scaling{{Kernel: r.Cases[0].Kernel, Param: "B", From: "k/B=1", To: "k/B=16", Work: 16, Base: 8, Head: 17,
			Text: "16 times the work along B takes 17.0 times as long on head and 8.0 times on base: head does not parallelise over B"}},
	}
	worst := 0
	for i, c := range r.Cases {
		if c.Name == sorted(r.Cases)[0].Name {
			worst = i
		}
	}
	r.Cases[0], r.Cases[worst] = r.Cases[worst], r.Cases[0]
	r.Cases[0].Evidence = gridEvidence()
	return r
}

func gridEvidence() *result.CaseEvidence {
	return &result.CaseEvidence{
		Source: "Nsight Compute 2025.3.1.0", Log: math.Log(5.5), Profiled: math.Log(5.4),
		Causes: []result.Cause{{
			ID: "grid-too-small", Title: "the grid is too small to fill the GPU", Remedy: "launch more blocks", Log: math.Log(5.4), Share: 0.99,
			Facts: []string{"2 blocks on 132 SMs: 1.5 % of the SMs have work, 0.0 full waves"},
			Changes: []result.Change{
				{Name: "blocks", Metric: "launch__grid_size", Base: value(16384), Head: value(2)},
				{Name: "SMs busy, of the time", Metric: "sm__cycles_active.avg", Unit: "%", Base: value(0.994), Head: value(0.015)},
				{Name: "SM clock", Unit: "hz", Base: value(1.98e9), Head: nil},
			},
		}},
		Launches: []result.LaunchPair{
			{Base: &result.Launch{Kernel: "naive(float*)", Grid: "(16384, 1, 1)", Block: "(256, 1, 1)"}, Head: &result.Launch{Kernel: "naive(float*)", Grid: "(2, 1, 1)", Block: "(256, 1, 1)"}},
			{Head: &result.Launch{Kernel: "extra(float*)", Grid: "(1, 1, 1)", Block: "(32, 1, 1)"}},
		},
		Advice: []result.Advice{
			{Rule: "LaunchConfiguration", Text: "The grid for this launch is configured to execute only 2 blocks.", Speedup: 0.9848, SpeedupType: "global"},
			{Rule: "AchievedOccupancy", Text: "The difference between calculated theoretical (25.0%) and measured achieved occupancy (6.2%) can be the result of warp scheduling overheads or workload imbalances during the kernel execution. See the CUDA Best Practices Guide (https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#occupancy) for more details on optimizing occupancy.", Speedup: 0.6704, SpeedupType: "global"},
		},
		Roofline: []result.RooflineAt{{Side: "head", Flops: 1e9, DRAMBytes: 1e7, Intensity: 100, FlopRate: 2e11, ByteRate: 2e9, FlopRoof: 5e13, ByteRoof: 4e12, ShareOfRoof: 0.004}},
		Reports:  []string{"profiles/1-base.ncu-rep", "profiles/1-head.ncu-rep"}, Missing: []string{"lts__t_sectors.sum"}, Notes: []string{"a note"},
	}
}

// TestSpeedupIsNoMoreThanMeasured explains the recordings in the direction of the fix, at ratios that the cause alone exceeds
// by far: what was fixed is never credited with more than what was gained.
func TestSpeedupIsNoMoreThanMeasured(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	for _, ratio := range []float64{0.1825, 0.5, 0.9} {
		log := math.Log(ratio)
		e := explain.Record(explain.Explain(explain.Input{Base: serial, Head: good, Measured: explain.Measured{Log: log, Low: log - 0.01, High: log + 0.01}}), "Nsight Compute")
		if len(e.Causes) == 0 {
			t.Fatalf("%v: nothing is named", ratio)
		}
		for _, row := range evidenceTable(result.Case{Name: "k", Evidence: e}).Rows {
			text := row.Cells["cause"].Text
			if text == "" {
				continue
			}
			_, figure, _ := strings.Cut(text, ", ")
			speedup, err := strconv.ParseFloat(strings.TrimSuffix(figure, "x"), 64)
			if err != nil || speedup > 1/ratio+0.006 || speedup < 1 {
				t.Errorf("%v: %q, measured %.2fx", ratio, text, 1/ratio)
			}
		}
	}
}

func recording(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.ReadFiles(filepath.Join("../../testdata/ncu/recorded", name+".raw.csv"), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0.015, "%", "1.5 %"}, {16384, "", "16 384"}, {1.98e9, "hz", "1.98 GHz"}, {5.036e7, "byte", "50.4 MB"}, {2730491904, "inst", "2.73 G"},
		{17408, "byte/block", "17.4 kB"}, {15.52, "", "15.5"}, {0, "", "0"},
	} {
		if got := quantity(&c.x, c.unit); got != c.want {
			t.Errorf("%v %s is %q, want %q", c.x, c.unit, got, c.want)
		}
	}
	if got := quantity(nil, "%"); got != blank {
		t.Errorf("nothing is %q", got)
	}
}
