//go:build cgo

package run

import (
	"context"
	"errors"
	"testing"

	"github.com/org/perfgate/gate/internal/machinetest"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
)

// turnsOn are those of a run on a device.
func turnsOn(t *testing.T, d *device) *turns {
	t.Helper()
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	return &turns{device: d, progress: func(Progress) {}, drop: func() {}}
}

// isFree says whether another run would have its turn at once.
func isFree(t *testing.T, device string, use machine.Use) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	lock, err := machine.Acquire(ctx, device, use, func(string) { cancel() })
	lock.Release()
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err == nil
}

// The lock of a GPU is held for what runs on it; a build in the midst of that is outside, and is one on the host.
func TestBuildsAreOutsideOfTheLockOfAGPU(t *testing.T) {
	d := onL4(t, machinetest.L4())
	d.target.Device = result.DeviceCUDA
	x := turnsOn(t, d)
	gpu := func() bool { return isFree(t, machinetest.UUID, machine.Alone) }
	timing := func() bool { return isFree(t, machine.Host, machine.Launches) }
	var ended func()
	err := x.onDevice(t.Context(), func() error {
		if d.watch != nil {
			ended = d.watched(1)
		}
		if gpu() || !timing() {
			t.Error("on the device: the GPU is free, or others cannot time launches")
		}
		if err := x.offDevice(t.Context(), func() {
			if !gpu() || timing() || !isFree(t, machine.Host, machine.Untimed) {
				t.Error("a build: it keeps the GPU, does not keep others from timing, or keeps others from building")
			}
			if err := x.untimed(t.Context(), func() {}); err != nil { // within itself
				t.Error(err)
			}
			if timing() {
				t.Error("a build within a build ended both")
			}
		}); err != nil {
			return err
		}
		if gpu() || !timing() {
			t.Error("after a build: the GPU is free, or the build never ends")
		}
		leave, err := x.timed(t.Context())
		if err != nil {
			return err
		}
		defer leave()
		if isFree(t, machine.Host, machine.Untimed) || !timing() {
			t.Error("while launches are timed: others build, or cannot time launches on another GPU")
		}
		return nil
	})
	if err != nil || !gpu() || !isFree(t, machine.Host, machine.Alone) {
		t.Errorf("at the end something is left: %v", err)
	}
	if ended == nil {
		t.Fatal("there was no watch")
	}
	ended() // of a process that waited ahead, and is dropped when the device is handed back
	if w := x.device.machine.GPU.Watch; w == nil || x.device.watch != nil {
		t.Errorf("what was seen of the GPU: %+v", w)
	}
}

// Where processors are the device, rounds have the host to themselves, and parity and builds do not run while others are timed.
func TestRoundsOnACPUHaveTheHost(t *testing.T) {
	x := turnsOn(t, &device{machine: machine.Describe()})
	if err := x.onDevice(t.Context(), func() error {
		if !isFree(t, machine.Host, machine.Alone) {
			t.Error("the host is held before anything is timed")
		}
		return x.untimedOnCPU(func(context.Context, *Values) error {
			if isFree(t, machine.Host, machine.Alone) {
				t.Error("others time beside parity on a CPU")
			}
			return nil
		})(t.Context(), nil)
	}); err != nil {
		t.Fatal(err)
	}
	leave, err := x.timed(t.Context())
	must(t, err)
	defer leave()
	if isFree(t, machine.Host, machine.Untimed) || isFree(t, machine.Host, machine.Alone) || isFree(t, machine.Host, machine.Launches) {
		t.Error("others build, or measure beside rounds on a CPU")
	}
}

func TestWhatNeedsTheHost(t *testing.T) {
	for name, tt := range map[string]struct {
		m    result.Method
		want bool
	}{
		"a graph":                      {result.Method{Clock: "event", How: "graph", Block: true}, false},
		"one launch, enqueued before":  {result.Method{Clock: "event", How: "single", Block: true}, false},
		"a loop":                       {result.Method{Clock: "event", How: "loop", Block: true}, true},
		"one that waits while it runs": {result.Method{Clock: "event", How: "single"}, true},
		"the host's part":              {result.Method{Clock: result.ClockHost}, true},
		"a benchmark's own clock":      {result.Method{Clock: result.ClockBenchmark, How: "nvbench"}, true},
		"a CPU":                        {result.Method{Clock: "thread"}, true},
	} {
		if got := tt.m.NeedsHost(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
