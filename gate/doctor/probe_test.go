//go:build cgo

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/org/perfgate/gate/internal/machinetest"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
)

// asked are the facts that a made-up driver tells of GPU 0.
func asked(t *testing.T, api nvml.Interface) Facts {
	t.Helper()
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	f := withoutGPU()
	f.GPUTrouble = nil
	must(t, f.askDriver(func() (*machine.GPUs, error) { return machine.OpenThrough(api) }, "0"))
	return f
}

func TestWhatTheDriverRefusesToTellIsNotClaimed(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	l4 := machinetest.L4()
	l4.GetComputeRunningProcessesFunc = func() ([]nvml.ProcessInfo, nvml.Return) { return nil, nvml.ERROR_NO_PERMISSION }
	l4.GetCurrentClocksEventReasonsFunc = func() (uint64, nvml.Return) { return 0, nvml.ERROR_NOT_SUPPORTED }
	r := Examine(asked(t, machinetest.Driver(l4)))
	for _, name := range []string{"processes", "clocks"} {
		if f := finding(t, r, name); f.Status != Warn || f.Cure == "" || !strings.Contains(f.Text, "not shown (") {
			t.Errorf("%+v", f)
		}
	}
	r = Examine(asked(t, machinetest.Driver(machinetest.L4())))
	if f := finding(t, r, "processes"); f.Status != Bad || !strings.Contains(f.Text, "4711") {
		t.Errorf("%+v", f)
	}
	if f := finding(t, r, "clocks"); f.Status != OK || !strings.Contains(f.Text, "held down by: power cap") {
		t.Errorf("%+v", f)
	}
}

// A driver that fails at a question is a finding with a cure, and no end of the report.
func TestDriverThatFailsIsAFinding(t *testing.T) {
	counts, lost := machinetest.Driver(), machinetest.Driver(machinetest.L4())
	counts.DeviceGetCountFunc = func() (int, nvml.Return) { return 0, nvml.ERROR_UNKNOWN }
	lost.DeviceGetHandleByIndexFunc = func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_GPU_IS_LOST }
	for what, api := range map[string]*mock.Interface{"count the GPUs": counts, "fallen off the bus": lost} {
		r := Examine(asked(t, api))
		if f := finding(t, r, "driver"); f.Cure == "" || !strings.Contains(f.Text, what) {
			t.Errorf("%s: %+v", what, f)
		} else if what == "count the GPUs" && (f.Status != Bad || r.Exit != result.ExitFailed) {
			t.Errorf("%s: %+v, exit %d", what, f, r.Exit)
		}
	}
}

func TestGPUThatIsNotThereIsTheUsersMistake(t *testing.T) {
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	var f Facts
	err := f.askDriver(func() (*machine.GPUs, error) { return machine.OpenThrough(machinetest.Driver(machinetest.L4())) }, "7")
	if !result.IsUsage(err) {
		t.Errorf("err = %v", err)
	}
}

// Clocks that a living run has locked are not to be unlocked.
func TestLockOfARunThatLivesIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PERFGATE_LOCK_DIR", dir)
	must(t, os.WriteFile(filepath.Join(dir, "perfgate-"+machinetest.UUID+".clocks"), nil, 0o600))
	lock, err := machine.Acquire(context.Background(), machinetest.UUID, machine.Alone, nil)
	must(t, err)
	defer lock.Release()
	if got := machine.Holder(machinetest.UUID); !strings.HasPrefix(got, "process ") {
		t.Errorf("holder %q", got)
	}
	of := func() Finding { return finding(t, Examine(asked(t, machinetest.Driver(machinetest.L4()))), "clocks") }
	if f := of(); f.Status != Warn || strings.Contains(f.Cure, "--reset-gpu-clocks") {
		t.Errorf("while it lives: %+v", f)
	}
	lock.Release()
	if f := of(); f.Status != Bad || !strings.Contains(f.Cure, "--reset-gpu-clocks") {
		t.Errorf("when it is gone: %+v", f)
	}
}

// Any user can put a file into the lock folder: one of another user is told, and makes no machine unfit.
func TestNoteOfAStrangerIsAWarning(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := t.TempDir()
	t.Setenv("PERFGATE_LOCK_DIR", dir)
	note := filepath.Join(dir, "perfgate-"+machinetest.UUID+".clocks")
	must(t, os.WriteFile(note, nil, 0o644))
	if err := os.Lchown(note, 65533, 65533); err != nil {
		t.Skip("this sandbox gives no file away: ", err)
	}
	if f := finding(t, Examine(asked(t, machinetest.Driver(machinetest.L4()))), "clocks"); f.Status != Warn || !strings.Contains(f.Text, note) {
		t.Errorf("%+v", f)
	}
}

// The noise is that of a run as people make it, so the canary is shut in as theirs are.
func TestCanaryIsShutInAsARunIs(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		opt, err := canaryRun(gpu, Options{Scratch: t.TempDir(), Cache: t.TempDir()})
		if err != nil || opt.Device.Sandbox != result.SandboxAuto {
			t.Errorf("GPU %v: sandbox %q, %v", gpu, opt.Device.Sandbox, err)
		}
	}
}

func TestMissingCacheFolderIsAFinding(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	r, err := Examination(context.Background(), Options{Quick: true, Scratch: t.TempDir(), CacheTrouble: "neither HOME nor PERFGATE_CACHE is set"})
	must(t, err)
	if f := finding(t, r, "cache"); f.Status != Bad || !strings.Contains(f.Cure, "PERFGATE_CACHE") || !strings.Contains(f.Text, "HOME") {
		t.Errorf("%+v", f)
	}
}
