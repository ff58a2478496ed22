package profile

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// StaticSides are two builds of one kernel, compared without running them: registers, spills, shared memory, the occupancy
// that they allow, and the mix of instructions. That says what changed, never by how much it slows a kernel down.
type StaticSides struct {
	Kernel     string
	Base, Head kernels.Library
	Arch       string // sm_90
	Code       *Disassembly
	// Launches of the kernel's cases, which tell how large blocks are, how much shared memory they are given, and which functions are the
	// kernel's.
	BaseLaunches, HeadLaunches []Launch
	// Shared says that other kernels are built from the same adapter: only functions that the launches name are then this kernel's.
	Shared bool
}

// mostFunctions bounds what a result keeps: a library of templates can have thousands.
const mostFunctions = 50

// Compare pairs the functions of both builds by name and keeps those that differ. Resources come with the build; the mix of
// instructions needs cuobjdump: the gap, nil where there is none, says why that is missing. Two sides of one build differ in
// nothing, and are not looked at.
func (s StaticSides) Compare(ctx context.Context) (result.StaticEvidence, *result.Gap) {
	if s.Base.Path == s.Head.Path && s.Base.Path != "" {
		return result.StaticEvidence{Kernel: s.Kernel}, nil
	}
	base, gap := s.side(ctx, s.Base, s.BaseLaunches)
	head, more := s.side(ctx, s.Head, s.HeadLaunches)
	if gap == nil {
		gap = more
	}
	out := result.StaticEvidence{Kernel: s.Kernel}
	all := maps.Clone(base)
	maps.Copy(all, head)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b, h := base[name], head[name]
		if reflect.DeepEqual(b, h) {
			continue
		}
		if len(out.Functions) == mostFunctions {
			break
		}
		out.Functions = append(out.Functions, result.FunctionPair{Function: name, Base: b, Head: h})
	}
	return out, gap
}

func (s StaticSides) side(ctx context.Context, lib kernels.Library, launches []Launch) (map[string]*result.FunctionCode, *result.Gap) {
	codes, gap := s.codes(ctx, lib, launches)
	out := map[string]*result.FunctionCode{}
	for _, c := range codes {
		name := c.name
		if out[name] != nil { // of another file
			name = c.resource.Function
		}
		out[name] = s.functionCode(c)
	}
	return out, gap
}

// codes are the compiled functions of a side: those of its library, or for an adapter in Python what its frameworks have compiled.
func (s StaticSides) codes(ctx context.Context, lib kernels.Library, launches []Launch) ([]code, *result.Gap) {
	if lib.Caches != "" {
		return s.Code.cached(ctx, lib.Caches, launches)
	}
	mixes, gap := s.Code.of(ctx, lib.Path)
	var out []code
	all := slices.Concat(s.BaseLaunches, s.HeadLaunches)
	for _, r := range lib.Resources {
		if s.Shared && len(of(r.Function, all)) == 0 {
			continue
		}
		out = append(out, code{withoutDigests(r.Function), r, mixes[r.Function], of(r.Function, launches)})
	}
	return out, gap
}

func (s StaticSides) functionCode(c code) *result.FunctionCode {
	r := c.resource
	f := &result.FunctionCode{Registers: r.Registers, SharedBytes: r.SharedBytes, StackBytes: r.StackBytes, SpillBytes: r.SpillStoreBytes + r.SpillLoadBytes}
	threads, dynamic := shape(c.launches)
	f.Threads = threads
	shared := r.SharedBytes
	if dynamic >= 0 {
		f.DynamicSharedBytes = &dynamic
		shared += int(dynamic)
	}
	if share, limiter, ok := Occupancy(s.Arch, r.Registers, shared, threads); ok {
		f.Occupancy, f.Limiter = share, limiter
	}
	for _, class := range slices.Sorted(maps.Keys(c.mix)) {
		f.Instructions = append(f.Instructions, result.InstructionCount{Class: class, Count: c.mix[class]})
	}
	return f
}
