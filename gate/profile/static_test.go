package profile

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// TestOccupancy: expected values are those that Nsight Compute gives for the same launches (limits in blocks: registers,
// shared memory, warps) and those of the CUDA occupancy calculator.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		arch                       string
		registers, shared, threads int
		want                       float64
		limiter                    string
	}{
		{"sm_90", 32, 0, 256, 1, ""},                 // launch__occupancy_limit_registers 8, _warps 8
		{"sm_90", 40, 16384, 256, 0.75, byRegisters}, // limits 6 by registers, 13 by shared memory
		{"sm_90", 255, 0, 256, 0.125, byRegisters},
		{"sm_90", 32, 100 << 10, 128, 0.125, byShared},
		{"sm_90", 32, 0, 32, 0.5, byBlockSize},
		{"sm_90", 32, 0, 1024, 1, ""},
		{"sm_89", 32, 0, 1024, 32.0 / 48, byBlockSize},
		{"sm_90a", 64, 0, 0, 0.5, byRegisters},
		{"sm_75", 64, 0, 0, 1, ""},
	} {
		got, limiter, ok := Occupancy(c.arch, c.registers, c.shared, c.threads)
		if !ok || math.Abs(got-c.want) > 1e-9 || limiter != c.limiter {
			t.Errorf("%+v: %v by %q, %v", c, got, limiter, ok)
		}
	}
	if _, _, ok := Occupancy("sm_999", 32, 0, 0); ok {
		t.Error("an architecture of the future is known")
	}
}

const sass = `
	code for sm_90
		Function : _Z4loadPf
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                /* 0x00000a00ff017b82 */
                                                                                         /* 0x000fe20000000800 */
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;             /* 0x0000000402047981 */
        /*0020*/                   LDG.E.U16 R5, desc[UR4][R2.64] ;
        /*0030*/               @P1 STG.E desc[UR4][R6.64], R4 ;
        /*0040*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*0050*/                   LDL.LU R0, [R1] ;
        /*0060*/                   LDSM.16.M88.4 R4, [R8] ;
        /*0070*/                   LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64] ;
        /*0080*/                   FFMA R4, R5, R6, R7 ;
        /*0090*/              @UP0 UMOV UR4, 0x1 ;
		Function : _Z5otherv
        /*0000*/                   EXIT ;
`

