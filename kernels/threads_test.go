package kernels

import (
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
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			// On a busy machine the other threads may be done before they are waited for, or not be run beside the launching one at
			// all. So one probe of three has to see what there is.
			var probe ProbeReply
			seen := func() bool {
				args := map[string]any{"case": caseN, "seed": "7", "cache": "hot"}
				if err := runner.Call(t.Context(), "probe", adapter, args, &probe, time.Minute); err != nil {
					t.Fatal(err)
				}
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
