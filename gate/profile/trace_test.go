package profile

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// fakeCUPTI is an nvcc beside a CUPTI that is made up, and a program that tells it what to have recorded.
func fakeCUPTI(t *testing.T) (nvcc, program string) {
	t.Helper()
	dir := t.TempDir()
	nvcc, program = filepath.Join(dir, "bin", "nvcc"), filepath.Join(dir, "program")
	cupti := filepath.Join(dir, "lib64", "libcupti.so")
	for _, path := range []string{nvcc, cupti} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	}
	must(t, os.WriteFile(nvcc, nil, 0o755))
	for _, args := range [][]string{
		{"-fPIC", "-shared", "testdata/fake_cupti.c", "-o", cupti},
		{"testdata/fake_program.c", "-o", program, "-ldl"},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return nvcc, program
}

// What runs between start and stop of the profiler is counted, of a process without them all, and of several processes together.
func TestTracerCountsCopiesAndFills(t *testing.T) {
	t.Parallel()
	nvcc, program := fakeCUPTI(t)
	tracer := &Tracer{Nvcc: nvcc, Scratch: t.TempDir()}
	trace := func(line string) (result.DeviceWork, error) {
		command := kernels.CommandSpec{Line: line, Dir: t.TempDir()}
		return tracer.Trace(t.Context(), Job{Runner: kernels.RunnerSpec{Dir: t.TempDir()}, Program: &Program{Command: command}, Limit: time.Minute})
	}
	for line, want := range map[string]result.DeviceWork{
		" upload kernel copy fill kernel": {Process: true, Kernels: 2, KernelSeconds: 2e-6, Transfers: []result.Transfer{
			{Kind: result.HostToDevice, Count: 1, Bytes: 64, Seconds: 50e-9}, {Kind: result.DeviceToDevice, Count: 1, Bytes: 1 << 20, Seconds: 500e-9}, {Kind: result.Fill, Count: 1, Bytes: 4096, Seconds: 300e-9},
		}},
		" upload kernel fill start kernel copy stop fill start copy stop": {Kernels: 1, KernelSeconds: 1e-6, Transfers: []result.Transfer{{Kind: result.DeviceToDevice, Count: 2, Bytes: 2 << 20, Seconds: 1e-6}}},
		" start kernel stop vanish":                                       {Kernels: 1, KernelSeconds: 1e-6},
		" kernel & " + program + " kernel; wait":                          {Process: true, Kernels: 2, KernelSeconds: 2e-6},
	} {
		got, err := trace(program + line)
		if err != nil || got.Process != want.Process || got.Kernels != want.Kernels || !slices.EqualFunc(got.Transfers, want.Transfers, alike) || !near(got.KernelSeconds, want.KernelSeconds) {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	if got, err := trace("true"); err != ErrNotTraced {
		t.Errorf("nothing uses the GPU: %+v, %v", got, err)
	}
	if _, err := trace("echo bad luck >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "bad luck") {
		t.Errorf("a program that fails: %v", err)
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func alike(a, b result.Transfer) bool {
	return a.Kind == b.Kind && a.Count == b.Count && a.Bytes == b.Bytes && near(a.Seconds, b.Seconds)
}

// Code under test can write anything into its trace.
func TestTraceIsNotTrusted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not JSON":         "hello\n",
		"half a line":      `{"region":true,"sums":[{"kind":"fill"`,
		"negative":         `{"sums":[{"kind":"fill","count":-1}]}`,
		"too many":         `{"sums":[{"kind":"fill","count":1,"bytes":9223372036854775807}]}`,
		"more than fits":   strings.Repeat(" ", maxTrace) + `{"sums":[]}`,
		"no number at all": `{"sums":[{"kind":"fill","count":"1"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "trace.json")
		must(t, os.WriteFile(path+".1", []byte(text), 0o644))
		if work, err := readTraces(path); err == nil {
			t.Errorf("%s: %+v", name, work)
		}
	}
	if _, err := readTraces(filepath.Join(t.TempDir(), "absent")); err != ErrNotTraced {
		t.Errorf("%v", err)
	}
}
