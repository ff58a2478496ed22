package measure

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A process may say whatever it likes of its phases.
func TestPhasesThatMakeSense(t *testing.T) {
	s := new(session)
	s.spent(map[result.Phase]float64{result.PhaseSamples: 2e9, result.PhaseChecks: -1, result.PhaseSetup: 1e300, "::error::": 5})
	s.spent(map[result.Phase]float64{result.PhaseSamples: 1e9})
	if len(s.phases) != 1 || s.phases[result.PhaseSamples] != 3 {
		t.Errorf("%v", s.phases)
	}
}