func TestSASS(t *testing.T) {
	got := parseSASS(sass)
	want := map[string]Mix{
		"_Z4loadPf": {"load 128 bit": 1, "load 16 bit": 1, "store 32 bit": 1, "tensor": 1, "local memory": 1, "shared load": 1, "asynchronous copy": 1, "float32": 1, "other": 2},
		"_Z5otherv": {"other": 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestCompare keeps what differs and what only one side has, and computes occupancy for the blocks that a profile saw.
func TestCompare(t *testing.T) {
	one := kernels.Resource{Function: "_ZN1a5naiveEv", Registers: 32}
	more := kernels.Resource{Function: "_ZN1a5naiveEv", Registers: 128, SpillStoreBytes: 8, SpillLoadBytes: 12}
	equal := kernels.Resource{Function: "_Z5equalv", Registers: 20}
	extra := kernels.Resource{Function: "_Z5extrav", Registers: 8}
	s := StaticSides{
		Kernel: "k", Arch: "sm_90", Code: &Disassembly{Nvcc: "/nowhere/nvcc"},
		Base: kernels.Library{Resources: []kernels.Resource{one, equal}}, Head: kernels.Library{Resources: []kernels.Resource{more, equal, extra}},
		HeadLaunches: []Launch{Profiled(result.Launch{Kernel: "a::naive()", Block: "(256, 1, 1)"})},
	}
	got, gap := s.Compare(context.Background())
	if gap != nil {
		t.Errorf("nothing was built, and %+v", gap)
	}
	if len(got.Functions) != 2 || got.Functions[0].Function != "_Z5extrav" || got.Functions[0].Base != nil {
		t.Fatalf("%+v", got.Functions)
	}
	alone := s
	alone.Shared = true // with kernels that launch the other functions
	if of, _ := alone.Compare(context.Background()); len(of.Functions) != 1 || of.Functions[0].Function != "_ZN1a5naiveEv" {
		t.Errorf("functions of other kernels: %+v", of.Functions)
	}
	naive := got.Functions[1]
	if naive.Base.Registers != 32 || naive.Head.Registers != 128 || naive.Head.SpillBytes != 20 {
		t.Errorf("%+v %+v", naive.Base, naive.Head)
	}
	if naive.Head.Threads != 256 || naive.Head.Occupancy != 0.25 || naive.Head.Limiter != byRegisters {
		t.Errorf("occupancy of head: %+v", naive.Head)
	}
}

// TestDynamicSharedMemory limits occupancy where a launch says so, by driver or profile; where neither saw the launch, it is not known.
func TestDynamicSharedMemory(t *testing.T) {
	lib := kernels.Library{Resources: []kernels.Resource{{Function: "_ZN1a5naiveEv", Registers: 32, SharedBytes: 1024}}}
	dynamic := int64(100 << 10)
	shape := func(blocks, threads, dynamic int) Launch {
		return Recorded(result.LaunchShape{Function: "_ZN1a5naiveEv", Grid: []int{blocks, 2, 1}, Block: []int{threads, 1, 1}, DynamicSharedBytes: dynamic})
	}
	for name, c := range map[string]struct {
		launches []Launch
		want     float64
		limiter  string
		dynamic  int64 // -1: not known
		threads  int
	}{
		"recorded by the driver":  {[]Launch{shape(10, 128, 100<<10)}, 0.125, byShared, 100 << 10, 128},
		"seen by a profile":       {[]Launch{Profiled(result.Launch{Kernel: "a::naive()", Grid: "(10, 1, 1)", Block: "(128, 1, 1)", DynamicSharedBytes: &dynamic})}, 0.125, byShared, 100 << 10, 128},
		"a profile without it":    {[]Launch{Profiled(result.Launch{Kernel: "a::naive()", Block: "(128, 1, 1)"})}, 1, "", -1, 128},
		"known to be none":        {[]Launch{shape(10, 128, 0)}, 1, "", 0, 128},
		"different in each case":  {[]Launch{shape(10, 128, 0), shape(10, 128, 4096)}, 1, "", -1, 128},
		"different blocks":        {[]Launch{shape(10, 128, 0), shape(10, 256, 0)}, 1, "", 0, 0},
		"another function's":      {[]Launch{Recorded(result.LaunchShape{Function: "_ZN1a5naiveEi", Grid: []int{1}, Block: []int{32}})}, 1, "", -1, 0},
		"no launch was seen":      {nil, 1, "", -1, 0},
		"a grid that cannot be":   {[]Launch{shape(-1, 128, 0)}, 1, "", 0, 128},
		"more threads than there": {[]Launch{shape(1, 4096, 0)}, 1, "", 0, 0},
	} {
		s := StaticSides{Kernel: "k", Arch: "sm_90", Code: &Disassembly{}, Head: lib, HeadLaunches: c.launches}
		got, _ := s.Compare(context.Background())
		f := got.Functions[0].Head
		if f.Occupancy != c.want || f.Limiter != c.limiter || f.Threads != c.threads || c.dynamic < 0 && f.DynamicSharedBytes != nil ||
			c.dynamic >= 0 && (f.DynamicSharedBytes == nil || *f.DynamicSharedBytes != c.dynamic) {
			t.Errorf("%s: %+v, dynamic %v", name, f, f.DynamicSharedBytes)
		}
	}
	if l := shape(10, 128, 0); l.Blocks != 20 {
		t.Errorf("%+v", l)
	}
	if l := Profiled(result.Launch{Grid: "(2147483647, 65535, 65535)", Block: "junk"}); l.Blocks != 0 || l.Threads != 0 {
		t.Errorf("%+v", l)
	}
}

// TestNoDisassembly: a cuobjdump that is missing or fails is said, with what helps.
func TestNoDisassembly(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	failing := t.TempDir()
	script := "#!/bin/sh\necho 'cuobjdump info: reading' >&2\necho 'cuobjdump fatal: no device code' >&2\nexit 255\n"
	must(t, kernelstest.WriteProgram(filepath.Join(failing, "cuobjdump"), []byte(script)))
	for nvcc, said := range map[string]string{"/nowhere/nvcc": "", filepath.Join(failing, "nvcc"): "cuobjdump fatal: no device code"} {
		s := StaticSides{Kernel: "k", Code: &Disassembly{Nvcc: nvcc}, Base: kernels.Library{Path: "/lib/x.so"}, Head: kernels.Library{Path: "/lib/y.so"}}
		_, gap := s.Compare(context.Background())
		if gap == nil || gap.Kind != result.GapNoDisassembly || gap.Text == "" || gap.Cure == "" || gap.Message != said {
			t.Errorf("%s: %+v", nvcc, gap)
		}
	}
}

// TestDisassemblyInTheSandbox: what reads a library that code under test has made can read that, and nothing of the user's.
func TestDisassemblyInTheSandbox(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	tools, dir := t.TempDir(), t.TempDir()
	library, secret := filepath.Join(dir, "x.so"), filepath.Join(dir, "secret")
	script := "#!/bin/sh\ncat \"$2\" || exit 3\nif read -r line <" + secret + "; then echo GAINED >&2; exit 7; fi 2>/dev/null\n"
	err := errors.Join(kernelstest.WriteProgram(filepath.Join(tools, "cuobjdump"), []byte(script)),
		os.WriteFile(library, nil, 0o644), os.WriteFile(secret, []byte("open sesame\n"), 0o600))
	must(t, err)
	for _, box := range []*kernels.Sandbox{nil, {}} {
		code := &Disassembly{Nvcc: filepath.Join(tools, "nvcc"), Sandbox: box, Scratch: t.TempDir()}
		_, gap := code.disassemble(context.Background(), library)
		if (box == nil) != (gap != nil) {
			t.Errorf("in the sandbox %t: %+v", box != nil, gap)
		}
	}
}

// TestLibraryIsReadOnce: many kernels may lie in one library, and disassembling a large one takes seconds.
func TestLibraryIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$2\" >>" + dir + "/calls\n"
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "cuobjdump"), []byte(script)))
	code := &Disassembly{Nvcc: filepath.Join(dir, "nvcc")}
	for _, head := range []string{"/lib/y.so", "/lib/y.so", "/lib/x.so"} { // the last is base's own build
		s := StaticSides{Kernel: "k", Code: code, Base: kernels.Library{Path: "/lib/x.so"}, Head: kernels.Library{Path: head}}
		if _, gap := s.Compare(context.Background()); gap != nil {
			t.Fatalf("%+v", gap)
		}
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil || string(calls) != "/lib/x.so\n/lib/y.so\n" {
		t.Errorf("cuobjdump read %q, %v", calls, err)
	}
}

