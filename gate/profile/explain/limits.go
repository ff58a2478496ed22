package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// Shares from which on something is worth saying of one profile, which has nothing to compare with.
const (
	mostLimits     = 12   // kernels
	leastKernel    = 0.01 // of the time
	worthSaying    = 0.25 // of the accesses, the time, or the peak
	fewThreads     = 24   // of the 32 of a warp
	halfTheWarps   = 0.5
	fullWaveAtTail = 4 // waves: a partly filled last one is then a fifth of the time at most
)

// Limits says of each kernel of one profile, the longest first, where its time goes and what its counters show of that.
func Limits(p profile.Profile) []result.KernelLimit {
	var out []result.KernelLimit
	all := 0.0
	for i := range p.Kernels {
		all += finite(view{&p.Kernels[i]}.seconds())
	}
	for i := range p.Kernels {
		v := view{&p.Kernels[i]}
		if share := v.seconds() / all; share >= leastKernel {
			out = append(out, result.KernelLimit{Launch: *launch(v.k), Share: share, Terms: v.terms(), Facts: v.facts()})
		}
	}
	slices.SortStableFunc(out, func(a, b result.KernelLimit) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), mostLimits)]
}

// terms are the shares of a kernel's time, the largest first.
func (v view) terms() []result.LimitTerm {
	parts := v.split()
	all := sumOf(parts)
	var out []result.LimitTerm
	for _, name := range termOrder {
		if share := parts[name] / all; share >= leastKernel {
			out = append(out, result.LimitTerm{Name: name, Share: share})
		}
	}
	slices.SortStableFunc(out, func(a, b result.LimitTerm) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// facts are what the counters of one kernel show without another to compare it with.
func (v view) facts() []string {
	var out []string
	say := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if u, use := v.bottleneck(); use > 0 {
		word := "no unit is near its peak, the nearest is"
		if use >= bound {
			word = "limited by"
		}
		say(true, "%s %s, at %.0f %% of its peak", word, u.name, 100*use)
	}
	blocks, sms, w := v.blocks(), v.sms(), v.l1Work()
	say(blocks < sms, "%.0f blocks on %.0f SMs: the others have no work", blocks, sms)
	say(blocks >= sms && v.waves() < fullWaveAtTail && v.busy() < 1-worthSaying/2, "%.2f waves of blocks, and SMs are busy for %.0f %% of the time", v.waves(), 100*v.busy())
	say(v.theoretical() < halfTheWarps*v.maxWarps(), "%s lets %.0f warps fit an SM", limiterWords[v.limiter()], v.theoretical())
	excess := 1 - 1/v.excessSectors()
	say(excess >= worthSaying, "%.0f %% of the sectors that global accesses touch are not needed", 100*excess)
	conflicts := w.conflicts / (w.conflicts + w.shared + w.atomics)
	say(conflicts >= worthSaying && w.conflicts > leastOfWork*v.instructions(), "%.0f %% of the wavefronts at shared memory are bank conflicts", 100*conflicts)
	local := v.localInstructions() / v.instructions()
	say(local >= leastKernel, "%.1f %% of the instructions are loads and stores of local memory", 100*local)
	say(v.busiestSlice() >= worthSaying, "atomics keep one slice of the L2 busy for %.0f %% of the time", 100*v.busiestSlice())
	say(v.threadsPerInstruction() < fewThreads, "%.1f of 32 threads take part in an instruction", v.threadsPerInstruction())
	say(v.accessWidth() <= narrowWarp, "a load or store of a warp moves %.0f bytes", v.accessWidth())
	return out
}

// narrowWarp is what a warp's access moves, in bytes, where each of its threads moves two of them or fewer.
const narrowWarp = 64

var limiterWords = map[string]string{
	"registers": "the number of registers", "shared_mem": "shared memory", "warps": "the block size", "blocks": "the number of blocks", "barriers": "barriers", "": "something",
}
