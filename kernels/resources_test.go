package kernels

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestPtxasReport(t *testing.T) {
	const said = `ptxas info    : 0 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function '_Z6spillyPf' for 'sm_89'
ptxas info    : Function properties for _Z6helperPf
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _Z6spillyPf
    120 bytes stack frame, 116 bytes spill stores, 140 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 120 bytes cumulative stack size, 4096 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 3.1 ms
ptxas info    : Compiling entry function '_Z5plainv' for 'sm_89'
ptxas info    : Function properties for _Z5plainv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 352 bytes cmem[0]
`
	want := []Resource{
		{Function: "_Z6spillyPf", Arch: "sm_89", Registers: 32, StackBytes: 120, SpillStoreBytes: 116, SpillLoadBytes: 140, SharedBytes: 4096, ConstantBytes: 380, Barriers: 1, SpillsKnown: true},
		{Function: "_Z5plainv", Arch: "sm_89", Registers: 8, ConstantBytes: 352, SpillsKnown: true},
	}
	if got := parsePtxas(said); !reflect.DeepEqual(got, want) {
		t.Errorf("parsePtxas = %+v", got)
	}
	if got := parsePtxas("warning: nothing here\n"); len(got) != 0 {
		t.Errorf("parsePtxas of nothing = %+v", got)
	}
}

// Recorded from nvcc 13.0 for sm_90 with -maxrregcount=24, of kernels/examples/attention_cuda; and what cuobjdump 13.0 says of the
// library: the same, but for spills, the parameters and 1024 bytes of shared memory that CUDA keeps for itself.
func TestRecordedReports(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("..", "testdata", "cuda", name))
		must(t, err)
		return string(b)
	}
	compiled, finished := parsePtxas(read("ptxas-13.0.txt")), ParseResourceDump(read("cuobjdump-13.0.txt"))
	type needs struct{ registers, spilled, loaded, shared int }
	var got []needs
	for _, r := range compiled {
		got = append(got, needs{r.Registers, r.SpillStoreBytes, r.SpillLoadBytes, r.SharedBytes})
	}
	want := []needs{{24, 336, 404, 32768}, {24, 164, 348, 0}, {96, 0, 0, 41728}, {80, 0, 0, 25344}, {93, 0, 0, 18512}, {72, 0, 0, 10320}}
	if !slices.Equal(got, want) {
		t.Errorf("ptxas: %+v", got)
	}
	if len(finished) != len(compiled) {
		t.Fatalf("cuobjdump: %+v", finished)
	}
	for i, r := range finished {
		c := compiled[i]
		if r.Function != c.Function || r.Arch != "sm_90" || r.Registers != c.Registers || r.SharedBytes != c.SharedBytes+1024 || r.SpillsKnown || !c.SpillsKnown {
			t.Errorf("cuobjdump %+v\nptxas %+v", r, c)
		}
	}
}

func TestResourceDump(t *testing.T) {
	const said = `
Fatbin elf code:
================
arch = sm_90
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function _Z5saxpyPf:
  REG:16 STACK:8 SHARED:1024 LOCAL:0 CONSTANT[0]:584 TEXTURE:0 SURFACE:0 SAMPLER:0
`
	want := []Resource{{Function: "_Z5saxpyPf", Arch: "sm_90", Registers: 16, StackBytes: 8, SharedBytes: 1024, ConstantBytes: 584}}
	if got := ParseResourceDump(said); !reflect.DeepEqual(got, want) {
		t.Errorf("ParseResourceDump = %+v", got)
	}
}

func TestTargets(t *testing.T) {
	c := Compiler{Path: "/usr/local/cuda/bin/nvcc", Version: "Cuda compilation tools, release 13.0, V13.0.88; g++ 13", Host: "/usr/bin/g++"}
	for arch, ok := range map[string]bool{"sm_89": true, "sm_90a": true, "sm_120": true, "native": false, "": false, "sm_89 -x": false} {
		if err := c.check(Target{Device: result.DeviceCUDA, Arch: arch}); (err == nil) != ok {
			t.Errorf("%q: %v", arch, err)
		}
	}
	if err := (Compiler{Path: "/usr/bin/g++"}).check(Target{Device: result.DeviceCUDA, Arch: "sm_89"}); err == nil {
		t.Error("a C++ compiler builds for a GPU")
	}
}

// What is compiled for one device has no file of the other, and another key.
func TestHarnessSourcesOfADevice(t *testing.T) {
	c := Compiler{Path: "nvcc", Host: "g++"}
	cpu, cpuKey, err := harnessSources(c, CPU)
	must(t, err)
	gpu, gpuKey, err := harnessSources(c, Target{Device: result.DeviceCUDA, Arch: "sm_89"})
	must(t, err)
	if cpuKey == gpuKey || slices.Contains(cpu, "harness/device_cuda.cu") || !slices.Contains(gpu, "harness/device_cuda.cu") || slices.Contains(gpu, "harness/device_cpu.cc") || !slices.Contains(gpu, "harness/main.cc") {
		t.Errorf("cpu %q, gpu %q", cpu, gpu)
	}
}
