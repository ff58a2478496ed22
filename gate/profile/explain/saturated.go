package explain

import (
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// memoryBound is the share of its peak from which on DRAM or L2 is taken for what a kernel waits for, if its warps mostly
// wait for memory: with few warps resident, bandwidth is what they can ask for at once, and time is bytes over it.
const memoryBound = 0.35

// saturated explains a kernel whose slower side is limited by the throughput of one unit, by the work of that unit. Other
// units may have more work as well: they are not what it waits for.
func (o *oriented) saturated(fast, slow view, whole float64) (result.Cause, bool) {
	u, use := slow.bottleneck()
	least := bound
	if (u.name == "DRAM" || u.name == "L2") && slow.waitsForMemory() {
		least = memoryBound
	}
	if use < least || whole <= 0 {
		return result.Cause{}, false
	}
	ofWork := growth(fast.work(u), slow.work(u))
	if ofWork < named*whole {
		return result.Cause{}, false
	}
	// A unit that had time to spare before takes some of the new work for nothing.
	log := min(ofWork, whole)
	c := o.saturatedBy(u, fast, slow, log, ofWork)
	peak := o.change(u.name+", of peak", slow.metric(u), "%", fast.use(u), slow.use(u))
	if !slices.ContainsFunc(c.Changes, func(shown result.Change) bool { return shown.Name == peak.Name }) {
		c.Changes = append(c.Changes, peak)
	}
	return c, true
}

// growth is ln(to/from): +Inf where there was nothing before, and 0 where either is not known or nothing is left.
func growth(from, to float64) float64 {
	if log := math.Log(to / from); !math.IsNaN(log) && !math.IsInf(log, -1) {
		return log
	}
	return 0
}

// bottleneck is the limiting unit; of L2 and DRAM, where both are busy, DRAM, which all that is said of it went through L2
// to.
func (v view) bottleneck() (unit, float64) {
	u, use := v.limiting()
	if dram := v.use(units[0]); u.name == "L2" && dram >= 0.75*use {
		return units[0], dram
	}
	return u, use
}

// waitsForMemory says whether warps spend most of their time waiting for global or local memory.
func (v view) waitsForMemory() bool {
	return v.stall("long_scoreboard")+v.stall("lg_throttle") >= v.latency()/2
}

func (o *oriented) saturatedBy(u unit, fast, slow view, log, ofWork float64) result.Cause {
	switch u.name {
	case "DRAM", "L2":
		return o.traffic(u, fast, slow, log)
	case "L1":
		return o.l1Work(fast, slow, log)
	}
	more, instructions := o.more(fast, slow, log), growth(fast.instructions(), slow.instructions())
	if more.ID == MoreInstructions && u.pipe && ofWork > 2*instructions {
		return result.Cause{ID: MathPipe, Log: log, Changes: []result.Change{o.instructionChange(fast, slow)}}
	}
	return more
}

// more is the largest cause of a growth of the number of instructions.
func (o *oriented) more(fast, slow view, log float64) result.Cause {
	best := result.Cause{ID: MoreInstructions, Log: log, Changes: []result.Change{o.instructionChange(fast, slow)}}
	most := 0.0
	for _, c := range work(growth(fast.instructions(), slow.instructions())).causes(o, fast, slow) {
		if c.Log > most {
			best, most = c, c.Log
		}
	}
	best.Log = log
	return best
}

// traffic explains more work of DRAM or L2 by the factor that grew most on the way down to it.
func (o *oriented) traffic(u unit, fast, slow view, log float64) result.Cause {
	if o.spilled(fast, slow) && spillsDominate(fast, slow) {
		return o.spills(fast, slow, log)
	}
	f, s := fast.memory(), slow.memory()
	id, most := DRAMTraffic, growth(f.asked, s.asked)
	if u.name == "L2" {
		id = MemoryRoof
	}
	consider := func(cause result.CauseID, from, to float64) {
		if g := growth(from, to); g > most {
			id, most = cause, g
		}
	}
	consider(Uncoalesced, f.spread, s.spread)
	consider(L1HitRate, f.pastL1, s.pastL1)
	if u.name == "DRAM" {
		consider(L2HitRate, f.pastL2, s.pastL2)
	} else if atomicGrowth(fast, slow) > most {
		id = Atomics
	}
	return o.chain(id, fast, slow, log)
}

// l1Work explains more work of L1, which is shared memory too.
func (o *oriented) l1Work(fast, slow view, log float64) result.Cause {
	conflicts := conflictGrowth(fast, slow)
	spread := growth(fast.excessSectors(), slow.excessSectors())
	switch {
	case o.spilled(fast, slow) && moreLocal(fast, slow) >= (slow.wavefronts()-fast.wavefronts())/4:
		return o.spills(fast, slow, log)
	case conflicts >= grown && conflicts >= spread:
		return o.bankConflicts(fast, slow, log)
	case spread >= grown:
		return o.chain(Uncoalesced, fast, slow, log)
	case growth(fast.instructions(), slow.instructions()) >= log/2:
		return o.more(fast, slow, log)
	}
	return o.l1Stall(fast, slow, log)
}

// l1Stall is for instructions that have become accesses to L1 or shared memory, by what warps wait for more than before.
func (o *oriented) l1Stall(fast, slow view, log float64) result.Cause {
	c, longest := result.Cause{ID: other, Log: log}, 0.0
	for _, s := range []struct {
		id     result.CauseID
		reason string
	}{
		{MIOStall, "mio_throttle"}, {ShortScoreboard, "short_scoreboard"}, {LGStall, "lg_throttle"}, {MemoryLatency, "long_scoreboard"},
	} {
		if longer := slow.stall(s.reason) - fast.stall(s.reason); longer > longest {
			c.ID, c.Changes, longest = s.id, []result.Change{o.stallChange(s.reason, fast, slow)}, longer
		}
	}
	return c
}

// spillsDominate says whether local memory adds more sectors behind L1 than global memory does.
func spillsDominate(fast, slow view) bool {
	return slow.localMisses()-fast.localMisses() >= slow.globalMisses()-fast.globalMisses()
}
