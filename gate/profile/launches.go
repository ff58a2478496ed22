package profile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Launch is how a GPU function was launched.
type Launch struct {
	Function string // mangled, or demangled as profiles have it
	Blocks   int    // of the grid; 0: not known
	Threads  int    // of a block; 0: not known
	// Registers of a thread, which tell compilations of one function apart; 0: not known.
	Registers int
	Dynamic   int64 // bytes of shared memory that the launch asks for, a block; -1: not known
}

// Recorded is a launch that the driver recorded.
func Recorded(l result.LaunchShape) Launch {
	return Launch{Function: l.Function, Blocks: product(l.Grid, maxBlocks), Threads: product(l.Block, maxThreads), Registers: l.Registers, Dynamic: int64(l.DynamicSharedBytes)}
}

// Profiled is a launch that a profile saw.
func Profiled(l result.Launch) Launch {
	out := Launch{Function: l.Kernel, Blocks: product(dimensions(l.Grid), maxBlocks), Threads: product(dimensions(l.Block), maxThreads), Dynamic: -1}
	if l.DynamicSharedBytes != nil {
		out.Dynamic = *l.DynamicSharedBytes
	}
	return out
}

const (
	maxThreads = 1024
	maxBlocks  = 1 << 40 // far more than any GPU was ever given
)

// dimensions are the numbers in "(256, 1, 1)"; nil if something in it is none.
func dimensions(text string) []int {
	var out []int
	for _, part := range strings.Split(strings.Trim(text, "() "), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// product is 0 where there are no dimensions, or their product is not within 1 and most.
func product(dims []int, most int) int {
	n := 1
	for _, d := range dims {
		if d < 1 || d > most/n {
			return 0
		}
		n *= d
	}
	if len(dims) == 0 {
		return 0
	}
	return n
}

// of are the launches of a function. A profile has demangled names, the compiler mangled ones: those are told by the last name.
func of(mangled string, all []Launch) []Launch {
	name := kernels.ShortName(mangled)
	return slices.DeleteFunc(slices.Clone(all), func(l Launch) bool {
		return l.Function != mangled && (strings.HasPrefix(l.Function, "_Z") || name == "" || kernels.ShortName(l.Function) != name)
	})
}

// shape is what all launches of a function have in common: threads of a block, 0 if they differ or none is known, and dynamic
// shared memory, also -1.
func shape(launches []Launch) (threads int, dynamic int64) {
	if len(launches) == 0 {
		return 0, -1
	}
	threads, dynamic = launches[0].Threads, launches[0].Dynamic
	for _, l := range launches[1:] {
		if l.Threads != threads {
			threads = 0
		}
		if l.Dynamic != dynamic {
			dynamic = -1
		}
	}
	return threads, dynamic
}

// Launches are what a side of a case launches, as the driver recorded it, else as a profile saw it.
func Launches(c result.Case, side result.Side) []Launch {
	var out []Launch
	if c.Launched != nil {
		for _, s := range ofSide(side, c.Launched.Base, c.Launched.Head) {
			out = append(out, Recorded(s))
		}
	}
	if len(out) > 0 || c.Evidence == nil {
		return out
	}
	for _, pair := range c.Evidence.Launches {
		if l := ofSide(side, pair.Base, pair.Head); l != nil {
			out = append(out, Profiled(*l))
		}
	}
	return out
}

// ofSide is that of two which belongs to a side.
func ofSide[T any](side result.Side, base, head T) T {
	if side == result.SideHead {
		return head
	}
	return base
}
