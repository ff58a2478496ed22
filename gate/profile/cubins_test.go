package profile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// What cuobjdump 13.0 printed of two compilations of one Triton kernel for an H200.
const (
	narrow = "\nResource usage:\n Common:\n  GLOBAL:0\n Function softmax_kernel:\n  REG:14 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:568 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
	wide   = "\nResource usage:\n Common:\n  GLOBAL:0\n Function softmax_kernel:\n  REG:24 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:568 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
)

// cacheOf is a folder as Triton fills it, with what the fake cuobjdump says of each file beside it.
func cacheOf(t *testing.T, cubins map[string]string) string {
	t.Helper()
	caches := t.TempDir()
	for hash, resources := range cubins {
		path := filepath.Join(caches, "triton", hash, "softmax_kernel.cubin")
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		for name, text := range map[string]string{path: "cubin", path + ".resources": resources, path + ".sass": "Function : softmax_kernel\n /*0000*/ LDG.E.128 R4, desc[UR4][R2.64] ;\n"} {
			must(t, os.WriteFile(name, []byte(text), 0o644))
		}
	}
	return caches
}

// fakeToolkit is a folder with a cuobjdump that repeats what lies beside a file.
func fakeToolkit(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncase $1 in -sass) cat \"$2.sass\" ;; *) cat \"$2.resources\" ;; esac\n"
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "cuobjdump"), []byte(script)))
	return filepath.Join(dir, "nvcc")
}

func tritonLaunch(registers, dynamic int) Launch {
	return Recorded(result.LaunchShape{Function: "softmax_kernel", Grid: []int{64, 1, 1}, Block: []int{128, 1, 1}, Registers: registers, DynamicSharedBytes: dynamic})
}

// TestCachedCode: of what Triton's folder holds, the compilations that were launched are compared, case by case.
func TestCachedCode(t *testing.T) {
	t.Parallel()
	s := StaticSides{
		Kernel: "softmax", Arch: "sm_90", Code: &Disassembly{Nvcc: fakeToolkit(t), Scratch: t.TempDir()},
		Base: kernels.Library{Path: "base", Caches: cacheOf(t, map[string]string{"A": narrow, "B": wide})},
		Head: kernels.Library{Path: "head", Caches: cacheOf(t, map[string]string{"C": narrow, "D": wide})},
	}
	s.BaseLaunches = []Launch{tritonLaunch(14, 0), tritonLaunch(14, 0)}
	s.HeadLaunches = []Launch{tritonLaunch(24, 64), tritonLaunch(14, 0)}
	got, gap := s.Compare(context.Background())
	if gap != nil || len(got.Functions) != 2 {
		t.Fatalf("%+v, %+v", got, gap)
	}
	first, second := got.Functions[0], got.Functions[1]
	if first.Function != "softmax_kernel" || first.Base.Registers != 14 || first.Head.Registers != 24 || first.Head.SharedBytes != 1024 || *first.Head.DynamicSharedBytes != 64 || first.Head.Threads != 128 {
		t.Errorf("%+v %+v", first.Base, first.Head)
	}
	if len(first.Head.Instructions) != 1 || first.Head.Instructions[0].Class != "load 128 bit" {
		t.Errorf("%+v", first.Head.Instructions)
	}
	if second.Function != "softmax_kernel #2" || second.Base != nil || second.Head.Registers != 14 {
		t.Errorf("%+v", second)
	}
	s.HeadLaunches = s.BaseLaunches
	if got, gap := s.Compare(context.Background()); gap != nil || len(got.Functions) != 0 {
		t.Errorf("the same code differs: %+v, %+v", got, gap)
	}
	s.BaseLaunches, s.HeadLaunches = nil, nil // nothing was recorded: nothing is said
	if got, gap := s.Compare(context.Background()); gap != nil || len(got.Functions) != 0 {
		t.Errorf("%+v, %+v", got, gap)
	}
}
