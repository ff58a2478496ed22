//go:build cgo

package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/org/perfgate/gate/internal/machinetest"
	"github.com/org/perfgate/gate/machine"
)

// onL4 is a made-up L4 as a run's device.
func onL4(t *testing.T, l4 *mock.Device) *device {
	t.Helper()
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	gpus, err := machine.OpenThrough(machinetest.Driver(l4))
	must(t, err)
	t.Cleanup(gpus.Close)
	return &device{gpus: gpus, gpu: gpus.List[0]}
}

// A run that was killed with the clocks locked while the next one waited: that one must not measure at them.
func TestClocksLeftLockedDoNotReachTheNextRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PERFGATE_LOCK_DIR", dir)
	l4 := machinetest.L4()
	l4.SetGpuLockedClocksFunc = func(_, _ uint32) nvml.Return { return nvml.SUCCESS }
	if _, err := onL4(t, l4).gpu.LockClocks(1500); err != nil {
		t.Fatal(err)
	}

	next := onL4(t, l4)
	finish, err := next.prepare(t.Context(), nil)
	must(t, err)
	if n := len(l4.ResetGpuLockedClocksCalls()); n != 1 {
		t.Errorf("the clocks were unlocked %d times before the run", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if next.machine.GPU.LockedClock != "" || len(next.notes) == 0 || !strings.Contains(next.notes[0], "left") {
		t.Errorf("the result says: clocks locked to %q, notes %q", next.machine.GPU.LockedClock, next.notes)
	}
	if err := finish(); err != nil {
		t.Error(err)
	}
}

func TestRunAtClocksThatCannotBeUnlockedIsRefused(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	l4 := machinetest.L4()
	l4.ResetGpuLockedClocksFunc = func() nvml.Return { return nvml.ERROR_NO_PERMISSION }
	next := onL4(t, l4)
	note := filepath.Join(machine.LockDir(), "perfgate-"+machinetest.UUID+".clocks")
	must(t, os.WriteFile(note, nil, 0o600))
	var refused *machine.GPUError
	if _, err := next.prepare(t.Context(), nil); !errors.As(err, &refused) || !strings.Contains(refused.Cure, "--reset-gpu-clocks") {
		t.Errorf("err = %v", err)
	}
}

// The lock folder is open to all users: a file of one of them neither ends a run nor unlocks what an administrator locked.
func TestRunDoesNotBelieveAStrangersNote(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	l4 := machinetest.L4()
	l4.ResetGpuLockedClocksFunc = func() nvml.Return { return nvml.ERROR_NO_PERMISSION }
	next := onL4(t, l4)
	note := filepath.Join(machine.LockDir(), "perfgate-"+machinetest.UUID+".clocks")
	must(t, os.WriteFile(note, nil, 0o644))
	if err := os.Lchown(note, 65533, 65533); err != nil {
		t.Skip("this sandbox gives no file away: ", err)
	}
	finish, err := next.prepare(t.Context(), nil)
	must(t, err)
	if n := len(l4.ResetGpuLockedClocksCalls()); n != 0 {
		t.Errorf("the clocks were unlocked %d times", n)
	}
	if notes := strings.Join(next.notes, "\n"); !strings.Contains(notes, note) || !strings.Contains(notes, "not believed") {
		t.Errorf("notes %q", notes)
	}
	if err := finish(); err != nil {
		t.Error(err)
	}
}

// A clock that the run itself asks for is locked after what was left is unlocked, and unlocked at its end.
func TestClocksAreLockedForTheRunAlone(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	l4 := machinetest.L4()
	l4.SetGpuLockedClocksFunc = func(_, _ uint32) nvml.Return { return nvml.SUCCESS }
	r := onL4(t, l4)
	to := machine.ClockLock(1200)
	finish, err := r.prepare(t.Context(), &to)
	must(t, err)
	if r.machine.GPU.LockedClock != "1200" || len(l4.ResetGpuLockedClocksCalls()) != 0 {
		t.Errorf("locked to %q, unlocked %d times", r.machine.GPU.LockedClock, len(l4.ResetGpuLockedClocksCalls()))
	}
	if err := finish(); err != nil || len(l4.ResetGpuLockedClocksCalls()) != 1 {
		t.Errorf("%v, unlocked %d times", err, len(l4.ResetGpuLockedClocksCalls()))
	}
}
