package kernels

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// emulatedExample is a CUDA example whose sources run on a CPU, in testdata/cuda/emulated.
type emulatedExample struct {
	dir     string // of the examples, or another of this package
	name    string // of its files; "": that of the folder
	sources []string
	missing string              // stands in for the sources that use tensor cores, and is compiled with the first of the others
	kernels map[string][]string // kernel -> cases
	faults  []string            // sets of flags, no two of which change one kernel
}

var emulatedExamples = []emulatedExample{
	{
		dir: "attention_cuda", sources: []string{"attention.cu", "attention_tiled.cu"},
		missing: "void attention_tensor(const Attention &, const __half *, const __half *, const __half *, __half *, cudaStream_t) {}\n",
		kernels: map[string][]string{"attention": {"B=1,H=2,S=19,D=80,causal=1"}, "attention_tiled": {"B=1,H=1,S=70,D=32,causal=1", "B=2,H=1,S=18,D=64,causal=0"}},
		faults:  []string{"GRID=2 SERIAL_BATCH=1", "SHARED=1 BANK_CONFLICTS=1", "NO_L1=1 NO_STAGING=1", "BARRIERS=1", "RECOMPUTE=1"},
	},
	{
		dir: "basics_cuda", sources: []string{"basics.cu"},
		kernels: map[string][]string{"saxpy": {"n=3001"}, "polynomial": {"n=3001,degree=512", "n=1,degree=5"}},
		faults:  []string{"TINY_BLOCKS=1 REGISTERS=1", "PASSES=1 BRANCH=1", "DOUBLE=1 SHARED=1", "TAIL=1"},
	},
	{
		dir: "gemm_cuda", sources: []string{"gemm.cu"},
		missing: "void gemm_tensor(const Gemm &, const __half *, const __half *, float *, cudaStream_t) {}\n",
		kernels: map[string][]string{"gemm": {"M=129,N=65,K=19"}},
		faults:  []string{"BANK_CONFLICTS=1", "NO_STAGING=1", "BRANCH=1"},
	},
	{
		dir: "reduction_cuda", sources: []string{"reduction.cu"},
		kernels: map[string][]string{"sum": {"n=1", "n=9999"}},
		faults:  []string{"UNCOALESCED=1", "BARRIERS=1 LAUNCHES=16", "ONE_LOAD=1"},
	},
	{
		dir: "../starters/cuda/bench", name: "scale_add", sources: []string{"scale_add.cu"},
		kernels: map[string][]string{"scale_add": {"n=1,dtype=1", "n=3001,dtype=2"}},
	},
	{
		dir: "softmax_cuda", sources: []string{"softmax.cu"},
		kernels: map[string][]string{"softmax": {"rows=18,columns=1025", "rows=1,columns=1"}},
		faults:  []string{"GRID=2 BARRIERS=1", "LAUNCHES=16 SHARED=1", "UNCOALESCED=1", "PASSES=1", "TAIL=1"},
	},
	{
		dir: "transpose_cuda", sources: []string{"transpose.cu"},
		kernels: map[string][]string{"transpose": {"rows=33,columns=65", "rows=1,columns=100"}},
		faults:  []string{"BANK_CONFLICTS=1", "UNCOALESCED=1", "TINY_BLOCKS=1"},
	},
}

// The CUDA examples compute what their references say, on machines without a GPU. Kernels on tensor cores are left out: their
// instructions have no emulation here. With PERFGATE_ALL_FAULTS=1 the same with planted work and with every planted fault
// that changes code, which takes some minutes of compiling.
func TestCUDAExamplesAreRightEmulated(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	for _, e := range emulatedExamples {
		tree := e.lay(t)
		builds := []string{""}
		if os.Getenv("PERFGATE_ALL_FAULTS") != "" {
			builds = append(append(builds, "WORK=5"), e.faults...)
		}
		for _, faults := range builds {
			t.Run(e.dir+" "+faults, func(t *testing.T) { e.check(t, r, tree, faults) })
		}
	}
}

// An emulation in which wrong kernels pass would prove nothing.
func TestEmulationFindsAWrongKernel(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	r := newRig(t)
	e := emulatedExamples[3]
	tree := e.lay(t)
	file := filepath.Join(tree, "reduction.cc")
	b, err := os.ReadFile(file)
	must(t, err)
	wrong := strings.Replace(string(b), "w < kThreads / kLanes &&", "w < kThreads / kLanes - 1 &&", 1) // the last warp is forgotten
	if wrong == string(b) {
		t.Fatal("the sum over warps is not where it was")
	}
	must(t, os.WriteFile(file, []byte(wrong), 0o600))
	if reply := e.parity(t, e.start(t, r, tree, ""), "sum", "n=9999"); reply.Passed {
		t.Error("a sum without the last warp passes")
	}
}

