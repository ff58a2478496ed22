package explain

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
)

// remedies say what helps in terms of the kernel that a cause is about; "" where its figures do not tell more than wordings do.
var remedies = map[result.CauseID]func(contrast) string{
	GridTooSmall: func(c contrast) string {
		return filled("%.0f blocks leave %.0f of %.0f SMs without work: split the work further (over rows, heads, batch or the reduction)",
			c.slow.blocks(), max(0, c.slow.sms()-c.slow.blocks()), c.slow.sms())
	},
	TailEffect: contrast.tailRemedy,
	OccupancyRegisters: func(c contrast) string {
		return filled("with %.0f registers a thread %.0f warps fit an SM, with %.0f there were %.0f: less unrolling, smaller tiles a thread, or __launch_bounds__",
			c.slow.registers(), c.slow.theoretical(), c.fast.registers(), c.fast.theoretical())
	},
	OccupancyShared: func(c contrast) string {
		return filled("with %.0f bytes of shared memory a block %.0f warps fit an SM, with %.0f there were %.0f: smaller tiles, fewer stages",
			c.slow.sharedMemory(), c.slow.theoretical(), c.fast.sharedMemory(), c.fast.theoretical())
	},
	RegisterSpills: func(c contrast) string {
		return filled("%.1f %% of the instructions are loads and stores of local memory: index arrays of a thread with constants, keep less alive, or allow more than %.0f registers",
			100*c.slow.localInstructions()/c.slow.instructions(), c.slow.registers())
	},
	Uncoalesced: func(c contrast) string {
		return filled("accesses touch %.1f times the sectors that they need, %.1f times on the faster side: let neighbouring threads access neighbouring addresses, or go through shared memory",
			c.slow.excessSectors(), c.fast.excessSectors())
	},
	BankConflicts: func(c contrast) string {
		w := c.slow.l1Work()
		return filled("%.0f %% of the wavefronts at shared memory are conflicts: pad or swizzle its rows", 100*w.conflicts/(w.conflicts+w.shared))
	},
	SharedTraffic: func(c contrast) string {
		return filled("the faster side needs %.1fx fewer wavefronts of shared memory: keep a tile of outputs a thread in registers, exchange by shuffles",
			c.slow.wavefronts()/c.fast.wavefronts())
	},
	NarrowAccess: contrast.widthRemedy,
	L1Traffic: func(c contrast) string {
		return filled("the faster side asks L1 for %.1fx fewer bytes: keep what is used again in registers or shared memory", c.slow.memory().asked/c.fast.memory().asked)
	},
	DRAMTraffic: func(c contrast) string {
		return filled("the faster side moves %.1fx fewer bytes: fuse passes, narrower types, do not write what is read again at once", c.slow.memory().dram/c.fast.memory().dram)
	},
	MathPipe: contrast.pipeRemedy,
	AsyncCopyLost: func(c contrast) string {
		return filled("the faster side copies to shared memory asynchronously (%.3g copies, %.3g here): work on one tile while the next is under way", c.fast.asyncCopies(), c.slow.asyncCopies())
	},
}

// filled is "" where one of its numbers is not known.
func filled(format string, numbers ...float64) string {
	args := make([]any, len(numbers))
	for i, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ""
		}
		args[i] = x
	}
	return fmt.Sprintf(format, args...)
}

// tailRemedy does not ask for another grid where both sides have the same.
func (c contrast) tailRemedy() string {
	if c.fast.blocks() == c.slow.blocks() && c.fast.waves() == c.slow.waves() {
		return filled("the grid of %.0f blocks is the same on both sides: it is their work that is uneven, so split the longest of them, or let blocks fetch work as they finish", c.slow.blocks())
	}
	return filled("%.2f waves of blocks, %.2f on the faster side: make blocks smaller or equally long, or the grid a multiple of what fits at once", c.slow.waves(), c.fast.waves())
}

func (c contrast) widthRemedy() string {
	if ratio := c.fast.accessWidth() / c.slow.accessWidth(); ratio >= math.Exp(narrower) {
		return filled("an access of a warp moves %.0f bytes, %.0f on the faster side: load and store vectors (float4, half2, uint4), %.1fx fewer", c.slow.accessWidth(), c.fast.accessWidth(), ratio)
	}
	return filled("load vectors (float4) from shared memory: %.1fx fewer loads and stores on the faster side", c.slow.sharedInstructions()/c.fast.sharedInstructions())
}

func (c contrast) pipeRemedy() string {
	if c.float64Crept() {
		return "no float64 in the loop: constants with f (0.5f), functions of float, accumulators of float"
	}
	u, use := c.slow.limiting()
	if !u.pipe {
		return ""
	}
	if u.name == specialFunctions.name {
		return filled("it works at %.0f %% of its peak: fewer exponentials, divisions and conversions, or fast intrinsics", 100*use)
	}
	return filled("the pipe "+u.name+" works at %.0f %% of its peak: cheaper operations, or some on another pipe", 100*use)
}
