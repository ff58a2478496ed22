package static

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
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

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"void attn<0>(const __half *, int)":              "attn",
		"attn_serial(const __half *)":                    "attn_serial",
		"<unnamed>::naive(Attention, const __half *)":    "naive",
		"void a::b::kernel<(int)3, a::T<(bool)1>>(T1 *)": "kernel",
		"(anonymous namespace)::reference(Attention)":    "reference",
		"plain": "plain",
		"":      "",
		"(((":   "",
	} {
		if got := identifier(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestCompare keeps what differs and what only one side has, and computes occupancy for the blocks that a profile saw.
func TestCompare(t *testing.T) {
	one := kernels.Resource{Function: "_ZN1a5naiveEv", Registers: 32}
	more := kernels.Resource{Function: "_ZN1a5naiveEv", Registers: 128, SpillStoreBytes: 8, SpillLoadBytes: 12}
	equal := kernels.Resource{Function: "_Z5equalv", Registers: 20}
	extra := kernels.Resource{Function: "_Z5extrav", Registers: 8}
	s := Sides{
		Kernel: "k", Arch: "sm_90", Nvcc: "/nowhere/nvcc",
		Base: kernels.Library{Resources: []kernels.Resource{one, equal}}, Head: kernels.Library{Resources: []kernels.Resource{more, equal, extra}},
		HeadLaunches: []result.Launch{{Kernel: "a::naive()", Block: "(256, 1, 1)"}},
	}
	got := s.Compare(context.Background())
	if len(got.Functions) != 2 || got.Functions[0].Function != "_Z5extrav" || got.Functions[0].Base != nil {
		t.Fatalf("%+v", got.Functions)
	}
	naive := got.Functions[1]
	if naive.Base.Registers != 32 || naive.Head.Registers != 128 || naive.Head.SpillBytes != 20 {
		t.Errorf("%+v %+v", naive.Base, naive.Head)
	}
	if naive.Head.Threads != 256 || naive.Head.Occupancy != 0.25 || naive.Head.Limiter != byRegisters {
		t.Errorf("occupancy of head: %+v", naive.Head)
	}
}
