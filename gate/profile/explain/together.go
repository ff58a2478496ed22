package explain

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// trace is a change of code that shows in several terms of the account at once. Where it is seen, its terms are one cause.
type trace struct {
	id    result.CauseID
	seen  func(contrast) bool
	terms []result.CauseID
}

// traces, the one that explains most first: each takes its terms before the next is asked.
var traces = []trace{
	{TensorUnused, contrast.tensorLost, []result.CauseID{MoreInstructions, MathPipe, DependencyStall, DispatchStall, SharedTraffic, BankConflicts, ShortScoreboard, MIOStall, L1Traffic, Divergence}},
	{MathPipe, contrast.float64Crept, []result.CauseID{MoreInstructions, DependencyStall, DispatchStall, ShortScoreboard}},
	{AsyncCopyLost, contrast.asyncLost, []result.CauseID{MemoryLatency, LGStall, BarrierStall, L1Traffic, ShortScoreboard}},
	{NarrowAccess, contrast.narrowed, []result.CauseID{MoreInstructions, MemoryLatency, LGStall, MIOStall, L1Traffic}},
	{NarrowAccess, contrast.narrowedShared, []result.CauseID{MoreInstructions, MIOStall, SharedTraffic, ShortScoreboard}},
	{SharedTraffic, contrast.moreShared, []result.CauseID{MoreInstructions, MIOStall, ShortScoreboard}},
	{L1Traffic, contrast.moreGlobal, []result.CauseID{MoreInstructions, LGStall, MemoryLatency}},
}

// together renames the terms of what was changed at one stroke.
func (c contrast) together(all []result.Cause) []result.Cause {
	for _, t := range traces {
		of := func(cause result.Cause) bool { return cause.Log > 0 && slices.Contains(t.terms, cause.ID) }
		if !slices.ContainsFunc(all, of) || !t.seen(c) {
			continue
		}
		for i, cause := range all {
			if of(cause) {
				all[i] = c.cause(t.id, cause.Log)
			}
		}
	}
	return all
}

// tensorLost: the faster side has twice the work of the tensor cores, and the slower one executes more in their place.
func (c contrast) tensorLost() bool {
	return c.fast.tensorWork() > 0 && c.slow.tensorWork() < c.fast.tensorWork()/2 && c.growth(view.instructions) > 0
}

// float64Crept: the slower side computes in float64, and the faster one hardly does.
func (c contrast) float64Crept() bool {
	executed := c.slow.instructions() / c.fast.instructions()
	return c.slow.use(float64Pipe) >= leastOfWork && c.slow.work(float64Pipe) >= 4*executed*c.fast.work(float64Pipe)
}

// asyncLost: the faster side copies to shared memory past the registers, and the slower one, which uses as much of it, through
// them.
func (c contrast) asyncLost() bool {
	before := c.fast.asyncCopies()
	stillShared := c.slow.sharedInstructions() >= c.fast.sharedInstructions()/2
	return before > 0 && c.slow.asyncCopies() < before/2 && c.growth(view.globalInstructions) > 0 && stillShared
}

// perAccess is how many added instructions, addresses, bounds and the loop around it, a narrower access may answer for.
const perAccess = 16

// narrower is from which factor on an access is called narrower: the widths that machines have are powers of two.
var narrower = math.Log(1.5)

// narrowed: as many bytes are asked for, coalesced as well as before, in more and narrower loads and stores of global memory.
func (c contrast) narrowed() bool {
	fast, slow := c.fast.memory(), c.slow.memory()
	same := func(a, b float64) bool { return math.Abs(math.Log(b/a)) < grown } // false where it is not known
	if !same(fast.asked, slow.asked) || !same(fast.spread, slow.spread) || growth(c.slow.accessWidth(), c.fast.accessWidth()) < narrower {
		return false
	}
	added := c.slow.globalInstructions() - c.fast.globalInstructions()
	return c.slow.instructions()-c.fast.instructions() <= perAccess*added
}

// narrowedShared is the same of shared memory: as many wavefronts without conflicts, in more instructions.
func (c contrast) narrowedShared() bool {
	fast, slow := c.fast.l1Work().shared, c.slow.l1Work().shared
	added := c.slow.sharedInstructions() - c.fast.sharedInstructions()
	return fast > 0 && math.Abs(math.Log(slow/fast)) < grown && c.growth(view.sharedInstructions) >= narrower &&
		added > leastOfWork*c.slow.instructions() && c.slow.instructions()-c.fast.instructions() <= perAccess*added
}

// moreShared: most of the added instructions are accesses to shared memory.
func (c contrast) moreShared() bool {
	return c.growth(view.sharedInstructions) >= grown && c.mostOfAdded(view.sharedInstructions)
}

// moreGlobal: most of them are loads and stores of global memory, which ask L1 for more.
func (c contrast) moreGlobal() bool {
	return growth(c.fast.memory().asked, c.slow.memory().asked) >= grown && c.mostOfAdded(view.globalInstructions)
}

// mostOfAdded says whether at least half of the added instructions are of a kind.
func (c contrast) mostOfAdded(kind func(view) float64) bool {
	added := kind(c.slow) - kind(c.fast)
	return added > leastOfWork*c.slow.instructions() && added >= (c.slow.instructions()-c.fast.instructions())/2
}
