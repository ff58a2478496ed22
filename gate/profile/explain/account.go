package explain

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
)

// bound is the share of its peak from which on a unit is taken for the one that limits a kernel.
const bound = 0.6

// causes accounts for the cycles of one kernel.
func (c contrast) causes() []result.Cause {
	whole := math.Log(c.slow.cycles() / c.fast.cycles())
	if cause, ok := c.memoryClock(whole); ok {
		return []result.Cause{cause}
	}
	if cause, ok := c.saturated(whole); ok {
		return c.together([]result.Cause{cause})
	}
	a := c.accounts()
	a.balance()
	var sum causes
	sum.add(c.moreInstructions(a.instructions)...)
	sum.add(c.fewerWarps(a.warps)...)
	sum.add(c.longerStalls(a.stalls)...)
	return c.together(sum.list)
}

// memoryClock explains a kernel that waits for DRAM by the clock of the DRAM, where that alone covers half of the change.
func (c contrast) memoryClock(whole float64) (result.Cause, bool) {
	u, use := c.slow.bottleneck()
	lower := finite(math.Log(c.fast.dramHz() / c.slow.dramHz()))
	if u.name != "DRAM" || use < bound || whole <= 0 || lower < named*whole {
		return result.Cause{}, false
	}
	return c.cause(ClockLower, lower, figure{dramClock, less}), true
}

// accounts are the terms of the log ratio of cycles: instructions + warps + latency, the last by reason.
type accounts struct {
	instructions float64
	warps        float64 // positive: fewer of them on the slower side
	stalls       waits   // adding up to the change of latency
	totals       waits   // the same of latency times instructions: what warps waited in all
}

func (c contrast) accounts() accounts {
	fast, slow := c.fast, c.slow
	a := accounts{
		instructions: finite(math.Log(slow.instructions() / fast.instructions())),
		warps:        finite(math.Log(fast.warps() / slow.warps())),
		stalls:       map[string]float64{}, totals: map[string]float64{},
	}
	perInstruction := logMean(slow.latency(), fast.latency())
	inAll := logMean(slow.latency()*slow.instructions(), fast.latency()*fast.instructions())
	for _, r := range reasons {
		s, f := slow.stall(r.name), fast.stall(r.name)
		a.stalls[r.name] = finite((s - f) / perInstruction)
		a.totals[r.name] = finite((s*slow.instructions() - f*fast.instructions()) / inAll)
	}
	return a
}

// balance sets off what belongs together. Latency per instruction falls for two reasons that are no gain: the added
// instructions are cheap ones, or there are fewer warps that wait for each other. And it rises where there are more warps.
func (a *accounts) balance() {
	a.undilute()
	down, up := 0.0, 0.0
	for _, r := range reasons { // in their order: sums of floats depend on it
		down += min(a.stalls[r.name], 0)
		up += max(a.stalls[r.name], 0)
	}
	if net := down + up; net < 0 && (a.instructions > 0 || a.warps > 0) {
		queueing := 0.0 // waiting that is gone altogether, not only spread over more instructions
		for _, r := range reasons {
			queueing += min(a.totals[r.name], 0)
		}
		fromWarps := 0.0
		switch {
		case a.warps > 0 && a.instructions > 0:
			fromWarps = max(net, queueing)
		case a.warps > 0:
			fromWarps = net
		}
		a.warps += fromWarps
		a.instructions += net - fromWarps
		a.scaleStalls(0)
	} else if up > 0 {
		left := max(0, down+up+min(a.warps, 0))
		a.warps = max(a.warps, min(a.warps+down+up, 0))
		// A warp that is ready waits for nothing but another one that issues: it is the first to be set off against more warps.
		ready := min(max(a.stalls["not_selected"], 0), up-left)
		a.stalls["not_selected"] -= ready
		a.scaleStalls(finite(left / (up - ready)))
	}
}

// undilute takes back what added instructions only spread: a wait that is the same in all is shorter per instruction where
// there are more of them, and then it is the instructions that cost less than the mean one, not another stall. Where there are fewer
// of them it is longer per instruction, and no stall either.
func (a *accounts) undilute() {
	for _, r := range reasons {
		reason := r.name
		spread := min(a.totals[reason], 0) - a.stalls[reason] // what the fall per instruction is more than that in all
		if take := min(spread, a.instructions); a.stalls[reason] < 0 && take > 0 {
			a.stalls[reason] += take
			a.instructions -= take
		}
		gathered := a.stalls[reason] - max(a.totals[reason], 0)
		if take := min(gathered, -a.instructions); a.stalls[reason] > 0 && take > 0 {
			a.stalls[reason] -= take
			a.instructions += take
		}
	}
}

// scaleStalls keeps a factor of the positive stalls and none of the negative ones, which have been set off.
func (a *accounts) scaleStalls(factor float64) {
	for reason, x := range a.stalls {
		a.stalls[reason] = max(x, 0) * factor
	}
}

// moreInstructions splits a growth of their number.
func (c contrast) moreInstructions(log float64) []result.Cause {
	switch {
	case log <= 0:
		return []result.Cause{c.cause(MoreInstructions, log)}
	case c.spilled():
		spilt := min(1, perSpill*c.moreLocal()/(c.slow.instructions()-c.fast.instructions())) * log
		return []result.Cause{c.cause(RegisterSpills, spilt), c.cause(MoreInstructions, log-spilt)}
	}
	diverged := math.Log(c.fast.threadsPerInstruction() / c.slow.threadsPerInstruction())
	diverged = min(max(finite(diverged), 0), log)
	return []result.Cause{c.cause(Divergence, diverged), c.cause(MoreInstructions, log-diverged)}
}

