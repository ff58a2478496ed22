package report

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// gpuSample is a run on a power-capped L4 with its clocks locked, one of whose rounds a hot moment voided.
func gpuSample(tb testing.TB) *result.Result {
	r := conclude(compared(tb, with(attention, func(_ int, s *shape) { s.scatter = 0.003 })))
	voided := r.Rounds[1]
	voided.Voided = "thermal slowdown of the GPU at 87 °C and 1200 MHz"
	r.Rounds = append(r.Rounds[:1:1], append([]result.Round{voided}, r.Rounds[1:]...)...)
	m := &r.Machine
	m.Key, m.Device, m.Model, m.Processor = "nvidia-l4-6d1e2f30", result.DeviceCUDA, "NVIDIA L4", "Intel Xeon @ 2.20GHz"
	m.GPU = &result.GPU{
		UUID: "GPU-00000000-0000-0000-0000-000000000000", ComputeCapability: "8.9", SMs: 58, MemoryBytes: 23034 << 20, L2Bytes: 48 << 20,
		Driver: "570.133.20", CUDA: "12.8", SMClockMHz: 210, MaxSMClockMHz: 2040, MemoryClockMHz: 405, MaxMemoryClockMHz: 6251,
		LockedClock: "base", PowerW: 16.4, PowerLimitW: 72, PowerDefaultW: 72, TemperatureC: 41, SlowdownC: 93, ECC: true,
		Watch: &result.GPUWatch{Samples: 812, MinSMClockMHz: 795, MaxSMClockMHz: 2040, TemperatureC: 87, PowerW: 73.1,
			Clocks: []result.ClockReason{{Limit: "power cap", Share: 0.413}, {Limit: "thermal slowdown", Share: 0.0037}}},
	}
	return r
}
