package measure

import (
	"math"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

const (
	clockThread = "thread"
	clockWall   = "wall"
	clockEvent  = "event"

	oracleReference = "reference"

	maxLoop     = 128              // launches of a blocked loop: a stream takes about 1000 and then waits
	maxBatches  = 100              // samples of many launches each: they scatter little, and preparing them costs most
	slowLaunch  = 10 * time.Second // launches beyond it …
	slowSamples = 2                // … are sampled so often
)

func (s Subject) freeze(base, head probe) (result.Method, []string) {
	if s.Host {
		return ofHost(base, head), nil
	}
	return freeze(base, head, s.Cache)
}

// ofHost times the calls that launch, one at a time, with an idle device: a queue that is full would make them wait.
func ofHost(base, head probe) result.Method {
	m := result.Method{Clock: result.ClockHost, Cache: "hot", Launches: 1, Oracle: "relaunch", LaunchNS: math.Max(base.WallNS, 1), QuantumNS: 1}
	m.Pool, _ = pool(1, max(1, min(base.PoolLimit, head.PoolLimit)), m.Cache, hasInout(base.spec.Tensors))
	m.Samples = max(minSamples, min(maxSamples, int(float64(processSpan)/m.LaunchNS)))
	m.LimitNS = slownessLimit * m.LaunchNS * float64(m.Samples)
	return m
}

// freeze chooses how a case is timed, from base's probe; head only has a say in what both sides must be able to do. The
// notes say what was not possible.
func freeze(base, head probe, cache string) (result.Method, []string) {
	m := result.Method{Cache: cache, Launches: 1, Oracle: "relaunch", LaunchNS: base.LaunchNS, QuantumNS: base.QuantumNS}
	var notes []string
	if base.Clock == clockEvent {
		notes = onGPU(&m, base, head)
	} else {
		notes = onCPU(&m, base, head)
	}
	m.LaunchNS = math.Max(m.LaunchNS, 1)
	poolLimit := max(1, min(base.PoolLimit, head.PoolLimit))
	if base.Batchable && head.Batchable && m.How != kernels.HowSingle {
		m.Launches = batch(m)
	}
	m.Pool, m.Launches = pool(m.Launches, poolLimit, cache, hasInout(base.spec.Tensors))
	span := m.LaunchNS * float64(m.Launches)
	if cache == "cold" {
		m.FlushBytes = base.FlushBytes
		span += base.FlushNS
	}
	most := maxSamples
	if m.Clock == clockEvent && m.Launches > 1 {
		most = maxBatches
	}
	m.Samples = max(minSamples, min(most, int(float64(processSpan)/span)))
	if m.LaunchNS > float64(slowLaunch) {
		m.Samples = slowSamples
	}
	m.LimitNS = slownessLimit * span * float64(m.Samples)
	if base.hasReference && head.hasReference && base.ReferenceNS <= float64(referenceSpan) {
		m.Oracle = oracleReference
	}
	return m, notes
}

func onCPU(m *result.Method, base, head probe) (notes []string) {
	m.Clock, m.Pin = clockThread, true
	// What the thread's own clock does not see of either side, both are timed with.
	if base.Threaded || head.Threaded || base.Waits || head.Waits {
		m.Clock, m.Pin, m.LaunchNS = clockWall, false, base.WallNS
	}
	if base.Threaded != head.Threaded {
		notes = append(notes, whichSide(base.Threaded, head.Threaded)+" uses more than one thread, so both sides are timed with the wall clock")
	}
	if base.Waits != head.Waits {
		notes = append(notes, whichSide(base.Waits, head.Waits)+" waits during a launch (it sleeps, or for a lock, another thread, input or output), so both sides are timed with the wall clock")
	}
	return notes
}

// onGPU batches short launches in a graph, since one of them alone measures the launch; in a loop where either side cannot
// be recorded.
func onGPU(m *result.Method, base, head probe) (notes []string) {
	m.Clock, m.Block = clockEvent, base.Blockable && head.Blockable
	if !m.Block {
		notes = append(notes, whichSide(!base.Blockable, !head.Blockable)+" waits for the device in pg_launch, so the host's part of a launch is timed on both sides")
	}
	if m.LaunchNS >= float64(shortLaunch) {
		m.How = kernels.HowSingle
		return notes
	}
	if base.Capturable && head.Capturable {
		m.How, m.LaunchNS = kernels.HowGraph, base.GraphNS
		return notes
	}
	m.How = kernels.HowLoop
	why := base.CaptureError
	if base.Capturable {
		why = head.CaptureError
	}
	return append(notes, whichSide(!base.Capturable, !head.Capturable)+" cannot be recorded in a CUDA graph, so both are timed in a plain loop, which scatters more ("+why+")")
}

// whichSide names the side that something is true of: the kernel where it is of both.
func whichSide(base, head bool) string {
	switch {
	case base && head:
		return "the kernel"
	case base:
		return "base"
	}
	return "head"
}

// batch is how many launches make a sample that lasts long enough.
func batch(m result.Method) int {
	if m.How == "" && m.LaunchNS >= float64(shortLaunch) {
		return 1
	}
	most := maxLaunches
	if m.How == kernels.HowLoop {
		most = maxLoop
	}
	return max(1, min(most, int(math.Ceil(float64(batchedSample)/m.LaunchNS))))
}
