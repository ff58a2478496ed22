package explain

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
)

// bound is the share of its peak from which on a unit is taken for the one that limits a kernel.
const bound = 0.6

// pair accounts for the cycles of one kernel, seen from the faster to the slower side.
func (o *oriented) pair(fast, slow view) []result.Cause {
	whole := math.Log(slow.cycles() / fast.cycles())
	if cause, ok := o.memoryClock(fast, slow, whole); ok {
		return []result.Cause{cause}
	}
	if cause, ok := o.saturated(fast, slow, whole); ok {
		return []result.Cause{cause}
	}
	a := o.accounts(fast, slow)
	a.balance()
	sum := causes{}
	sum.add(a.instructions.causes(o, fast, slow)...)
	sum.add(a.warpCauses(o, fast, slow)...)
	sum.add(a.stallCauses(o, fast, slow)...)
	return sum.list
}

// memoryClock explains a kernel that waits for DRAM by the clock of the DRAM, where that alone covers half of the change.
func (o *oriented) memoryClock(fast, slow view, whole float64) (result.Cause, bool) {
	u, use := slow.bottleneck()
	lower := finite(math.Log(fast.dramHz() / slow.dramHz()))
	if u.name != "DRAM" || use < bound || whole <= 0 || lower < named*whole {
		return result.Cause{}, false
	}
	return result.Cause{ID: ClockLower, Log: lower, Changes: []result.Change{o.change("DRAM clock", "dram__cycles_elapsed.avg.per_second", "hz", fast.dramHz(), slow.dramHz())}}, true
}

// accounts are the terms of the log ratio of cycles: instructions + warps + latency, the last by reason.
type accounts struct {
	instructions work
	warps        float64            // positive: fewer of them on the slower side
	stalls       map[string]float64 // by reason, adding up to the change of latency
	totals       map[string]float64 // the same of latency times instructions: what warps waited in all
}

type work float64

// reasons are the states of a warp between two issues, as Nsight names them. Selected and not_selected are no stalls: the
// warp issues, or could.
var reasons = []string{
	"barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
	"membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
	"warpgroup_arrive",
}

