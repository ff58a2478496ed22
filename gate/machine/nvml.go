//go:build cgo

package machine

import (
	"fmt"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/org/perfgate/gate/result"
)

// OpenGPUs asks the driver for the GPUs of this machine. Without a driver, without a GPU and without cgo the error is a
// *GPUError: a normal state of a machine.
func OpenGPUs() (*GPUs, error) { return OpenThrough(nvml.New()) }

// OpenThrough is OpenGPUs through a binding of the management library, such as a mock of it.
func OpenThrough(api nvml.Interface) (*GPUs, error) {
	if ret := api.Init(); ret != nvml.SUCCESS {
		return nil, initError(ret)
	}
	shutdown := func() { _ = api.Shutdown() }
	devices, err := devicesOf(api)
	if err != nil {
		shutdown()
		return nil, err
	}
	driver, _ := api.SystemGetDriverVersion()
	cuda := ""
	if v, ret := api.SystemGetCudaDriverVersion(); ret == nvml.SUCCESS {
		cuda = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
	}
	return newGPUs(driver, cuda, devices, shutdown)
}

func devicesOf(api nvml.Interface) ([]device, error) {
	n, ret := api.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, failed("count the GPUs", ret)
	}
	// A function that an older driver does not have ends the program when it is called.
	has := func(name string) bool { return api.Extensions().LookupSymbol(name) == nil }
	var all []device
	for i := range n {
		d, ret := api.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return nil, failed(fmt.Sprintf("open GPU %d", i), ret)
		}
		all = append(all, &nvmlDevice{d: d, events: has("nvmlDeviceGetCurrentClocksEventReasons"), cores: has("nvmlDeviceGetNumGpuCores")})
	}
	return all, nil
}

// initErrors are states of a machine, with what helps. nvml.ErrorString is no use before the driver answers.
var initErrors = map[nvml.Return]GPUError{
	nvml.ERROR_LIBRARY_NOT_FOUND:       {"there is no NVIDIA driver here (libnvidia-ml.so.1 is not found)", "install the driver, or give the container the GPU (docker: --gpus all)"},
	nvml.ERROR_DRIVER_NOT_LOADED:       {"the NVIDIA driver is installed but not loaded", "sudo modprobe nvidia, or reboot after installing it"},
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: {"the NVIDIA driver was updated while the old one is still loaded", "reboot"},
	nvml.ERROR_NO_PERMISSION:           {"this user may not open the NVIDIA driver", "let it read and write /dev/nvidiactl and /dev/nvidia0"},
}

func initError(ret nvml.Return) error {
	if known, ok := initErrors[ret]; ok {
		return &known
	}
	return &GPUError{fmt.Sprintf("the NVIDIA driver does not answer (NVML error %d)", ret), "see what nvidia-smi and dmesg say"}
}

// failed turns what NVML returned into an error that says what was asked.
func failed(what string, ret nvml.Return) error {
	if ret == nvml.ERROR_GPU_IS_LOST {
		return &GPUError{what + ": the GPU has fallen off the bus", "reboot; see dmesg for Xid messages"}
	}
	return fmt.Errorf("%s: the NVIDIA driver says %s", what, ret.Error())
}

// nvmlDevice is a GPU behind libnvidia-ml.
type nvmlDevice struct {
	d      nvml.Device
	events bool // from driver 535 on; before, they are called throttle reasons
	cores  bool
}

// fact returns what NVML answered, or the zero value: much of it does not exist on every GPU.
func fact[T any](v T, ret nvml.Return) T {
	if ret != nvml.SUCCESS {
		var none T
		return none
	}
	return v
}

