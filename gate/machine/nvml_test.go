//go:build cgo

package machine

import (
	"errors"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/org/perfgate/gate/result"
)

// mockL4 answers as an L4 with driver 570 does. The mock panics at a call that is not made up here.
func mockL4() *mock.Device {
	ok := nvml.SUCCESS
	return &mock.Device{
		GetNameFunc:       func() (string, nvml.Return) { return "NVIDIA L4", ok },
		GetUUIDFunc:       func() (string, nvml.Return) { return "GPU-4fda7a7f", ok },
		GetMemoryInfoFunc: func() (nvml.Memory, nvml.Return) { return nvml.Memory{Total: 24 << 30}, ok },
		GetClockInfoFunc: func(c nvml.ClockType) (uint32, nvml.Return) {
			return map[nvml.ClockType]uint32{nvml.CLOCK_SM: 210, nvml.CLOCK_MEM: 405}[c], ok
		},
		GetMaxClockInfoFunc: func(c nvml.ClockType) (uint32, nvml.Return) {
			return map[nvml.ClockType]uint32{nvml.CLOCK_SM: 2040, nvml.CLOCK_MEM: 6251}[c], ok
		},
		GetPowerUsageFunc:                  func() (uint32, nvml.Return) { return 16_500, ok },
		GetEnforcedPowerLimitFunc:          func() (uint32, nvml.Return) { return 72_000, ok },
		GetPowerManagementDefaultLimitFunc: func() (uint32, nvml.Return) { return 72_000, ok },
		GetTemperatureFunc:                 func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 41, ok },
		GetTemperatureThresholdFunc:        func(nvml.TemperatureThresholds) (uint32, nvml.Return) { return 93, ok },
		GetPersistenceModeFunc:             func() (nvml.EnableState, nvml.Return) { return nvml.FEATURE_ENABLED, ok },
		GetVirtualizationModeFunc: func() (nvml.GpuVirtualizationMode, nvml.Return) {
			return nvml.GPU_VIRTUALIZATION_MODE_PASSTHROUGH, ok
		},
		GetEccModeFunc: func() (nvml.EnableState, nvml.EnableState, nvml.Return) {
			return nvml.FEATURE_ENABLED, nvml.FEATURE_ENABLED, ok
		},
		GetMigModeFunc:                      func() (int, int, nvml.Return) { return 0, 0, nvml.ERROR_NOT_SUPPORTED },
		GetCudaComputeCapabilityFunc:        func() (int, int, nvml.Return) { return 8, 9, ok },
		GetNumGpuCoresFunc:                  func() (int, nvml.Return) { return 58 * 128, ok },
		GetCurrentClocksEventReasonsFunc:    func() (uint64, nvml.Return) { return nvml.ClocksEventReasonSwPowerCap, ok },
		GetCurrentClocksThrottleReasonsFunc: func() (uint64, nvml.Return) { return nvml.ClocksThrottleReasonGpuIdle, ok },
		GetComputeRunningProcessesFunc:      func() ([]nvml.ProcessInfo, nvml.Return) { return []nvml.ProcessInfo{{Pid: 4711}}, ok },
		SetGpuLockedClocksFunc:              func(low, high uint32) nvml.Return { return nvml.ERROR_NO_PERMISSION },
		ResetGpuLockedClocksFunc:            func() nvml.Return { return ok },
	}
}

func mockServer(devices ...nvml.Device) *mock.Interface {
	return &mock.Interface{
		InitFunc:                       func() nvml.Return { return nvml.SUCCESS },
		ShutdownFunc:                   func() nvml.Return { return nvml.SUCCESS },
		SystemGetDriverVersionFunc:     func() (string, nvml.Return) { return "570.133.20", nvml.SUCCESS },
		SystemGetCudaDriverVersionFunc: func() (int, nvml.Return) { return 12080, nvml.SUCCESS },
		DeviceGetCountFunc:             func() (int, nvml.Return) { return len(devices), nvml.SUCCESS },
		DeviceGetHandleByIndexFunc:     func(i int) (nvml.Device, nvml.Return) { return devices[i], nvml.SUCCESS },
		ExtensionsFunc: func() nvml.ExtendedInterface {
			return &mock.ExtendedInterface{LookupSymbolFunc: func(string) error { return nil }}
		},
	}
}

func open(t *testing.T, api nvml.Interface) *GPUs {
	t.Helper()
	t.Setenv("CUDA_MPS_PIPE_DIRECTORY", t.TempDir())
	lib, err := bind(api)
	if err != nil {
		t.Fatal(err)
	}
	all, err := gather(lib)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	return all
}

func TestFactsOfAnL4(t *testing.T) {
	all := open(t, mockServer(mockL4()))
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
	if now, err := g.ClocksNow(); err != nil || strings.Join(now, ",") != "power cap" {
		t.Errorf("clocks: %v, %v", now, err)
	}
	if pids, err := g.Processes(); err != nil || len(pids) != 1 || pids[0] != 4711 {
		t.Errorf("processes: %v, %v", pids, err)
	}
}

// An older driver has no event reasons: the call would end the program.
func TestOlderDriver(t *testing.T) {
	api := mockServer(mockL4())
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
		d := mockL4()
		d.GetNumGpuCoresFunc = func() (int, nvml.Return) { return c.cores, nvml.SUCCESS }
		if got := (&nvmlDevice{d: d, cores: true}).sms(c.major, c.minor); got != c.want {
			t.Errorf("%d cores of compute capability %d.%d: %d SMs, want %d", c.cores, c.major, c.minor, got, c.want)
		}
	}
}

func TestMIGIsSeen(t *testing.T) {
	d := mockL4()
	d.GetMigModeFunc = func() (int, int, nvml.Return) { return nvml.DEVICE_MIG_ENABLE, nvml.DEVICE_MIG_ENABLE, nvml.SUCCESS }
	if err := open(t, mockServer(d)).List[0].Measurable(); err == nil {
		t.Error("a GPU with MIG is measured on")
	}
}

func TestClocksThatMayNotBeLocked(t *testing.T) {
	lockFolder(t)
	g := open(t, mockServer(mockL4())).List[0]
	var refused *GPUError
	if _, err := g.LockClocks(0); !errors.As(err, &refused) || !strings.Contains(refused.Cure, "root") {
		t.Errorf("err = %v", err)
	}
}

func TestDriverThatDoesNotAnswer(t *testing.T) {
	for _, ret := range []nvml.Return{
		nvml.ERROR_LIBRARY_NOT_FOUND, nvml.ERROR_DRIVER_NOT_LOADED, nvml.ERROR_LIB_RM_VERSION_MISMATCH, nvml.ERROR_NO_PERMISSION, nvml.ERROR_UNKNOWN,
	} {
		_, err := bind(&mock.Interface{InitFunc: func() nvml.Return { return ret }})
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
