package machine

import "github.com/org/perfgate/gate/result"

// sample is how a GPU feels at one moment.
type sample struct {
	reasons      uint64 // why its clocks are below the highest, as NVML's bits
	smClockMHz   int
	temperatureC int
	powerW       float64
}

// clockReason is one of the driver's reasons for clocks below the highest (NVML calls them clock event reasons, before
// driver 535 throttle reasons).
type clockReason struct {
	bit   uint64
	limit result.ClockLimit
	voids bool // a round in which it was seen does not count
}

const reasonIdle = 0x1

// hardwareSlowdown is also set for a moment by a change of clocks (nvml.h, nvmlClocksThrottleReasonHwSlowdown), so it
// counts from the second sample in a row.
const hardwareSlowdown = 0x8

// A power cap is normal on a GPU like the L4: both sides run under it, so it is recorded and voids nothing.
var clockReasons = []clockReason{
	{0x2, result.ClockApplication, false},
	{0x4, result.ClockPowerCap, false},
	{hardwareSlowdown, result.ClockHardwareSlowdown, true},
	{0x10, result.ClockSyncBoost, false},
	{0x20, result.ClockThermal, true},
	{0x40, result.ClockHardwareThermal, true},
	{0x80, result.ClockPowerBrake, true},
	{0x100, result.ClockDisplay, false},
}

func clockLimits(bits uint64) []result.ClockLimit {
	var limits []result.ClockLimit
	for _, r := range clockReasons {
		if bits&r.bit != 0 {
			limits = append(limits, r.limit)
		}
	}
	return limits
}

// voiding returns the first reason that voids a round, given the bits of this sample and of the one before.
func voiding(bits, before uint64) (clockReason, bool) {
	for _, r := range clockReasons {
		seen := bits&r.bit != 0
		if r.bit == hardwareSlowdown {
			seen = seen && before&r.bit != 0
		}
		if r.voids && seen {
			return r, true
		}
	}
	return clockReason{}, false
}