// TestUnnamedNamespaces: the names are those that nvcc gave one function before and after a comment was added to its file.
func TestUnnamedNamespaces(t *testing.T) {
	side := func(name string, registers int) kernels.Library {
		return kernels.Library{Resources: []kernels.Resource{{Function: name, Registers: registers}}}
	}
	s := StaticSides{
		Kernel: "k", Arch: "sm_90", Code: &Disassembly{},
		Base: side("_ZN41_GLOBAL__N__3348aca9_9_basics_cu_a58263c812saxpy_kernelEllPKfS1_S1_Pf", 16),
		Head: side("_ZN41_GLOBAL__N__aaaacaa8_9_basics_cu_a58263c812saxpy_kernelEllPKfS1_S1_Pf", 30),
	}
	got, _ := s.Compare(context.Background())
	if len(got.Functions) != 1 || got.Functions[0].Base == nil || got.Functions[0].Head == nil || got.Functions[0].Function != "_ZN12_GLOBAL__N_112saxpy_kernelEllPKfS1_S1_Pf" {
		t.Errorf("%+v", got.Functions)
	}
	for in, want := range map[string]string{
		"_ZN35_GLOBAL__N__a7ac0bb9_5_st_cu__Z1fPf2aaEPf": "_ZN12_GLOBAL__N_12aaEPf",
		"_Z2kkPf":                              "_Z2kkPf",
		"_ZN999_GLOBAL__N__a7ac0bb9_5_st_cuEv": "_ZN999_GLOBAL__N__a7ac0bb9_5_st_cuEv",
	} {
		if got := withoutDigests(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
