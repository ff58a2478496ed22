package calibrate

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/stats"
)

// h200 are launches of four kernels on one NVIDIA H200 (driver 580, CUDA 13.0), 16 fresh processes of 100 launches
// each, one pair of CUDA events a launch, the L2 flushed before each. Event times fall on a grid of 32 ns.
//
//go:embed recordings/h200.csv
var h200 []byte

const h200QuantumNS = 32

// blockLength is how many neighbouring launches are replayed together, so that their correlation survives (Künsch
// 1989, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics 17(3)).
const blockLength = 10

// Recording replays processes that were measured: each fresh process is one of the recorded ones, drawn with
// replacement, its launches drawn in blocks.
type Recording struct {
	label     string
	processes [][]float64
	quantumNS float64
	medianNS  float64
}

// Recordings returns the recordings that come with the program.
func Recordings() []World {
	worlds, err := ReadRecordings("H200", h200, h200QuantumNS)
	if err != nil {
		panic("calibrate: embedded recording: " + err.Error())
	}
	return worlds
}

// ReadRecordings reads a sample file (see benchmark.ReadTable) of unchanged code as one world a case.
func ReadRecordings(label string, data []byte, quantumNS float64) ([]World, error) {
	set, err := benchmark.ReadTable(label, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var worlds []World
	for _, c := range set.Cases {
		r := Recording{label: label + ", " + c.Name, quantumNS: quantumNS}
		var all []float64
		for _, p := range c.Processes {
			r.processes = append(r.processes, p.Samples)
			all = append(all, p.Samples...)
		}
		if len(r.processes) < 2 {
			return nil, fmt.Errorf("%s: one process has no scatter to replay", r.label)
		}
		if r.medianNS, err = stats.Median(all); err != nil {
			return nil, fmt.Errorf("%s: %w", r.label, err)
		}
		worlds = append(worlds, r)
	}
	return worlds, nil
}

// Name returns the label with the kernel.
func (r Recording) Name() string { return r.label }

// Timing returns the timer of the recording.
func (r Recording) Timing() Timing { return Timing{r.quantumNS, r.medianNS} }

// Start begins a case.
func (r Recording) Start(random *rand.Rand) Machine { return &player{Recording: r, random: random} }

type player struct {
	Recording
	random  *rand.Rand
	samples []float64
}

// Process replays a process. A recorded time stands for all times that the timer reads so: before the shift it is
// spread over the timer's step, after it is read again.
func (p *player) Process(at Place, shift float64) []float64 {
	source := p.processes[p.random.IntN(len(p.processes))]
	factor := 1.0
	if at.Head {
		factor = math.Exp(shift)
	}
	p.samples = p.samples[:0]
	for len(p.samples) < len(source) {
		start := p.random.IntN(len(source))
		for k := range min(blockLength, len(source)-len(p.samples)) {
			ns := source[(start+k)%len(source)] + p.quantumNS*(p.random.Float64()-0.5)
			p.samples = append(p.samples, tick(ns*factor, p.quantumNS, p.random))
		}
	}
	return p.samples
}
