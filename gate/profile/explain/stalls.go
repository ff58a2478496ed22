package explain

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// grown is by how much a ratio must grow for it to be the reason of a stall: less than a quarter explains no stall that
// explains half of a change.
var grown = math.Log(1.25)

// stallCauses gives every stall that grew the cause that its counters point to.
func (a *accounts) stallCauses(o *oriented, fast, slow view) []result.Cause {
	if c, ok := o.waitingTogether(a, fast, slow); ok {
		for _, reason := range []string{"barrier", "long_scoreboard", "lg_throttle", "tex_throttle"} {
			a.stalls[reason] = 0
		}
		return append([]result.Cause{c}, a.stallCauses(o, fast, slow)...)
	}
	memory := a.stalls["long_scoreboard"] + a.stalls["lg_throttle"] + a.stalls["tex_throttle"]
	shared := a.stalls["short_scoreboard"] + a.stalls["mio_throttle"]
	out := []result.Cause{}
	add := func(c result.Cause, stalls ...string) {
		for _, reason := range stalls {
			if a.stalls[reason] > 0 {
				c.Changes = append(c.Changes, o.stallChange(reason, fast, slow))
			}
		}
		out = append(out, c)
	}
	if memory > 0 {
		c, ok := o.memoryCause(fast, slow, memory)
		if !ok {
			c.ID = MemoryLatency
			if a.stalls["lg_throttle"] > a.stalls["long_scoreboard"] {
				c.ID = LGStall
			}
		}
		add(c, "long_scoreboard", "lg_throttle")
	}
	if shared > 0 {
		add(o.sharedCause(a, fast, slow, shared), "short_scoreboard", "mio_throttle")
	}
	add(result.Cause{ID: BarrierStall, Log: a.stalls["barrier"]}, "barrier")
	add(result.Cause{ID: MathPipe, Log: a.stalls["math_pipe_throttle"]}, "math_pipe_throttle")
	rest := 0.0
	for _, reason := range []string{
		"branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "membar", "misc",
		"no_instruction", "not_selected", "selected", "sleeping", "wait", "warpgroup_arrive",
	} {
		rest += a.stalls[reason]
	}
	return append(out, result.Cause{ID: other, Log: rest})
}

// waitingTogether recognises barriers that cost more than the waiting at them: where warps wait for each other twice as much,
// and memory has nothing more to do and nothing worse to offer, the longer waits for memory are loads that a barrier keeps
// from overlapping.
func (o *oriented) waitingTogether(a *accounts, fast, slow view) (result.Cause, bool) {
	memory := a.stalls["long_scoreboard"] + a.stalls["lg_throttle"] + a.stalls["tex_throttle"]
	barrier := a.stalls["barrier"]
	waits := slow.stall("barrier") * slow.instructions() / (fast.stall("barrier") * fast.instructions())
	if barrier <= 0 || memory <= 0 || barrier < memory/4 || waits < 2 || fast.stall("barrier") == 0 || o.spilled(fast, slow) {
		return result.Cause{}, false
	}
	f, s := fast.memory(), slow.memory()
	if _, worse := o.memoryCause(fast, slow, memory); worse || math.Abs(finite(math.Log(s.asked/f.asked))) >= grown {
		return result.Cause{}, false
	}
	return result.Cause{
		ID: BarrierStall, Log: barrier + memory, Changes: []result.Change{o.stallChange("barrier", fast, slow), o.stallChange("long_scoreboard", fast, slow)},
		Facts: []string{"no more is asked of memory, so the longer waits for it are put down to the barriers: loads before and behind one do not overlap"},
	}, true
}

func (o *oriented) stallChange(reason string, fast, slow view) result.Change {
	return o.change("stall: "+stallWords[reason], "smsp__average_warps_issue_stalled_"+reason+"_per_issue_active.ratio", "", fast.stall(reason), slow.stall(reason))
}

var stallWords = map[string]string{
	"long_scoreboard": "global memory", "lg_throttle": "queue to global memory", "short_scoreboard": "shared memory", "mio_throttle": "queue to shared memory",
	"barrier": "barrier", "math_pipe_throttle": "arithmetic pipe",
}

