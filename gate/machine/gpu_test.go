package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestMachineWithoutGPU(t *testing.T) {
	closed := false
	_, err := newGPUs("570.133.20", "12.8", nil, func() { closed = true })
	var none *GPUError
	if !errors.As(err, &none) || none.Cure == "" || !closed {
		t.Errorf("err = %v, closed = %v: want words, a cure and the driver let go", err, closed)
	}
}

func TestGPUIsDescribedForItsHost(t *testing.T) {
	all, _ := fakeGPUs(2)
	defer all.Close()
	g := all.List[1]
	if g.Facts.Index != 1 || g.Facts.Driver != "570.133.20" || g.Facts.CUDA != "12.8" || g.Target() != "sm_89" {
		t.Errorf("GPU = %+v, target %s", g.Facts, g.Target())
	}
	if env := g.Environment(); !slices.Contains(env, "CUDA_VISIBLE_DEVICES="+g.Facts.UUID) || !slices.Contains(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID") {
		t.Errorf("environment = %v", env)
	}
	m := DescribeGPU(g)
	if m.Device != "cuda" || m.Model != "NVIDIA L4" || m.GPU == nil || !strings.HasPrefix(m.Key, "nvidia-l4-") {
		t.Errorf("machine = %+v", m)
	}
	if other := DescribeGPU(all.List[0]); other.Key != m.Key {
		t.Errorf("two GPUs of a model have the keys %s and %s", m.Key, other.Key)
	}
}

func TestSelect(t *testing.T) {
	_, devices := fakeGPUs(2)
	devices[0].facts.MIG = true
	all := reopened(devices)
	for _, c := range []struct {
		want, visible string
		set           bool
		index         int // -1: the user's error; -2: the environment's
	}{
		{index: 1}, // the other is divided
		{want: Idle, index: 1},
		{want: "0", index: 0},
		{want: "1", index: 1},
		{want: "GPU-1", index: 1},
		{want: devices[1].facts.UUID, index: 1},
		{want: "2", index: -1},
		{want: "-1", index: -1},
		{want: "GPU-", index: -1}, // fits both
		{want: "L4", index: -1},
		{want: "0", visible: "1", set: true, index: 0}, // the flag wins
		{visible: "1", set: true, index: 1},
		{visible: " 1 ,0", set: true, index: 1},
		{visible: "0", set: true, index: 0},
		{visible: "0,7,1", set: true, index: 0}, // CUDA's list ends at what there is not
		{visible: "GPU-10000000,0", set: true, index: 1},
		{visible: "", set: true, index: -2},
		{visible: "-1", set: true, index: -2},
		{visible: "7", set: true, index: -2},
		{visible: "MIG-0123", set: true, index: -2},
	} {
		allowed, err := all.Select(c.want, func(string) (string, bool) { return c.visible, c.set })
		var got *GPU
		if err == nil {
			got = LeastUsed(allowed)
		}
		var hidden *GPUError
		switch {
		case c.index >= 0 && (err != nil || got != all.List[c.index]):
			t.Errorf("%+v: got %v, %v", c, got, err)
		case c.index == -1 && !result.IsUsage(err), c.index == -2 && !errors.As(err, &hidden):
			t.Errorf("%+v: err = %v", c, err)
		}
	}
}

