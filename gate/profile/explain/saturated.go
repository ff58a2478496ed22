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
	// A slice of the L2 does the atomics on its addresses one after the other.
	queue := growth(c.fast.busiestSlice()*c.fast.cycles(), c.slow.busiestSlice()*c.slow.cycles())
	if c.slow.busiestSlice() >= bound && whole > 0 && queue >= named*whole {
		return c.onTheWay(Atomics, min(queue, whole)), true
	}
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
	peak := figure{ofPeak(u, c.slow.metric(u)), more}
	known := slices.ContainsFunc(out.Changes, func(shown result.Change) bool { return shown.Name == peak.name })
	if !known && peak.slower.holds(c.fast.use(u), c.slow.use(u)) {
		out.Changes = append(out.Changes, c.shown(peak.quantity))
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
		return c.l1Cause(log)
	case constantCache.name:
		return c.constants(log)
	}
	executed := c.mostInstructions(log)
	if executed.ID == MoreInstructions && u.pipe && ofWork > 2*c.growth(view.instructions) {
		return c.cause(MathPipe, log, figure{ofPeak(u, c.slow.metric(u)), more}, figure{instructions, either})
	}
	return executed
}

// constants are those at an index, which wait in the queue that shared memory has as well.
func (c contrast) constants(log float64) result.Cause {
	return c.cause(ConstantCache, log, figure{ofPeak(constantCache, constantCache.usage[0]), more}, figure{stalls("mio_throttle"), more}, figure{stalls("short_scoreboard"), more})
}

// mostInstructions is the largest cause of a growth of their number.
func (c contrast) mostInstructions(log float64) result.Cause {
	best, most := c.cause(MoreInstructions, log), 0.0
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
		return c.cause(RegisterSpills, log)
	}
	f, s := c.fast.memory(), c.slow.memory()
	id, most := DRAMTraffic, growth(f.asked, s.asked)
	switch {
	case u.name == "L2" && c.slow.l1Miss() < 0.5:
		id = L1Traffic
	case u.name == "L2":
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

// spillsDominate says whether local memory adds more sectors behind L1 than global memory does.
func (c contrast) spillsDominate() bool {
	return c.slow.localMisses()-c.fast.localMisses() >= c.slow.globalMisses()-c.fast.globalMisses()
}
