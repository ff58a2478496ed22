package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// TestClock: the same cycles at a lower clock. What the gate counted itself wins over the profile.
func TestClock(t *testing.T) {
	slow := kernel(map[string]float64{"gpc__cycles_elapsed.avg.per_second": 1e9})
	wants(t, "", Input{Base: made(nil), Head: profile.Profile{Kernels: []profile.Kernel{slow}}, Measured: sureOf(2)}, ClockLower)
	e := Explain(Input{Base: made(nil), Head: made(nil), Measured: sureOf(1.2), BaseMHz: 1980, HeadMHz: 1650})
	if len(e.Causes) != 1 || e.Causes[0].ID != ClockLower || math.Abs(e.Causes[0].Share-1) > 0.01 || !strings.Contains(e.Causes[0].Title, "nothing else") {
		t.Errorf("%+v", e.Causes)
	}
	// Beside a cause in the code, named or not, the clock is not all.
	some := kernel(map[string]float64{"gpc__cycles_elapsed.max": 1.03e6, "smsp__inst_executed.sum": 1.03e8})
	e = Explain(Input{Base: made(nil), Head: profile.Profile{Kernels: []profile.Kernel{some}}, Measured: sureOf(1.133), BaseMHz: 1800, HeadMHz: 1636})
	if len(e.Causes) != 1 || e.Causes[0].Title != wordings[ClockLower].title {
		t.Errorf("%+v", e.Causes)
	}
	more := kernel(map[string]float64{"gpc__cycles_elapsed.max": 1.25e6, "smsp__inst_executed.sum": 1.25e8})
	e = Explain(Input{Base: made(nil), Head: profile.Profile{Kernels: []profile.Kernel{more}}, Measured: sureOf(1.44), BaseMHz: 1980, HeadMHz: 1600})
	if len(e.Causes) != 2 {
		t.Errorf("%+v", e.Causes)
	}
	for _, c := range e.Causes {
		if strings.Contains(c.Title, "nothing else") {
			t.Errorf("%+v", c)
		}
	}
	wants(t, "a clock that only the profiler saw", Input{Base: made(nil), Head: profile.Profile{Kernels: []profile.Kernel{slow}}, Measured: sureOf(2), BaseMHz: 1980, HeadMHz: 1980}, "")
}

// TestMemoryClock: more cycles of the SMs while the DRAM that they wait for is clocked lower.
func TestMemoryClock(t *testing.T) {
	memory := map[string]float64{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 90, "dram__cycles_elapsed.avg.per_second": 3.2e9}
	slow := map[string]float64{
		"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 90, "dram__cycles_elapsed.avg.per_second": 1.6e9, "gpc__cycles_elapsed.max": 2e6,
		"smsp__average_warp_latency_per_inst_issued.ratio": 60, stall("long_scoreboard"): 58,
	}
	e := Explain(Input{Base: made(memory), Head: made(slow), Measured: sureOf(2)})
	if len(e.Causes) != 1 || e.Causes[0].ID != ClockLower || e.Causes[0].Changes[0].Name != "DRAM clock" {
		t.Errorf("%+v", e.Causes)
	}
}

// TestLaunches: kernels pair by order whatever they are called; more of them are a cause.
func TestLaunches(t *testing.T) {
	one, renamed := kernel(nil), kernel(nil)
	renamed.Name = "renamed"
	extra := kernel(map[string]float64{"gpc__cycles_elapsed.max": 8e5})
	extra.Name = "extra"
	for name, c := range map[string]struct {
		base, head []profile.Kernel
		ratio      float64
		want       result.CauseID
	}{
		"renamed":   {[]profile.Kernel{one}, []profile.Kernel{renamed}, 1.5, ""},
		"one more":  {[]profile.Kernel{one}, []profile.Kernel{one, extra}, 1.8, MoreLaunches},
		"before":    {[]profile.Kernel{one}, []profile.Kernel{extra, one}, 1.8, MoreLaunches},
		"in many":   {[]profile.Kernel{one}, []profile.Kernel{extra, extra, extra, extra, extra}, 4.2, MoreLaunches},
		"one fewer": {[]profile.Kernel{one, extra}, []profile.Kernel{one}, 1 / 1.8, MoreLaunches},
	} {
		wants(t, name, Input{Base: profile.Profile{Kernels: c.base}, Head: profile.Profile{Kernels: c.head}, Measured: sureOf(c.ratio)}, c.want)
	}
	e := Explain(Input{Base: profile.Profile{Kernels: []profile.Kernel{one}}, Head: profile.Profile{Kernels: []profile.Kernel{extra, extra, extra, extra, extra, extra, extra, extra}}, Measured: sureOf(6.4), Params: []Param{{"B", 8}}})
	if len(e.Causes) != 1 || e.Causes[0].ID != SerialisedBatch || !strings.Contains(strings.Join(e.Causes[0].Facts, "; "), "each step of B") {
		t.Errorf("a launch for each of B: %+v", e.Causes)
	}
}