// Several GPUs are made up below the driver's library: the least used is taken by who waits for it, who computes on it, how busy it is and what it holds.
func TestLeastUsed(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	_, devices := fakeGPUs(4)
	devices[3].name = "NVIDIA H100" // idle, and of another model
	all := reopened(devices)
	allowed, err := all.Select("", func(string) (string, bool) { return "", false })
	if err != nil || len(allowed) != 3 {
		t.Fatalf("allowed: %d, %v", len(allowed), err)
	}
	want := func(index int, why string) {
		t.Helper()
		if got := LeastUsed(allowed); got != all.List[index] {
			t.Errorf("%s: got GPU %d", why, got.Facts.Index)
		}
	}
	want(0, "all are idle")
	devices[0].used = usage{heldBytes: heldAtRest / 2}
	want(0, "what a driver keeps for itself says nothing")
	devices[0].used = usage{heldBytes: 40 << 30}
	want(1, "memory is held, at 0 % and without a process")
	if said := all.List[0].LeftBehind(); !strings.Contains(said, "GPU 0") || !strings.Contains(said, "40 GiB") {
		t.Errorf("said %q", said)
	}
	if said := all.List[1].LeftBehind(); said != "" {
		t.Errorf("said of an idle one: %q", said)
	}
	devices[1].used, devices[2].used = usage{percent: 3}, usage{percent: 5}
	want(0, "busy is worse than held")
	devices[0].pids = []int{4711}
	if said := all.List[0].LeftBehind(); said != "" {
		t.Errorf("said of one in use: %q", said)
	}
	want(1, "a process computes on it")
	acquire(t, all.List[1].Facts.UUID, Alone)
	want(2, "a run holds it")
}

func TestSharedGPUsAreRefusedInWords(t *testing.T) {
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	all, _ := fakeGPUs(1)
	g := all.List[0]
	must(t, g.Measurable())
	g.Facts.MIG = true
	if err := g.Measurable(); err == nil || !strings.Contains(err.Error(), "-mig 0") {
		t.Errorf("MIG: %v", err)
	}
	g.Facts.MIG, g.Facts.MPS = false, true
	if err := g.Measurable(); err == nil || !strings.Contains(err.Error(), "nvidia-cuda-mps-control") {
		t.Errorf("MPS: %v", err)
	}
}

func TestMPSIsSeenByItsDaemonOrItsPipes(t *testing.T) {
	fakeRoot(t, nil)
	pipes := t.TempDir()
	getenv := func(string) string { return pipes }
	if where := MPS(getenv); where != "" {
		t.Errorf("no daemon, no pipes: %q", where)
	}
	must(t, os.WriteFile(filepath.Join(pipes, "control"), nil, 0o644))
	if where := MPS(getenv); !strings.Contains(where, pipes) {
		t.Errorf("pipes: %q", where)
	}
	fakeRoot(t, map[string]string{"proc/42/comm": "nvidia-cuda-mps\n"})
	if where := MPS(getenv); where != "process 42" {
		t.Errorf("daemon: %q", where)
	}
}

// Processors are those that Linux names next to the GPU's place on the bus; GPUs used at once share them out.
func TestProcessorsNextToTheGPU(t *testing.T) {
	own := ownProcessors()
	fakeRoot(t, map[string]string{
		"sys/bus/pci/devices/0000:65:00.0/local_cpulist": fmt.Sprintf("%d,1000-1020\n", own[0]), // others are not for this process
		"sys/bus/pci/devices/0000:e3:00.0/local_cpulist": ProcessorList(own) + "\n",
	})
	all, devices := fakeGPUs(3)
	devices[0].bus, devices[1].bus = "00000000:65:00.0", "00000000:E3:00.0"
	if got := all.List[0].Processors(); len(own) > 1 && !slices.Equal(got, own[:1]) {
		t.Errorf("got %v of %v", got, own)
	}
	for i := range 2 {
		if got := all.List[i+1].Processors(); got != nil {
			t.Errorf("GPU %d: %v, and all are as near or nothing is known", i+1, got)
		}
	}
	half := len(own) / 2
	if got := Shares(all.List[1:]); half > 0 && (!slices.Equal(got[0], own[:half]) || !slices.Equal(got[1], own[half:2*half])) {
		t.Errorf("shares %v of %v", got, own)
	}
	for list, want := range map[string]string{"0-3,8": "0-3,8", "5": "5", "": "", "0-x": "", "3-1": ""} {
		if got := ProcessorList(parseProcessors(list)); got != want {
			t.Errorf("%q: %q", list, got)
		}
	}
}
