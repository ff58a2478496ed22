package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// What the tests of this file change about a kernel.
const (
	inCycles    = "gpc__cycles_elapsed.max"
	inInst      = "smsp__inst_executed.sum"
	inLatency   = "smsp__average_warp_latency_per_inst_issued.ratio"
	inWarps     = "sm__warps_active.avg.per_cycle_active"
	inFit       = "sm__maximum_warps_avg_per_active_cycle"
	inLocal     = "smsp__sass_inst_executed_op_local_ld.sum"
	inLoads     = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
	inL1Hits    = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"
	inL2Hits    = "lts__t_sector_hit_rate.pct"
	inTouched   = "memory_l2_theoretical_sectors_global"
	inIdeal     = "memory_l2_theoretical_sectors_global_ideal"
	inFronts    = "memory_l1_wavefronts_shared"
	inBestFront = "memory_l1_wavefronts_shared_ideal"
	inL1Peak    = "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"
	inRed       = "lts__t_sectors_srcunit_tex_op_red.sum"
	inSliceMost = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed"
	inSliceMean = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed"
	inRegisters = "launch__registers_per_thread"
	inShared    = "launch__shared_mem_per_block"
	inBlock     = "launch__block_size"
	inGrid      = "launch__grid_size"
	inWaves     = "launch__waves_per_multiprocessor"
	inBusy      = "sm__cycles_active.avg"
	inTensor    = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
)

type counters = map[string]float64

