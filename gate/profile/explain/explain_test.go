package explain

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

func recording(t *testing.T, name string) profile.Profile {
	t.Helper()
	stem := filepath.Join("../../../testdata/ncu/recorded", name)
	p, err := profile.ReadFiles(stem+".raw.csv", stem+".details.csv")
	Must(t, err)
	return p
}

func sureOf(ratio float64) Measured {
	l := math.Log(ratio)
	return Measured{Log: l, Low: l - 0.001, High: l + 0.001}
}

// TestTheSeedFault: the same arithmetic in 2 blocks, under another name. The explanation says so unprompted, with its
// figures, and quotes Nsight's own rule.
func TestTheSeedFault(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	e := Explain(Input{Base: good, Head: serial, Measured: sureOf(5.48)})
	if len(e.Causes) != 1 || e.Causes[0].ID != GridTooSmall {
		t.Fatalf("causes %+v", e.Causes)
	}
	c := e.Causes[0]
	facts := strings.Join(c.Facts, "; ")
	for _, want := range []string{"2 blocks on 132 SMs", "1.5 % of the SMs have work", "0.0 full waves", "memory is used at 0.3 %", "compute at 0.5 %"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %q", want, facts)
		}
	}
	if c.Changes[0].Name != "blocks" || *c.Changes[0].Base != 16384 || *c.Changes[0].Head != 2 || c.Remedy == "" {
		t.Errorf("%+v", c.Changes)
	}
	if math.Abs(e.Profiled-math.Log(16.577856/3.02608)) > 0.01 {
		t.Errorf("the profiles differ by %v", e.Profiled)
	}
	found := false
	for _, r := range e.Rules {
		found = found || r.Name == "LaunchConfiguration" && strings.Contains(r.Text, "only 2 blocks")
		if r.Name == "MemoryL2Compression" || r.Name == "FPInstructions" {
			t.Errorf("%s is said of base as well", r.Name)
		}
	}
	if !found {
		t.Errorf("rules %+v", e.Rules)
	}
	// In both units, and in both directions.
	back := Explain(Input{Base: serial, Head: good, Measured: sureOf(1 / 5.48)})
	if len(back.Causes) != 1 || back.Causes[0].ID != GridTooSmall || back.Causes[0].Log > 0 || *back.Causes[0].Changes[0].Head != 16384 {
		t.Errorf("mirrored: %+v", back.Causes)
	}
}

// TestNothingToExplain: nothing sure, nothing large, or one and the same profile names nothing.
func TestNothingToExplain(t *testing.T) {
	good := recording(t, "attn_good")
	for name, in := range map[string]Input{
		"not sure":      {Base: good, Head: recording(t, "attn_serial"), Measured: Measured{Log: 0.5, Low: -0.1, High: 1}},
		"small":         {Base: good, Head: recording(t, "attn_serial"), Measured: sureOf(1.01)},
		"A/A":           {Base: good, Head: good, Measured: sureOf(1.5)},
		"empty":         {Measured: sureOf(2)},
		"empty base":    {Head: good, Measured: sureOf(2)},
		"empty kernels": {Base: profile.Profile{Kernels: make([]profile.Kernel, 1)}, Head: profile.Profile{Kernels: make([]profile.Kernel, 2)}, Measured: sureOf(2)},
	} {
		if e := Explain(in); len(e.Causes) > 0 {
			t.Errorf("%s: %+v", name, e.Causes)
		}
	}
}

// ada has no counter of Hopper's tensor cores alone.
var ada = profile.Version{Major: 8, Minor: 9}

