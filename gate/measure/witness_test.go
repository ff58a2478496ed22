package measure

import (
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// witnessedProcesses are processes of both sides that take what they claim in ns, beside what was seen beyond that.
func witnessedProcesses(base, head float64, beyondBase, beyondHead []float64) (out []result.Process) {
	for _, b := range beyondBase {
		out = append(out, result.Process{Side: result.SideBase, ValueNS: base, BeyondNS: b})
	}
	for _, b := range beyondHead {
		out = append(out, result.Process{Side: result.SideHead, ValueNS: head, BeyondNS: b})
	}
	return out
}

// The numbers are of processes on a busy machine: docs/measurements/judge.
func TestWitnessed(t *testing.T) {
	quiet, other := []float64{19e3, 20e3, 18e3, 21e3}, []float64{17e3, 22e3, 19e3, 18e3}
	for name, c := range map[string]struct {
		base, head             float64
		beyondBase, beyondHead []float64
		hides                  bool
	}{
		"honest, and as fast":                  {350e3, 350e3, quiet, other, false},
		"honest, and faster":                   {350e3, 140e3, quiet, other, false},
		"honest, and slower":                   {350e3, 700e3, quiet, other, false},
		"hides three quarters":                 {350e3, 140e3, quiet, []float64{270e3, 279e3, 265e3, 280e3}, true},
		"hides a tenth":                        {350e3, 317e3, quiet, []float64{52e3, 55e3, 53e3, 54e3}, true},
		"is slower, and hides that":            {350e3, 350e3, quiet, []float64{370e3, 379e3, 365e3, 380e3}, true},
		"one process of head is disturbed":     {350e3, 320e3, quiet, []float64{300e3, 20e3, 19e3, 22e3}, false},
		"all of it scatters as much":           {350e3, 317e3, []float64{10e3, 80e3, 20e3, 95e3}, []float64{50e3, 30e3, 99e3, 60e3}, false},
		"what looking takes is not the same":   {350e3, 345e3, quiet, []float64{26e3, 27e3, 25e3, 28e3}, false},
		"nobody looked":                        {350e3, 140e3, []float64{0, 0}, []float64{0, 0}, false},
		"nobody looked at base":                {350e3, 140e3, nil, []float64{270e3, 279e3}, false},
		"one of each is too little to be sure": {350e3, 140e3, quiet[:1], []float64{270e3}, false},
	} {
		ns, claimed := witnessed(witnessedProcesses(c.base, c.head, c.beyondBase, c.beyondHead), 1)
		if (ns > 0) != c.hides || ns > 0 && claimed != c.head {
			t.Errorf("%s: %v ns are hidden of %v", name, ns, claimed)
		}
	}
}

// What is seen is of a sample, and what is said of a launch.
func TestBeyondClaims(t *testing.T) {
	event := kernels.Method{Clock: clockEvent, Launches: 4, Cache: "hot"}
	reply := kernels.TimeReply{Samples: []float64{100, 110, 100, 40, 40}, Seen: []float64{420, 460, 420, 420, 420}}
	if got, err := beyondClaims(reply, event, 80); err != nil || got != 25 { // two of five are bent: no median shows that
		t.Errorf("%v, %v", got, err)
	}
	// With caches warm, on a CPU, of all samples between two checks together.
	if got, err := beyondClaims(reply, kernels.Method{Clock: clockThread, Launches: 4, Cache: "hot"}, 80); err != nil || got != 29 {
		t.Errorf("of all samples: %v, %v", got, err)
	}
	reply.Seen = reply.Seen[1:]
	if _, err := beyondClaims(reply, event, 80); err == nil {
		t.Error("a sample that nobody saw")
	}
}