// TestWhatOnlyLooksLikeACause: ratios that are worse because the good accesses went away, waits that fewer instructions share,
// resources that did not change, and a few of one thing beside much of another.
func TestWhatOnlyLooksLikeACause(t *testing.T) {
	waits := stall("long_scoreboard")
	for name, c := range map[string]struct {
		base, head counters
		ratio      float64
		want       result.CauseID // "" for unexplained
	}{
		"1.5 % of instructions are spills": {nil, counters{inCycles: 2e6, inInst: 2e8, inLocal: 3e6}, 2, MoreInstructions},
		"bank conflicts beside some spills": {counters{inL1Peak: 30, inFronts: 1e7, inBestFront: 1e7},
			counters{inL1Peak: 90, inCycles: 2.67e6, inFronts: 8e7, inBestFront: 1e7, inLocal: 1.5e6, inLatency: 80, stall("mio_throttle"): 50}, 2.67, BankConflicts},
		"conflicts where there was no shared memory": {counters{inFronts: 0, inBestFront: 0},
			counters{inCycles: 2e6, inLatency: 60, stall("short_scoreboard"): 30, inFronts: 8e7, inBestFront: 1e7}, 2, BankConflicts},
		"conflicts of next to no accesses": {counters{inFronts: 6e5, inBestFront: 6e5},
			counters{inCycles: 2e6, inLatency: 60, stall("short_scoreboard"): 30, inFronts: 9e5, inBestFront: 6e5}, 2, ShortScoreboard},
		"waits that fewer instructions share, and half the warps": {nil,
			counters{inCycles: 2e6, inInst: 4e7, inLatency: 75, waits: 72, inWarps: 30, inFit: 32, "launch__occupancy_limit_registers": 4}, 2, OccupancyRegisters},
		"waits that fewer instructions share, and barriers": {counters{waits: 20, stall("wait"): 9},
			counters{inCycles: 1.3e6, inInst: 5e7, inLatency: 78, waits: 40, stall("wait"): 5, stall("barrier"): 32}, 1.3, BarrierStall},
		"L1 hits went away with what hit":      {counters{inL1Hits: 75, inLoads: 4e7}, counters{inCycles: 2e6, inLatency: 60, waits: 58, inL1Hits: 0}, 2, MemoryLatency},
		"L2 hits went away with what hit":      {counters{inL2Hits: 80, "lts__t_sectors.sum": 4e7}, counters{inCycles: 2e6, inLatency: 60, waits: 58, inL2Hits: 20, "lts__t_sectors.sum": 1e7}, 2, MemoryLatency},
		"coalesced accesses went away":         {nil, counters{inCycles: 2e6, inLatency: 60, waits: 58, inTouched: 2e6, inIdeal: 5e5, inLoads: 2e6}, 2, MemoryLatency},
		"eight times the sectors":              {counters{inL1Hits: 99.5}, counters{inCycles: 2e6, inLatency: 60, waits: 58, inL1Hits: 85, inTouched: 8e7, inLoads: 8e7}, 2, Uncoalesced},
		"larger blocks, the same registers":    {counters{inWarps: 45, inFit: 48, inRegisters: 40}, counters{inCycles: 1.5e6, inWarps: 30, inFit: 32, inRegisters: 40, inBlock: 1024, inGrid: 2500, "launch__occupancy_limit_registers": 1}, 1.5, OccupancyBlockSize},
		"smaller blocks, the same memory":      {counters{inWarps: 30, inFit: 32, inShared: 49152}, counters{inCycles: 2e6, inWarps: 15, inFit: 16, inShared: 49152, inBlock: 128, inGrid: 20000, inWaves: 18.8, "launch__occupancy_limit_shared_mem": 4}, 2, OccupancyBlockSize},
		"half the warps, SMs as busy":          {nil, counters{inCycles: 2e6, inWarps: 30}, 2, ""},
		"half of a hundred waves":              {counters{inWaves: 100, inGrid: 100000}, counters{inCycles: 2e6, inWarps: 30, inWaves: 50, inGrid: 50000}, 2, ""},
		"blocks of more work, on half the SMs": {counters{inGrid: 264, inWaves: 1}, counters{inCycles: 2e6, inGrid: 66, inBlock: 1024, inWaves: 1, inBusy: 4.9e5}, 2, GridTooSmall},
		"noise of tensor cores":                {counters{inTensor: 1.5}, counters{inTensor: 0.3, inCycles: 2e6, inInst: 2e8}, 2, MoreInstructions},
		"L1 at its peak, and no warp waits":    {counters{inL1Peak: 45}, counters{inL1Peak: 90, inCycles: 1.1e6}, 1.1, ""},
		"some atomics beside much else":        {nil, counters{inCycles: 2e6, inLatency: 60, waits: 58, "lts__t_sectors.sum": 4e4, inRed: 1e4, inTouched: 8e7}, 2, Uncoalesced},
		"as many atomics, on few addresses":    {counters{inRed: 9e6, inSliceMost: 10, inSliceMean: 9}, counters{inCycles: 2e6, inLatency: 60, stall("lg_throttle"): 30, inRed: 9e6, inSliceMost: 95, inSliceMean: 1}, 2, Atomics},
		"no part of what the profiles show":    {nil, counters{inCycles: 2e6, inLatency: 56, waits: 54, inInst: 1.06e8}, 1.05, MemoryLatency},
	} {
		wants(t, name, Input{Base: made(c.base), Head: made(c.head), Measured: sureOf(c.ratio)}, c.want)
	}
}

// wants wants the causes that are named to be these, by their ids; "" for none.
func wants(t *testing.T, name string, in Input, want result.CauseID) {
	t.Helper()
	if e := Explain(in); idsOf(e.Causes) != want {
		t.Errorf("%s: %q, want %q: %+v, rest %+v", name, idsOf(e.Causes), want, e.Causes, e.Rest)
	}
}

func idsOf(causes []result.Cause) result.CauseID {
	var out []string
	for _, c := range causes {
		out = append(out, string(c.ID))
	}
	return result.CauseID(strings.Join(out, " "))
}

