package measure

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

const (
	clockThread = "thread"
	clockWall   = "wall"
	clockEvent  = "event"

	oracleReference = "reference"
	oracleRelaunch  = "relaunch"

	maxLoop     = 128              // launches of a blocked loop: a stream takes about 1000 and then waits
	maxBatches  = 100              // samples of many launches each: they scatter little, and preparing them costs most
	slowLaunch  = 10 * time.Second // launches beyond it …
	slowSamples = 2                // … are sampled so often
)

func (s Subject) freeze(all []named, head probe) (result.Method, []string) {
	if s.Host {
		return ofHost(all), nil
	}
	return freeze(all, head, s.Cache, s.Like)
}

// ofHost times the calls that launch, one at a time, with an idle device: a queue that is full would make them wait.
func ofHost(all []named) result.Method {
	base := all[0]
	m := result.Method{Clock: result.ClockHost, Cache: "hot", Launches: 1, Oracle: oracleRelaunch, LaunchNS: math.Max(base.WallNS, 1), QuantumNS: 1}
	m.Pool, _ = bufferSets(1, poolOf(all), m.Cache, hasInout(base.spec.Tensors))
	m.Samples = max(minSamples, min(maxSamples, int(float64(processSpan)/m.LaunchNS)))
	m.LimitNS = slownessLimit * m.LaunchNS * float64(m.Samples)
	return m
}

// poolOf is how many sets of buffers there is room for with all of them.
func poolOf(all []named) int {
	limit := all[0].PoolLimit
	for _, p := range all {
		limit = min(limit, p.PoolLimit)
	}
	return max(1, limit)
}

// named is the probe of a variant, under the name that notes give it.
type named struct {
	name string
	probe
}

// freeze chooses how a case is timed, from the first probe, which is base's where that stands beside head; the others only have a say in what all must be able to do. It is timed as
// records have it as long as that serves, so that a kernel which got slower can still be compared with them. The notes say what was not possible.
func freeze(all []named, head probe, cache string, like *result.Method) (result.Method, []string) {
	base := all[0]
	m := result.Method{Cache: cache, Launches: 1, Oracle: oracleRelaunch, LaunchNS: base.LaunchNS, QuantumNS: base.QuantumNS}
	var notes []string
	if base.Clock == clockEvent {
		notes = onGPU(&m, all, shortUpTo(like))
	} else {
		notes = onCPU(&m, all)
	}
	m.LaunchNS = math.Max(m.LaunchNS, 1)
	if len(which(all, func(p probe) bool { return !p.Batchable })) == 0 && m.How != kernels.HowSingle {
		m.Launches = batch(m, like)
	}
	m.Pool, m.Launches = bufferSets(m.Launches, poolOf(all), cache, hasInout(base.spec.Tensors))
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

func onCPU(m *result.Method, all []named) (notes []string) {
	m.Clock, m.Pin = clockThread, true
	threaded := which(all, func(p probe) bool { return p.Threaded })
	waits := which(all, func(p probe) bool { return p.Waits })
	// What the thread's own clock does not see of one, all are timed with.
	if len(threaded)+len(waits) > 0 {
		m.Clock, m.Pin, m.LaunchNS = clockWall, false, all[0].WallNS
	}
	if len(threaded) > 0 && len(threaded) < len(all) {
		notes = append(notes, listed(threaded)+" uses more than one thread, so all are timed with the wall clock")
	}
	if len(waits) > 0 && len(waits) < len(all) {
		notes = append(notes, listed(waits)+" waits during a launch (it sleeps, or for a lock, another thread, input or output), so all are timed with the wall clock")
	}
	return notes
}

// onGPU batches short launches in a graph, since one of them alone measures the launch; in a loop where one cannot
// be recorded.
func onGPU(m *result.Method, all []named, short float64) (notes []string) {
	blocked := which(all, func(p probe) bool { return !p.Blockable })
	m.Clock, m.Block = clockEvent, len(blocked) == 0
	if !m.Block {
		notes = append(notes, subjectOf(blocked, all)+" waits for the device in pg_launch, so the host's part of a launch is timed")
	}
	refused := which(all, func(p probe) bool { return !p.Capturable })
	if m.LaunchNS >= short || m.LaunchNS >= float64(shortLaunch) && len(refused) > 0 {
		m.How = kernels.HowSingle
		return notes
	}
	if len(refused) == 0 {
		m.How, m.LaunchNS = kernels.HowGraph, all[0].GraphNS
		return notes
	}
	m.How = kernels.HowLoop
	// What takes long alone was not tried.
	tried := which(refused, func(p probe) bool { return p.CaptureError != "" })
	if len(tried) == 0 {
		return append(notes, subjectOf(refused, all)+" was not captured in a CUDA graph (its launches take long enough without, or wait for the device), "+
			"so all are timed in a plain loop, which varies more")
	}
	return append(notes, subjectOf(tried, all)+" cannot be captured in a CUDA graph, so all are timed in a plain loop, which varies more ("+tried[0].CaptureError+")")
}

// which are those that something is true of.
func which(all []named, is func(probe) bool) []named {
	return slices.DeleteFunc(slices.Clone(all), func(p named) bool { return !is(p.probe) })
}

// subjectOf names those that something is true of: the kernel where it is of all.
func subjectOf(some, all []named) string {
	if len(some) == len(all) {
		return "the kernel"
	}
	return listed(some)
}

func listed(some []named) string {
	names := make([]string, len(some))
	for i, p := range some {
		names[i] = p.name
	}
	return strings.Join(names, " and ")
}

// shortUpTo is the time of a launch, in ns, from which on launches are not batched. Records move it, so that what takes a little longer or
// shorter than it did is not timed in another way. Whether a graph can be recorded is found out up to 100 µs.
func shortUpTo(like *result.Method) float64 {
	switch {
	case like == nil:
		return float64(shortLaunch)
	case like.Launches > 1:
		return 4 * float64(shortLaunch)
	}
	return float64(shortLaunch) / 2
}

// batch is how many launches make a sample that lasts long enough: as many as records have, unless samples got much shorter or longer.
func batch(m result.Method, like *result.Method) int {
	if m.How == "" && m.LaunchNS >= shortUpTo(like) {
		return 1
	}
	most := maxLaunches
	if m.How == kernels.HowLoop {
		most = maxLoop
	}
	if like != nil && like.Launches > 1 && like.Launches <= most && like.Clock == m.Clock && like.How == m.How {
		span := float64(like.Launches) * m.LaunchNS / float64(batchedSample)
		if 0.5 <= span && span <= 8 {
			return like.Launches
		}
	}
	return max(1, min(most, int(math.Ceil(float64(batchedSample)/m.LaunchNS))))
}
