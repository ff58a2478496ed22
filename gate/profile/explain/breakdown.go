package explain

import (
	"slices"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// The terms that the time of a launch is split into, top down: SMs without a warp, schedulers that issue, and those that cannot, by what
// their warps wait for. They add up to the time of the kernel on each side. Source: the hierarchy of A. Yasin, A top-down method for
// performance analysis (ISPASS 2014), with the warp states of Nsight Compute in the place of pipeline slots.
const (
	TermIssue    = "issuing instructions"
	TermMemory   = "waiting for global memory"
	TermShared   = "waiting for shared memory or special functions"
	TermBarrier  = "waiting at barriers"
	TermPipes    = "waiting for arithmetic pipes"
	TermResults  = "waiting for own results"
	TermFetch    = "waiting for instructions or constants"
	TermOther    = "other waits"
	TermIdle     = "SMs without work, start and end of the launch"
	TermAlone    = "kernels of only one side"
	TermUnshown  = "not in the profiles"
	mostOfReason = 1e-9 // waits below this share of a cycle are none
)

var termOrder = []string{TermIssue, TermMemory, TermShared, TermBarrier, TermPipes, TermResults, TermFetch, TermOther, TermIdle, TermAlone, TermUnshown}

// split is the time of one kernel by term, in seconds; nil where the profile does not say.
func (v view) split() map[string]float64 {
	seconds, busy := v.seconds(), min(v.busy(), 1)
	issuing := v.resident() / schedulers / v.latency() // of the cycles in which an SM has warps
	waiting := map[string]float64{}
	all := 0.0
	for _, r := range reasons {
		if r.term != "" {
			waiting[r.term] += v.stall(r.name)
			all += v.stall(r.name)
		}
	}
	if !(seconds > 0 && busy > 0 && issuing > 0) {
		return nil
	}
	issuing = min(issuing, 1)
	if all < mostOfReason {
		issuing = 1
	}
	out := map[string]float64{TermIdle: (1 - busy) * seconds, TermIssue: busy * issuing * seconds}
	for name, stalled := range waiting {
		if all >= mostOfReason {
			out[name] += busy * (1 - issuing) * seconds * stalled / all
		}
	}
	return out
}

// breakdown is the account of a case: the time of both sides by term, as shares of base's time in the profiles. The terms of base add up to
// 1 and those of head to the measured ratio, with what the profiles do not show of it as a term.
func breakdown(pairs []Pair, measured float64) []result.Term {
	base, head := map[string]float64{}, map[string]float64{}
	for _, p := range pairs {
		alone := p.Base == nil || p.Head == nil
		if !add(base, p.Base, alone) || !add(head, p.Head, alone) {
			return nil
		}
	}
	ofBase, ofHead := sumOf(base), sumOf(head)
	if !(ofBase > 0 && ofHead > 0) {
		return nil
	}
	head[TermUnshown] = measured*ofBase - ofHead
	var out []result.Term
	for _, name := range termOrder {
		if b, h := base[name]/ofBase, head[name]/ofBase; b != 0 || h != 0 {
			out = append(out, result.Term{Name: name, Base: b, Head: h})
		}
	}
	return out
}

func add(to map[string]float64, k *profile.Kernel, alone bool) bool {
	if k == nil {
		return true
	}
	v := view{k}
	parts := v.split()
	if alone {
		parts = map[string]float64{TermAlone: v.seconds()}
	}
	for name, seconds := range parts {
		to[name] += seconds
	}
	return parts != nil
}

// sumOf adds in the order of the terms: sums of floats depend on it.
func sumOf(parts map[string]float64) float64 {
	sum := 0.0
	for _, name := range termOrder {
		sum += parts[name]
	}
	return sum
}

// shownBy are the terms of which one must have grown for a cause to be believed. Traffic is not among them: what a unit near its peak does
// takes its time while others wait or not.
var shownBy = map[result.CauseID][]string{
	MoreInstructions: {TermIssue, TermResults, TermFetch, TermAlone}, BarrierStall: {TermBarrier}, MemoryLatency: {TermMemory}, LGStall: {TermMemory},
	ShortScoreboard: {TermShared}, MIOStall: {TermShared}, MathPipe: {TermPipes, TermIssue, TermShared}, DependencyStall: {TermResults},
	InstructionCache: {TermFetch}, ConstantCache: {TermFetch, TermShared}, DispatchStall: {TermPipes}, FenceStall: {TermOther},
	TailEffect: {TermIdle},
}

// borne says whether the account bears a cause: one of its terms grew by at least a tenth of what the whole did.
func borne(id result.CauseID, account []result.Term, sign float64) bool {
	names, checked := shownBy[id]
	if !checked || len(account) == 0 {
		return true
	}
	grew, whole := 0.0, 0.0
	for _, t := range account {
		more := sign * (t.Head - t.Base)
		if whole += more; slices.Contains(names, t.Name) {
			grew += more
		}
	}
	return grew >= leastBorne*whole
}

// leastBorne is the share of the change that the terms of a cause must have in the account.
const leastBorne = 0.1
