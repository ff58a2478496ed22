package calibrate

import (
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/rule"
)

// shortened is suites of all recordings, each case one of them by lot. Processes are replayed from their first sample on, so that what
// changes within a process is in it. Before a case one of the processes is the pilot that says how many samples are enough, and all take as
// many, as in a run on a GPU; all there are where tolerance is 0.
type shortened struct {
	label      string
	recordings []Recording
	tolerance  float64
}

// Shortened returns recordings as two worlds: with all of their samples, and with as many as are enough at a tolerance.
func Shortened(label string, worlds []World, tolerance float64) []World {
	var recordings []Recording
	for _, w := range worlds {
		if r, ok := w.(Recording); ok {
			recordings = append(recordings, r)
		}
	}
	return []World{shortened{label + ", all samples", recordings, 0}, shortened{label + ", enough samples", recordings, tolerance}}
}

func (s shortened) Name() string { return s.label }

// Timing has no step: samples are replayed as they were read.
func (s shortened) Timing() Timing { return Timing{0, s.recordings[0].medianNS} }

func (s shortened) Start(random *rand.Rand) Machine {
	b := &beginning{Recording: s.recordings[random.IntN(len(s.recordings))], random: random, samples: math.MaxInt}
	if s.tolerance > 0 {
		b.samples = rule.EnoughSamples(b.draw(), s.tolerance)
	}
	return b
}

// beginning replays the first samples of recorded processes.
type beginning struct {
	Recording
	random  *rand.Rand
	samples int
	values  []float64
}

func (b *beginning) draw() []float64 { return b.processes[b.random.IntN(len(b.processes))] }

// Process replays the beginning of a process.
func (b *beginning) Process(at Place, shift float64) []float64 {
	source, factor := b.draw(), 1.0
	if at.Head {
		factor = math.Exp(shift)
	}
	b.values = b.values[:0]
	for _, ns := range source[:min(b.samples, len(source))] {
		b.values = append(b.values, ns*factor)
	}
	return b.values
}
