package explain

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// reason is a state of a warp between two issues, as Nsight names it.
type reason struct {
	name  string
	words string         // of the wait, where it is shown
	term  string         // of the account of time; "" of selected and not_selected, which are no stalls: the warp issues, or could
	cause result.CauseID // what a longer wait is called for which no counter gives a reason; "" for other
}

var reasons = []reason{
	{"barrier", "barrier", TermBarrier, BarrierStall},
	{"branch_resolving", "", TermFetch, ""},
	{"dispatch_stall", "dispatcher", TermPipes, DispatchStall},
	{"drain", "", TermMemory, ""},
	{"gmma", "", TermPipes, ""},
	{"imc_miss", "constant cache", TermFetch, ConstantCache},
	{"lg_throttle", "queue to global memory", TermMemory, LGStall},
	{"long_scoreboard", "global memory", TermMemory, MemoryLatency},
	{"math_pipe_throttle", "arithmetic pipe", TermPipes, MathPipe},
	{"membar", "memory fence", TermOther, FenceStall},
	{"mio_throttle", "queue to shared memory", TermShared, MIOStall},
	{"misc", "", TermOther, ""},
	{"no_instruction", "instruction fetch", TermFetch, InstructionCache},
	{"not_selected", "", "", ""},
	{"selected", "", "", ""},
	{"short_scoreboard", "shared memory", TermShared, ShortScoreboard},
	{"sleeping", "", TermOther, ""},
	{"tex_throttle", "queue to textures", TermMemory, ""},
	{"wait", "fixed latency", TermResults, DependencyStall},
	{"warpgroup_arrive", "", TermPipes, ""},
}

// waits are what warps wait for, in terms of the log ratio by the name of the reason.
type waits map[string]float64

// asksMemory says whether counters of global or shared memory are asked why warps wait longer.
func (r reason) asksMemory() bool { return r.term == TermMemory || r.term == TermShared }

// sum is that of the reasons of some terms, of all where none is named. It is in the order of the reasons: sums of floats depend on it.
func (w waits) sum(terms ...string) float64 {
	sum := 0.0
	for _, r := range reasons {
		if len(terms) == 0 || slices.Contains(terms, r.term) {
			sum += w[r.name]
		}
	}
	return sum
}

// stalls is the wait for a reason.
func stalls(name string) quantity {
	r := reasons[slices.IndexFunc(reasons, func(r reason) bool { return r.name == name })]
	return quantity{"stall: " + r.words, stallMetric(name), "", func(v view) float64 { return v.stall(name) }}
}
