package measure

import (
	"math"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
)

// spend books the time since start to a phase.
func (s *session) spend(phase result.Phase, start time.Time) {
	s.book(phase, time.Since(start).Seconds())
}

// spent books what a process says that it did, in ns. It is believed as far as it makes sense: nothing is decided by it.
func (s *session) spent(phases map[result.Phase]float64) {
	for phase, ns := range phases {
		if slices.Contains(result.Phases, phase) && ns >= 0 && ns < math.MaxInt64 {
			s.book(phase, ns/1e9)
		}
	}
}

func (s *session) book(phase result.Phase, seconds float64) {
	if s.phases == nil {
		s.phases = result.PhaseSeconds{}
	}
	s.phases[phase] += seconds
}