func (n *nvmlDevice) describe() (string, result.GPU, error) {
	name, ret := n.d.GetName()
	if ret != nvml.SUCCESS {
		return "", result.GPU{}, failed("ask the GPU for its name", ret)
	}
	uuid, ret := n.d.GetUUID()
	if ret != nvml.SUCCESS {
		return "", result.GPU{}, failed("ask the GPU for its UUID", ret)
	}
	g := result.GPU{
		UUID:              uuid,
		MemoryBytes:       int64(fact(n.d.GetMemoryInfo()).Total),
		SMClockMHz:        int(fact(n.d.GetClockInfo(nvml.CLOCK_SM))),
		MaxSMClockMHz:     int(fact(n.d.GetMaxClockInfo(nvml.CLOCK_SM))),
		MemoryClockMHz:    int(fact(n.d.GetClockInfo(nvml.CLOCK_MEM))),
		MaxMemoryClockMHz: int(fact(n.d.GetMaxClockInfo(nvml.CLOCK_MEM))),
		PowerW:            watts(fact(n.d.GetPowerUsage())),
		PowerLimitW:       watts(fact(n.d.GetEnforcedPowerLimit())),
		PowerDefaultW:     watts(fact(n.d.GetPowerManagementDefaultLimit())),
		TemperatureC:      int(fact(n.d.GetTemperature(nvml.TEMPERATURE_GPU))),
		SlowdownC:         int(fact(n.d.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN))),
		Persistence:       fact(n.d.GetPersistenceMode()) == nvml.FEATURE_ENABLED,
		VGPU:              fact(n.d.GetVirtualizationMode()) == nvml.GPU_VIRTUALIZATION_MODE_VGPU,
	}
	if current, _, ret := n.d.GetEccMode(); ret == nvml.SUCCESS {
		g.ECC = current == nvml.FEATURE_ENABLED
	}
	if current, _, ret := n.d.GetMigMode(); ret == nvml.SUCCESS {
		g.MIG = current == nvml.DEVICE_MIG_ENABLE
	}
	if major, minor, ret := n.d.GetCudaComputeCapability(); ret == nvml.SUCCESS && major > 0 {
		g.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
		g.SMs = n.sms(major, minor)
	}
	return name, g, nil
}

func watts(milliwatts uint32) float64 { return float64(milliwatts) / 1000 }

// sms derives the number of SMs, which NVML does not tell, from the number of CUDA cores: 64 of them make an SM of
// compute capability 6.0, 7.x and 8.0, 128 one of the others from 5.0 on (CUDA C++ Programming Guide, arithmetic
// instructions: results of 32-bit floating-point additions per clock).
func (n *nvmlDevice) sms(major, minor int) int {
	if !n.cores || major < 5 {
		return 0
	}
	perSM := 128
	if major == 7 || (minor == 0 && (major == 6 || major == 8)) {
		perSM = 64
	}
	return fact(n.d.GetNumGpuCores()) / perSM
}

func (n *nvmlDevice) sample() (sample, error) {
	reasons, ret := n.reasons()
	if ret != nvml.SUCCESS {
		return sample{}, failed("ask the GPU about its clocks", ret)
	}
	return sample{
		reasons:      reasons,
		smClockMHz:   int(fact(n.d.GetClockInfo(nvml.CLOCK_SM))),
		temperatureC: int(fact(n.d.GetTemperature(nvml.TEMPERATURE_GPU))),
		powerW:       watts(fact(n.d.GetPowerUsage())),
	}, nil
}

func (n *nvmlDevice) reasons() (uint64, nvml.Return) {
	if n.events {
		return n.d.GetCurrentClocksEventReasons()
	}
	return n.d.GetCurrentClocksThrottleReasons()
}

func (n *nvmlDevice) processes() ([]int, error) {
	infos, ret := n.d.GetComputeRunningProcesses()
	if ret != nvml.SUCCESS {
		return nil, failed("ask the GPU who computes on it", ret)
	}
	pids := make([]int, len(infos))
	for i, p := range infos {
		pids[i] = int(p.Pid)
	}
	return pids, nil
}

func (n *nvmlDevice) busID() string {
	id := fact(n.d.GetPciInfo()).BusId
	name, _, _ := strings.Cut(string(id[:]), "\x00")
	return name
}

func (n *nvmlDevice) usage() (usage, error) {
	memory, ret := n.d.GetMemoryInfo()
	if ret != nvml.SUCCESS {
		return usage{}, failed("ask the GPU what of its memory is held", ret)
	}
	return usage{percent: int(fact(n.d.GetUtilizationRates()).Gpu), heldBytes: int64(memory.Used)}, nil
}

// lockErrors are why clocks cannot be locked, with what helps.
var lockErrors = map[nvml.Return]GPUError{
	nvml.ERROR_NO_PERMISSION:    {"this user may not lock the GPU's clocks", "run as root, or leave out --lock-gpu-clocks"},
	nvml.ERROR_NOT_SUPPORTED:    {"this GPU's clocks cannot be locked", "leave out --lock-gpu-clocks"},
	nvml.ERROR_INVALID_ARGUMENT: {"this GPU does not have the clock that --lock-gpu-clocks asks for", "nvidia-smi -q -d SUPPORTED_CLOCKS lists them"},
}

func (n *nvmlDevice) lockClocks(low, high uint32) error {
	ret := n.d.SetGpuLockedClocks(low, high)
	if known, ok := lockErrors[ret]; ok {
		return &known
	}
	if ret != nvml.SUCCESS {
		return failed("lock the GPU's clocks", ret)
	}
	return nil
}

func (n *nvmlDevice) resetClocks() error {
	if ret := n.d.ResetGpuLockedClocks(); ret != nvml.SUCCESS {
		return failed("unlock the GPU's clocks", ret)
	}
	return nil
}