// perSpill is how many added instructions, addresses and what a compiler could not keep in registers, one access to local memory may
// answer for: an array with an index that is not known has had 9.6.
const perSpill = 10

// spilled says whether the slower side uses local memory more, and enough of it to matter.
func (c contrast) spilled() bool { return c.moreLocal() > 0.01*c.slow.instructions() }

// moreLocal is how many more loads and stores of local memory the slower side executes.
func (c contrast) moreLocal() float64 { return c.slow.localInstructions() - c.fast.localInstructions() }

// fewerWarps splits a loss of resident warps: what the SM could hold, what the grid offers, and how well that was used.
func (c contrast) fewerWarps(log float64) []result.Cause {
	if log <= 0 {
		return []result.Cause{{ID: other, Log: log}}
	}
	lost := math.Log(c.fast.warps() / c.slow.warps()) // before anything was set off
	scale := log / lost
	held := min(max(finite(math.Log(c.fast.theoretical()/c.slow.theoretical())), 0), lost)
	var out []result.Cause
	if held > 0 {
		out = append(out, c.occupancy(held*scale))
	}
	// A loss of warps that would have fitted: the grid has too few blocks, or the last ones leave SMs idle.
	log = (lost - held) * scale
	id, facts := c.gridCause(log)
	underfilled := c.cause(id, log)
	underfilled.Facts = facts
	return append(out, underfilled)
}

func (c contrast) occupancy(log float64) result.Cause {
	id := OccupancyBlockSize
	switch c.slow.limiter() {
	case "":
		id = other // the profile does not say what limits it
	case "registers":
		if !(c.slow.registers() <= c.fast.registers()) {
			id = OccupancyRegisters
		}
	case "shared_mem":
		if !(c.slow.sharedMemory() <= c.fast.sharedMemory()) {
			id = OccupancyShared
		}
	}
	return c.cause(id, log, figure{fittingWarps, less})
}

func (c contrast) gridCause(log float64) (result.CauseID, []string) {
	fast, slow := c.fast, c.slow
	threads := slow.blocks() * slow.blockSize() / (fast.blocks() * fast.blockSize())
	fewer := threads < 0.9
	switch {
	case math.IsNaN(slow.waves()) || math.IsNaN(threads):
		return other, nil // the profile does not say how the grid fills the GPU
	case !fewer && slow.blocks() < slow.sms() && slow.blocks() < fast.blocks():
		return GridTooSmall, nil
	case slow.waves() < 1 && fewer && slow.blocks() >= 0.9*fast.blocks():
		return OccupancyBlockSize, nil // as many blocks, each of fewer warps
	case slow.waves() < 1 && fewer:
		return c.smallGrid()
	case slow.waves() >= manyWaves && slow.blockSize() < 0.75*fast.blockSize():
		// The last of many waves costs next to nothing: it is the many small blocks that cannot be started fast enough.
		return OccupancyBlockSize, nil
	case slow.waves() >= manyWaves, math.Log(fast.busy()/slow.busy()) < log*leastOfTail:
		return other, nil
	}
	return TailEffect, nil
}

func (c contrast) smallGrid() (result.CauseID, []string) {
	var facts []string
	id, serial := GridTooSmall, c.serialised()
	if serial != "" {
		id, facts = SerialisedBatch, []string{serial}
	}
	if fact := c.slow.gridFact(); fact != "" {
		facts = append(facts, fact)
	}
	return id, facts
}

// manyWaves is from where on the last, partly filled wave is less than a tenth of the kernel.
const manyWaves = 10

// leastOfTail is the share of a loss of warps that SMs without any must have for the end of the grid to be the reason.
const leastOfTail = 0.1

// smallestSerial is the number of blocks that a kernel must have left for the loss of a dimension to be read off their
// number alone: a grid of two blocks is just a small one, whatever its ratio to the other happens to be.
const smallestSerial = 8

// noCoincidence is the factor from which on fewer blocks are put down to a parameter of this value alone: half the blocks are half the
// blocks for many reasons.
const noCoincidence = 4

// serialised says that the slower side does in a loop what the other side has a dimension of the grid for; "" if it does
// not look like it.
func (c contrast) serialised() string {
	left := c.slow.blocks()
	ratio := c.fast.blocks() / left
	names := c.paramOf(ratio)
	collapsed, f, s := 0, c.fast.dims(), c.slow.dims()
	for i := range f {
		switch {
		case f[i] > 1 && s[i] == 1:
			collapsed++
		case f[i] != s[i]:
			collapsed = -len(f)
		}
	}
	switch {
	case collapsed > 0 && left > 1 && names != "":
		return fmt.Sprintf("a dimension of the grid is gone, %.0f blocks wide like %s: it does not parallelise over %s", ratio, names, names)
	case collapsed > 0 && left > 1:
		return fmt.Sprintf("a dimension of the grid is gone, %.0f blocks wide: the work along it is done in a loop", ratio)
	case names != "" && left >= smallestSerial && ratio >= noCoincidence:
		return fmt.Sprintf("the grid has as many times fewer blocks as %s says: it does not parallelise over %s", names, names)
	}
	return ""
}

// gridFact says what a small grid leaves unused.
func (v view) gridFact() string {
	used := min(v.blocks(), v.sms()) / v.sms()
	if math.IsNaN(used) {
		return ""
	}
	text := fmt.Sprintf("%.0f blocks on %.0f SMs: %.1f %% of the SMs have work, %.1f full waves", v.blocks(), v.sms(), 100*used, v.waves())
	memory, compute := v.busiest(memoryUnits), v.busiest(arithmetic)
	if memory > 0 && compute > 0 {
		text += fmt.Sprintf("; memory is used at %.1f %%, compute at %.1f %% of peak", 100*memory, 100*compute)
	}
	return text
}
