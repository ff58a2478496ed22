package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
)

// oneGPU is the environment of a process that sees one GPU: the first of those that the tests may use.
func oneGPU() []string {
	number, _, _ := strings.Cut(os.Getenv("CUDA_VISIBLE_DEVICES"), ",")
	return []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + cmp.Or(number, "0")}
}

// cudaRig is a rig for the GPU of this machine. Without one, or without nvcc, the test is skipped: what it covers is then
// covered by nothing but the replay of a recording.
func cudaRig(t *testing.T) *rig {
	t.Helper()
	ctx := context.Background()
	out, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		t.Skip("no NVIDIA GPU here")
	}
	target := Target{Device: result.DeviceCUDA, Arch: "sm_" + strings.ReplaceAll(strings.TrimSpace(string(out)), ".", "")}
	nvcc, err := FindNVCC(ctx)
	if errors.Is(err, ErrNoNVCC) {
		t.Skip(err)
	}
	must(t, err)
	scratch := t.TempDir()
	h, err := BuildHarness(ctx, nvcc, target, cacheForTests, scratch, nil)
	must(t, err)
	if !h.Cached {
		t.Logf("harness for %s with %s: %.1f s", target.Arch, nvcc.Version, h.Seconds)
	}
	return &rig{t: t, harness: h, builder: &Builder{Compiler: nvcc, Target: target, Cache: cacheForTests, Scratch: scratch}}
}

// onGPU is a runner on a library that sees one GPU. CUDA needs all of the address space.
func (r *rig) onGPU(lib Library) RunnerSpec {
	r.t.Helper()
	s := r.spec(lib)
	s.MemoryBytes, s.Env = 0, oneGPU()
	return s
}

func (r *rig) startCUDA(lib Library) *Runner {
	r.t.Helper()
	return r.run(r.onGPU(lib))
}

// look sends a case through parity and time, as a run does, and returns what they say: a code, or "passed".
func look(r *Runner, n int64, how string) (parity, timed result.Code) {
	ctx := context.Background()
	var p ParityReply
	err := r.Call(ctx, "parity", "k", ParityCommand{Case: caseOf("k", fmt.Sprint("n=", n)), Seed: "7", Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: "reference"}, &p, time.Minute)
	switch {
	case err != nil:
		parity = runnerFault(err).Code
	case !p.Passed:
		parity = result.CodeWrongOutput
	default:
		parity = "passed"
	}
	if parity.EndsProcess() {
		return parity, ""
	}
	m := Method{Clock: "event", How: how, Block: true, Launches: 1, Pool: 4, Samples: 10, Cache: "cold"}
	if how != HowSingle {
		m.Launches, m.Pool = 40, 40
	}
	var reply TimeReply
	err = r.Call(ctx, "time", "k", TimeCommand{Case: caseOf("k", fmt.Sprint("n=", n)), Seed: "7", Method: m, Checks: 2, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e9}, &reply, time.Minute)
	if timed = runnerFault(err).Code; err == nil {
		timed = "passed"
	}
	return parity, timed
}

// Each must be caught by one of the two at the least; honest ones pass both.
func TestCUDACheats(t *testing.T) {
	r := cudaRig(t)
	const small, large = 1 << 16, 1 << 24
	for _, c := range []struct {
		name  string
		flags []string
		want  []result.Code // codes, "passed" alone for an honest one
	}{
		{"honest", nil, []result.Code{"passed"}},
		{"joined_stream", nil, []result.Code{"passed"}},
		{"waits", nil, []result.Code{"passed"}},
		{"legacy_stream", nil, []result.Code{"passed"}},
		{"autotuned", nil, []result.Code{"passed"}},
		{"atomic_adds", nil, []result.Code{"passed"}},
		{"host_work", nil, []result.Code{"outside-work"}},
		{"second_gpu", nil, []result.Code{"launch-failed"}},
		{"side_stream", nil, []result.Code{"outside-work"}},
		{"late_thread", nil, []result.Code{"outside-work", "wrong-output"}},
		{"cache_by_pointer", nil, []result.Code{"wrong-output"}},
		{"cache_by_shape", nil, []result.Code{"wrong-output"}},
		{"cache_by_count", nil, []result.Code{"wrong-output"}},
		{"skip_after_n", nil, []result.Code{"wrong-output", "outside-work"}},
		{"stale_output", nil, []result.Code{"wrong-output"}},
		{"reads_outside", nil, []result.Code{"wrong-output"}},
		{"oob_write", nil, []result.Code{"guard-broken"}},
		{"low_precision", nil, []result.Code{"wrong-output"}},
		{"bad_launch", nil, []result.Code{"launch-failed"}},
		{"silent_launch", nil, []result.Code{"wrong-output"}},
		{"wild_write", nil, []result.Code{"device-fault"}},
	} {
		if only := os.Getenv("PERFGATE_CHEATS"); only != "" && !slices.Contains(strings.Fields(only), c.name) {
			continue
		}
		lib := r.adapter("cheats/cuda/"+c.name+".cu", c.flags...)
		for _, n := range []int64{small, large} {
			how := HowSingle
			if n == small {
				how = HowLoop
			}
			parity, timed := look(r.startCUDA(lib), n, how)
			t.Logf("%-18s n=%-9d parity: %-14s time (%s): %s", c.name, n, parity, how, timed)
			honest := c.want[0] == "passed"
			if honest && (parity != "passed" || timed != "passed") {
				t.Errorf("%s with n=%d: parity %s, time %s", c.name, n, parity, timed)
			}
			if !honest && !slices.Contains(c.want, parity) && !slices.Contains(c.want, timed) {
				t.Errorf("%s with n=%d: parity %s, time %s, want one of %q", c.name, n, parity, timed, c.want)
			}
		}
		if len(lib.Resources) == 0 || lib.Resources[0].Registers == 0 {
			t.Errorf("%s: resources = %+v", c.name, lib.Resources)
		}
	}
}

