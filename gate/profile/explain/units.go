package explain

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/profile"
)

// unit is a part of the GPU that can be the one that limits a kernel.
type unit struct {
	name  string
	pipe  bool
	usage []string // spellings of its share of peak over elapsed cycles; the highest counts
	exact string   // the one that counts alone where a profile has it
	work  []string // counters that add up to its work; usage times cycles where there are none
}

var units = slices.Concat(memoryUnits, []unit{constantCache}, arithmetic)

var memoryUnits = []unit{
	{name: "DRAM", usage: []string{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
		work: []string{"dram__bytes_read.sum", "dram__bytes_write.sum"}},
	{name: "L2", usage: []string{"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
		work: []string{"lts__t_sectors.sum"}},
	{name: "L1", usage: []string{"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"}},
}

var arithmetic = []unit{
	{name: "issue slots", usage: []string{"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"},
		work: []string{"smsp__inst_executed.sum"}},
	pipe("ALU", "alu"), pipe("FMA", "fma"), float64Pipe, specialFunctions, pipe("FP16", "fp16"),
	tensorCores,
}

// constantCache is the one for constants at an index, which serves one address of a warp after the other.
var constantCache = unit{name: "constant cache", usage: []string{"idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed"}}

var (
	specialFunctions = pipe("XU (conversions, special functions)", "xu")
	float64Pipe      = pipe("FP64", "fp64")
)

// tensorCores are used by what Hopper's own counter says, where there is one. On an H200 the others show up to 2 % of peak for kernels that
// have no tensor instruction and many of float32.
var tensorCores = unit{name: "tensor cores", pipe: true, usage: []string{
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_elapsed",
	"sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed_pipe_tensor_op_imma.avg.pct_of_peak_sustained_elapsed",
	"sm__inst_executed_pipe_tensor_op_dmma.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed",
	"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
}, exact: "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active.avg.pct_of_peak_sustained_elapsed"}

func pipe(name, id string) unit {
	return unit{name: name, pipe: true, usage: []string{
		"sm__pipe_" + id + "_cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__inst_executed_pipe_" + id + ".avg.pct_of_peak_sustained_elapsed",
	}}
}

// use is how much of a unit's peak a kernel has, as a fraction; NaN if nothing says.
func (v view) use(u unit) float64 {
	if x := v.share(u.exact); !math.IsNaN(x) {
		return x
	}
	most := math.NaN()
	for _, name := range u.usage {
		if x := v.share(name); math.IsNaN(most) || x > most {
			most = x
		}
	}
	return most
}

// metric is Nsight's name of what use reads; "" if there is none.
func (v view) metric(u unit) string {
	switch {
	case !math.IsNaN(v.share(u.exact)):
		return u.exact
	case len(u.usage) > 0:
		return u.usage[0]
	}
	return ""
}

func (v view) work(u unit) float64 {
	sum := 0.0
	for _, name := range u.work {
		sum += v.get(name)
	}
	if len(u.work) == 0 || math.IsNaN(sum) || sum == 0 {
		return v.use(u) * v.cycles()
	}
	return sum
}

// limiting is the unit that is closest to its peak, and how close.
func (v view) limiting() (unit, float64) {
	var which unit
	most := 0.0
	for _, u := range units {
		if x := v.use(u); x > most {
			which, most = u, x
		}
	}
	return which, most
}

// busiest is how close the busiest of some units is to its peak; 0 where nothing says.
func (v view) busiest(some []unit) float64 {
	most := 0.0
	for _, u := range some {
		most = max(most, finite(v.use(u)))
	}
	return most
}

// tensorWork is 0 for the next to nothing that the counters show where no tensor instruction was executed.
func (v view) tensorWork() float64 {
	share := v.use(tensorCores)
	noise := tensorNoise
	if math.IsNaN(v.share(tensorCores.exact)) {
		noise = tensorNoiseElsewhere
	}
	if math.IsNaN(share) || share < noise {
		return 0
	}
	return share * v.cycles()
}

// UsesTensorCores says whether any kernel of a profile executes tensor instructions.
func UsesTensorCores(p profile.Profile) bool {
	for i := range p.Kernels {
		if (view{&p.Kernels[i]}).tensorWork() > 0 {
			return true
		}
	}
	return false
}

// What counters show of tensor cores without a tensor instruction is less than this: 0.00 % of peak by Hopper's own counter in 49
// recordings, and up to 1.97 % by those that other GPUs have, in the same recordings.
const (
	tensorNoise          = 0.001
	tensorNoiseElsewhere = 0.03
)
