package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// grown is by how much a ratio must grow for it to be the reason of a stall: less than a quarter explains no stall that
// explains half of a change.
var grown = math.Log(1.25)

// leastGrown is the same for a stall that is short itself: a ratio explains it if it grew by half as much.
var leastGrown = math.Log(1.1)

// longerStalls gives every stall that grew the cause that its counters point to.
func (c contrast) longerStalls(w waits) []result.Cause {
	if together, ok := c.waitingTogether(w); ok {
		for _, r := range reasons {
			if r.term == TermBarrier || r.term == TermMemory {
				w[r.name] = 0
			}
		}
		return append([]result.Cause{together}, c.longerStalls(w)...)
	}
	var out []result.Cause
	if memory := w.sum(TermMemory); memory > 0 {
		out = append(out, c.memoryWaits(w, memory))
	}
	if shared := w.sum(TermShared); shared > 0 {
		out = append(out, c.sharedCause(w, shared))
	}
	rest := w.sum() - w.sum(TermMemory, TermShared)
	for _, r := range reasons {
		if r.cause != "" && !r.asksMemory() {
			out = append(out, c.cause(r.cause, w[r.name], figure{stalls(r.name), more}))
			rest -= w[r.name]
		}
	}
	return append(out, result.Cause{ID: other, Log: rest})
}

// memoryWaits gives longer waits for global memory the cause that its counters point to.
func (c contrast) memoryWaits(w waits, log float64) result.Cause {
	shown := []figure{{stalls("long_scoreboard"), more}, {stalls("lg_throttle"), more}}
	if id, ok := c.memoryCause(log); ok {
		out := c.onTheWay(id, log)
		out.Changes = append(out.Changes, c.cause(MemoryLatency, log, shown...).Changes...)
		return out
	}
	if id := c.behindShared(w); id != "" {
		return c.atShared(id, log, append(slices.Clone(support[id]), shown...)...)
	}
	if w["lg_throttle"] > w["long_scoreboard"] {
		return c.cause(LGStall, log, shown[1], shown[0])
	}
	return c.cause(MemoryLatency, log, append(shown, figure{l1Hits, either}, figure{l2Hits, either})...)
}

// waitingTogether recognises barriers that cost more than the waiting at them: where warps wait for each other twice as much,
// and memory has nothing more to do and nothing worse to offer, the longer waits for memory are loads that a barrier keeps
// from overlapping.
func (c contrast) waitingTogether(w waits) (result.Cause, bool) {
	memory, barrier := w.sum(TermMemory), w["barrier"]
	before, after := c.fast.stall("barrier"), c.slow.stall("barrier")
	waits := after * c.slow.instructions() / (before * c.fast.instructions())
	if barrier <= 0 || memory <= 0 || barrier < memory/4 || waits < 2 || before == 0 || c.spilled() {
		return result.Cause{}, false
	}
	asked := math.Log(c.slow.memory().asked / c.fast.memory().asked)
	if _, worse := c.memoryCause(memory); worse || c.behindShared(w) != "" || math.Abs(finite(asked)) >= grown {
		return result.Cause{}, false
	}
	out := c.cause(BarrierStall, barrier+memory, figure{stalls("barrier"), more}, figure{stalls("long_scoreboard"), more})
	out.Facts = []string{"no more is asked of memory, so the longer waits for it are put down to the barriers: loads before and behind one do not overlap"}
	return out, true
}

// memoryCause looks for what made accesses to global memory slower: the factor on their way down that grew most.
func (c contrast) memoryCause(log float64) (result.CauseID, bool) {
	if c.spilled() && c.spillsDominate() {
		return RegisterSpills, true
	}
	fast, slow, f, s := c.fast, c.slow, c.fast.memory(), c.slow.memory()
	spread := 0.0
	if touched := slow.sectors() - fast.sectors(); touched > 0 && c.excess(touched) {
		spread = min(finite(math.Log(slow.excessSectors()/fast.excessSectors())), c.growth(view.sectors))
	}
	l2Misses, dram := 0.0, 0.0
	if slow.askedByL1() {
		l2Misses = min(finite(missGrowth(fast.l2Miss(), slow.l2Miss())), growth(f.dram, s.dram))
		dram = finite(math.Log(s.dram / f.dram))
	}
	candidates := []struct {
		id     result.CauseID
		growth float64
	}{
		// A ratio that got worse because good accesses went away costs nothing: it counts as far as what it causes has grown.
		{Uncoalesced, spread},
		{L1HitRate, min(finite(missGrowth(fast.l1Miss(), slow.l1Miss())), growth(f.l2, s.l2))},
		{L2HitRate, l2Misses},
		{DRAMTraffic, dram},
		{Atomics, c.atomicGrowth()},
		{L1Traffic, growth(f.asked, s.asked)},
	}
	least, best := min(grown, max(leastGrown, named*log)), -1
	for i, candidate := range candidates {
		if candidate.growth >= least && (best < 0 || candidate.growth > candidates[best].growth+grown) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	return candidates[best].id, true
}

// missGrowth is the log growth of a miss rate, where it is more than a twentieth of all accesses.
func missGrowth(fast, slow float64) float64 {
	if slow-fast < 0.05 {
		return 0
	}
	return math.Log(slow / math.Max(fast, 0.01))
}

// onTheWay words a cause on the way from the threads to DRAM.
func (c contrast) onTheWay(id result.CauseID, log float64) result.Cause {
	dram, l2 := units[0], units[1]
	var shown []figure
	if id == DRAMTraffic || id == MemoryRoof {
		shown = []figure{{ofPeak(dram, dram.usage[1]), more}, {ofPeak(l2, l2.usage[0]), more}}
	}
	out := c.cause(id, log, append(slices.Clone(support[id]), shown...)...)
	if use := c.slow.use(l2); id == MemoryRoof && use >= bound {
		out.Title = fmt.Sprintf("the L2 cache has more to do, at %.0f %% of its peak", 100*use)
	}
	if fact := c.slow.atomicFact(); id == Atomics && fact != "" {
		out.Facts = []string{fact}
	}
	return out
}