// kernel is a made-up one, of which a test changes what it is about.
func kernel(changes map[string]float64) profile.Kernel {
	k := profile.Kernel{Name: "k", Metrics: map[string]profile.Metric{}}
	for name, v := range map[string]float64{
		"gpc__cycles_elapsed.max": 1e6, "gpc__cycles_elapsed.avg.per_second": 2e9, "sm__cycles_active.avg": 9.8e5, "sm__cycles_elapsed.avg": 1e6,
		"smsp__inst_executed.sum": 1e8, "smsp__thread_inst_executed_per_inst_executed.ratio": 32, "sm__warps_active.avg.per_cycle_active": 60,
		"sm__maximum_warps_avg_per_active_cycle": 64, "smsp__average_warp_latency_per_inst_issued.ratio": 30, "launch__grid_size": 10000,
		"launch__block_size": 256, "launch__waves_per_multiprocessor": 9.4, "launch__sm_count": 132, "launch__grid_dim_x": 10000, "launch__grid_dim_y": 1, "launch__grid_dim_z": 1,
		"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": 28, "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio": 1,
		"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": 1, "lts__t_sectors.sum": 1e7, "dram__bytes_read.sum": 1e8, "dram__bytes_write.sum": 1e8,
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 1e7, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": 32,
		"memory_l2_theoretical_sectors_global": 1e7, "memory_l2_theoretical_sectors_global_ideal": 1e7, "lts__t_sector_hit_rate.pct": 50,
		"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": 50, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 20,
		"launch__occupancy_limit_registers": 8, "launch__occupancy_limit_shared_mem": 8, "launch__occupancy_limit_warps": 8, "launch__occupancy_limit_blocks": 32,
	} {
		k.Metrics[name] = profile.Metric{Value: v}
	}
	for _, name := range Asked(ada) { // a profile has them all, 0 where there is nothing
		if _, ok := k.Metrics[name]; !ok {
			k.Metrics[name] = profile.Metric{}
		}
	}
	for name, v := range changes {
		k.Metrics[name] = profile.Metric{Value: v}
	}
	if _, given := changes["lts__t_sectors_srcunit_tex.sum"]; !given { // all that L2 is asked for comes from L1
		k.Metrics["lts__t_sectors_srcunit_tex.sum"] = k.Metrics["lts__t_sectors.sum"]
	}
	return k
}

const stalled = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"

func stall(reason string) string { return strings.Replace(stalled, "%s", reason, 1) }

