package simulate

import (
	"math"
	"math/rand/v2"

	"github.com/org/perfgate/gate/rule"
)

// Model is noise with known parameters. Standard deviations, sizes and gaps are in log units: 0.006 is 0.6 %.
type Model struct {
	Label         string
	MedianNS      float64 // of a launch of base
	TimerNS       float64 // resolution of the timer
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
	ModeStay      float64 // chance that a process is in the mode of the one before, as clock states are
	Middle        float64 // of the two processes in the middle of every round
	First         float64 // of the first process of every round
	AfterHead     float64 // of a process that follows one of head
	WarmUp        float64 // of the first process of a run, and of later ones as far as it lasts
	WarmUpLasts   float64 // processes until a third of it is left
	SideSD        float64 // of the level that a side has in one round only
	SlowChance    float64 // of a process of head to be slow
	SlowSize      float64 // how much slower it is then
	Target        *Target // what the rule has to reach; nil is the usual target
}

// Name returns the label of the model.
func (m Model) Name() string { return m.Label }

// Timing returns the model's timer.
func (m Model) Timing() rule.Timing { return timing(m.TimerNS, m.MedianNS) }

func timing(timerNS, medianNS float64) rule.Timing {
	return rule.Timing{QuantumNS: timerNS, Launches: 1, MedianNS: medianNS}
}

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
	slow    bool       // the mode of the process before
	sides   [2]float64 // levels of base and head in this round
	after   bool       // the process before was one of head
}

func (m *modelMachine) Process(at Place, shift float64) []float64 {
	m.level += m.Drift + m.Wander*m.random.NormFloat64()
	if m.StepSize > 0 && m.count == m.stepAt {
		m.level += m.step
	}
	y := m.level + m.effect(at.Head) + m.ofPlace(at)
	m.count++
	m.after = at.Head
	if at.Head {
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
		m.samples[i] = tick(ns, m.TimerNS, m.random)
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
	if m.ModeChance > 0 && (m.ModeStay == 0 || m.random.Float64() >= m.ModeStay) {
		m.slow = m.random.Float64() < m.ModeChance
	}
	if m.slow {
		e += m.ModeGap
	}
	if head && m.SlowChance > 0 && m.random.Float64() < m.SlowChance {
		e += m.SlowSize
	}
	return e
}

// ofPlace is what the place of a process, its side in this round, and what ran before it make of its level.
func (m *modelMachine) ofPlace(at Place) (e float64) {
	if at.Index == 0 && m.SideSD > 0 {
		m.sides = [2]float64{m.SideSD * m.random.NormFloat64(), m.SideSD * m.random.NormFloat64()}
	}
	if at.Head {
		e = m.sides[1]
	} else {
		e = m.sides[0]
	}
	if at.Index == 0 {
		e += m.First
	}
	if at.Index == at.Of/2-1 || at.Index == at.Of/2 {
		e += m.Middle
	}
	if m.after {
		e += m.AfterHead
	}
	if m.WarmUp > 0 {
		e += m.WarmUp * math.Exp(-float64(m.count)/m.WarmUpLasts)
	}
	return e
}

// tick reads a time off a timer of a resolution, whose steps begin anywhere.
func tick(ns, resolution float64, random *rand.Rand) float64 {
	if resolution == 0 {
		return ns
	}
	return max(resolution, math.Floor(ns/resolution+random.Float64())*resolution)
}
