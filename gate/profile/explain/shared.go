package explain

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// l1Work is what the data stage of L1 and shared memory does, in wavefronts: the load-store unit sends it one a cycle and SM. It is the
// unit behind the queue that Nsight calls MIO, and its parts are compared by what they add to it: a ratio that became worse counts as
// far as it makes work.
type l1Work struct {
	shared    float64 // accesses to shared memory, without conflicts
	conflicts float64 // what conflicts in banks add to them
	atomics   float64 // atomic operations on shared memory, those of one instruction on one address after each other
	shuffles  float64 // between the lanes of a warp
	global    float64 // accesses to global and local memory
}

// atShared is all of it but the accesses to global and local memory.
func (w l1Work) atShared() float64 { return w.shared + w.conflicts + w.atomics + w.shuffles }

func (v view) l1Work() l1Work { return v.l1WorkAt(math.NaN()) }

// l1WorkAt is l1Work where loads and stores of shared memory are known to take this many wavefronts over the ideal each, see repeats.
func (v view) l1WorkAt(rate float64) l1Work {
	all, inPipe := v.wavefronts(), v.get("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
	ofAtomics, ofOthers := v.repeats(rate)
	w := l1Work{atomics: v.sharedAtomics() + ofAtomics}
	w.conflicts = min(ofOthers, max(0, all-w.atomics))
	w.shared = max(0, all-w.atomics-w.conflicts)
	total := v.share("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed") * v.cycles() * v.sms()
	w.shuffles = max(0, finite(inPipe-all))
	w.global = max(0, finite(total-max(all, finite(inPipe))))
	return w
}

// mostRepeats is how many wavefronts more than one an instruction takes at most: its 32 lanes one after the other.
const mostRepeats = 31

// repeats are the wavefronts over the ideal: those of atomic operations, and those of loads and stores, which are bank conflicts. Nsight
// has them in one number. Where it does not count those of atomics apart too, loads and stores have as many each as the rate says, or each
// instruction of both kinds has as many where that is no number; but what one kind cannot have made is the other's.
func (v view) repeats(rate float64) (ofAtomics, ofOthers float64) {
	over := max(0, finite(v.wavefronts()-v.get("memory_l1_wavefronts_shared_ideal")))
	atomics, others := v.sharedAtomics(), v.otherShared()
	switch counted := v.get("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"); {
	case atomics == 0:
		return 0, over
	case counted >= atomics:
		ofOthers = over - (counted - atomics)
	case math.IsNaN(rate):
		ofOthers = over * others / (atomics + others)
	default:
		ofOthers = rate * others
	}
	ofOthers = min(max(ofOthers, over-mostRepeats*atomics, 0), mostRepeats*others, over)
	return over - ofOthers, ofOthers
}

// otherShared are the loads and stores of shared memory that are no atomic operations.
func (v view) otherShared() float64 { return max(0, v.sharedInstructions()-v.sharedAtomics()) }

// sharedWork is l1Work of both sides. Where it is the atomic operations that have become more, the other accesses have kept their conflicts.
func (c contrast) sharedWork() (fast, slow l1Work) {
	fast = c.fast.l1Work()
	rate := math.NaN()
	if c.growth(view.sharedAtomics) > c.growth(view.otherShared) {
		rate = fast.conflicts / c.fast.otherShared()
	}
	return fast, c.slow.l1WorkAt(rate)
}

// sharedCauses are the parts of l1Work that are no access to global memory, and what a growth of each is called.
var sharedCauses = []struct {
	id result.CauseID
	of func(l1Work) float64
}{
	{BankConflicts, func(w l1Work) float64 { return w.conflicts }},
	{Atomics, func(w l1Work) float64 { return w.atomics }},
	{SharedTraffic, func(w l1Work) float64 { return w.shared + w.shuffles }},
}

// leastOfWork is how much of the slower side's instructions the wavefronts must be that a part of l1Work has added to be a reason at all.
const leastOfWork = 0.05

// addedToShared is the part of the work at shared memory that grew most, where it is at least half of all that was added there.
func (c contrast) addedToShared() (result.CauseID, bool) {
	f, s := c.sharedWork()
	var id result.CauseID
	most, all := 0.0, 0.0
	for _, part := range sharedCauses {
		added := part.of(s) - part.of(f)
		all += max(added, 0)
		if added > most && added > leastOfWork*c.slow.instructions() && growth(max(part.of(f), 1), part.of(s)) >= grown {
			id, most = part.id, added
		}
	}
	return id, most > 0 && most >= all/2
}

// behindShared is what was added to shared memory where accesses to global memory queue behind it, "" where they do not: both go through the
// load-store unit and the data stage of L1. Warps wait longer for shared memory too then, and what was added is far more than all accesses to
// global memory.
func (c contrast) behindShared(w waits) result.CauseID {
	id, ok := c.addedToShared()
	f, s := c.sharedWork()
	if !ok || w.sum(TermShared) <= 0 || s.atShared()-f.atShared() < farMore*c.slow.globalInstructions() {
		return ""
	}
	return id
}

// farMore is how many wavefronts of shared memory have to come with each access to global memory for that one to wait for them.
const farMore = 8

// sharedCause looks for what made shared memory and its queue slower.
func (c contrast) sharedCause(w waits, log float64) result.Cause {
	shown := []figure{{stalls("short_scoreboard"), more}, {stalls("mio_throttle"), more}}
	if id, ok := c.addedToShared(); ok {
		return c.atShared(id, log, append(slices.Clone(support[id]), shown...)...)
	}
	id, first := ShortScoreboard, shown[0]
	if w["mio_throttle"] > w["short_scoreboard"] {
		id, first = MIOStall, shown[1]
	}
	xu := specialFunctions
	switch constants := c.busier(constantCache); {
	case constants && c.slow.use(constantCache) >= finite(c.slow.use(xu)):
		return c.constants(log)
	case c.busier(xu):
		return c.cause(MathPipe, log, figure{ofPeak(xu, c.slow.metric(xu)), more}, first)
	}
	if behind := c.behindGlobal(w); behind != "" {
		return c.cause(behind, log, append(slices.Clone(support[behind]), shown...)...)
	}
	return c.cause(id, log, first)
}

// behindGlobal is behindShared the other way round: what was added to global memory where accesses to shared memory queue behind it, "" where they
// do not. Nothing more is done at shared memory then, warps wait longer for global memory too, and the sectors that were added there are far more than
// all accesses to shared memory.
func (c contrast) behindGlobal(w waits) result.CauseID {
	id, ok := c.addedToGlobal()
	if !ok || w.sum(TermMemory) <= 0 || c.slow.sectors()-c.fast.sectors() < farMore*c.slow.sharedInstructions() {
		return ""
	}
	return id
}

// busier says whether a unit behind the queue of shared memory has more to do, and enough to be waited for.
func (c contrast) busier(u unit) bool {
	return c.slow.use(u) >= memoryBound && growth(c.fast.work(u), c.slow.work(u)) >= grown
}

// atShared words a cause that is at shared memory, where global memory may have one of that name.
func (c contrast) atShared(id result.CauseID, log float64, shown ...figure) result.Cause {
	if id != Atomics {
		return c.cause(id, log, shown...)
	}
	out := c.cause(id, log, append(shown, figure{sharedAtomics, more}, figure{sharedOverIdeal, more}, figure{sharedWavefronts, more})...)
	if out.ID == Atomics {
		out.Title = "atomic operations on shared memory wait for each other"
		out.Remedy = "add up in registers or across the warp first, and once a warp in shared memory; or spread them over copies in different banks"
	}
	return out
}

// l1Cause explains more work of L1, which is shared memory too, by the part of it that grew most.
func (c contrast) l1Cause(log float64) result.Cause {
	f, s := c.sharedWork()
	shared, byShared := c.addedToShared()
	sharedGrew := s.atShared() - f.atShared()
	switch {
	case c.spilled() && c.moreLocal() >= sharedGrew/4 && c.moreLocal() >= (s.global-f.global)/8:
		return c.cause(RegisterSpills, log)
	case byShared && sharedGrew >= s.global-f.global:
		return c.atShared(shared, log)
	}
	if id, ok := c.addedToGlobal(); ok {
		return c.cause(id, log)
	}
	if c.growth(view.instructions) >= log/2 {
		return c.mostInstructions(log)
	}
	return c.l1Stall(log)
}

// addedToGlobal is what made the accesses to global memory more at L1: sectors over the ideal where they are most of what was added,
// else bytes that are asked for.
func (c contrast) addedToGlobal() (result.CauseID, bool) {
	switch touched := c.slow.sectors() - c.fast.sectors(); {
	case touched <= 0 || c.growth(view.sectors) < grown:
		return "", false
	case c.excess(touched):
		return Uncoalesced, true
	}
	return L1Traffic, growth(c.fast.memory().asked, c.slow.memory().asked) >= grown
}

// excess says whether sectors over the ideal are at least half of those that were added.
func (c contrast) excess(touched float64) bool {
	over := func(v view) float64 { return v.sectors() * (1 - 1/math.Max(1, v.excessSectors())) }
	return over(c.slow)-over(c.fast) >= touched/2
}

// l1Stall is for instructions that have become accesses to L1 or shared memory, by what warps wait for more than before.
func (c contrast) l1Stall(log float64) result.Cause {
	out, longest := result.Cause{ID: other, Log: log}, 0.0
	for _, r := range reasons {
		if longer := c.slow.stall(r.name) - c.fast.stall(r.name); r.asksMemory() && r.cause != "" && longer > longest {
			out, longest = c.cause(r.cause, log, figure{stalls(r.name), more}), longer
		}
	}
	return out
}

// sharedAtomics are the instructions of atomic operations on shared memory.
func (v view) sharedAtomics() float64 { return v.count("smsp__inst_executed_op_shared_atom.sum") }

// asyncCopies are the instructions that copy to shared memory past the registers: cp.async, and TMA, one of which copies a tile.
func (v view) asyncCopies() float64 {
	return v.count("smsp__inst_executed_op_ldgsts.sum") + v.count("smsp__inst_executed_op_tma_ld.sum")
}
