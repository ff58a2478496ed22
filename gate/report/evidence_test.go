package report

import (
	"fmt"
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

// TestEvidenceSaysWhy reads the report of a profiled regression: cause first, then figures, remedy and Nsight's words.
func TestEvidenceSaysWhy(t *testing.T) {
	terminal, markdown := rendered(t, New(evidenceSample(t)))
	for name, text := range map[string]string{"terminal": terminal, "Markdown": markdown} {
		flat := strings.Join(strings.Fields(strings.ReplaceAll(text, "\u00a0", " ")), " ")
		at := 0
		for _, want := range []string{
			"is slower because", "the grid is too small to fill the GPU", "(explains all of it)", "grid-too-small", "1.5 % of the SMs", "what helps: launch more blocks",
			"1 on base, 2 on head", "98 %, global", "no profile", "only administrators", "ERR_NVGPUCTRPERM", "registers 40 → 64", "occupancy 75 % → 50 %, limited by registers (static shared memory only)", "does not parallelise over B",
		} {
			i := strings.Index(strings.ReplaceAll(strings.ReplaceAll(flat[at:], "**", ""), "`", ""), want)
			if i < 0 {
				t.Fatalf("%s: no %q, or too early:\n%s", name, want, text)
			}
		}
	}
}

// TestEvidenceOfImprovement shows what was fixed as a speedup.
func TestEvidenceOfImprovement(t *testing.T) {
	r := evidenceSample(t)
	e := r.Cases[0].Evidence
	e.Log, e.Profiled, e.Causes[0].Log = -e.Log, -e.Profiled, -math.Log(5)
	terminal, _ := rendered(t, New(r))
	for _, want := range []string{"was slower before because", "fix, speedup", "grid-too-small, 5.00x"} {
		if !strings.Contains(terminal, want) {
			t.Errorf("no %q in\n%s", want, terminal)
		}
	}
	if strings.Contains(terminal, "what helps") {
		t.Error("advice on what was fixed already")
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

// TestShareIsWorded: a cause that predicts three times the change explains all of it; no figure says 302 %.
func TestShareIsWorded(t *testing.T) {
	r := evidenceSample(t)
	e := r.Cases[0].Evidence
	e.Causes[0].Share, e.Causes[0].Log = 3.02, 3.02*e.Log
	terminal, markdown := rendered(t, New(r))
	for _, text := range []string{terminal, markdown} {
		flat := strings.Join(strings.Fields(strings.ReplaceAll(text, "\u00a0", " ")), " ")
		if strings.Contains(flat, "302") || !strings.Contains(flat, "all of it, and more") || !strings.Contains(flat, "over 100 %") {
			t.Errorf("the share reads\n%s", text)
		}
	}
}

// TestStaticFactsKeepGrowth: however many functions changed, growth is said, and a gap that is about code does not speak of
// profiles.
func TestStaticFactsKeepGrowth(t *testing.T) {
	r := evidenceSample(t)
	f := r.Evidence.Kernels[0].Functions
	r.Evidence.Kernels[0].Functions = append(append(append(f, f...), f...), f...)
	r.Evidence.Kernels[0].Functions = append(r.Evidence.Kernels[0].Functions, f...)
	facts := staticFacts(r)
	if len(facts) != mostFunctions+1 || !strings.Contains(fmt.Sprint(facts[mostFunctions]), "does not parallelise over B") {
		t.Errorf("%d facts: %v", len(facts), facts)
	}
	if text := fmt.Sprint(gap(result.Gap{Kind: result.GapNoDisassembly, Text: "cuobjdump is not here", Cure: "install it"})); strings.Contains(text, "no profile") {
		t.Error(text)
	}
}

// TestOccupancyOf: what a figure leaves out is said beside it, and nothing that limits nothing.
func TestOccupancyOf(t *testing.T) {
	known := int64(4096)
	for want, f := range map[string]result.FunctionPair{
		", limited by shared-memory":   {Base: &result.FunctionCode{Threads: 128, DynamicSharedBytes: &known}, Head: &result.FunctionCode{Threads: 128, DynamicSharedBytes: &known, Limiter: "shared-memory"}},
		" (static shared memory only)": {Base: &result.FunctionCode{Threads: 128, DynamicSharedBytes: &known}, Head: &result.FunctionCode{Threads: 128}},
		" (block size not known)":      {Base: &result.FunctionCode{}, Head: &result.FunctionCode{Threads: 128, DynamicSharedBytes: &known}},
	} {
		if got := occupancyOf(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUnexplainedSaysSo never lets a case without a cause look explained, and gives the largest of what was looked at, unless the
// profiles do not show the change themselves.
func TestUnexplainedSaysSo(t *testing.T) {
	r := evidenceSample(t)
	e := r.Cases[0].Evidence
	e.Others, e.Causes = e.Causes, nil
	e.Others[0].Share = 0.3
	for _, e.Profiled = range []float64{e.Log, 0.1} {
		terminal, markdown := rendered(t, New(r))
		for _, text := range []string{terminal, strings.ReplaceAll(strings.ReplaceAll(markdown, "\u00a0", " "), "`", "")} {
			if !strings.Contains(text, "unexplained") || strings.Contains(text, "because") {
				t.Errorf("not unexplained:\n%s", text)
			}
			if isShown := e.Profiled == e.Log; strings.Contains(text, "grid-too-small, 30 %") != isShown || strings.Contains(text, "the two profiles differ by") == isShown {
				t.Errorf("profiles at %v of %v:\n%s", e.Profiled, e.Log, text)
			}
		}
	}
}

// TestUnexplainedOnACPU: what is said there is of instructions, and of no profiler.
func TestUnexplainedOnACPU(t *testing.T) {
	r := evidenceSample(t)
	e := r.Cases[0].Evidence
	e.Source, e.Causes, e.Launches, e.Profiled = "valgrind", nil, nil, 0.05
	terminal, _ := rendered(t, New(r))
	text := strings.Join(strings.Fields(terminal), " ")
	if !strings.Contains(text, "unexplained") || !strings.Contains(text, "a launch executes +5.1 % instructions") || strings.Contains(text, "the two profiles") {
		t.Errorf("%s", text)
	}
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
