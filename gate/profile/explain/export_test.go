package explain

import (
	"maps"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Reads are all metrics that an explanation may look at: those above, the stall reasons, and what other versions or GPUs
// call the same. A recording that has no others explains as well as the whole.
func Reads() []string {
	names := slices.Clone(Metrics)
	for _, u := range units {
		names = append(append(names, u.usage...), u.work...)
		if u.exact != "" {
			names = append(names, u.exact)
		}
	}
	for _, r := range reasons {
		names = append(names, stallMetric(r.name))
	}
	names = append(names,
		"gpc__cycles_elapsed.avg", "sm__cycles_elapsed.max", "smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
		"smsp__cycles_active.avg", "smsp__cycles_elapsed.avg", "smsp__warps_active.avg.per_cycle_active", "sm__warps_active.avg.peak_sustained",
		"smsp__average_warps_active_per_inst_executed.ratio", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
		"launch__sm_count", "launch__occupancy_limit_barriers", "launch__shared_mem_per_block", "l1tex__t_sector_hit_rate.pct",
		"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
		"lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_op_red.sum", "lts__t_sectors_srcunit_tex_op_atom_dot_alu.sum", "lts__t_sectors_srcunit_tex_op_atom_dot_cas.sum",
		"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
		"lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed",
		"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
	)
	slices.Sort(names)
	return slices.Compact(names)
}

// All lists the causes that can be named, and the word for none.
func All() []result.CauseID { return slices.Sorted(maps.Keys(wordings)) }

// Must ends a test that cannot go on.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
