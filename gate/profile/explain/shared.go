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
	atomics   float64 // atomic operations on shared memory
	shuffles  float64 // between the lanes of a warp
	global    float64 // accesses to global and local memory
}

func (v view) l1Work() l1Work {
	all, inPipe := v.wavefronts(), v.get("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
	w := l1Work{atomics: v.sharedAtomics()}
	if w.atomics > 0 {
		w.atomics = max(w.atomics, v.count("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"))
	}
	rest := max(0, all-w.atomics)
	if ideal := v.get("memory_l1_wavefronts_shared_ideal"); ideal < all {
		w.conflicts = min(all-ideal, rest)
	}
	w.shared = rest - w.conflicts
	total := v.share("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed") * v.cycles() * v.sms()
	w.shuffles = max(0, finite(inPipe-all))
	w.global = max(0, finite(total-max(all, finite(inPipe))))
	return w
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
	f, s := c.fast.l1Work(), c.slow.l1Work()
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

// sharedCause looks for what made shared memory and its queue slower.
func (c contrast) sharedCause(w waits, log float64) result.Cause {
	shown := []figure{{stalls("short_scoreboard"), more}, {stalls("mio_throttle"), more}}
	if id, ok := c.addedToShared(); ok {
		return c.cause(id, log, append(slices.Clone(support[id]), shown...)...)
	}
	id, first := ShortScoreboard, shown[0]
	if w["mio_throttle"] > w["short_scoreboard"] {
		id, first = MIOStall, shown[1]
	}
	xu := specialFunctions
	if c.slow.use(xu) >= memoryBound && growth(c.fast.work(xu), c.slow.work(xu)) >= grown {
		return c.cause(MathPipe, log, figure{ofPeak(xu, c.slow.metric(xu)), more}, first)
	}
	return c.cause(id, log, first)
}

// l1Cause explains more work of L1, which is shared memory too, by the part of it that grew most.
func (c contrast) l1Cause(log float64) result.Cause {
	f, s := c.fast.l1Work(), c.slow.l1Work()
	shared, byShared := c.addedToShared()
	sharedGrew := s.shared + s.conflicts + s.atomics + s.shuffles - f.shared - f.conflicts - f.atomics - f.shuffles
	switch {
	case c.spilled() && c.moreLocal() >= sharedGrew/4 && c.moreLocal() >= (s.global-f.global)/8:
		return c.spills(log)
	case byShared && sharedGrew >= s.global-f.global:
		return c.cause(shared, log)
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
	for _, s := range []struct {
		id     result.CauseID
		reason string
	}{
		{MIOStall, "mio_throttle"}, {ShortScoreboard, "short_scoreboard"}, {LGStall, "lg_throttle"}, {MemoryLatency, "long_scoreboard"},
	} {
		if longer := c.slow.stall(s.reason) - c.fast.stall(s.reason); longer > longest {
			out, longest = c.cause(s.id, log, figure{stalls(s.reason), more}), longer
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
