package profile

import (
	"strconv"
	"strings"
)

// older are the names that versions before 2023 have for metrics, by those of today: what is added up, times a factor. All were read in
// public reports of 2021 to 2022. A comparison of two versions needs one name on both sides.
var older = map[string]struct {
	factor float64
	sum    []string
}{
	"memory_l1_wavefronts_shared":                {1, []string{"memory_l1_sectors_shared"}},
	"memory_l1_wavefronts_shared_ideal":          {1, []string{"memory_l1_sectors_shared_ideal"}},
	"memory_l2_theoretical_sectors_global":       {1, []string{"memory_l2_sectors_global"}},
	"memory_l2_theoretical_sectors_global_ideal": {1, []string{"memory_l2_sectors_global_ideal"}},
	"smsp__inst_executed.sum":                    {1, []string{"inst_executed"}},
	"smsp__sass_inst_executed_op_global_ld.sum":  {1, []string{"sass__inst_executed_global_loads"}},
	"smsp__sass_inst_executed_op_global_st.sum":  {1, []string{"sass__inst_executed_global_stores"}},
	"smsp__sass_inst_executed_op_local_ld.sum":   {1, []string{"sass__inst_executed_local_loads"}},
	"smsp__sass_inst_executed_op_local_st.sum":   {1, []string{"sass__inst_executed_local_stores"}},
	"smsp__sass_inst_executed_op_shared.sum": {1, []string{
		"sass__inst_executed_shared_loads", "sass__inst_executed_shared_stores", "smsp__inst_executed_op_shared_atom.sum",
	}},
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": {sectorPercent, []string{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"}},
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio": {sectorPercent, []string{"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"}},
}

// sectorPercent is a percent of a sector of 32 bytes.
const sectorPercent = 0.32

// modernise adds what a kernel has under older names by the names of today.
func (k *Kernel) modernise() {
	for name, from := range older {
		if _, has := k.Value(name); has {
			continue
		}
		sum, known := Metric{}, true
		for _, part := range from.sum {
			x, has := k.Metrics[part]
			sum.Value, sum.Unit, known = sum.Value+from.factor*x.Value, x.Unit, known && has
		}
		if known {
			k.Metrics[name] = sum
		}
	}
	for what, to := range map[string]*string{"grid": &k.Grid, "block": &k.Block} {
		if *to == "" {
			*to = k.dims("launch__" + what + "_dim_")
		}
	}
}

// dims are three metrics as ncu prints a grid, "" where one is missing: versions before 2023 have no columns of grid and block.
func (k *Kernel) dims(prefix string) string {
	var out []string
	for _, axis := range []string{"x", "y", "z"} {
		n, known := k.Value(prefix + axis)
		if !known || n < 1 || n >= 1<<32 {
			return ""
		}
		out = append(out, strconv.FormatFloat(n, 'f', 0, 64))
	}
	return "(" + strings.Join(out, ", ") + ")"
}
