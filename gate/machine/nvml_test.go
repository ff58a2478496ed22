//go:build cgo

package machine

import (
	"errors"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/org/perfgate/gate/internal/machinetest"
	"github.com/org/perfgate/gate/result"
)

func open(t *testing.T, api nvml.Interface) *GPUs {
	t.Helper()
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	all, err := OpenThrough(api)
	must(t, err)
	t.Cleanup(all.Close)
	return all
}

func TestFactsOfAnL4(t *testing.T) {
	all := open(t, machinetest.Driver(machinetest.L4()))
	g := all.List[0]
	want := result.GPU{
		UUID: "GPU-4fda7a7f", ComputeCapability: "8.9", SMs: 58, MemoryBytes: 24 << 30, Driver: "570.133.20", CUDA: "12.8",
		SMClockMHz: 210, MaxSMClockMHz: 2040, MemoryClockMHz: 405, MaxMemoryClockMHz: 6251,
		PowerW: 16.5, PowerLimitW: 72, PowerDefaultW: 72, TemperatureC: 41, SlowdownC: 93,
		ECC: true, Persistence: true, OtherProcesses: 1,
	}
	if g.Facts != want || g.Name != "NVIDIA L4" {
		t.Errorf("facts = %+v", g.Facts)
	}
	if now, err := g.ClocksNow(); err != nil || strings.Join(result.Words(now), ",") != "power cap" {
		t.Errorf("clocks: %v, %v", now, err)
	}
	if pids, err := g.Processes(); err != nil || len(pids) != 1 || pids[0] != 4711 {
		t.Errorf("processes: %v, %v", pids, err)
	}
}

// An older driver has no event reasons: the call would end the program.
func TestOlderDriver(t *testing.T) {
	api := machinetest.Driver(machinetest.L4())
	api.ExtensionsFunc = func() nvml.ExtendedInterface {
		return &mock.ExtendedInterface{LookupSymbolFunc: func(name string) error { return errors.New("undefined symbol: " + name) }}
	}
	g := open(t, api).List[0]
	if now, err := g.ClocksNow(); err != nil || len(now) != 0 || g.Facts.SMs != 0 {
		t.Errorf("clocks: %v, %v, SMs %d", now, err, g.Facts.SMs)
	}
}

func TestSMsFromCores(t *testing.T) {
	for _, c := range []struct{ major, minor, cores, want int }{
		{7, 0, 5120, 80}, {7, 5, 2560, 40}, {8, 0, 6912, 108}, {8, 6, 10752, 84}, {8, 9, 7424, 58}, {9, 0, 16896, 132}, {12, 0, 21760, 170}, {3, 5, 2880, 0},
	} {
		d := machinetest.L4()
		d.GetNumGpuCoresFunc = func() (int, nvml.Return) { return c.cores, nvml.SUCCESS }
		if got := (&nvmlDevice{d: d, cores: true}).sms(c.major, c.minor); got != c.want {
			t.Errorf("%d cores of compute capability %d.%d: %d SMs, want %d", c.cores, c.major, c.minor, got, c.want)
		}
	}
}

func TestMIGIsSeen(t *testing.T) {
	d := machinetest.L4()
	d.GetMigModeFunc = func() (int, int, nvml.Return) { return nvml.DEVICE_MIG_ENABLE, nvml.DEVICE_MIG_ENABLE, nvml.SUCCESS }
	if err := open(t, machinetest.Driver(d)).List[0].Measurable(); err == nil {
		t.Error("a GPU with MIG is measured on")
	}
}

func TestClocksThatMayNotBeLocked(t *testing.T) {
	lockFolder(t)
	g := open(t, machinetest.Driver(machinetest.L4())).List[0]
	var refused *GPUError
	if _, err := g.LockClocks(0); !errors.As(err, &refused) || !strings.Contains(refused.Cure, "root") {
		t.Errorf("err = %v", err)
	}
}

func TestDriverThatDoesNotAnswer(t *testing.T) {
	for _, ret := range []nvml.Return{
		nvml.ERROR_LIBRARY_NOT_FOUND, nvml.ERROR_DRIVER_NOT_LOADED, nvml.ERROR_LIB_RM_VERSION_MISMATCH, nvml.ERROR_NO_PERMISSION, nvml.ERROR_UNKNOWN,
	} {
		_, err := OpenThrough(&mock.Interface{InitFunc: func() nvml.Return { return ret }})
		var e *GPUError
		if !errors.As(err, &e) || e.What == "" || e.Cure == "" {
			t.Errorf("%d: %v", ret, err)
		}
	}
}

// On a machine without a driver this is the real thing.
func TestNoDriverIsANormalState(t *testing.T) {
	all, err := OpenGPUs()
	if err == nil {
		all.Close()
		t.Skip("this machine has a driver")
	}
	var e *GPUError
	if !errors.As(err, &e) {
		t.Errorf("err = %v", err)
	}
}
