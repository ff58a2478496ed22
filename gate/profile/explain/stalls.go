package explain

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// grown is by how much a ratio must grow for it to be the reason of a stall: less than a quarter explains no stall that
// explains half of a change.
var grown = math.Log(1.25)

// waits are what warps wait for, in terms of the log ratio by reason.
type waits map[string]float64

// reasons that longerStalls puts down to memory, to shared memory, to barriers and to pipes; the rest has no name.
var (
	ofMemory = []string{"long_scoreboard", "lg_throttle", "tex_throttle"}
	ofShared = []string{"short_scoreboard", "mio_throttle"}
	nameless = []string{
		"branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "membar", "misc",
		"no_instruction", "not_selected", "selected", "sleeping", "wait", "warpgroup_arrive",
	}
)

func (w waits) sum(reasons []string) float64 {
	sum := 0.0
	for _, reason := range reasons {
		sum += w[reason]
	}
	return sum
}

// longerStalls gives every stall that grew the cause that its counters point to.
func (c contrast) longerStalls(w waits) []result.Cause {
	if together, ok := c.waitingTogether(w); ok {
		for _, reason := range append([]string{"barrier"}, ofMemory...) {
			w[reason] = 0
		}
		return append([]result.Cause{together}, c.longerStalls(w)...)
	}
	var out []result.Cause
	add := func(cause result.Cause, shown ...string) {
		for _, reason := range shown {
			if w[reason] > 0 {
				cause.Changes = append(cause.Changes, c.changes(stalls(reason))...)
			}
		}
		out = append(out, cause)
	}
	if memory := w.sum(ofMemory); memory > 0 {
		cause, ok := c.memoryCause(memory)
		if !ok {
			cause.ID = MemoryLatency
			if w["lg_throttle"] > w["long_scoreboard"] {
				cause.ID = LGStall
			}
		}
		add(cause, "long_scoreboard", "lg_throttle")
	}
	if shared := w.sum(ofShared); shared > 0 {
		add(c.sharedCause(w, shared), ofShared...)
	}
	add(result.Cause{ID: BarrierStall, Log: w["barrier"]}, "barrier")
	add(result.Cause{ID: MathPipe, Log: w["math_pipe_throttle"]}, "math_pipe_throttle")
	return append(out, result.Cause{ID: other, Log: w.sum(nameless)})
}

// waitingTogether recognises barriers that cost more than the waiting at them: where warps wait for each other twice as much,
// and memory has nothing more to do and nothing worse to offer, the longer waits for memory are loads that a barrier keeps
// from overlapping.
func (c contrast) waitingTogether(w waits) (result.Cause, bool) {
	memory, barrier := w.sum(ofMemory), w["barrier"]
	before, after := c.fast.stall("barrier"), c.slow.stall("barrier")
	waits := after * c.slow.instructions() / (before * c.fast.instructions())
	if barrier <= 0 || memory <= 0 || barrier < memory/4 || waits < 2 || before == 0 || c.spilled() {
		return result.Cause{}, false
	}
	asked := math.Log(c.slow.memory().asked / c.fast.memory().asked)
	if _, worse := c.memoryCause(memory); worse || math.Abs(finite(asked)) >= grown {
		return result.Cause{}, false
	}
	out := c.cause(BarrierStall, barrier+memory, stalls("barrier"), stalls("long_scoreboard"))
	out.Facts = []string{"no more is asked of memory, so the longer waits for it are put down to the barriers: loads before and behind one do not overlap"}
	return out, true
}

// memoryCause looks for what made accesses to global memory slower: the factor on their way down that grew most.
func (c contrast) memoryCause(log float64) (result.Cause, bool) {
	if c.spilled() && c.spillsDominate() {
		return c.spills(log), true
	}
	fast, slow, f, s := c.fast, c.slow, c.fast.memory(), c.slow.memory()
	candidates := []struct {
		id     result.CauseID
		growth float64
	}{
		// A ratio that got worse because good accesses went away costs nothing: it counts as far as what it causes has grown.
		{Uncoalesced, min(finite(math.Log(slow.excessSectors()/fast.excessSectors())), c.growth(view.sectors))},
		{L1HitRate, min(finite(missGrowth(fast.l1Miss(), slow.l1Miss())), growth(f.l2, s.l2))},
		{L2HitRate, min(finite(missGrowth(fast.l2Miss(), slow.l2Miss())), growth(f.dram, s.dram))},
		{DRAMTraffic, finite(math.Log(s.dram / f.dram))},
		{Atomics, c.atomicGrowth()},
	}
	best := -1
	for i, candidate := range candidates {
		if candidate.growth >= grown && (best < 0 || candidate.growth > candidates[best].growth+grown) {
			best = i
		}
	}
	if best < 0 {
		return c.cause("", log, l1Hits, l2Hits), false
	}
	return c.onTheWay(candidates[best].id, log), true
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
	out := c.cause(id, log, map[result.CauseID][]quantity{
		Uncoalesced: {sectorsOverIdeal},
		L1HitRate:   {l1Hits, l2Sectors},
		L2HitRate:   {l2Hits, dramTraffic},
		Atomics:     {atomicSectors},
		DRAMTraffic: {dramTraffic, ofPeak(dram, dram.usage[1]), ofPeak(l2, l2.usage[0])},
		MemoryRoof:  {dramTraffic, ofPeak(dram, dram.usage[1]), ofPeak(l2, l2.usage[0])},
	}[id]...)
	if fact := c.slow.atomicFact(); id == Atomics && fact != "" {
		out.Facts = []string{fact}
	}
	return out
}

// sharedCause looks for what made shared memory and its queue slower.
func (c contrast) sharedCause(w waits, log float64) result.Cause {
	switch {
	case c.conflictGrowth() >= grown && c.slow.wavefronts()-c.fast.wavefronts() > 0.05*c.slow.instructions():
		return c.cause(BankConflicts, log, sharedOverIdeal)
	case w["mio_throttle"] > w["short_scoreboard"]:
		return result.Cause{ID: MIOStall, Log: log}
	}
	return result.Cause{ID: ShortScoreboard, Log: log}
}
