//go:build cgo

package machinetest

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
)

// UUID is what L4 has.
const UUID = "GPU-4fda7a7f"

// L4 answers as one with driver 570 does, whose user may not lock its clocks. Its functions are there to be replaced; a
// call that is not made up here panics.
func L4() *mock.Device {
	ok := nvml.SUCCESS
	return &mock.Device{
		GetNameFunc:       func() (string, nvml.Return) { return "NVIDIA L4", ok },
		GetUUIDFunc:       func() (string, nvml.Return) { return UUID, ok },
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
		GetPciInfoFunc:                      func() (nvml.PciInfo, nvml.Return) { return nvml.PciInfo{}, nvml.ERROR_NOT_SUPPORTED },
		GetUtilizationRatesFunc:             func() (nvml.Utilization, nvml.Return) { return nvml.Utilization{}, ok },
		GetComputeRunningProcessesFunc:      func() ([]nvml.ProcessInfo, nvml.Return) { return []nvml.ProcessInfo{{Pid: 4711}}, ok },
		SetGpuLockedClocksFunc:              func(low, high uint32) nvml.Return { return nvml.ERROR_NO_PERMISSION },
		ResetGpuLockedClocksFunc:            func() nvml.Return { return ok },
	}
}

// Driver is a driver 570 with these GPUs, whose functions are there to be replaced.
func Driver(devices ...nvml.Device) *mock.Interface {
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
