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

// Without base nobody knows what looking takes, so head has to hide much.
func TestCheckTimingAlone(t *testing.T) {
	for name, c := range map[string]struct {
		beyond []float64
		hides  bool
	}{
		"honest": {[]float64{3e3, 4e3, 3e3}, false}, "looked at for long": {[]float64{25e3, 20e3}, false}, "a tenth": {[]float64{130e3, 130e3}, false},
		"as much again": {[]float64{1e6, 1.1e6, 1e6}, true}, "one process": {[]float64{1e6}, true}, "one of two": {[]float64{1e6, 3e3}, false},
	} {
		if got := CheckTiming(checkedProcesses(result.SideHead, 1e6, 10, c.beyond...)); got.Significant != c.hides || got.Likely {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What is not significant is enough not to call it better: on a busy machine, a tenth and less that is hidden, and gains that are none of that.
func TestCheckTimingLikely(t *testing.T) {
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
		if got := CheckTiming(besides(356e3, c.head, base, c.beyond)); got.Likely != c.likely {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A clock that is bent in fewer than half of the processes moves no median, and the mean that cases are compared by.
func TestCheckTimingOfSomeProcesses(t *testing.T) {
	looks := func(n int) (beyond []float64) {
		for i := range n {
			beyond = append(beyond, 20e3+1e3*float64(i%7))
		}
		return beyond
	}
	for bent, likely := range map[int]bool{0: false, 8: true, 32: true} {
		honest, hiding := looks(72-bent), looks(bent)
		for i := range hiding {
			hiding[i] += 250e3
		}
		all := append(checkedProcesses(result.SideBase, 500e3, 1, looks(72)...), checkedProcesses(result.SideHead, 500e3, 1, honest...)...)
		all = append(all, checkedProcesses(result.SideHead, 250e3, 1, hiding...)...)
		if got := CheckTiming(all); got.Likely != likely || got.Significant {
			t.Errorf("%d of 72: %+v", bent, got)
		}
	}
}
