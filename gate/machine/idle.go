package machine

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/text"
)

// Idle asks for the least used GPU, in the place of an index or UUID.
const Idle = "idle"

// usage is what of a GPU is in use now.
type usage struct {
	percent   int   // of the last moments, in which it ran a kernel
	heldBytes int64 // of its memory
}

// Busy says who and what keeps a GPU busy now. What the driver does not tell is 0.
type Busy struct {
	Queue     int // runs that hold its lock or wait for it
	Processes int // that compute on it, as far as they can be seen
	Percent   int
	HeldBytes int64
}

// heldAtRest is more memory than a driver keeps of a GPU for itself.
const heldAtRest = 1 << 30

// Busy is how a GPU is used now.
func (g *GPU) Busy() Busy {
	g.mu.Lock()
	defer g.mu.Unlock()
	used, _ := g.dev.usage()
	pids, _ := g.dev.processes()
	return Busy{Queue: len(inUse(g.Facts.UUID)), Processes: len(pids), Percent: used.percent, HeldBytes: used.heldBytes}
}

// LeftBehind says what is odd about a GPU that computes nothing and whose memory is held all the same, "" where nothing is.
func (g *GPU) LeftBehind() string {
	b := g.Busy()
	if b.Processes > 0 || b.Percent > 0 || b.Queue > 0 || b.HeldBytes < heldAtRest {
		return ""
	}
	return fmt.Sprintf("GPU %d (%s) is at 0 %% and shows no process, and %s of its memory are held: by a process that is dead and was not cleaned up, or by one outside of this container",
		g.Facts.Index, g.Facts.UUID, text.Bytes(b.HeldBytes))
}

// LeastUsed is the GPU to measure on, of those that may be used: one that can be measured on, is in nobody's use, and holds no memory, as far as there is one.
func LeastUsed(allowed []*GPU) *GPU {
	cost := map[*GPU][]int64{}
	for _, g := range allowed {
		b, unfit := g.Busy(), int64(0)
		if g.Measurable() != nil {
			unfit = 1
		}
		held := max(0, b.HeldBytes-heldAtRest) // at rest they differ by chance
		cost[g] = []int64{unfit, int64(b.Queue), int64(b.Processes), int64(b.Percent), held}
	}
	return slices.MinFunc(allowed, func(a, b *GPU) int { return slices.Compare(cost[a], cost[b]) })
}
