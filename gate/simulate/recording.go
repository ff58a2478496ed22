package simulate

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// h200 are launches of four kernels on one NVIDIA H200 (driver 580, CUDA 13.0), 16 fresh processes of 100 launches
// each, one pair of CUDA events a launch, the L2 flushed before each. Event times fall on a grid of 32 ns.
//
//go:embed recordings/h200.csv
var h200 []byte

const h200TimerNS = 32

// blockLength is how many neighbouring launches are replayed together, so that their correlation survives (Künsch
// 1989, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17(3)).
const blockLength = 10

// Recording replays processes that were measured: each fresh process is one of the recorded ones of its side, drawn with
// replacement.
type Recording struct {
	label     string
	processes [2][][]float64 // samples by side and process; both sides have the same where the code is unchanged
	timerNS   float64
	medianNS  float64
	samples   int // of each process, replayed from its first one on and as they were read; 0: all, in blocks
}

// Recordings returns the recordings that come with the program.
func Recordings() []Noise {
	recorded, err := ReadRecordings("H200", h200, h200TimerNS)
	if err != nil {
		panic("simulate: embedded recording: " + err.Error())
	}
	return recorded
}

// ReadRecordings reads a sample file (see benchmark.ReadTable) of unchanged code, one recording a case.
func ReadRecordings(label string, data []byte, timerNS float64) ([]Noise, error) {
	set, err := benchmark.ReadTable(label, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var recorded []Noise
	for _, c := range set.Cases {
		r := Recording{label: label + ", " + c.Name, timerNS: timerNS}
		var processes [][]float64
		for _, p := range c.Processes {
			processes = append(processes, p.Samples)
		}
		if len(processes) < 2 {
			return nil, fmt.Errorf("%s: one process has no variation to replay", r.label)
		}
		if r.medianNS, err = stats.Median(pooled(processes)); err != nil {
			return nil, fmt.Errorf("%s: %w", r.label, err)
		}
		r.processes = [2][][]float64{processes, processes}
		recorded = append(recorded, r)
	}
	return recorded, nil
}

// Name returns the label with the case.
func (r Recording) Name() string { return r.label }

// Timing returns the timer of the recording.
func (r Recording) Timing() rule.Timing { return timing(r.timerNS, r.medianNS) }

// Start begins a case.
func (r Recording) Start(random *rand.Rand) Machine { return &player{Recording: r, random: random} }

// draw draws a process of a side.
func (r Recording) draw(side int, random *rand.Rand) []float64 {
	return r.processes[side][random.IntN(len(r.processes[side]))]
}

type player struct {
	Recording
	random *rand.Rand
	values []float64
}

// Process replays a process.
func (p *player) Process(at Place, shift float64) []float64 {
	side, factor := base, 1.0
	if at.Head {
		side, factor = head, math.Exp(shift)
	}
	source := p.draw(side, p.random)
	p.values = p.values[:0]
	if p.samples == 0 {
		p.replayBlocks(source, factor)
		return p.values
	}
	for _, ns := range source[:min(p.samples, len(source))] {
		p.values = append(p.values, ns*factor)
	}
	return p.values
}

// replayBlocks draws blocks of samples. A recorded time stands for all times that the timer reads so: before the shift it is spread over the
// timer's resolution, after it is read again.
func (p *player) replayBlocks(source []float64, factor float64) {
	for len(p.values) < len(source) {
		start := p.random.IntN(len(source))
		for k := range min(blockLength, len(source)-len(p.values)) {
			ns := source[(start+k)%len(source)] + p.timerNS*(p.random.Float64()-0.5)
			p.values = append(p.values, tick(ns*factor, p.timerNS, p.random))
		}
	}
}

// suite is a suite of all recordings, which are its cases in turn. Processes are replayed from their first sample on, so that what
// changes within a process is in it. Before a case one of the processes is the pilot that says how many samples are enough at a
// tolerance, and all take as many, as in a run on a GPU; a tolerance of 0 takes all samples.
type suite struct {
	label      string
	recordings []Recording
	tolerance  float64
}

// Shortened returns recordings as two kinds of noise: with all of their samples, and with as many as are enough at a tolerance.
func Shortened(label string, noise []Noise, tolerance float64) []Noise {
	var recordings []Recording
	for _, n := range noise {
		if r, ok := n.(Recording); ok {
			recordings = append(recordings, r)
		}
	}
	return []Noise{suite{label + ", all samples", recordings, 0}, suite{label + ", enough samples", recordings, tolerance}}
}

func (s suite) Name() string { return s.label }

// Timing has no resolution: samples are replayed as they were read.
func (s suite) Timing() rule.Timing { return timing(0, s.recordings[0].medianNS) }

// Case is the noise of every measurement of a case.
func (s suite) Case(i int) Noise {
	s.recordings = s.recordings[i%len(s.recordings):][:1]
	return s
}

func (s suite) Start(random *rand.Rand) Machine {
	r := s.recordings[random.IntN(len(s.recordings))]
	if r.samples = math.MaxInt; s.tolerance > 0 {
		r.samples = rule.EnoughSamples(r.draw(base, random), s.tolerance)
	}
	return r.Start(random)
}