// memoryCause looks for what made accesses to global memory slower: the factor on their way down that grew most.
func (o *oriented) memoryCause(fast, slow view, log float64) (result.Cause, bool) {
	if o.spilled(fast, slow) && spillsDominate(fast, slow) {
		return o.spills(fast, slow, log), true
	}
	f, s := fast.memory(), slow.memory()
	candidates := []struct {
		id     result.CauseID
		growth float64
	}{
		// A ratio that got worse because good accesses went away costs nothing: it counts as far as what it causes has grown.
		{Uncoalesced, min(finite(math.Log(slow.excessSectors()/fast.excessSectors())), growth(fast.sectors(), slow.sectors()))},
		{L1HitRate, min(finite(missGrowth(fast.l1Miss(), slow.l1Miss())), growth(f.l2, s.l2))},
		{L2HitRate, min(finite(missGrowth(fast.l2Miss(), slow.l2Miss())), growth(f.dram, s.dram))},
		{DRAMTraffic, finite(math.Log(s.dram / f.dram))},
		{Atomics, atomicGrowth(fast, slow)},
	}
	best := -1
	for i, c := range candidates {
		if c.growth >= grown && (best < 0 || c.growth > candidates[best].growth+grown) {
			best = i
		}
	}
	if best < 0 {
		return result.Cause{Log: log, Changes: []result.Change{o.l1(fast, slow), o.l2(fast, slow)}}, false
	}
	return o.chain(candidates[best].id, fast, slow, log), true
}

// missGrowth is the log growth of a miss rate, where it is more than a twentieth of all accesses.
func missGrowth(fast, slow float64) float64 {
	if slow-fast < 0.05 {
		return 0
	}
	return math.Log(slow / math.Max(fast, 0.01))
}

func (o *oriented) l1(fast, slow view) result.Change {
	return o.change("L1 hit rate of loads", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", 1-fast.l1Miss(), 1-slow.l1Miss())
}

func (o *oriented) l2(fast, slow view) result.Change {
	return o.change("L2 hit rate", "lts__t_sector_hit_rate.pct", "%", 1-fast.l2Miss(), 1-slow.l2Miss())
}

// chain words a cause on the way from the threads to DRAM.
func (o *oriented) chain(id result.CauseID, fast, slow view, log float64) result.Cause {
	f, s := fast.memory(), slow.memory()
	c := result.Cause{ID: id, Log: log}
	switch id {
	case Uncoalesced:
		c.Changes = []result.Change{o.change("sectors touched, over ideal", "memory_l2_theoretical_sectors_global", "", fast.excessSectors(), slow.excessSectors())}
	case L1HitRate:
		c.Changes = []result.Change{o.l1(fast, slow), o.change("sectors at L2", "lts__t_sectors.sum", "sector", f.l2, s.l2)}
	case L2HitRate:
		c.Changes = []result.Change{o.l2(fast, slow), o.change("DRAM traffic", "dram__bytes_read.sum", "byte", f.dram, s.dram)}
	case Atomics:
		c.Changes = []result.Change{o.change("atomic sectors at L2", "lts__t_sectors_srcunit_tex_op_red.sum", "sector", fast.atomics(), slow.atomics())}
		if fact := slow.atomicFact(); fact != "" {
			c.Facts = []string{fact}
		}
	case DRAMTraffic, MemoryRoof:
		dram, l2 := units[0], units[1]
		c.Changes = []result.Change{
			o.change("DRAM traffic", "dram__bytes_read.sum", "byte", f.dram, s.dram),
			o.change("DRAM, of peak", dram.usage[1], "%", fast.use(dram), slow.use(dram)),
			o.change("L2, of peak", l2.usage[0], "%", fast.use(l2), slow.use(l2)),
		}
	}
	return c
}

// sharedCause looks for what made shared memory and its queue slower.
func (o *oriented) sharedCause(a *accounts, fast, slow view, log float64) result.Cause {
	if conflictGrowth(fast, slow) >= grown && slow.wavefronts()-fast.wavefronts() > 0.05*slow.instructions() {
		return o.bankConflicts(fast, slow, log)
	}
	c := result.Cause{ID: ShortScoreboard, Log: log}
	if a.stalls["mio_throttle"] > a.stalls["short_scoreboard"] {
		c.ID = MIOStall
	}
	return c
}

func (o *oriented) bankConflicts(fast, slow view, log float64) result.Cause {
	return result.Cause{ID: BankConflicts, Log: log, Changes: []result.Change{
		o.change("shared wavefronts, over ideal", "memory_l1_wavefronts_shared", "", fast.conflicts(), slow.conflicts()),
	}}
}
