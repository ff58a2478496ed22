package simulate

import (
	"math/rand/v2"

	"github.com/org/perfgate/gate/rule"
)

// Noise is a kind of noise. Start begins the measuring of one case in it.
type Noise interface {
	Name() string
	Timing() rule.Timing // what the gate would know of how samples were taken
	Start(random *rand.Rand) Machine
}

// Machine measures fresh processes of one case, one after the other.
type Machine interface {
	// Process returns the samples, in ns, of the next process; shift is the log shift of head's code against base. The
	// slice is the machine's and holds until the next call.
	Process(at Place, shift float64) []float64
}

// Place is where a process stands.
type Place struct {
	Head      bool
	Index, Of int // among the processes of its round
}

// Models returns the noise that the documentation's tables are made of: models, and what was recorded.
func Models() []Noise {
	plain := func(name string, sd float64) Model {
		return Model{Label: name, MedianNS: 100_000, TimerNS: 32, Samples: 50, ProcessSD: sd, LaunchSD: 0.01, Correlation: 0.5}
	}
	with := func(name string, change func(*Model)) Model {
		m := plain(name, 0.006)
		change(&m)
		return m
	}
	// power is less where variation takes it; a head that is slow sometimes, or has its own level in each round, is not unchanged code
	finds := func(at3 float64) *Target {
		return &Target{Red: usual.Red, Edge: usual.Edge, EdgePass: usual.EdgePass, At3: at3}
	}
	disturbed := &Target{Red: usual.Red, EdgePass: usual.EdgePass}
	models := []Noise{
		plain("process sd 0.3 %", 0.003),
		plain("process sd 0.6 %", 0.006),
		plain("process sd 1.0 %", 0.010),
		with("correlated launches", func(m *Model) { m.Correlation, m.LaunchSD, m.Target = 0.95, 0.02, finds(0.9) }),
		with("skewed outliers", func(m *Model) { m.OutlierChance, m.OutlierSize = 0.05, 0.3 }),
		with("drift 0.2 % a process", func(m *Model) { m.Drift = 0.002 }),
		with("wandering level", func(m *Model) { m.Wander = 0.004 }),
		with("step of 3 %", func(m *Model) { m.StepSize = 0.03 }),
		with("two modes, 2 % apart", func(m *Model) { m.ModeChance, m.ModeGap = 0.3, 0.02 }),
		with("heavy-tails: Student's t, 3 degrees of freedom", func(m *Model) { m.HeavyTails = true }),
		with("wild process, one in 20", func(m *Model) { m.ModeChance, m.ModeGap, m.Target = 0.05, 0.05, finds(0.95) }),
		with("head varies twice as much", func(m *Model) { m.HeadScatter = 2 }),
		with("ticks: a timer of 0.8 % a step", func(m *Model) { m.MedianNS, m.ProcessSD, m.LaunchSD = 4000, 0.001, 0.001 }),
		with("middle-pair: the middle of every round is 2 % slower", func(m *Model) { m.Middle = 0.02 }),
		with("two-clocks: 2 % apart, for processes on end", func(m *Model) { m.ModeChance, m.ModeGap, m.ModeStay, m.ProcessSD = 0.5, 0.02, 0.9, 0.002 }),
		with("after-effect: what follows head is 2 % slower", func(m *Model) { m.AfterHead, m.ProcessSD, m.Target = 0.02, 0.002, disturbed }),
		with("after-effect: what follows head is 5 % slower", func(m *Model) { m.AfterHead, m.ProcessSD, m.Target = 0.05, 0.002, disturbed }),
		with("first-place: 4 % slower", func(m *Model) { m.First, m.ProcessSD, m.Target = 0.04, 0.002, disturbed }),
		with("warm-up: 5 % at first, gone in 8 processes", func(m *Model) { m.WarmUp, m.WarmUpLasts, m.ProcessSD = 0.05, 8, 0.002 }),
		with("slow-sometimes: head by 10 % in 30 % of processes", func(m *Model) { m.SlowChance, m.SlowSize, m.Target = 0.3, 0.0953, &Target{Same: 0.06} }),
		with("slow-sometimes: head by 60 % in 5 % of processes", func(m *Model) { m.SlowChance, m.SlowSize, m.Target = 0.05, 0.47, &Target{Same: 0.68} }),
		with("interaction: a side's level in a round, 0.6 % over 0.2 %", func(m *Model) { m.SideSD, m.ProcessSD, m.Target = 0.006, 0.002, &Target{Red: usual.Red} }),
		with("all of it", func(m *Model) {
			m.Correlation, m.OutlierChance, m.OutlierSize, m.Drift, m.StepSize = 0.8, 0.03, 0.2, 0.0005, 0.01
			m.ModeChance, m.ModeGap, m.MedianNS = 0.2, 0.01, 20_000
		}),
	}
	return append(models, Recordings()...)
}
