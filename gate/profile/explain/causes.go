package explain

import "github.com/org/perfgate/gate/result"

// Causes that can be named.
const (
	GridTooSmall       result.CauseID = "grid-too-small"
	SerialisedBatch    result.CauseID = "serialised-batch"
	TailEffect         result.CauseID = "tail-effect"
	OccupancyRegisters result.CauseID = "occupancy-registers"
	OccupancyShared    result.CauseID = "occupancy-shared"
	OccupancyBlockSize result.CauseID = "occupancy-block-size"
	RegisterSpills     result.CauseID = "register-spills"
	Uncoalesced        result.CauseID = "uncoalesced"
	BankConflicts      result.CauseID = "bank-conflicts"
	L1HitRate          result.CauseID = "l1-hit-rate"
	L2HitRate          result.CauseID = "l2-hit-rate"
	DRAMTraffic        result.CauseID = "dram-traffic"
	MemoryRoof         result.CauseID = "memory-roof"
	Atomics            result.CauseID = "atomic-contention"
	TensorUnused       result.CauseID = "tensor-unused"
	MoreInstructions   result.CauseID = "more-instructions"
	Divergence         result.CauseID = "divergence"
	BarrierStall       result.CauseID = "barrier-stall"
	MemoryLatency      result.CauseID = "memory-latency-stall"
	ShortScoreboard    result.CauseID = "short-scoreboard-stall"
	MIOStall           result.CauseID = "mio-stall"
	LGStall            result.CauseID = "lg-stall"
	MathPipe           result.CauseID = "math-pipe-stall"
	NarrowAccess       result.CauseID = "narrow-access"
	L1Traffic          result.CauseID = "l1-traffic"
	SharedTraffic      result.CauseID = "shared-traffic"
	AsyncCopyLost      result.CauseID = "async-copy-lost"
	InstructionCache   result.CauseID = "instruction-cache"
	ConstantCache      result.CauseID = "constant-cache"
	DependencyStall    result.CauseID = "dependency-stall"
	DispatchStall      result.CauseID = "dispatch-stall"
	FenceStall         result.CauseID = "fence-stall"
	MoreLaunches       result.CauseID = "more-launches"
	LaunchOverhead     result.CauseID = "launch-overhead"
	MoreTransfers      result.CauseID = "more-transfers"
	ClockLower         result.CauseID = "clock-lower"
	// Unexplained is no cause: it is what is said where none covers half of the change.
	Unexplained result.CauseID = "unexplained"
)

// other gathers what is accounted for and has no name of its own.
const other result.CauseID = "other"

// wording of a cause: what is wrong with the slower side, and what to do about it.
type wording struct{ title, remedy string }

var wordings = map[result.CauseID]wording{
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
	MemoryRoof:         {"more is asked of the L2 cache", "move less through it: keep what is used again in registers or shared memory"},
	Atomics: {"atomic operations on global memory wait for each other", "add up in registers, warps or " +
		"shared memory first, and once a block in global memory; or spread them over several copies"},
	TensorUnused:     {"the tensor cores are not used, or less", "check types, alignment and shapes that the tensor path needs; a fallback path was taken"},
	MoreInstructions: {"more instructions are executed", "check for recomputation, lost vectorisation, index arithmetic or an extra pass"},
	Divergence:       {"threads of a warp diverge", "let whole warps take the same branch: sort or pad the work, or branch on the warp"},
	BarrierStall:     {"warps wait at barriers", "fewer __syncthreads, smaller blocks, or less uneven work between barriers"},
	MemoryLatency:    {"warps wait for memory", "load earlier (prefetch, unroll, more loads in flight) or keep more warps resident"},
	ShortScoreboard:  {"warps wait for shared memory or special functions", "fewer dependent accesses to shared memory, shuffles or special functions in a row"},
	MIOStall:         {"the queue to shared memory and special functions is full", "fewer, wider accesses to shared memory; fewer shuffles and special functions"},
	LGStall:          {"the queue to local and global memory is full", "fewer, wider loads and stores (vector types)"},
	MathPipe:         {"warps wait for an arithmetic pipe", "use another type or cheaper operations (no float64, fast intrinsics), or spread the work over other pipes"},
	NarrowAccess:     {"the same bytes are moved by more, narrower accesses", "load and store vectors (float4, half2, uint4), which needs aligned addresses"},
	L1Traffic:        {"more is loaded through L1, again and again", "keep what is used again in registers or shared memory: tile the loop over the data"},
	SharedTraffic:    {"more goes through shared memory and the load-store unit", "keep more in registers (a tile of outputs a thread), exchange by shuffles, load vectors"},
	AsyncCopyLost:    {"loads are not overlapped with work any more", "copy to shared memory asynchronously (cp.async, TMA) and work on the tile before meanwhile"},
	InstructionCache: {"warps wait for instructions", "make the hot loop shorter: less unrolling, fewer inlined copies"},
	ConstantCache:    {"warps wait for constants", "let all threads of a warp read the same constant at once, or keep tables in shared memory"},
	DependencyStall:  {"warps wait for the results of earlier instructions", "give each thread independent work: several accumulators, more outputs, unrolling"},
	DispatchStall:    {"the dispatcher holds warps back", "spread the operands over registers and the work over other pipes"},
	FenceStall:       {"warps wait at memory fences", "fewer __threadfence, of the narrowest scope, or one a block"},
	MoreLaunches:     {"more kernels are launched", "fuse them, or launch them once for all of the work"},
	LaunchOverhead:   {"launching takes longer than the kernels do", "fuse launches, or record them in a CUDA graph"},
	MoreTransfers:    {"copies and fills between kernels take longer", "keep data where it is used, write results in place, allocate without filling, and fill in the kernel that writes"},
	ClockLower: {"the clock was lower", "check temperature and power cap, lock the clocks (--lock-gpu-clocks) " +
		"and repeat: rounds take turns, so a clock that follows one side may be lower because its code draws more power"},
	Unexplained: {"no single cause covers half of the change", "compare the two reports in Nsight Compute"},
}

// clockAlone is added to the title of ClockLower where it covers nearly all of the change.
const clockAlone = ", and the profiles show nothing else"
