package kernels

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

// The probe sees what the CPU clock of the launching thread does not: other threads' work, however short a launch is, and
// waiting. Timed by the wall clock as it says, each of these is an honest kernel.
func TestProbeSeesThreadsAndWaiting(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	for adapter, want := range map[string]struct {
		flags           []string
		threaded, waits bool
	}{
		"cheats/honest.cc":  {},
		"threads/sleeps.cc": {nil, false, true},
		"threads/joins.cc":  {nil, true, true},
		"threads/openmp.cc": {[]string{"-fopenmp"}, true, false},
	} {
		t.Run(adapter, func(t *testing.T) {
			r := *r
			r.t = t
			runner, err := r.start(r.adapter(adapter, want.flags...))
			must(t, err)
			defer runner.Close()
			// On a busy machine the other threads may be done before they are waited for, or not be run beside the launching one at
			// all. So one probe of three has to see what there is.
			var probe ProbeReply
			seen := func() bool {
				args := map[string]any{"case": caseN, "seed": "7", "cache": "hot"}
				must(t, runner.Call(t.Context(), "probe", adapter, args, &probe, time.Minute))
				joins := want.threaded && want.waits
				return probe.Threaded == want.threaded && (probe.Waits == want.waits || joins)
			}
			probes := 1
			for !seen() && probes < 3 {
				probes++
			}
			if probes == 3 && !seen() {
				t.Errorf("%+v, want threaded %v, waits %v", probe, want.threaded, want.waits)
			}
			method := Method{Clock: "thread", How: "", Launches: 1, Pool: 2, Samples: 20, Cache: "hot"}
			if want.threaded || want.waits {
				method.Clock = "wall"
			}
			var reply TimeReply
			command := TimeCommand{Case: caseN, Seed: "7", Method: method, Checks: 2, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e10}
			if err := runner.Call(t.Context(), "time", adapter, command, &reply, time.Minute); err != nil {
				t.Error(err)
			}
		})
	}
}

// A launch that waits now and then takes no CPU time meanwhile, whatever it waits for. What other processes do with its core is no waiting.
func TestWaitsOfSomeLaunches(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("threads/now_and_then.cc")))
	const samples, every, wait = 64, 16, 20e6
	for how, name := range []string{"nothing", "sleep", "lock", "input", "child", "join", "yield"} {
		reply, err := runner.timed(time.Minute, TimeCommand{
			Case: caseOf("k", fmt.Sprint("n=10000,how=", how)), Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 2, Samples: samples, Cache: "hot", Pin: true},
			Checks: 1, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e11,
		})
		if err != nil {
			t.Fatal(name, err)
		}
		if waits := name != "nothing" && name != "yield"; waits && reply.WaitedNS < 0.9*wait/every || !waits && reply.WaitedNS > 0.01*wait/every {
			t.Errorf("%s: a launch waited %v ns on average, and one in %d waits %v ns", name, reply.WaitedNS, every, wait)
		}
		slices.Sort(reply.Samples)
		if name == "sleep" && reply.Samples[samples-1] > wait/2 {
			t.Errorf("%s: the CPU clock ran %v ns in a launch", name, reply.Samples[samples-1])
		}
	}
}

// The wall clock runs while a launch waits, so its samples have that already.
func TestTheWallClockSeesWaits(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("threads/sleeps.cc")))
	reply, err := runner.timed(time.Minute, TimeCommand{
		Case: caseN, Seed: "7", Method: Method{Clock: "wall", Launches: 1, Pool: 2, Samples: 20, Cache: "hot"},
		Checks: 1, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e11,
	})
	must(t, err)
	if reply.WaitedNS != 0 || slices.Min(reply.Samples) < 500e3 {
		t.Errorf("waited %v ns beside samples of %v ns and more; each launch sleeps for 0.5 ms", reply.WaitedNS, slices.Min(reply.Samples))
	}
}
