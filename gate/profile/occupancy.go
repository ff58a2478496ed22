package profile

import "strings"

// multiprocessor is what a multiprocessor of one compute capability holds. Source: CUDA C++ Programming Guide, technical
// specifications per compute capability. All have 65 536 registers, handed out in 256 to a warp.
type multiprocessor struct {
	warps, blocks int
	shared        int // bytes, the largest carve-out
}

var multiprocessors = map[string]multiprocessor{
	"70": {64, 32, 96 << 10}, "72": {64, 32, 96 << 10}, "75": {32, 16, 64 << 10},
	"80": {64, 32, 164 << 10}, "86": {48, 16, 100 << 10}, "87": {48, 16, 164 << 10}, "89": {48, 24, 100 << 10},
	"90": {64, 32, 228 << 10}, "100": {64, 32, 228 << 10}, "103": {64, 32, 228 << 10}, "120": {48, 24, 100 << 10},
}

const (
	registersPerSM   = 65536
	registersPerUnit = 256 // a warp's registers are rounded up to it
	warpsPerUnit     = 4   // one warp a scheduler
	lanes            = 32
	sharedReserved   = 1 << 10 // of every block, from compute capability 8.0 on
)

// What limits occupancy.
const (
	byRegisters = "registers"
	byShared    = "shared-memory"
	byBlockSize = "block-size"
)

// Occupancy is the share of a multiprocessor's warps that can be resident, and what limits it ("" where nothing does). With
// threads 0, the size of blocks is not known, and only registers count. ok is false for an architecture that is not known.
func Occupancy(arch string, registers, shared, threads int) (share float64, limiter string, ok bool) {
	number := strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "af")
	sm, ok := multiprocessors[number]
	if !ok || registers < 0 || shared < 0 || threads < 0 {
		return 0, "", false
	}
	warps := sm.warps
	byRegs := sm.warps
	if registers > 0 {
		perWarp := (registers*lanes + registersPerUnit - 1) / registersPerUnit * registersPerUnit
		byRegs = min(sm.warps, registersPerSM/perWarp/warpsPerUnit*warpsPerUnit)
	}
	if threads == 0 {
		if byRegs < warps {
			warps, limiter = byRegs, byRegisters
		}
		return float64(warps) / float64(sm.warps), limiter, true
	}
	perBlock := (threads + lanes - 1) / lanes
	blocks, limiter := min(sm.blocks, sm.warps/perBlock), byBlockSize
	if n := byRegs / perBlock; n < blocks {
		blocks, limiter = n, byRegisters
	}
	if number >= "80" || len(number) > 2 {
		shared += sharedReserved
	}
	if shared > 0 && sm.shared/shared < blocks {
		blocks, limiter = sm.shared/shared, byShared
	}
	warps = blocks * perBlock
	if warps == sm.warps {
		limiter = ""
	}
	return float64(warps) / float64(sm.warps), limiter, true
}
