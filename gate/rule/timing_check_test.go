package rule

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// checkedProcesses are processes of a side that were checked: what launches took beyond what is claimed of them, in ns.
func checkedProcesses(side result.Side, claimed float64, launches int, beyond ...float64) (out []result.Process) {
	for _, ns := range beyond {
		out = append(out, result.Process{Variant: side.Variant(), TimingCheck: &result.TimingCheck{ClaimedNS: claimed, BeyondNS: ns, Launches: launches}})
	}
	return out
}

func besides(base, head float64, beyondBase, beyondHead []float64) []result.Process {
	return slices.Concat(checkedProcesses(result.SideBase, base, 1, beyondBase...), checkedProcesses(result.SideHead, head, 1, beyondHead...))
}

// The numbers are of processes on a busy machine: docs/measurements/judge.
func TestCheckTiming(t *testing.T) {
	quiet, other := []float64{19e3, 20e3, 18e3, 21e3}, []float64{17e3, 22e3, 19e3, 18e3}
	unchecked := []result.Process{{Variant: result.VariantBase}, {Variant: result.VariantHead}}
	for name, c := range map[string]struct {
		base, head             float64
		beyondBase, beyondHead []float64
		hides                  bool
	}{
		"honest, and as fast":                                 {350e3, 350e3, quiet, other, false},
		"honest, and faster":                                  {350e3, 140e3, quiet, other, false},
		"honest, and slower":                                  {350e3, 700e3, quiet, other, false},
		"hides three quarters":                                {350e3, 140e3, quiet, []float64{270e3, 279e3, 265e3, 280e3}, true},
		"hides a tenth":                                       {350e3, 317e3, quiet, []float64{52e3, 55e3, 53e3, 54e3}, true},
		"is slower, and hides that":                           {350e3, 350e3, quiet, []float64{370e3, 379e3, 365e3, 380e3}, true},
		"one process of head is disturbed":                    {350e3, 320e3, quiet, []float64{300e3, 20e3, 19e3, 22e3}, false},
		"all of it scatters as much":                          {350e3, 317e3, []float64{10e3, 80e3, 20e3, 95e3}, []float64{50e3, 30e3, 99e3, 60e3}, false},
		"what looking takes is not the same":                  {350e3, 345e3, quiet, []float64{26e3, 27e3, 25e3, 28e3}, false},
		"nobody looked":                                       {350e3, 140e3, nil, nil, false},
		"nobody looked at base":                               {350e3, 140e3, nil, []float64{270e3, 279e3}, false},
		"nobody looked at head":                               {350e3, 140e3, quiet, nil, false},
		"one of each, and it is gross":                        {350e3, 140e3, quiet[:1], []float64{270e3}, true},
		"one of each, and it is not":                          {350e3, 140e3, quiet[:1], []float64{60e3}, false},
		"one of each, where looking takes more than launches": {20e3, 20e3, []float64{30e3}, []float64{50e3}, false},
		"both of head":                                        {1e6, 1e6, []float64{1e5, 1e5}, []float64{2e6, 2e6}, true},
		"one of two of head":                                  {1e6, 1e6, []float64{1e5, 1e5}, []float64{1e5, 2e6}, false},
		"one of two of base as well":                          {1e6, 1e6, []float64{2e6, 1e5}, []float64{2e6, 2e6}, false},
		"both of head, which scatters":                        {3e3, 5e3, []float64{100, 97}, []float64{18e3, 11e3}, true},
		"seven of eight of head":                              {1e6, 1e6, []float64{1e5, 1e5}, append(slices.Repeat([]float64{2e6}, 7), 1e5), true},
		"six of eight of head":                                {1e6, 1e6, []float64{1e5, 1e5}, append(slices.Repeat([]float64{2e6}, 6), 1e5, 1e5), false},
		"a head that says that it is slower":                  {1e6, 3e6, []float64{1e5, 1e5}, []float64{4e5, 4e5}, false},
	} {
		got := CheckTiming(append(besides(c.base, c.head, c.beyondBase, c.beyondHead), unchecked...))
		if got.Significant != c.hides || got.Significant && got.ClaimedNS != c.head {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