var (
	launches = regexp.MustCompile(`(?s)(\w+(?:<\d+>)?)<<<(.*?)>>>\((.*?)\);`)
	toolkit  = regexp.MustCompile(`#include <(cuda_\w+\.h)>`)
	dynamic  = regexp.MustCompile(`extern __shared__ (\w+) (\w+)\[\];`)
)

// emulate turns CUDA into what the emulation's header makes sense of.
func emulate(source string) string {
	source = toolkit.ReplaceAllString(source, `#include "$1"`)
	source = dynamic.ReplaceAllString(source, `$1 *$2 = reinterpret_cast<$1 *>(emulated::block()->dynamic);`)
	source = strings.ReplaceAll(source, `asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));`, "x = *p;")
	source = strings.ReplaceAll(source, `asm volatile("" : "+f"(x)::"memory");`, "")
	return launches.ReplaceAllStringFunc(source, func(launch string) string {
		m := launches.FindStringSubmatch(launch)
		shape := topLevel(m[2])
		return fmt.Sprintf("emulated::launch(dim3(%s), dim3(%s), [&] { %s(%s); });", shape[0], shape[1], m[1], m[3])
	})
}

// topLevel splits at the commas that stand in no parentheses.
func topLevel(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts, start = append(parts, list[start:i]), i+1
			}
		}
	}
	return append(parts, list[start:])
}

// file is what the files of the example are called.
func (e emulatedExample) file() string { return cmp.Or(e.name, strings.TrimSuffix(e.dir, "_cuda")) }

// lay writes the example, as C++, and what it includes into a folder.
func (e emulatedExample) lay(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	write := func(name, text string) {
		must(t, os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600))
	}
	read := func(path string) string {
		b, err := os.ReadFile(path)
		must(t, err)
		return string(b)
	}
	files := append([]string{e.file() + ".pg.cu"}, e.sources...)
	if e.name == "" {
		files = append(files, e.file()+".h")
	}
	for _, file := range files {
		text := emulate(read(filepath.Join("examples", e.dir, file)))
		if file == e.sources[0] {
			text += e.missing
		}
		write(strings.TrimSuffix(file, ".cu")+map[bool]string{true: ".cc"}[strings.HasSuffix(file, ".cu")], text)
	}
	for _, file := range []string{"cuda_runtime.h", "cuda_fp16.h"} {
		write(file, read(filepath.Join("..", "testdata", "cuda", "emulated", file)))
	}
	write("half.h", read(filepath.Join("examples", "attention", "half.h")))
	return tree
}

func (e emulatedExample) start(t *testing.T, r *rig, tree, faults string) *Runner {
	t.Helper()
	name := e.file()
	spec := BuildSpec{Kernel: name, Tree: tree, AdapterTree: tree, Adapter: name + ".pg.cc", Flags: []string{"-O0"}}
	for _, fault := range strings.Fields(faults) {
		spec.Flags = append(spec.Flags, "-DPG_FAULT_"+fault)
	}
	for _, source := range e.sources {
		spec.Sources = append(spec.Sources, strings.TrimSuffix(source, ".cu")+".cc")
	}
	return r.run(r.spec(r.kept(spec)))
}

func (e emulatedExample) check(t *testing.T, r *rig, tree, faults string) {
	runner := e.start(t, r, tree, faults)
	for kernel, cases := range e.kernels {
		for _, text := range cases {
			reply := e.parity(t, runner, kernel, text)
			if !reply.Passed || reply.Elements == 0 {
				t.Errorf("%s/%s: %d of %d elements are wrong, worst %+v", kernel, text, reply.Failed, reply.Elements, reply.Worst)
			}
		}
	}
}

func (e emulatedExample) parity(t *testing.T, runner *Runner, kernel, text string) ParityReply {
	t.Helper()
	reply, err := runner.parity(ParityCommand{Case: caseOf(kernel, text), Seed: "7", Values: "spec", Atol: 5e-3, Rtol: 1e-3, Oracle: "reference"})
	must(t, err)
	return reply
}
