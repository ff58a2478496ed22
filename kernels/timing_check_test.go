package kernels

import (
	"context"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

// What the external clock sees is never less than an honest process says, and far more than one that has bent its clock does.
func TestTimingCheck(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	for adapter, least := range map[string]float64{"cheats/honest.cc": 1, "attacks/changes_clock.cc": 2} {
		for _, clock := range []string{"thread", "wall"} {
			runner, err := r.start(r.adapter(adapter))
			must(t, err)
			check := map[string]TimingCheck{"thread": CheckSeries, "wall": CheckSamples}[clock]
			cmd := TimeCommand{
				Case: caseN, Seed: "7", Method: Method{Clock: clock, Launches: 2, Pool: 4, Samples: 20, Cache: "hot"},
				Checks: 1, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e10, TimingCheck: check,
			}
			var reply TimeReply
			must(t, runner.Call(context.Background(), "time", "k", cmd, &reply, time.Minute))
			if want := map[TimingCheck]int{CheckSeries: 2, CheckSamples: 20}[check]; len(reply.Seen) != want { // series: up to the check of the last sample, and after it
				t.Fatalf("%s: %d seen, want %d", adapter, len(reply.Seen), want)
			}
			seen, claimed := 0.0, 0.0
			for _, ns := range reply.Seen {
				seen += ns
			}
			for _, ns := range reply.Samples {
				claimed += 2 * ns
			}
			if seen < least*claimed {
				t.Errorf("%s by clock %s: samples take %v ns, and were seen to take %v", adapter, clock, claimed, seen)
			}
		}
	}
}

// A mark is one only where a check was asked for, and by the number of its command.
func TestMark(t *testing.T) {
	if (&Runner{}).externalClock(TimeCommand{}) != nil {
		t.Error("a check that nobody asked for")
	}
	for line, want := range map[string]bool{
		`{"id":7,"mark":true}`: true, `{"id":8,"mark":true}`: false, `{"id":7,"ok":true}`: false, `{"id":7,"mark":false}`: false, `mark`: false,
	} {
		if isMark([]byte(line), 7) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
}

// Of a process that is gone nothing is seen, and nobody waits.
func TestTimingCheckOfWhatIsGone(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	runner, err := r.start(r.adapter("cheats/honest.cc"))
	must(t, err)
	runner.Leave()
	<-runner.process.Done()
	c := &externalClock{runner: runner, ofCPU: true}
	if err := c.mark(); err == nil {
		t.Error("a process that is gone was seen")
	}
}
