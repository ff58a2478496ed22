// Package static shows what compiled GPU code tells without running it: registers, spills, shared memory, the occupancy
// that they allow, and the mix of its instructions. It says what changed, never by how much that slows a kernel down.
package static

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Sides are two builds of one kernel.
type Sides struct {
	Kernel     string
	Base, Head kernels.Library
	Arch       string // sm_90
	Nvcc       string // path of the compiler, beside which its tools lie
	// Launches that a profile saw, which tell how large blocks are.
	BaseLaunches, HeadLaunches []result.Launch
}

// mostFunctions bounds what a result keeps: a library of templates can have thousands.
const mostFunctions = 50

// Compare pairs the functions of both builds by name and keeps those that differ. What a missing tool would say is left
// out: resources come with the build, the mix of instructions needs cuobjdump.
func (s Sides) Compare(ctx context.Context) result.StaticEvidence {
	base := s.side(ctx, s.Base, s.BaseLaunches)
	head := s.side(ctx, s.Head, s.HeadLaunches)
	out := result.StaticEvidence{Kernel: s.Kernel}
	for _, name := range names(base, head) {
		b, h := base[name], head[name]
		if b != nil && h != nil && same(b, h) {
			continue
		}
		if len(out.Functions) == mostFunctions {
			break
		}
		out.Functions = append(out.Functions, result.FunctionPair{Function: name, Base: b, Head: h})
	}
	return out
}

func names(base, head map[string]*result.FunctionCode) []string {
	var all []string
	for _, side := range []map[string]*result.FunctionCode{base, head} {
		for name := range side {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return all
}

func same(a, b *result.FunctionCode) bool {
	x, y := *a, *b
	equal := slices.Equal(x.Instructions, y.Instructions)
	x.Instructions, y.Instructions = nil, nil
	return equal && x.Registers == y.Registers && x.SharedBytes == y.SharedBytes && x.StackBytes == y.StackBytes && x.SpillBytes == y.SpillBytes &&
		x.Threads == y.Threads && x.Occupancy == y.Occupancy && x.Limiter == y.Limiter
}

func (s Sides) side(ctx context.Context, lib kernels.Library, launches []result.Launch) map[string]*result.FunctionCode {
	mixes := s.disassemble(ctx, lib.Path)
	out := map[string]*result.FunctionCode{}
	for _, r := range lib.Resources {
		f := &result.FunctionCode{Registers: r.Registers, SharedBytes: r.SharedBytes, StackBytes: r.StackBytes, SpillBytes: r.SpillStoreBytes + r.SpillLoadBytes}
		f.Threads = threadsOf(r.Function, launches)
		if share, limiter, ok := Occupancy(s.Arch, r.Registers, r.SharedBytes, f.Threads); ok {
			f.Occupancy, f.Limiter = share, limiter
		}
		f.Instructions = sorted(mixes[r.Function])
		out[r.Function] = f
	}
	return out
}

func sorted(m Mix) []result.InstructionCount {
	var out []result.InstructionCount
	for class, n := range m {
		out = append(out, result.InstructionCount{Class: class, Count: n})
	}
	slices.SortFunc(out, func(a, b result.InstructionCount) int { return strings.Compare(a.Class, b.Class) })
	return out
}

// maxSASS is how much of a disassembly is read.
const maxSASS = 32 << 20

// disassemble is empty where cuobjdump is not there or refuses.
func (s Sides) disassemble(ctx context.Context, library string) map[string]Mix {
	tool := filepath.Join(filepath.Dir(s.Nvcc), "cuobjdump")
	if _, err := os.Stat(tool); err != nil {
		if tool, err = exec.LookPath("cuobjdump"); err != nil {
			return nil
		}
	}
	out, err := child.Run(ctx, child.Spec{Path: tool, Args: []string{"-sass", library}, HeadBytes: maxSASS})
	if err != nil {
		return nil
	}
	return parseSASS(out.Stdout)
}

// threadsOf is the block size of a function's launches, 0 if they differ or none is known. A profile has demangled names,
// the compiler mangled ones; the identifier stands in both, in the latter with its length before it.
func threadsOf(mangled string, launches []result.Launch) int {
	threads := 0
	for _, l := range launches {
		id := identifier(l.Kernel)
		if id == "" || !strings.Contains(mangled, lengthPrefixed(id)) {
			continue
		}
		n := product(l.Block)
		if threads != 0 && n != threads {
			return 0
		}
		threads = n
	}
	return threads
}