// TestCauses changes one thing about a kernel at a time, in the way that it shows in counters.
func TestCauses(t *testing.T) {
	latency := "smsp__average_warp_latency_per_inst_issued.ratio"
	loads, shared := "smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_shared.sum"
	fronts, ideal := "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"
	for _, c := range []struct {
		want       result.CauseID
		ratio      float64
		base, head map[string]float64
	}{
		{MemoryLatency, 2, nil, map[string]float64{latency: 60, stall("long_scoreboard"): 58}},
		{LGStall, 2, nil, map[string]float64{latency: 60, stall("lg_throttle"): 30}},
		{BarrierStall, 2, nil, map[string]float64{latency: 60, stall("barrier"): 30}},
		{ShortScoreboard, 2, nil, map[string]float64{latency: 60, stall("short_scoreboard"): 30}},
		{MIOStall, 2, nil, map[string]float64{latency: 60, stall("mio_throttle"): 30}},
		{MathPipe, 2, nil, map[string]float64{latency: 60, stall("math_pipe_throttle"): 30}},
		{L1HitRate, 2, nil, map[string]float64{latency: 60, stall("long_scoreboard"): 58, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": 5, "lts__t_sectors.sum": 1.9e7}},
		{L2HitRate, 2, nil, map[string]float64{latency: 60, stall("long_scoreboard"): 58, "lts__t_sector_hit_rate.pct": 2, "dram__bytes_read.sum": 2.9e8}},
		{Uncoalesced, 2, nil, map[string]float64{latency: 60, stall("long_scoreboard"): 58, "memory_l2_theoretical_sectors_global": 8e7}},
		{DRAMTraffic, 2, nil, map[string]float64{"dram__bytes_read.sum": 3e8, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 80, latency: 60, stall("long_scoreboard"): 58, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2e7, "lts__t_sectors.sum": 2e7}},
		{MemoryRoof, 2, nil, map[string]float64{"lts__t_sectors.sum": 2e7, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2e7, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 85, latency: 60, stall("long_scoreboard"): 58}},
		{Atomics, 2, nil, map[string]float64{latency: 60, stall("long_scoreboard"): 58, "lts__t_sectors_srcunit_tex_op_red.sum": 9e6, "memory_l2_theoretical_sectors_global": 4e7}},
		{MoreInstructions, 2, nil, map[string]float64{"smsp__inst_executed.sum": 2e8}},
		{Divergence, 2, nil, map[string]float64{"smsp__inst_executed.sum": 2e8, "smsp__thread_inst_executed_per_inst_executed.ratio": 16}},
		{NarrowAccess, 2, map[string]float64{loads: 8e5}, map[string]float64{loads: 3.2e6, latency: 60, stall("long_scoreboard"): 58}},
		{NarrowAccess, 2, map[string]float64{loads: 8e5}, map[string]float64{loads: 6.4e6, "smsp__inst_executed.sum": 1.8e8, latency: 33, stall("lg_throttle"): 3}},
		{NarrowAccess, 2, map[string]float64{fronts: 1e7, ideal: 1e7, shared: 5e6}, map[string]float64{fronts: 1e7, ideal: 1e7, shared: 2e7, latency: 60, stall("mio_throttle"): 30}},
		{SharedTraffic, 2, map[string]float64{fronts: 1e7, ideal: 1e7, shared: 1e7}, map[string]float64{fronts: 8e7, ideal: 8e7, shared: 8e7, latency: 60, stall("mio_throttle"): 30}},
		{SharedTraffic, 2, map[string]float64{fronts: 1e7, ideal: 1e7, shared: 1e7}, map[string]float64{fronts: 8e7, ideal: 8e7, shared: 8e7, "smsp__inst_executed.sum": 2e8}},
		{Atomics, 2, map[string]float64{fronts: 1e7, ideal: 1e7}, map[string]float64{fronts: 6e7, ideal: 3e7, "smsp__inst_executed_op_shared_atom.sum": 4e7, latency: 60, stall("short_scoreboard"): 30}},
		{L1Traffic, 2, nil, map[string]float64{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 1.6e8, "memory_l2_theoretical_sectors_global": 1.6e8, "memory_l2_theoretical_sectors_global_ideal": 1.6e8, latency: 60, stall("long_scoreboard"): 58}},
		{AsyncCopyLost, 2, map[string]float64{"smsp__inst_executed_op_ldgsts.sum": 1e6, loads: 1e3}, map[string]float64{loads: 1e6, latency: 60, stall("long_scoreboard"): 58}},
		{InstructionCache, 2, nil, map[string]float64{latency: 60, stall("no_instruction"): 30}},
		{ConstantCache, 2, nil, map[string]float64{latency: 60, stall("imc_miss"): 30}},
		{DependencyStall, 2, nil, map[string]float64{latency: 60, stall("wait"): 31}},
		{DispatchStall, 2, nil, map[string]float64{latency: 60, stall("dispatch_stall"): 30}},
		{FenceStall, 2, nil, map[string]float64{latency: 60, stall("membar"): 30}},
		{MathPipe, 2, nil, map[string]float64{"smsp__inst_executed.sum": 2e8, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed": 20}},
		{TensorUnused, 2, map[string]float64{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed": 40}, map[string]float64{"smsp__inst_executed.sum": 2e8}},
		{RegisterSpills, 2, nil, map[string]float64{"smsp__inst_executed.sum": 2e8, "smsp__sass_inst_executed_op_local_ld.sum": 4e7, "smsp__sass_inst_executed_op_local_st.sum": 2e7}},
		{BankConflicts, 2, map[string]float64{"memory_l1_wavefronts_shared": 1e7, "memory_l1_wavefronts_shared_ideal": 1e7, "smsp__sass_inst_executed_op_shared.sum": 1e7},
			map[string]float64{"memory_l1_wavefronts_shared": 8e7, "memory_l1_wavefronts_shared_ideal": 1e7, "smsp__sass_inst_executed_op_shared.sum": 1e7, latency: 60, stall("short_scoreboard"): 30}},
		{OccupancyRegisters, 2, nil, map[string]float64{"sm__warps_active.avg.per_cycle_active": 30, "sm__maximum_warps_avg_per_active_cycle": 32, "launch__occupancy_limit_registers": 4}},
		{OccupancyShared, 2, nil, map[string]float64{"sm__warps_active.avg.per_cycle_active": 30, "sm__maximum_warps_avg_per_active_cycle": 32, "launch__occupancy_limit_shared_mem": 4}},
		{OccupancyBlockSize, 2, nil, map[string]float64{"sm__warps_active.avg.per_cycle_active": 30, "sm__maximum_warps_avg_per_active_cycle": 32, "launch__occupancy_limit_blocks": 4}},
		{TailEffect, 2, nil, map[string]float64{"sm__cycles_active.avg": 5e5, "sm__cycles_elapsed.avg": 1e6, "launch__waves_per_multiprocessor": 1.05, "launch__grid_size": 1110}},
		{GridTooSmall, 2, nil, map[string]float64{"sm__cycles_active.avg": 4.9e5, "launch__waves_per_multiprocessor": 0.06, "launch__grid_size": 66, "launch__grid_dim_x": 66}},
		{SerialisedBatch, 2, map[string]float64{"launch__grid_dim_x": 1000, "launch__grid_dim_y": 10}, map[string]float64{"sm__cycles_active.avg": 4.9e5, "launch__waves_per_multiprocessor": 0.9, "launch__grid_size": 1000, "launch__grid_dim_x": 1000, "launch__grid_dim_y": 1}},
	} {
		head := map[string]float64{"gpc__cycles_elapsed.max": c.ratio * 1e6}
		for name, v := range c.head {
			head[name] = v
		}
		in := Input{Base: made(c.base), Head: made(head), Measured: sureOf(c.ratio)}
		e := Explain(in)
		if len(e.Causes) != 1 || e.Causes[0].ID != c.want {
			t.Errorf("%s: %+v, rest %+v", c.want, e.Causes, e.Rest)
			continue
		}
		shown := map[string]bool{}
		for _, change := range e.Causes[0].Changes {
			if shown[change.Name] {
				t.Errorf("%s: shows %q twice", c.want, change.Name)
			}
			shown[change.Name] = true
		}
		if got := e.Causes[0]; got.Title == "" || got.Remedy == "" || len(got.Changes) == 0 || math.Abs(got.Share-1) > 0.2 || !slices.Contains(All(), got.ID) {
			t.Errorf("%s: %+v", c.want, got)
		}
	}
}

// TestRulesOfTheirOwnKernel: a rule is quoted where Nsight estimates much more of it on head's kernel than on the kernel of
// base that it is paired with, whatever it says of other kernels.
func TestRulesOfTheirOwnKernel(t *testing.T) {
	with := func(ids ...int) []profile.Kernel {
		var out []profile.Kernel
		for _, id := range ids {
			k := kernel(nil)
			k.ID = id
			out = append(out, k)
		}
		return out
	}
	rule := func(kernel int, name string, speedup float64) profile.Rule {
		return profile.Rule{Kernel: kernel, Name: name, Type: profile.RuleOptimize, Speedup: speedup}
	}
	for name, c := range map[string]struct {
		base, head []profile.Rule
		want       string
	}{
		"as before":        {[]profile.Rule{rule(0, "a", 0.30)}, []profile.Rule{rule(5, "a", 0.33)}, ""},
		"much more":        {[]profile.Rule{rule(0, "a", 0.03)}, []profile.Rule{rule(5, "a", 0.60)}, "a"},
		"little of little": {[]profile.Rule{rule(0, "a", 0.01)}, []profile.Rule{rule(5, "a", 0.04)}, ""},
		"less":             {[]profile.Rule{rule(0, "a", 0.60)}, []profile.Rule{rule(5, "a", 0.03)}, ""},
		"another kernel's": {[]profile.Rule{rule(0, "a", 0.60)}, []profile.Rule{rule(6, "a", 0.60)}, "a"},
		"the largest":      {[]profile.Rule{rule(0, "a", 0.03), rule(0, "a", 0.6)}, []profile.Rule{rule(5, "a", 0.60)}, ""},
		"no estimate":      {[]profile.Rule{rule(0, "a", 0)}, []profile.Rule{rule(5, "a", 0), rule(5, "b", 0)}, "b"},
		"of no kernel":     {[]profile.Rule{rule(77, "a", 0.3)}, []profile.Rule{rule(78, "a", 0.3), rule(78, "b", 0.3)}, "b"},
	} {
		e := Explain(Input{Base: profile.Profile{Kernels: with(0, 1), Rules: c.base}, Head: profile.Profile{Kernels: with(5, 6), Rules: c.head}, Measured: sureOf(2)})
		got := ""
		for _, r := range e.Rules {
			got += r.Name
		}
		if got != c.want {
			t.Errorf("%s: %q is quoted, want %q", name, got, c.want)
		}
	}
}

// TestMissingMetrics takes one metric after the other away from a clear case: there may be no cause then, but never another
// one, and nothing that is no number.
func TestMissingMetrics(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	for _, name := range Reads() {
		saved := []profile.Metric{good.Kernels[0].Metrics[name], serial.Kernels[0].Metrics[name]}
		_, had := good.Kernels[0].Metrics[name]
		if !had {
			continue
		}
		delete(good.Kernels[0].Metrics, name)
		for _, where := range []string{"base", "either"} {
			if where == "either" {
				delete(serial.Kernels[0].Metrics, name)
			}
			e := Explain(Input{Base: good, Head: serial, Measured: sureOf(5.48)})
			for _, c := range e.Causes {
				if c.ID != GridTooSmall || math.IsNaN(c.Log) || strings.Contains(strings.Join(c.Facts, ""), "NaN") {
					t.Errorf("without %s in %s: %+v", name, where, c)
				}
			}
		}
		good.Kernels[0].Metrics[name], serial.Kernels[0].Metrics[name] = saved[0], saved[1]
	}
}

// TestSumIsExact: without a saturated unit all causes together are the change of cycles.
func TestSumIsExact(t *testing.T) {
	latency := "smsp__average_warp_latency_per_inst_issued.ratio"
	head := kernel(map[string]float64{"gpc__cycles_elapsed.max": 1e6 * 1.3 * 2 * 1.5, "smsp__inst_executed.sum": 1.3e8, "sm__warps_active.avg.per_cycle_active": 30, "sm__maximum_warps_avg_per_active_cycle": 32, latency: 45, stall("barrier"): 15})
	e := Explain(Input{Base: made(nil), Head: profile.Profile{Kernels: []profile.Kernel{head}}, Measured: sureOf(3.9)})
	sum := 0.0
	for _, c := range append(e.Causes, e.Rest...) {
		sum += c.Log
	}
	if math.Abs(sum-math.Log(3.9)) > 1e-6 || math.Abs(e.Profiled-math.Log(3.9)) > 1e-6 {
		t.Errorf("%v of %v: %+v %+v", sum, math.Log(3.9), e.Causes, e.Rest)
	}
}

func counted(instructions float64) profile.Counted {
	return profile.Counted{Instructions: instructions}
}

func TestInstructions(t *testing.T) {
	if e := Instructions(sureOf(2), counted(1e6), counted(2.05e6)); len(e.Causes) != 1 || e.Causes[0].ID != MoreInstructions || e.Causes[0].Share < 1 {
		t.Errorf("%+v", e)
	}
	if e := Instructions(sureOf(0.5), counted(2e6), counted(1e6)); len(e.Causes) != 1 || math.Abs(e.Causes[0].Share-1) > 1e-9 {
		t.Errorf("%+v", e)
	}
	for _, head := range []float64{1e6, 1.1e6, 5e5, 0} {
		if e := Instructions(sureOf(2), counted(1e6), counted(head)); len(e.Causes) > 0 {
			t.Errorf("%v instructions of 1e6: %+v", head, e.Causes)
		}
	}
	if e := Instructions(Measured{0.5, -0.1, 1}, counted(1), counted(2)); len(e.Causes) > 0 || e.Nothing == "" {
		t.Errorf("%+v", e)
	}
}

// TestEveryCauseIsWorded: what can be named has a title and a remedy.
func TestEveryCauseIsWorded(t *testing.T) {
	source, err := os.ReadFile("causes.go")
	Must(t, err)
	declared := regexp.MustCompile(`(?m)^\t[A-Z]\w+ +result\.CauseID = "(.*)"`).FindAllStringSubmatch(string(source), -1)
	for _, id := range declared {
		if w := wordings[result.CauseID(id[1])]; w.title == "" || w.remedy == "" {
			t.Errorf("%s: %+v", id[1], w)
		}
	}
	if len(declared) != len(wordings) || len(declared) < 20 {
		t.Errorf("%d causes are declared, and %d have words", len(declared), len(wordings))
	}
}

// TestDocumented: the page for users has every cause.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/evidence.md")
	Must(t, err)
	for id := range wordings {
		if !strings.Contains(string(text), "`"+string(id)+"`") {
			t.Errorf("docs/evidence.md does not have %s", id)
		}
	}
}
