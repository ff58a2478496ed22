package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

func TestClockLimits(t *testing.T) {
	if got := clockLimits(0x1 | 0x4 | 0x40); !slices.Equal(got, []result.ClockLimit{result.ClockPowerCap, result.ClockHardwareThermal}) {
		t.Errorf("names = %v", got)
	}
}

func TestWhichReasonsVoid(t *testing.T) {
	for _, c := range []struct {
		now, before uint64
		want        result.ClockLimit
	}{
		{now: 0x0}, {now: 0x1}, {now: 0x2}, {now: 0x4}, {now: 0x10}, {now: 0x100},
		{now: 0x20, want: "thermal slowdown"},
		{now: 0x40, want: "hardware thermal slowdown"},
		{now: 0x80, want: "power brake"},
		{now: 0x8}, // a change of clocks shows as that for a moment
		{now: 0x8, before: 0x8, want: "hardware slowdown"},
		{now: 0x4 | 0x20, want: "thermal slowdown"},
	} {
		if got, _ := voiding(c.now, c.before); got.limit != c.want {
			t.Errorf("%#x after %#x voids for %q, want %q", c.now, c.before, got.limit, c.want)
		}
	}
}

// In each step the driver lists pids while the runners given live; the list is seen twice.
func TestForeignProcesses(t *testing.T) {
	type step struct {
		runners, pids []int
		trouble       bool
	}
	for name, steps := range map[string][]step{
		"ours alone":                        {{[]int{10}, []int{10}, false}},
		"was there before":                  {{[]int{10}, []int{5, 10}, false}},
		"not yet open":                      {{[]int{10}, []int{5}, false}},
		"another process":                   {{[]int{10}, []int{10, 99}, true}},
		"the last runner lingers":           {{[]int{10}, []int{10}, false}, {[]int{11}, []int{10, 11}, false}},
		"container: ours by another id":     {{[]int{10}, []int{7001}, false}, {[]int{11}, []int{7002}, false}},
		"container: one too many":           {{[]int{10}, []int{7001, 7002}, true}},
		"container: before, ours, no other": {{[]int{10}, []int{5, 7001}, false}},
		"the driver shows nothing":          {{[]int{10}, nil, false}},
	} {
		l := newLedger()
		l.begin([]int{5})
		for _, s := range steps {
			l.runners = map[int]bool{}
			for _, pid := range s.runners {
				l.runners[pid], l.ours[pid] = true, true
			}
			l.processes(s.pids)
			if l.trouble != "" {
				t.Errorf("%s: one look is enough: %s", name, l.trouble)
			}
			l.processes(s.pids)
			if (l.trouble != "") != s.trouble {
				t.Errorf("%s: trouble %q", name, l.trouble)
			}
		}
	}
}

func TestWatchLooksOnlyWhileARunnerLives(t *testing.T) {
	all, devices := fakeGPUs(1)
	w := all.List[0].watch(time.Millisecond)
	devices[0].set(sample{reasons: 0x20, temperatureC: 95}, 77)
	time.Sleep(20 * time.Millisecond)
	if why := w.Health(); why != "" {
		t.Errorf("without a runner: %s", why)
	}
	devices[0].set(sample{reasons: 0x4, temperatureC: 60, smClockMHz: 1500, powerW: 71.5}, 10)
	w.Began(10)
	waitFor(t, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.log.total.Samples > 2 })
	if why := w.Health(); why != "" {
		t.Errorf("a power cap voids: %s", why)
	}
	devices[0].set(sample{reasons: 0x40, temperatureC: 91, smClockMHz: 900}, 10)
	waitFor(t, func() bool { return strings.HasPrefix(w.Health(), "hardware thermal slowdown of the GPU at 91 °C") })
	w.Ended(10)
	got := w.Stop()
	if got.MinSMClockMHz != 900 || got.MaxSMClockMHz != 1500 || got.TemperatureC != 91 || got.PowerW != 71.5 || got.Blind {
		t.Errorf("watch = %+v", got)
	}
	if !slices.ContainsFunc(got.Clocks, func(c result.ClockReason) bool { return c.Limit == result.ClockPowerCap && c.Share > 0 && c.Share < 1 }) {
		t.Errorf("clocks = %+v", got.Clocks)
	}
}

func TestWatchSaysThatItSawNoProcesses(t *testing.T) {
	all, devices := fakeGPUs(1)
	w := all.List[0].watch(time.Millisecond)
	devices[0].set(sample{})
	w.Began(10)
	waitFor(t, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.log.total.Samples > 2 })
	if got := w.Stop(); !got.Blind {
		t.Errorf("watch = %+v", got)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 60_000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not happen within a minute")
}