// TestKernelsThatDoNotPair: kernels that were fused or came in another order, and parameters whose value something happens to have.
func TestKernelsThatDoNotPair(t *testing.T) {
	called := func(name string, c counters) profile.Kernel {
		k := kernel(c)
		k.Name = name
		return k
	}
	small := counters{inCycles: 1e4, inInst: 1e6}
	half := counters{inCycles: 2e6, inGrid: 50, "launch__grid_dim_x": 50, inWaves: 0.4, inBusy: 4.9e5}
	for name, c := range map[string]struct {
		base, head []profile.Kernel
		ratio      float64
		want       result.CauseID
	}{
		"two fused into one that does as much":       {[]profile.Kernel{called("a", nil), called("b", nil)}, []profile.Kernel{called("ab", counters{inCycles: 3e6, inInst: 2e8, inWarps: 40, inFit: 42})}, 1.5, ""},
		"two fused into one that does twice as much": {[]profile.Kernel{called("a", nil), called("b", nil)}, []profile.Kernel{called("ab", counters{inCycles: 4e6, inInst: 4e8})}, 2, MoreInstructions},
		"another order":               {[]profile.Kernel{called("k", nil), called("reduce", small)}, []profile.Kernel{called("init", small), called("k", counters{inCycles: 2e6, inLatency: 60, stall("barrier"): 30})}, 2, BarrierStall},
		"two kernels, and B is 2":     {[]profile.Kernel{called("gemm", nil)}, []profile.Kernel{called("split", nil), called("reduce", nil)}, 2, MoreLaunches},
		"half the blocks, and B is 2": {[]profile.Kernel{called("k", counters{inGrid: 100, "launch__grid_dim_x": 100, inWaves: 0.8})}, []profile.Kernel{called("k", half)}, 2, GridTooSmall},
	} {
		wants(t, name, Input{Base: profile.Profile{Kernels: c.base}, Head: profile.Profile{Kernels: c.head}, Measured: sureOf(c.ratio), Params: []Param{{"B", 2}}}, c.want)
	}
}

// TestTheBestPairSpeaks: the figures of a cause are those of the kernel that shows it best, however many show it.
func TestTheBestPairSpeaks(t *testing.T) {
	var base, head []profile.Kernel
	for _, factor := range []float64{1.4, 1.4, 1.4, 2} {
		base = append(base, kernel(nil))
		head = append(head, kernel(counters{inCycles: factor * 1e6, inInst: factor * 1e8}))
	}
	e := Explain(Input{Base: profile.Profile{Kernels: base}, Head: profile.Profile{Kernels: head}, Measured: sureOf(1.55)})
	if len(e.Causes) != 1 || *e.Causes[0].Changes[0].Head != 2e8 || e.Causes[0].Launch != 3 || math.Abs(e.Causes[0].Share-1) > 0.01 {
		t.Errorf("%+v", e.Causes)
	}
}

// TestProfilesOfAnotherChange: nothing is explained by profiles that show the opposite, or do not say how long anything took.
func TestProfilesOfAnotherChange(t *testing.T) {
	one := made
	e := Explain(Input{Base: one(nil), Head: one(counters{inCycles: 5e5, inInst: 5e7}), Measured: sureOf(2)})
	if len(e.Causes)+len(e.Rest) != 0 || !strings.Contains(e.Nothing, "+100.0 %") || !strings.Contains(e.Nothing, "-50.0 %") {
		t.Errorf("%+v", e)
	}
	untimed := one(counters{inCycles: 2e6})
	delete(untimed.Kernels[0].Metrics, "gpc__cycles_elapsed.avg.per_second")
	for _, measured := range []Measured{sureOf(2), {Log: math.NaN(), Low: math.NaN(), High: math.NaN()}} {
		if e := Explain(Input{Base: one(nil), Head: untimed, Measured: measured}); !strings.Contains(e.Nothing, "how long") {
			t.Errorf("%+v", e)
		}
	}
}

// TestCountersOfOneSide: a counter that one profile lacks is not 0 there.
func TestCountersOfOneSide(t *testing.T) {
	base := kernel(nil)
	delete(base.Metrics, inLocal)
	e := Explain(Input{Base: profile.Profile{Kernels: []profile.Kernel{base}}, Head: made(counters{inCycles: 2e6, inInst: 2e8, inLocal: 1e8}), Measured: sureOf(2)})
	if idsOf(e.Causes) != MoreInstructions || !slices.Contains(e.Missing, inLocal) {
		t.Errorf("%+v, without %v", e.Causes, e.Missing)
	}
}
