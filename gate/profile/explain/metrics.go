package explain

import (
	"maps"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/profile"
)

// Metrics are those that explanations rest on. A GPU or a version that lacks one is tolerated.
var Metrics = []string{
	"gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg.per_second", "sm__cycles_active.avg", "sm__cycles_elapsed.avg",
	"dram__cycles_elapsed.avg.per_second",
	"smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio",
	"sm__warps_active.avg.per_cycle_active", "sm__maximum_warps_avg_per_active_cycle",
	"smsp__average_warp_latency_per_inst_issued.ratio",
	"sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
	"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.sum",
	"dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "lts__t_sector_hit_rate.pct",
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum",
	"l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_miss.sum",
	"smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum", "smsp__sass_inst_executed_op_shared.sum",
	"memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
	"memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal",
	"smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum", "smsp__inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_shared_atom.sum",
	"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
	"lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_op_red.sum", "lts__t_sectors_srcunit_tex_op_atom_dot_alu.sum", "lts__t_sectors_srcunit_tex_op_atom_dot_cas.sum",
	"lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed", "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed",
	"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
	"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed",
	"launch__grid_size", "launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z", "launch__block_size", "launch__waves_per_multiprocessor", "launch__registers_per_thread",
	"launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
}

// partial are metrics that some GPUs have, by their first and last compute capability. ncu profiles nothing where it is asked for one that
// the GPU lacks. Source: ncu --query-metrics --chips of 2022.3.
var partial = map[string]struct{ first, last profile.Version }{
	"smsp__inst_executed_op_ldgsts.sum": {first: profile.Version{Major: 8}},
	tensorCores.exact:                   {first: profile.Version{Major: 9}},
	"sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed": {last: profile.Version{Major: 8}},
}

// Asked are the counters among Metrics, and those of the roofline and of one generation, as far as a GPU of a compute capability has them; all of
// them for one that is not known. They are asked for by name beside the sections, so that an explanation does not depend on what a version
// of Nsight puts into its sections; what describes the launch comes with those.
func Asked(capability profile.Version) []string {
	var out []string
	for _, name := range slices.Concat(Metrics, slices.Sorted(maps.Keys(partial))) {
		lacks := partial[name].first != profile.Version{} && !capability.AtLeast(partial[name].first) ||
			partial[name].last != profile.Version{} && !partial[name].last.AtLeast(capability)
		if (capability == profile.Version{} || !lacks) && !strings.HasPrefix(name, "launch__") && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, op := range slices.Sorted(maps.Keys(operations)) {
		out = append(out, operationMetric(op))
	}
	return out
}
