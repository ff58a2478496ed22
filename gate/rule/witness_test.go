package rule

import (
	"testing"

	"github.com/org/perfgate/gate/result"
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
		w := Witnessed(witnessedProcesses(c.base, c.head, c.beyondBase, c.beyondHead), 1)
		if w.Sure != c.hides || w.Sure && w.Claimed != c.head {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// What is not sure is enough not to call it better: on a busy machine, a tenth and less that is hidden, and gains that are none of that.
func TestWitnessedLikely(t *testing.T) {
	base := []float64{24e3, 26e3, 22e3, 28e3, 23e3, 27e3, 25e3, 25e3}
	for name, c := range map[string]struct {
		head   float64
		beyond []float64
		likely bool
	}{
		"hides what it claims to have won":      {343e3, []float64{32e3, 35e3, 31e3, 37e3, 33e3, 36e3, 34e3, 33e3}, true},
		"honest, and faster by little":          {343e3, []float64{25e3, 28e3, 23e3, 29e3, 24e3, 27e3, 26e3, 25e3}, false},
		"honest, looked at for longer":          {290e3, []float64{32e3, 35e3, 31e3, 37e3, 33e3, 36e3, 34e3, 33e3}, false},
		"honest and slower, which is no better": {380e3, []float64{32e3, 35e3, 31e3, 37e3, 33e3, 36e3, 34e3, 33e3}, false},
		"all scatter":                           {343e3, []float64{10e3, 60e3, 20e3, 55e3, 12e3, 40e3, 31e3, 35e3}, false},
	} {
		if w := Witnessed(witnessedProcesses(356e3, c.head, base, c.beyond), 1); w.Likely != c.likely {
			t.Errorf("%s: %+v", name, w)
		}
	}
}
