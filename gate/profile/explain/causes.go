package explain

import (
	"maps"
	"slices"
)

// Causes that can be named.
const (
	GridTooSmall       = "grid-too-small"
	SerialisedBatch    = "serialised-batch"
	TailEffect         = "tail-effect"
	OccupancyRegisters = "occupancy-registers"
	OccupancyShared    = "occupancy-shared"
	OccupancyBlockSize = "occupancy-block-size"
	RegisterSpills     = "register-spills"
	Uncoalesced        = "uncoalesced"
	BankConflicts      = "bank-conflicts"
	L1HitRate          = "l1-hit-rate"
	L2HitRate          = "l2-hit-rate"
	DRAMTraffic        = "dram-traffic"
	MemoryRoof         = "memory-roof"
	Atomics            = "atomic-contention"
	TensorUnused       = "tensor-unused"
	MoreInstructions   = "more-instructions"
	Divergence         = "divergence"
	BarrierStall       = "barrier-stall"
	MemoryLatency      = "memory-latency-stall"
	ShortScoreboard    = "short-scoreboard-stall"
	MIOStall           = "mio-stall"
	LGStall            = "lg-stall"
	MathPipe           = "math-pipe-stall"
	MoreLaunches       = "more-launches"
	ClockLower         = "clock-lower"
	// Unexplained is no cause: it is what is said where none covers half of the change.
	Unexplained = "unexplained"
)

// other gathers what is accounted for and has no name of its own.
const other = "other"

// wording of a cause: what is wrong with the slower side, and what to do about it.
type wording struct{ title, remedy string }

var wordings = map[string]wording{
	GridTooSmall:       {"the grid is too small to fill the GPU", "launch more blocks: split the work further (over rows, heads, batch or the reduction) until several blocks run on every SM"},
	SerialisedBatch:    {"a dimension of the work is not in the grid", "give the dimension an axis of the grid instead of a loop inside the block"},
	TailEffect:         {"SMs are idle while the last blocks run", "make blocks smaller or equally long, or choose a grid that is a multiple of what fits at once"},
	OccupancyRegisters: {"registers limit how many warps are resident", "use fewer registers per thread: less unrolling, __launch_bounds__, smaller tiles per thread"},
	OccupancyShared:    {"shared memory limits how many warps are resident", "use less shared memory per block: smaller tiles, fewer stages"},
	OccupancyBlockSize: {"the block size limits how many warps are resident", "choose a block size that divides the warps of an SM: 128 to 256 threads is a good start"},
	RegisterSpills:     {"values are spilled to local memory", "lower register pressure or raise the limit (-maxrregcount, __launch_bounds__); index local arrays with constants"},
	Uncoalesced:        {"accesses to global memory are not coalesced", "let neighbouring threads access neighbouring addresses, or go through shared memory"},
	BankConflicts:      {"accesses to shared memory conflict in their banks", "pad or swizzle the rows in shared memory so that a warp's accesses fall into different banks"},
	L1HitRate:          {"fewer accesses hit the L1 cache", "restore locality: tile so that a block reuses what it loads, keep it in shared memory or registers"},
	L2HitRate:          {"fewer accesses hit the L2 cache", "restore locality between blocks: order blocks so that neighbours share data, shrink the working set"},
	DRAMTraffic:        {"more bytes go to and from DRAM", "move fewer bytes: fuse passes, narrower types, do not write what is read again at once"},
	MemoryRoof:         {"memory is at its peak rate", "the kernel moves all that the memory can: only less traffic helps"},
	Atomics: {"atomic operations on global memory wait for each other", "add up in registers, warps or " +
		"shared memory first, and once a block in global memory; or spread them over several copies"},
	TensorUnused:     {"the tensor cores are not used, or less", "check types, alignment and shapes that the tensor path needs; a fallback path was taken"},
	MoreInstructions: {"more instructions are executed", "look for recomputation, lost vectorisation, index arithmetic or an extra pass"},
	Divergence:       {"threads of a warp diverge", "let whole warps take the same branch: sort or pad the work, or branch on the warp"},
	BarrierStall:     {"warps wait at barriers", "fewer __syncthreads, smaller blocks, or less uneven work between barriers"},
	MemoryLatency:    {"warps wait for memory", "load earlier (prefetch, unroll, more loads in flight) or keep more warps resident"},
	ShortScoreboard:  {"warps wait for shared memory or special functions", "fewer dependent accesses to shared memory, shuffles or special functions in a row"},
	MIOStall:         {"the queue to shared memory and special functions is full", "fewer, wider accesses to shared memory; fewer shuffles and special functions"},
	LGStall:          {"the queue to local and global memory is full", "fewer, wider loads and stores (vector types)"},
	MathPipe:         {"an arithmetic pipe is saturated", "use another type or cheaper operations (no float64, fast intrinsics), or spread the work over other pipes"},
	MoreLaunches:     {"more kernels are launched", "fuse them, or launch them once for all of the work"},
	ClockLower: {"the clock was lower", "look at temperature and power cap, lock the clocks (--lock-clocks) " +
		"and repeat: rounds take turns, so a clock that follows one side may be lower because its code draws more power"},
	Unexplained: {"no single cause covers half of the change", "compare the two reports in Nsight Compute"},
}

// clockAlone is added to the title of ClockLower where it covers nearly all of the change.
const clockAlone = ", and the profiles show nothing else"

// All lists the causes above in alphabetical order.
func All() []string { return slices.Sorted(maps.Keys(wordings)) }

// Known says whether a word is one of the causes above.
func Known(cause string) bool {
	_, ok := wordings[cause]
	return ok
}
