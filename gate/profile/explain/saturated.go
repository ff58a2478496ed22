package explain

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// memoryBound is the share of its peak from which on DRAM or L2 is taken for what a kernel waits for, if its warps mostly
// wait for memory: with few warps resident, bandwidth is what they can ask for at once, and time is bytes over it.
const memoryBound = 0.35

// saturated explains a kernel whose slower side is limited by the throughput of one unit, by the work of that unit. Other
// units may have more work as well: they are not what it waits for.
func (c contrast) saturated(whole float64) (result.Cause, bool) {
	u, use := c.slow.bottleneck()
	least := bound
	if (u.name == "DRAM" || u.name == "L2") && c.slow.waitsForMemory() {
		least = memoryBound
	}
	ofWork := growth(c.fast.work(u), c.slow.work(u))
	if use < least || whole <= 0 || ofWork < named*whole {
		return result.Cause{}, false
	}
	// A unit that had time to spare before takes some of the new work for nothing.
	out := c.saturatedBy(u, min(ofWork, whole), ofWork)
	peak := ofPeak(u, c.slow.metric(u))
	if !slices.ContainsFunc(out.Changes, func(shown result.Change) bool { return shown.Name == peak.name }) {
		out.Changes = append(out.Changes, c.changes(peak)...)
	}
	return out, true
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

func (c contrast) saturatedBy(u unit, log, ofWork float64) result.Cause {
	switch u.name {
	case "DRAM", "L2":
		return c.traffic(u, log)
	case "L1":
		return c.l1Work(log)
	}
	more := c.mostInstructions(log)
	if more.ID == MoreInstructions && u.pipe && ofWork > 2*c.growth(view.instructions) {
		return c.cause(MathPipe, log, instructions)
	}
	return more
}

// mostInstructions is the largest cause of a growth of their number.
func (c contrast) mostInstructions(log float64) result.Cause {
	best, most := c.cause(MoreInstructions, log, instructions), 0.0
	for _, cause := range c.moreInstructions(c.growth(view.instructions)) {
		if cause.Log > most {
			best, most = cause, cause.Log
		}
	}
	best.Log = log
	return best
}

// traffic explains more work of DRAM or L2 by the factor that grew most on the way down to it.
func (c contrast) traffic(u unit, log float64) result.Cause {
	if c.spilled() && c.spillsDominate() {
		return c.spills(log)
	}
	f, s := c.fast.memory(), c.slow.memory()
	id, most := DRAMTraffic, growth(f.asked, s.asked)
	if u.name == "L2" {
		id = MemoryRoof
	}
	consider := func(cause result.CauseID, g float64) {
		if g > most {
			id, most = cause, g
		}
	}
	consider(Uncoalesced, growth(f.spread, s.spread))
	consider(L1HitRate, growth(f.pastL1, s.pastL1))
	if u.name == "DRAM" {
		consider(L2HitRate, growth(f.pastL2, s.pastL2))
	} else {
		consider(Atomics, c.atomicGrowth())
	}
	return c.onTheWay(id, log)
}

// l1Work explains more work of L1, which is shared memory too.
func (c contrast) l1Work(log float64) result.Cause {
	conflicts, spread := c.conflictGrowth(), c.growth(view.excessSectors)
	switch {
	case c.spilled() && c.moreLocal() >= (c.slow.wavefronts()-c.fast.wavefronts())/4:
		return c.spills(log)
	case conflicts >= grown && conflicts >= spread:
		return c.cause(BankConflicts, log, sharedOverIdeal)
	case spread >= grown:
		return c.onTheWay(Uncoalesced, log)
	case c.growth(view.instructions) >= log/2:
		return c.mostInstructions(log)
	}
	return c.l1Stall(log)
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
			out, longest = c.cause(s.id, log, stalls(s.reason)), longer
		}
	}
	return out
}

// spillsDominate says whether local memory adds more sectors behind L1 than global memory does.
func (c contrast) spillsDominate() bool {
	return c.slow.localMisses()-c.fast.localMisses() >= c.slow.globalMisses()-c.fast.globalMisses()
}
