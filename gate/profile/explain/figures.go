package explain

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// way says how a figure must differ on the slower side for it to support a cause. A figure that differs the other way contradicts it.
type way int

const (
	either way = 0 // it describes, and neither supports nor contradicts
	more   way = 1
	less   way = -1
)

// figure is a quantity that is shown for a cause.
type figure struct {
	quantity
	slower way
}

// support are the figures of each cause. At least one that can contradict it must hold, or it is not named; those that do not hold are not shown.
var support = map[result.CauseID][]figure{
	GridTooSmall:       {{blocks, less}, {waves, less}, {busySMs, less}, {residentWarps, less}},
	SerialisedBatch:    {{blocks, less}, {waves, less}, {busySMs, less}, {residentWarps, less}},
	TailEffect:         {{busySMs, less}, {blocks, either}, {waves, either}, {residentWarps, less}},
	OccupancyRegisters: {{fittingWarps, less}, {registers, more}, {residentWarps, less}},
	OccupancyShared:    {{fittingWarps, less}, {sharedMemory, more}, {residentWarps, less}},
	OccupancyBlockSize: {{residentWarps, less}, {threadsPerBlock, either}, {fittingWarps, less}, {blocks, either}, {busySMs, less}},
	RegisterSpills:     {{localAccesses, more}, {registers, either}, {instructions, more}},
	Uncoalesced:        {{sectorsOverIdeal, more}, {touchedSectors, more}},
	BankConflicts:      {{sharedOverIdeal, more}, {sharedWavefronts, more}},
	L1HitRate:          {{l1Hits, less}, {l2Sectors, more}},
	L2HitRate:          {{l2Hits, less}, {dramTraffic, more}},
	L1Traffic:          {{askedBytes, more}, {globalAccesses, more}, {l1Hits, either}},
	DRAMTraffic:        {{dramTraffic, more}},
	MemoryRoof:         {{l2Sectors, more}},
	Atomics:            {{atomicSectors, more}, {sharedAtomics, more}, {busiestSlice, more}},
	TensorUnused:       {{tensorUse, less}, {instructions, more}},
	MoreInstructions:   {{instructions, more}},
	Divergence:         {{activeThreads, less}, {instructions, more}},
	NarrowAccess:       {{accessWidth, less}, {sharedWidth, less}, {globalAccesses, more}, {sharedAccesses, more}, {instructions, more}},
	SharedTraffic:      {{sharedWavefronts, more}, {sharedAccesses, more}, {shuffles, more}},
	MathPipe:           {{stalls("math_pipe_throttle"), more}, {ofPeak(float64Pipe, float64Pipe.usage[0]), more}, {ofPeak(specialFunctions, specialFunctions.usage[0]), more}},
	AsyncCopyLost:      {{asyncCopies, less}, {stalls("long_scoreboard"), more}, {stalls("barrier"), more}},
}

// holds says whether a figure of the slower side differs from that of the faster one in this way.
func (w way) holds(fast, slow float64) bool {
	return !math.IsNaN(fast) && !math.IsNaN(slow) && float64(w)*(slow-fast) > 0
}
