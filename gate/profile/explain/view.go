package explain

import (
	"math"

	"github.com/org/perfgate/gate/profile"
)

// view reads quantities off one kernel. A quantity that the profile does not have is NaN, and so is all that follows from
// it.
type view struct{ k *profile.Kernel }

func (v view) get(names ...string) float64 {
	x, _, ok := v.k.First(names...)
	if !ok {
		return math.NaN()
	}
	return x
}

// count is a counter that versions leave away where it is 0.
func (v view) count(names ...string) float64 {
	x := v.get(names...)
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// share is a percentage as a fraction.
func (v view) share(names ...string) float64 { return v.get(names...) / 100 }

func (v view) cycles() float64 {
	return v.get("gpc__cycles_elapsed.max", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.avg", "sm__cycles_elapsed.avg")
}

// smHz is the SM clock while the kernel was profiled.
func (v view) smHz() float64 {
	return v.get("gpc__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second")
}

func (v view) dramHz() float64 { return v.get("dram__cycles_elapsed.avg.per_second") }

// seconds weigh kernels of one launch against each other. They are never shown: a profiler's time is no latency. Reports of single metrics
// have often no cycles, and a duration.
func (v view) seconds() float64 {
	if x := v.cycles() / v.smHz(); !math.IsNaN(x) {
		return x
	}
	return v.get("gpu__time_duration.sum")
}

func (v view) instructions() float64 {
	return v.get("smsp__inst_executed.sum", "sm__inst_executed.sum")
}

// threadsPerInstruction are those that take the same path: 32 is all. Threads switched off by a predicate count as well:
// short ifs become predicates, and cost their instructions whether threads diverge or not.
func (v view) threadsPerInstruction() float64 {
	return v.get("smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")
}

// busy is the share of the SMs' cycles in which they had a warp.
func (v view) busy() float64 {
	return v.get("sm__cycles_active.avg", "smsp__cycles_active.avg") / v.get("sm__cycles_elapsed.avg", "smsp__cycles_elapsed.avg", "gpc__cycles_elapsed.max")
}

// resident is the number of warps of an SM while it has any.
func (v view) resident() float64 {
	if x := v.get("sm__warps_active.avg.per_cycle_active"); !math.IsNaN(x) {
		return x
	}
	if x := v.get("smsp__warps_active.avg.per_cycle_active"); !math.IsNaN(x) {
		return schedulers * x
	}
	return v.share("sm__warps_active.avg.pct_of_peak_sustained_active") * v.maxWarps()
}

// schedulers of an SM, on every GPU that Nsight Compute supports.
const schedulers = 4

// warps is the number of resident warps of an SM over all cycles, idle SMs included.
func (v view) warps() float64 { return v.busy() * v.resident() }

func (v view) maxWarps() float64 {
	return v.get("device__attribute_max_warps_per_multiprocessor", "sm__maximum_warps_avg_per_active_cycle", "sm__warps_active.avg.peak_sustained")
}

// theoretical is the number of warps that fit an SM by registers, shared memory and block size.
func (v view) theoretical() float64 { return v.get("sm__maximum_warps_avg_per_active_cycle") }

// latency is how many cycles pass from one issue of a warp to its next.
func (v view) latency() float64 {
	return v.get("smsp__average_warp_latency_per_inst_issued.ratio", "smsp__average_warps_active_per_inst_executed.ratio")
}

func (v view) stall(reason string) float64 { return v.count(stallMetric(reason)) }

func stallMetric(reason string) string {
	return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio"
}

func (v view) registers() float64 { return v.get("launch__registers_per_thread") }

func (v view) sharedMemory() float64 { return v.get("launch__shared_mem_per_block") }

// dims are the blocks in each dimension of the grid.
func (v view) dims() [3]float64 {
	return [3]float64{v.get("launch__grid_dim_x"), v.get("launch__grid_dim_y"), v.get("launch__grid_dim_z")}
}

func (v view) blocks() float64 { return v.get("launch__grid_size") }

func (v view) blockSize() float64 { return v.get("launch__block_size") }

func (v view) sms() float64 {
	return v.get("launch__sm_count", "device__attribute_multiprocessor_count")
}

func (v view) waves() float64 { return v.get("launch__waves_per_multiprocessor") }

// localInstructions are loads and stores of local memory.
func (v view) localInstructions() float64 {
	return v.count("smsp__sass_inst_executed_op_local_ld.sum") + v.count("smsp__sass_inst_executed_op_local_st.sum")
}

// limiter is which resource of an SM allows the fewest blocks: registers, shared_mem, warps, blocks or barriers.
func (v view) limiter() string {
	least, name := math.Inf(1), ""
	for _, resource := range []string{"warps", "blocks", "registers", "shared_mem", "barriers"} {
		if n := v.get("launch__occupancy_limit_" + resource); n < least {
			least, name = n, resource
		}
	}
	return name
}
