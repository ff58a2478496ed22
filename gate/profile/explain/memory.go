package explain

import (
	"fmt"
	"math"
)

// memory follows global accesses of a kernel on their way down. Its parts multiply:
//
//	DRAM bytes = asked for · spread · past L1 · past L2
type memory struct {
	asked   float64 // bytes that threads asked for
	touched float64 // sectors that loads and stores touched
	spread  float64 // bytes of the sectors touched, over those asked for: 1 is fully coalesced
	pastL1  float64 // share of the sectors that L1 passed on to L2, or did not hold
	pastL2  float64 // DRAM bytes over bytes at L2
	l2      float64 // sectors that L1 asked of L2; all at L2, those between its halves with them, where nothing tells
	dram    float64 // bytes
}

const sectorBytes = 32

func (v view) memory() memory {
	loads, stores := v.sectorsOf("ld"), v.sectorsOf("st")
	m := memory{
		asked: v.bytesOf("ld", loads) + v.bytesOf("st", stores), touched: loads + stores,
		l2: v.get("lts__t_sectors_srcunit_tex.sum", "lts__t_sectors.sum"), dram: v.count("dram__bytes_read.sum") + v.count("dram__bytes_write.sum"),
	}
	if v.asyncCopies() > 0 { // which these counters do not see
		m.asked, m.touched = math.NaN(), math.NaN()
	}
	m.spread = sectorBytes * m.touched / m.asked
	m.pastL1 = m.l2 / m.touched
	m.pastL2 = m.dram / (sectorBytes * m.l2)
	return m
}

// sectorsOf are those that loads (ld) or stores (st) of global memory touch. A version leaves away the one that there are none of; without both,
// it is not known.
func (v view) sectorsOf(op string) float64 {
	if _, _, known := v.k.First(globalSectors+"ld.sum", globalSectors+"st.sum"); !known {
		return math.NaN()
	}
	return v.count(globalSectors + op + ".sum")
}

// bytesOf are those that threads asked for with so many sectors. Where a profile does not say how much of a sector that is, or 0 (of generic
// addresses, as printf has), those of the ideal number of sectors are shared out by the sectors touched.
func (v view) bytesOf(op string, sectors float64) float64 {
	if sectors == 0 {
		return 0
	}
	if x := v.get(dataPerSector + op + ".ratio"); x > 0 {
		return sectors * x
	}
	return sectors * sectorBytes * v.get("memory_l2_theoretical_sectors_global_ideal") / v.get("memory_l2_theoretical_sectors_global")
}

const (
	globalSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
	dataPerSector = "smsp__sass_average_data_bytes_per_sector_mem_global_op_"
)

// atomics are the sectors of atomic operations at L2.
func (v view) atomics() float64 {
	return v.count("lts__t_sectors_srcunit_tex_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum") +
		v.count("lts__t_sectors_srcunit_tex_op_atom_dot_alu.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum") + v.count("lts__t_sectors_srcunit_tex_op_atom_dot_cas.sum")
}

// atomicGrowth is the log growth of atomic operations, or of those on few addresses, where they are a quarter of what L2 is asked for
// or more.
func (c contrast) atomicGrowth() float64 {
	fast, slow := c.fast, c.slow
	if !(slow.atomics() >= slow.memory().l2/4) || slow.atomics() < 0.01*slow.instructions() {
		return 0
	}
	more := growth(math.Max(fast.atomics(), 1), slow.atomics())
	if slow.atomicFact() != "" {
		more = max(more, growth(math.Max(fast.busiestSlice(), 0.01), slow.busiestSlice()))
	}
	return more
}

// busiestSlice is the share of the time for which the busiest slice of the L2 does atomics.
func (v view) busiestSlice() float64 {
	return v.share("lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed")
}

// atomicFact says that atomic operations fall on few addresses: each is done by one slice of the L2.
func (v view) atomicFact() string {
	most, mean := v.busiestSlice(), v.share("lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed")
	if !(most >= 0.25 && mean <= most/4) {
		return ""
	}
	return fmt.Sprintf("atomics keep one slice of the L2 busy for %.0f %% of the time, and the mean one for %.1f %%: they fall on few addresses", 100*most, 100*mean)
}

// excessSectors is how many times the ideal number of sectors the global accesses touch, as Nsight derives it from the
// source counters.
func (v view) excessSectors() float64 {
	if touched, ideal := v.get("memory_l2_theoretical_sectors_global"), v.get("memory_l2_theoretical_sectors_global_ideal"); ideal > 0 && touched > 0 {
		return touched / ideal
	}
	return v.memory().spread
}

// l1Miss is the share of loads that L1 did not hold.
func (v view) l1Miss() float64 {
	return 1 - v.share("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "l1tex__t_sector_hit_rate.pct")
}

// l2Miss is the share of sectors that L2 did not hold. Hit rates a little over 100 % occur where counters of different
// passes are combined.
func (v view) l2Miss() float64 { return math.Max(0, 1-v.share("lts__t_sector_hit_rate.pct")) }

// conflicts is how many wavefronts an access to shared memory takes, over as many as its width needs.
func (v view) conflicts() float64 {
	wavefronts, ideal := v.get("memory_l1_wavefronts_shared"), v.get("memory_l1_wavefronts_shared_ideal")
	if ideal > 0 {
		return wavefronts / ideal
	}
	return v.pipeWavefronts() / v.sharedInstructions()
}

// wavefronts are the accesses to shared memory, conflicts repeated.
func (v view) wavefronts() float64 {
	if x := v.count("memory_l1_wavefronts_shared"); x > 0 {
		return x
	}
	return v.pipeWavefronts()
}

// pipeWavefronts are the same as the data pipe counts them.
func (v view) pipeWavefronts() float64 {
	return v.count("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") + v.count("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")
}

// sectors that accesses to global memory touch.
func (v view) sectors() float64 {
	if x := v.count("memory_l2_theoretical_sectors_global"); x > 0 {
		return x
	}
	return v.memory().touched
}

// globalInstructions are loads and stores of global memory that warps execute.
func (v view) globalInstructions() float64 {
	return v.count("smsp__sass_inst_executed_op_global_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") +
		v.count("smsp__sass_inst_executed_op_global_st.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")
}

// accessWidth is how many bytes a load or store of a warp asks for: 128 where each of its threads moves a float, 512 for float4.
func (v view) accessWidth() float64 { return v.memory().asked / v.globalInstructions() }

// sharedWidth is how many wavefronts without conflicts a load or store of shared memory takes: 1 for a float a thread, 4 for float4.
func (v view) sharedWidth() float64 { return v.l1Work().shared / v.sharedInstructions() }

func (v view) sharedInstructions() float64 {
	return v.count("smsp__sass_inst_executed_op_shared.sum", "smsp__inst_executed_op_shared.sum")
}

// askedByL1 says whether L2 is mostly asked by L1. What else asks it (code, constants, the driver) is most of what a very short kernel shows
// there, and its hits and misses are not the kernel's. Sectors between the halves of L2 count as well on GPUs that have them.
func (v view) askedByL1() bool {
	own := v.get("lts__t_sectors_srcunit_tex.sum") / v.get("lts__t_sectors.sum")
	return math.IsNaN(own) || own >= leastOwn
}

const leastOwn = 0.25

// localMisses and globalMisses are the sectors of loads that L1 did not hold, and all that were stored.
func (v view) localMisses() float64 {
	return v.count("l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum") +
		v.count("l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_miss.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")
}

func (v view) globalMisses() float64 {
	return v.count("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
		v.count("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")
}
