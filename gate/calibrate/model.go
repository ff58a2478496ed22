package calibrate

import (
	"math"
	"math/rand/v2"
)

// Model is noise with known parameters. Standard deviations, sizes and gaps are in log units: 0.006 is 0.6 %.
type Model struct {
	Label         string
	MedianNS      float64 // of a launch of base
	QuantumNS     float64 // step of the timer
	Samples       int     // per process
	ProcessSD     float64 // level of a process
	LaunchSD      float64 // launches of one process about its level
	Correlation   float64 // of neighbouring launches, AR(1)
	OutlierChance float64 // of a launch to be slowed down
	OutlierSize   float64 // mean slow-down of such a launch, exponential
	Drift         float64 // of the level from process to process
	Wander        float64 // standard deviation of a random step of the level from process to process
	StepSize      float64 // one step of the level somewhere in the first 40 processes, up or down
	ModeChance    float64 // of a process to land in the slow mode
	ModeGap       float64 // between the two modes
	HeavyTails    bool    // process levels by Student's t with 3 degrees of freedom instead of the normal
	HeadScatter   float64 // factor on ProcessSD for head; 0 means 1
}

// Name returns the label of the world.
func (m Model) Name() string { return m.Label }

// Timing returns the model's timer.
func (m Model) Timing() Timing { return Timing{m.QuantumNS, m.MedianNS} }

// Start begins a case.
func (m Model) Start(random *rand.Rand) Machine {
	machine := &modelMachine{Model: m, random: random, samples: make([]float64, m.Samples)}
	if m.StepSize > 0 {
		machine.stepAt = random.IntN(40)
		machine.step = m.StepSize
		if random.IntN(2) == 0 {
			machine.step = -m.StepSize
		}
	}
	return machine
}

type modelMachine struct {
	Model
	random  *rand.Rand
	samples []float64
	count   int // processes so far
	level   float64
	stepAt  int
	step    float64
}

func (m *modelMachine) Process(head bool, shift float64) []float64 {
	m.level += m.Drift + m.Wander*m.random.NormFloat64()
	if m.StepSize > 0 && m.count == m.stepAt {
		m.level += m.step
	}
	m.count++
	y := m.level + m.effect(head)
	if head {
		y += shift
	}
	center := m.MedianNS * math.Exp(y)
	wave := m.random.NormFloat64()
	fresh := math.Sqrt(1 - m.Correlation*m.Correlation)
	for i := range m.samples {
		wave = m.Correlation*wave + fresh*m.random.NormFloat64()
		ns := center * (1 + m.LaunchSD*wave)
		if m.OutlierChance > 0 && m.random.Float64() < m.OutlierChance {
			ns *= 1 + m.OutlierSize*m.random.ExpFloat64()
		}
		m.samples[i] = tick(ns, m.QuantumNS, m.random)
	}
	return m.samples
}

// effect draws the level of one process.
func (m *modelMachine) effect(head bool) float64 {
	sd := m.ProcessSD
	if head && m.HeadScatter > 0 {
		sd *= m.HeadScatter
	}
	e := sd * m.random.NormFloat64()
	if m.HeavyTails {
		chi := 0.0
		for range 3 {
			z := m.random.NormFloat64()
			chi += z * z
		}
		// Variance 3 for t with 3 degrees of freedom; scaled to the same standard deviation.
		e /= math.Sqrt(chi/3) * math.Sqrt(3)
	}
	if m.ModeChance > 0 && m.random.Float64() < m.ModeChance {
		e += m.ModeGap
	}
	return e
}

// tick reads a time off a timer that steps by quantum and starts anywhere between two steps.
func tick(ns, quantum float64, random *rand.Rand) float64 {
	if quantum == 0 {
		return ns
	}
	return max(quantum, math.Floor(ns/quantum+random.Float64())*quantum)
}