// TestLaunchesExplainWhatPairsDoNot: however many more kernels there are, they answer for no more than what their own time,
// or what no profile has, makes of the change.
func TestLaunchesExplainWhatPairsDoNot(t *testing.T) {
	const cycles, inst = "gpc__cycles_elapsed.max", "smsp__inst_executed.sum"
	some := func(n int, name string, changes map[string]float64) []profile.Kernel {
		var out []profile.Kernel
		for range n {
			k := kernel(changes)
			k.Name = name
			out = append(out, k)
		}
		return out
	}
	tiny := map[string]float64{cycles: 2e3, inst: 1e4}
	thrice := some(1, "k", map[string]float64{cycles: 3e6, inst: 3e8})
	for name, c := range map[string]struct {
		head  []profile.Kernel
		ratio float64
		want  []result.CauseID
	}{
		"three times the instructions, and tiny kernels": {append(thrice, some(3, "tiny", tiny)...), 3, []result.CauseID{MoreInstructions}},
		"tiny kernels first":                             {append(some(3, "tiny", tiny), thrice...), 3, []result.CauseID{MoreInstructions}},
		"the same, and what passes between tiny kernels": {append(some(1, "k", nil), some(7, "tiny", tiny)...), 1.5, []result.CauseID{MoreLaunches}},
		"the same, and kernels that take as long":        {append(some(1, "k", nil), some(3, "extra", nil)...), 4, []result.CauseID{MoreLaunches}},
		"cut into pieces":                                {some(64, "k", map[string]float64{cycles: 2e4, inst: 1e8 / 64, "launch__grid_size": 100, "launch__waves_per_multiprocessor": 0.1}), 3, []result.CauseID{MoreLaunches}},
		"cut into pieces that do three times as much":    {some(8, "k", map[string]float64{cycles: 3.9e5, inst: 3e8 / 8}), 3.12, []result.CauseID{MoreInstructions}},
	} {
		e := Explain(Input{Base: profile.Profile{Kernels: some(1, "k", nil)}, Head: profile.Profile{Kernels: c.head}, Measured: sureOf(c.ratio)})
		var got []result.CauseID
		sum := 0.0
		for _, cause := range e.Causes {
			got = append(got, cause.ID)
			sum += cause.Share
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || sum > 1.05 {
			t.Errorf("%s: %v of %v, want %v: %+v, rest %+v", name, got, sum, c.want, e.Causes, e.Rest)
		}
	}
}

// TestDilutedWaits: where a kernel that waits for memory gets barriers, the instructions that come with them do not wait for
// memory. Each then waits less on the mean, which is no gain that the barriers could be set off against.
func TestDilutedWaits(t *testing.T) {
	const latency, inst = "smsp__average_warp_latency_per_inst_issued.ratio", "smsp__inst_executed.sum"
	base := kernel(map[string]float64{latency: 50, stall("long_scoreboard"): 45, stall("barrier"): 2, stall("wait"): 2})
	head := kernel(map[string]float64{latency: 55, stall("long_scoreboard"): 36, stall("barrier"): 16, stall("wait"): 2, inst: 1.25e8, "gpc__cycles_elapsed.max": 1.375e6})
	e := Explain(Input{Base: profile.Profile{Kernels: []profile.Kernel{base}}, Head: profile.Profile{Kernels: []profile.Kernel{head}}, Measured: sureOf(1.375)})
	if len(e.Causes) != 1 || e.Causes[0].ID != BarrierStall {
		t.Errorf("%+v, rest %+v", e.Causes, e.Rest)
	}
	sum := 0.0
	for _, c := range append(e.Causes, e.Rest...) {
		sum += c.Share
	}
	if math.Abs(sum-1) > 0.05 {
		t.Errorf("all together are %v of the change", sum)
	}
}

// TestClockBesideLaunches: what the clock explains is not put down to what passes between launches.
func TestClockBesideLaunches(t *testing.T) {
	head := []profile.Kernel{kernel(nil)}
	for range 5 {
		head = append(head, kernel(map[string]float64{"gpc__cycles_elapsed.max": 1e3, "smsp__inst_executed.sum": 1e3}))
	}
	wants(t, "", Input{Base: made(nil), Head: profile.Profile{Kernels: head}, Measured: sureOf(1.5), BaseMHz: 1980, HeadMHz: 1320}, ClockLower)
}
