package explain

import (
	"math"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// TestMemoryBound: of a kernel that is at the DRAM's roof only more traffic explains more time; what else got worse, occupancy,
// divergence, waves, is not what it waits for. Of one that only waits for memory they are, since fewer loads are in flight.
func TestMemoryBound(t *testing.T) {
	const dram, latency = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "smsp__average_warp_latency_per_inst_issued.ratio"
	fewer := map[string]float64{
		"sm__warps_active.avg.per_cycle_active": 30, "sm__maximum_warps_avg_per_active_cycle": 32, "launch__occupancy_limit_registers": 4,
		"smsp__thread_inst_executed_per_inst_executed.ratio": 20, "smsp__inst_executed.sum": 1.3e8,
	}
	with := func(more ...map[string]float64) profile.Kernel {
		all := map[string]float64{}
		for _, m := range more {
			for name, v := range m {
				all[name] = v
			}
		}
		return kernel(all)
	}
	for _, c := range []struct {
		name string
		head map[string]float64
		want result.CauseID
	}{
		{"at the roof, twice the bytes", map[string]float64{dram: 90, "dram__bytes_read.sum": 3e8, latency: 46, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2e7, "lts__t_sectors.sum": 2e7}, DRAMTraffic},
		{"the bytes of before, half the warps", map[string]float64{dram: 20, latency: 23}, OccupancyRegisters},
	} {
		e := Explain(Input{
			Base: profile.Profile{Kernels: []profile.Kernel{with(map[string]float64{dram: 45})}}, Measured: sureOf(2),
			Head: profile.Profile{Kernels: []profile.Kernel{with(fewer, map[string]float64{"gpc__cycles_elapsed.max": 2e6}, c.head)}},
		})
		if len(e.Causes) != 1 || e.Causes[0].ID != c.want {
			t.Errorf("%s: %+v, rest %+v", c.name, e.Causes, e.Rest)
		}
	}
}

// TestUnitThatOneSideDoesNotUse: a unit at its peak decides also where the faster side does not use it at all, so that its work
// has grown by no finite factor: conversions to float64 and back, DRAM behind what fitted into the L2.
func TestUnitThatOneSideDoesNotUse(t *testing.T) {
	const latency, xu, dram = "smsp__average_warp_latency_per_inst_issued.ratio", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed"
	for want, c := range map[result.CauseID]struct{ base, head map[string]float64 }{
		MathPipe: {map[string]float64{xu: 0}, map[string]float64{xu: 90, "smsp__inst_executed.sum": 2.5e8, latency: 120, stall("mio_throttle"): 90}},
		L2HitRate: {
			map[string]float64{dram: 0, "dram__bytes_read.sum": 0, "dram__bytes_write.sum": 0, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 0},
			map[string]float64{dram: 80, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 80, latency: 300, stall("lg_throttle"): 270},
		},
	} {
		head := kernel(c.head)
		head.Metrics["gpc__cycles_elapsed.max"] = profile.Metric{Value: 1e7}
		e := Explain(Input{Base: made(c.base), Head: profile.Profile{Kernels: []profile.Kernel{head}}, Measured: sureOf(10)})
		if len(e.Causes) != 1 || e.Causes[0].ID != want || math.Abs(e.Causes[0].Share-1) > 1e-9 {
			t.Errorf("%s: %+v, rest %+v", want, e.Causes, e.Rest)
		}
	}
}

// TestAtPeakByWhatGrew: work at a peak is split by how much it grew, of which time shows only a part; accesses to shared memory
// that take the place of arithmetic are no more instructions; and what passes between the halves of an L2 was not asked for by L1.
func TestAtPeakByWhatGrew(t *testing.T) {
	const issue, l1, dram = "sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed"
	for want, c := range map[result.CauseID]struct{ base, head map[string]float64 }{
		MoreInstructions: {map[string]float64{issue: 40}, map[string]float64{issue: 90, "smsp__inst_executed.sum": 3e8, "smsp__thread_inst_executed_per_inst_executed.ratio": 20}},
		ShortScoreboard:  {map[string]float64{l1: 1}, map[string]float64{l1: 90, "smsp__inst_executed.sum": 1.01e8, stall("short_scoreboard"): 12}},
		L2HitRate: {
			map[string]float64{dram: 45, "lts__t_sectors.sum": 2e7, "lts__t_sectors_srcunit_tex.sum": 1e7},
			map[string]float64{dram: 80, "lts__t_sectors.sum": 4e7, "lts__t_sectors_srcunit_tex.sum": 1e7, "dram__bytes_read.sum": 2e8},
		},
	} {
		head := kernel(c.head)
		head.Metrics["gpc__cycles_elapsed.max"] = profile.Metric{Value: 1.4e6}
		wants(t, string(want), Input{Base: made(c.base), Head: profile.Profile{Kernels: []profile.Kernel{head}}, Measured: sureOf(1.4)}, want)
	}
}

// TestTensorCoresByHoppersOwnCounter: the older counters show some use of tensor cores by kernels that have no instruction for
// them; where there is the newer one, it alone counts.
func TestTensorCoresByHoppersOwnCounter(t *testing.T) {
	const old = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
	more := map[string]float64{"gpc__cycles_elapsed.max": 2e6, "smsp__inst_executed.sum": 2e8, old: 0.1, tensorCores.exact: 0}
	for _, c := range []struct {
		own  float64
		want result.CauseID
	}{{0, MoreInstructions}, {2, TensorUnused}} {
		base := made(map[string]float64{old: 2, tensorCores.exact: c.own})
		e := Explain(Input{Base: base, Head: made(more), Measured: sureOf(2)})
		if len(e.Causes) != 1 || e.Causes[0].ID != c.want {
			t.Errorf("%v %% of peak: %+v", c.own, e.Causes)
		}
		if got := UsesTensorCores(base); got != (c.own > 0) {
			t.Errorf("%v %% of peak: uses tensor cores: %v", c.own, got)
		}
	}
}
