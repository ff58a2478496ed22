package explain

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// quantity is what can be told of a kernel on both sides.
type quantity struct {
	name   string // in words
	metric string // Nsight's name of it, or of the largest part of what it is derived from
	unit   string // byte, hz, %, … or ""; shares of peak are fractions under %
	of     func(view) float64
}

var (
	instructions     = quantity{"instructions", "smsp__inst_executed.sum", "inst", view.instructions}
	activeThreads    = quantity{"active threads per instruction", "smsp__thread_inst_executed_per_inst_executed.ratio", "", view.threadsPerInstruction}
	localAccesses    = quantity{"local loads and stores", "smsp__sass_inst_executed_op_local_ld.sum", "inst", view.localInstructions}
	registers        = quantity{"registers per thread", "launch__registers_per_thread", "", view.registers}
	sharedMemory     = quantity{"shared memory per block", "launch__shared_mem_per_block", "byte", view.sharedMemory}
	threadsPerBlock  = quantity{"threads per block", "launch__block_size", "", view.blockSize}
	blocks           = quantity{"blocks", "launch__grid_size", "", view.blocks}
	waves            = quantity{"waves", "launch__waves_per_multiprocessor", "", view.waves}
	busySMs          = quantity{"SMs busy, of the time", "sm__cycles_active.avg", "%", view.busy}
	fittingWarps     = quantity{"warps that fit an SM", "sm__maximum_warps_avg_per_active_cycle", "", view.theoretical}
	residentWarps    = quantity{"resident warps per SM", "sm__warps_active.avg.per_cycle_active", "", view.resident}
	dramClock        = quantity{"DRAM clock", "dram__cycles_elapsed.avg.per_second", "hz", view.dramHz}
	dramTraffic      = quantity{"DRAM traffic", "dram__bytes_read.sum", "byte", func(v view) float64 { return v.memory().dram }}
	l2Sectors        = quantity{"sectors at L2", "lts__t_sectors.sum", "sector", func(v view) float64 { return v.memory().l2 }}
	atomicSectors    = quantity{"atomic sectors at L2", "lts__t_sectors_srcunit_tex_op_red.sum", "sector", view.atomics}
	sectorsOverIdeal = quantity{"sectors touched, over ideal", "memory_l2_theoretical_sectors_global", "", view.excessSectors}
	sharedOverIdeal  = quantity{"shared wavefronts, over ideal", "memory_l1_wavefronts_shared", "", view.conflicts}
	touchedSectors   = quantity{"sectors touched", "memory_l2_theoretical_sectors_global", "sector", view.sectors}
	askedBytes       = quantity{"bytes asked of L1", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "byte", func(v view) float64 { return v.memory().asked }}
	accessWidth      = quantity{"bytes an access of a warp", "smsp__sass_inst_executed_op_global_ld.sum", "byte", view.accessWidth}
	globalAccesses   = quantity{"global loads and stores", "smsp__sass_inst_executed_op_global_ld.sum", "inst", view.globalInstructions}
	sharedAccesses   = quantity{"shared loads and stores", "smsp__sass_inst_executed_op_shared.sum", "inst", view.sharedInstructions}
	sharedWavefronts = quantity{"shared wavefronts", "memory_l1_wavefronts_shared", "", view.wavefronts}
	shuffles         = quantity{"wavefronts of shuffles", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", func(v view) float64 { return v.l1Work().shuffles }}
	sharedAtomics    = quantity{"atomics on shared memory", "smsp__inst_executed_op_shared_atom.sum", "inst", view.sharedAtomics}
	busiestSlice     = quantity{"busiest L2 slice, at atomics", "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", "%", view.busiestSlice}
	tensorUse        = ofPeak(tensorCores, tensorCores.exact)
	sharedWidth      = quantity{"wavefronts a shared access", "memory_l1_wavefronts_shared_ideal", "", view.sharedWidth}
	asyncCopies      = quantity{"asynchronous copies", "smsp__inst_executed_op_ldgsts.sum", "inst", view.asyncCopies}
	l1Hits           = quantity{"L1 hit rate of loads", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", func(v view) float64 { return 1 - v.l1Miss() }}
	l2Hits           = quantity{"L2 hit rate", "lts__t_sector_hit_rate.pct", "%", func(v view) float64 { return 1 - v.l2Miss() }}
)

func ofPeak(u unit, metric string) quantity {
	return quantity{u.name + ", of peak", metric, "%", func(v view) float64 { return v.use(u) }}
}

// contrast is one kernel on both sides, seen from the faster to the slower one.
type contrast struct {
	*oriented
	fast, slow view
}

// cause is one with what shows it, shown before what always does. One that its own figures contradict has no name.
func (c contrast) cause(id result.CauseID, log float64, shown ...figure) result.Cause {
	all := slices.Concat(shown, support[id])
	out := result.Cause{ID: id, Log: log}
	claimed := false
	for _, f := range all {
		holds := f.slower.holds(f.of(c.fast), f.of(c.slow))
		claimed = claimed || holds && f.slower != either
		repeated := slices.ContainsFunc(out.Changes, func(known result.Change) bool { return known.Name == f.name })
		if !repeated && (holds || f.slower == either) {
			out.Changes = append(out.Changes, c.shown(f.quantity))
		}
	}
	if log > 0 && !claimed {
		out.ID = other
	}
	if word, ok := remedies[out.ID]; ok {
		out.Remedy = word(c)
	}
	return out
}

func (c contrast) shown(q quantity) result.Change {
	return c.change(q.name, q.metric, q.unit, q.of(c.fast), q.of(c.slow))
}

// growth is how much a quantity grows: ln(slow/fast), see growth.
func (c contrast) growth(of func(view) float64) float64 { return growth(of(c.fast), of(c.slow)) }

// growth is ln(to/from): +Inf where there was nothing before, and 0 where either is not known or nothing is left.
func growth(from, to float64) float64 {
	if log := math.Log(to / from); !math.IsNaN(log) && !math.IsInf(log, -1) {
		return log
	}
	return 0
}

// finite is 0 for what is no number.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func ifFinite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