func (o *oriented) accounts(fast, slow view) accounts {
	a := accounts{
		instructions: work(finite(math.Log(slow.instructions() / fast.instructions()))),
		warps:        finite(math.Log(fast.warps() / slow.warps())),
		stalls:       map[string]float64{}, totals: map[string]float64{},
	}
	perInstruction := logMean(slow.latency(), fast.latency())
	inAll := logMean(slow.latency()*slow.instructions(), fast.latency()*fast.instructions())
	for _, reason := range reasons {
		s, f := slow.stall(reason), fast.stall(reason)
		a.stalls[reason] = finite((s - f) / perInstruction)
		a.totals[reason] = finite((s*slow.instructions() - f*fast.instructions()) / inAll)
	}
	return a
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// balance sets off what belongs together. Latency per instruction falls for two reasons that are no gain: the added
// instructions are cheap ones, or there are fewer warps that wait for each other. And it rises where there are more warps.
func (a *accounts) balance() {
	a.undilute()
	down, up := 0.0, 0.0
	for _, reason := range reasons { // in their order: sums of floats depend on it
		down += min(a.stalls[reason], 0)
		up += max(a.stalls[reason], 0)
	}
	if net := down + up; net < 0 && (a.instructions > 0 || a.warps > 0) {
		queueing := 0.0 // waiting that is gone altogether, not only spread over more instructions
		for _, reason := range reasons {
			queueing += min(a.totals[reason], 0)
		}
		fromWarps := 0.0
		switch {
		case a.warps > 0 && a.instructions > 0:
			fromWarps = max(net, queueing)
		case a.warps > 0:
			fromWarps = net
		}
		a.warps += fromWarps
		a.instructions += work(net - fromWarps)
		a.scaleStalls(0)
	} else if up > 0 {
		a.scaleStalls(max(0, down+up+min(a.warps, 0)) / up)
		a.warps = max(a.warps, min(a.warps+down+up, 0))
	}
}

// undilute takes back what added instructions only spread: a wait that is the same in all is shorter per instruction where
// there are more of them, and then it is the instructions that cost less than the mean one, not another stall. Where there are fewer
// of them it is longer per instruction, and no stall either.
func (a *accounts) undilute() {
	for _, reason := range reasons {
		spread := min(a.totals[reason], 0) - a.stalls[reason] // what the fall per instruction is more than that in all
		if take := min(spread, float64(a.instructions)); a.stalls[reason] < 0 && take > 0 {
			a.stalls[reason] += take
			a.instructions -= work(take)
		}
		gathered := a.stalls[reason] - max(a.totals[reason], 0)
		if take := min(gathered, -float64(a.instructions)); a.stalls[reason] > 0 && take > 0 {
			a.stalls[reason] -= take
			a.instructions += work(take)
		}
	}
}

// scaleStalls keeps a factor of the positive stalls and none of the negative ones, which have been set off.
func (a *accounts) scaleStalls(factor float64) {
	for reason, x := range a.stalls {
		a.stalls[reason] = max(x, 0) * factor
	}
}

// causes splits a growth of the number of instructions.
func (w work) causes(o *oriented, fast, slow view) []result.Cause {
	if w <= 0 {
		return []result.Cause{{ID: MoreInstructions, Log: float64(w), Changes: []result.Change{o.instructionChange(fast, slow)}}}
	}
	switch {
	case o.spilled(fast, slow):
		spilt := min(1, perSpill*moreLocal(fast, slow)/(slow.instructions()-fast.instructions())) * float64(w)
		return []result.Cause{o.spills(fast, slow, spilt), {ID: MoreInstructions, Log: float64(w) - spilt, Changes: []result.Change{o.instructionChange(fast, slow)}}}
	case fast.tensorWork() > 0 && slow.tensorWork() < fast.tensorWork()/2:
		return []result.Cause{o.tensor(fast, slow, float64(w))}
	}
	diverged := math.Log(fast.threadsPerInstruction() / slow.threadsPerInstruction())
	diverged = min(max(finite(diverged), 0), float64(w))
	return []result.Cause{
		{ID: Divergence, Log: diverged, Changes: []result.Change{
			o.change("active threads per instruction", "smsp__thread_inst_executed_per_inst_executed.ratio", "", fast.threadsPerInstruction(), slow.threadsPerInstruction()),
			o.instructionChange(fast, slow),
		}},
		{ID: MoreInstructions, Log: float64(w) - diverged, Changes: []result.Change{o.instructionChange(fast, slow)}},
	}
}

// perSpill is how many added instructions, addresses and what a compiler could not keep in registers, one access to local memory may
// answer for: an array with an index that is not known has had 9.6.
const perSpill = 10

func (o *oriented) instructionChange(fast, slow view) result.Change {
	return o.change("instructions", "smsp__inst_executed.sum", "inst", fast.instructions(), slow.instructions())
}

// spilled says whether the slower side uses local memory more, and enough of it to matter.
func (o *oriented) spilled(fast, slow view) bool {
	return moreLocal(fast, slow) > 0.01*slow.instructions()
}

// moreLocal is how many more loads and stores of local memory the slower side executes.
func moreLocal(fast, slow view) float64 { return slow.localInstructions() - fast.localInstructions() }

func (o *oriented) spills(fast, slow view, log float64) result.Cause {
	return result.Cause{ID: RegisterSpills, Log: log, Changes: []result.Change{
		o.change("local loads and stores", "smsp__sass_inst_executed_op_local_ld.sum", "inst", fast.localInstructions(), slow.localInstructions()),
		o.registers(fast, slow),
		o.instructionChange(fast, slow),
	}}
}

func (o *oriented) registers(fast, slow view) result.Change {
	return o.change("registers per thread", "launch__registers_per_thread", "", fast.get("launch__registers_per_thread"), slow.get("launch__registers_per_thread"))
}

func (o *oriented) tensor(fast, slow view, log float64) result.Cause {
	return result.Cause{ID: TensorUnused, Log: log, Changes: []result.Change{
		o.change("tensor cores, of peak", fast.metric(tensorCores), "%", fast.use(tensorCores), slow.use(tensorCores)),
		o.instructionChange(fast, slow),
	}}
}

// warpCauses splits a loss of resident warps: what the SM could hold, what the grid offers, and how well that was used.
func (a *accounts) warpCauses(o *oriented, fast, slow view) []result.Cause {
	if a.warps <= 0 {
		return []result.Cause{{ID: other, Log: a.warps}}
	}
	lost := math.Log(fast.warps() / slow.warps()) // before anything was set off
	scale := a.warps / lost
	held := min(max(finite(math.Log(fast.theoretical()/slow.theoretical())), 0), lost)
	out := []result.Cause{}
	if held > 0 {
		out = append(out, o.occupancy(fast, slow, held*scale))
	}
	return append(out, o.underfilled(fast, slow, (lost-held)*scale))
}

func (o *oriented) occupancy(fast, slow view, log float64) result.Cause {
	id := OccupancyBlockSize
	switch slow.limiter() {
	case "":
		id = other // nobody says what limits it
	case "registers":
		if !(slow.get("launch__registers_per_thread") <= fast.get("launch__registers_per_thread")) {
			id = OccupancyRegisters
		}
	case "shared_mem":
		if !(slow.get("launch__shared_mem_per_block") <= fast.get("launch__shared_mem_per_block")) {
			id = OccupancyShared
		}
	}
	c := result.Cause{ID: id, Log: log, Changes: []result.Change{
		o.change("warps that fit an SM", "sm__maximum_warps_avg_per_active_cycle", "", fast.theoretical(), slow.theoretical()),
	}}
	switch id {
	case OccupancyRegisters:
		c.Changes = append(c.Changes, o.registers(fast, slow))
	case OccupancyShared:
		c.Changes = append(c.Changes, o.change("shared memory per block", "launch__shared_mem_per_block", "byte", fast.get("launch__shared_mem_per_block"), slow.get("launch__shared_mem_per_block")))
	default:
		c.Changes = append(c.Changes, o.blockSize(fast, slow))
	}
	c.Changes = append(c.Changes, o.resident(fast, slow))
	return c
}

func (o *oriented) resident(fast, slow view) result.Change {
	return o.change("resident warps per SM", "sm__warps_active.avg.per_cycle_active", "", fast.resident(), slow.resident())
}

func (o *oriented) blockSize(fast, slow view) result.Change {
	return o.change("threads per block", "launch__block_size", "", fast.blockSize(), slow.blockSize())
}

// underfilled is a loss of warps that would have fitted: the grid has too few blocks, or the last ones leave SMs idle.
func (o *oriented) underfilled(fast, slow view, log float64) result.Cause {
	c := result.Cause{ID: TailEffect, Log: log, Changes: []result.Change{
		o.change("blocks", "launch__grid_size", "", fast.blocks(), slow.blocks()),
		o.change("waves", "launch__waves_per_multiprocessor", "", fast.waves(), slow.waves()),
		o.change("SMs busy, of the time", "sm__cycles_active.avg", "%", fast.busy(), slow.busy()),
		o.resident(fast, slow),
	}}
	threads := slow.blocks() * slow.blockSize() / (fast.blocks() * fast.blockSize())
	fewer := threads < 0.9
	switch {
	case math.IsNaN(slow.waves()) || math.IsNaN(threads):
		c.ID = other // nobody says how the grid fills the GPU
	case !fewer && slow.blocks() < slow.sms() && slow.blocks() < fast.blocks():
		c.ID = GridTooSmall
	case slow.waves() < 1 && fewer:
		c.ID = GridTooSmall
		if fact := o.serialised(fast, slow); fact != "" {
			c.ID = SerialisedBatch
			c.Facts = append(c.Facts, fact)
		}
		if fact := slow.gridFact(); fact != "" {
			c.Facts = append(c.Facts, fact)
		}
	case slow.waves() >= manyWaves && slow.blockSize() < 0.75*fast.blockSize():
		// The last of many waves costs next to nothing: it is the many small blocks that cannot be started fast enough.
		c.ID = OccupancyBlockSize
		c.Changes = append([]result.Change{o.blockSize(fast, slow)}, c.Changes...)
	case slow.waves() >= manyWaves, math.Log(fast.busy()/slow.busy()) < log*leastOfTail:
		c.ID = other
	}
	return c
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
func (o *oriented) serialised(fast, slow view) string {
	ratio := fast.blocks() / slow.blocks()
	names := o.paramOf(ratio)
	collapsed, f, s := 0, fast.dims(), slow.dims()
	for i := range f {
		switch {
		case f[i] > 1 && s[i] == 1:
			collapsed++
		case f[i] != s[i]:
			collapsed = -len(f)
		}
	}
	switch {
	case collapsed > 0 && slow.blocks() > 1 && names != "":
		return fmt.Sprintf("a dimension of the grid is gone, %.0f blocks wide like %s: it does not parallelise over %s", ratio, names, names)
	case collapsed > 0 && slow.blocks() > 1:
		return fmt.Sprintf("a dimension of the grid is gone, %.0f blocks wide: the work along it is done in a loop", ratio)
	case names != "" && slow.blocks() >= smallestSerial && ratio >= noCoincidence:
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
	dram, compute := v.get("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"), v.get("sm__throughput.avg.pct_of_peak_sustained_elapsed")
	if !math.IsNaN(dram) && !math.IsNaN(compute) {
		text += fmt.Sprintf("; memory is used at %.1f %%, compute at %.1f %% of peak", dram, compute)
	}
	return text
}