// In a graph as well: what pg_launch enqueues is recorded once, so some cheats become honest, but none gets through wrong.
func TestCUDAGraph(t *testing.T) {
	r := cudaRig(t)
	for name, want := range map[string]result.Code{"honest": "passed", "joined_stream": "passed", "skip_after_n": "wrong-output", "cache_in_graph": "wrong-output", "side_stream": "outside-work", "waits": "launch-failed", "legacy_stream": "launch-failed"} {
		_, timed := look(r.startCUDA(r.adapter("cheats/cuda/"+name+".cu")), 1<<16, HowGraph)
		t.Logf("%-14s %s", name, timed)
		if timed != want {
			t.Errorf("%s in a graph: %s, want %s", name, timed, want)
		}
	}
}

func TestCUDAOutOfMemoryIsNamed(t *testing.T) {
	r := cudaRig(t)
	runner := r.startCUDA(r.adapter("cheats/cuda/honest.cu"))
	var reply ProbeReply
	err := runner.Call(context.Background(), "probe", "k", map[string]any{"case": caseOf("k", "n=4398046511104"), "seed": "7", "cache": "cold"}, &reply, time.Minute)
	if runnerFault(err).Code != "out-of-memory" || !strings.Contains(err.Error(), "bytes were asked for") {
		t.Errorf("err = %v", err)
	}
	t.Log(err)
}

func TestCUDAProbe(t *testing.T) {
	r := cudaRig(t)
	for _, name := range []string{"honest", "waits", "legacy_stream"} {
		runner := r.startCUDA(r.adapter("cheats/cuda/" + name + ".cu"))
		var warm WarmReply
		must(t, runner.Call(context.Background(), "warm", "", map[string]any{"limitNs": 1e10, "fixed": false}, &warm, time.Minute))
		var reply ProbeReply
		err := runner.Call(context.Background(), "probe", "k", map[string]any{"case": caseOf("k", "n=65536"), "seed": "7", "cache": "cold"}, &reply, time.Minute)
		must(t, err)
		t.Logf("%s: gpu %+v warm %+v probe %+v", name, *runner.Hello.GPU, warm, reply)
		if reply.Blockable != (name != "waits") || reply.Capturable != (name == "honest") {
			t.Errorf("%s: blockable %v, capturable %v", name, reply.Blockable, reply.Capturable)
		}
	}
}

// The CUDA half does bit for bit what the CPU half does.
func TestCUDASelftest(t *testing.T) {
	r := cudaRig(t)
	sources, err := filepath.Glob("native/harness/*.c[cu]")
	must(t, err)
	var all strings.Builder
	for _, source := range append(sources, "native/selftest/selftest_cuda.cu") {
		include := "#include \"" + strings.TrimPrefix(source, "native/") + "\"\n"
		switch filepath.Base(source) {
		case "program.cc":
		case "device_cpu.cc": // a program has one device, but this one
			all.WriteString("#define make_device make_cpu_device\n#define kDeviceName kCpuDeviceName\n" + include + "#undef make_device\n#undef kDeviceName\n")
		default:
			all.WriteString(include)
		}
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "all.cu"), filepath.Join(dir, "selftest")
	must(t, os.WriteFile(file, []byte(all.String()), 0o644))
	b := r.builder
	args := append(b.Compiler.harnessFlags(b.Target), "-Inative", "-Inative/harness", file, "-o", program, "-ldl")
	if _, err := runCompiler(context.Background(), child.Spec{Path: b.Compiler.Path, Args: args, Dir: ".", Env: compilerEnv(dir)}, "selftest"); err != nil {
		t.Fatal(err)
	}
	out, err := child.Run(context.Background(), child.Spec{Path: program})
	t.Log(strings.TrimSpace(out.Stdout))
	if err != nil || !strings.Contains(out.Stdout, " 0 failed") {
		t.Errorf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
}
