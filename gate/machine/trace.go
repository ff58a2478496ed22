package machine

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// mostMoments bounds a trace: a figure is a few hundred pixels wide.
const mostMoments = 240

// trace keeps samples that are spread evenly over a run of any length.
type trace struct {
	kept  []result.GPUMoment
	every int // of the samples is kept
	seen  int
}

// add keeps every so many samples. When there are too many, every second one goes, and half as many are kept from there on.
func (t *trace) add(atS float64, s sample) {
	t.every = max(t.every, 1)
	if t.seen++; (t.seen-1)%t.every != 0 {
		return
	}
	t.kept = append(t.kept, result.GPUMoment{AtS: math.Round(1000*atS) / 1000, SMClockMHz: s.smClockMHz, TemperatureC: s.temperatureC, PowerW: s.powerW})
	if len(t.kept) < 2*mostMoments {
		return
	}
	for i := range mostMoments {
		t.kept[i] = t.kept[2*i]
	}
	t.kept, t.every = t.kept[:mostMoments], 2*t.every
}
