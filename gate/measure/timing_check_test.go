package measure

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// bentBench is a bench that counts timing checks.
type bentBench struct {
	*bench
	checks int
}

func (b *bentBench) start(ctx context.Context, library string) (kernels.Process, error) {
	r, err := b.bench.start(ctx, library)
	return bentRunner{r.(*fakeRunner), b}, err
}

type bentRunner struct {
	*fakeRunner
	all *bentBench
}

func (r bentRunner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	if cmd, ok := args.(kernels.TimeCommand); ok && cmd.TimingCheck != "" {
		r.all.checks++
	}
	return r.fakeRunner.Call(ctx, op, what, args, answer, limit)
}

func (b *bentBench) run(t *testing.T) *Case {
	t.Helper()
	out, err := Rounds(t.Context(), subjects(1), Options{Policy: policy(0.05, 1), Budget: time.Hour, Seed: 7, Start: b.start})
	must(t, err)
	return out.Cases[0]
}

// Two processes are checked where nothing is hidden, all where something is, and one a side where launches are slow.
func TestTimingChecksAreFew(t *testing.T) {
	for _, c := range []struct {
		launchNS, truly float64
		want            int
	}{{1e6, 1, 2}, {1e6, 2, 12}, {3e8, 2, 2}, {6e9, 2, 0}} {
		b := &bentBench{bench: newBench(3)}
		b.truly, b.levelNS = c.truly, map[string]float64{"base": c.launchNS, "head": c.launchNS}
		if b.run(t); b.checks != c.want {
			t.Errorf("%+v: %d processes were checked", c, b.checks)
		}
	}
}

// A pool of one set serves all launches, but for tensors that each launch changes: those need a set for each, as timed.
func TestMethodToCheckIsCheap(t *testing.T) {
	short := result.Method{Clock: clockThread, Launches: 16, Pool: 16, LaunchNS: 10000, Cache: "cold"}
	if m := methodToCheck(short, false); m.Pool != 1 || m.Launches != 500 || m.Cache != "hot" || m.Samples != 12 || m.LimitNS != 6e8 {
		t.Errorf("%+v", m)
	}
	if m := methodToCheck(short, true); m.Pool != 16 || m.Launches != 16 || m.Samples != 375 {
		t.Errorf("inout: %+v", m)
	}
	gpu := result.Method{Clock: clockEvent, How: kernels.HowSingle, Block: true, Launches: 1, Pool: 4, LaunchNS: 50e3}
	if m := methodToCheck(gpu, false); m.How != kernels.HowLoop || m.Launches != 100 || m.Block {
		t.Errorf("GPU: %+v", m)
	}
	if m := methodToCheck(result.Method{Clock: clockWall, Launches: 1, LaunchNS: 1e8}, false); m.Samples != minSamples || m.Launches != 1 {
		t.Errorf("slow: %+v", m)
	}
}

// In a search the samples that count are checked, of both sides and of no competitor, and on a CPU with warm caches nobody stands still between them.
func TestSamplesOfASearchAreChecked(t *testing.T) {
	search := &session{opt: Options{Search: true}}
	for _, c := range []struct {
		s    *session
		m    result.Method
		in   letter
		want kernels.TimingCheck
	}{
		{search, result.Method{Clock: clockThread, Cache: "cold"}, letterBase, kernels.CheckSamples},
		{search, result.Method{Clock: clockThread, Cache: "hot"}, letterHead, kernels.CheckSeries},
		{search, result.Method{Clock: clockWall, Cache: "hot"}, letterHead, kernels.CheckSeries},
		{search, result.Method{Clock: clockEvent, Cache: "hot"}, letterHead, kernels.CheckSamples},
		{search, result.Method{Clock: result.ClockHost, Cache: "hot"}, letterHead, ""},
		{search, result.Method{Clock: clockThread, Cache: "cold"}, competitorLetters[0], ""},
		{&session{opt: Options{Search: true, NoTimingCheck: true}}, result.Method{Clock: clockThread}, letterHead, ""},
		{&session{}, result.Method{Clock: clockThread, Cache: "cold"}, letterHead, ""},
	} {
		in := turn{&Case{Case: result.Case{Method: &c.m}}, &variant{letter: c.in}}
		if got := c.s.checkOfSamples(in); got != c.want {
			t.Errorf("%+v of %c: %q", c.m, c.in, got)
		}
		if c.s.opt.Search && c.s.checksMore(in, result.Process{}) {
			t.Errorf("%+v of %c: more samples are checked", c.m, c.in)
		}
	}
}

// What is seen is of a sample, and what is said of a launch.
func TestTimingCheckOf(t *testing.T) {
	args := kernels.TimeCommand{Method: kernels.Method{Launches: 4}, TimingCheck: kernels.CheckSamples}
	reply := kernels.TimeReply{Samples: []float64{100, 110, 100, 40, 40}, Seen: []float64{420, 460, 420, 420, 420}}
	got, err := timingCheckOf(reply, args, 80)
	if err != nil || *got != (result.TimingCheck{ClaimedNS: 80, BeyondNS: 25, Launches: 4}) { // two of five are bent: no median shows that
		t.Errorf("%v, %v", got, err)
	}
	args.TimingCheck = kernels.CheckSeries
	if got, err := timingCheckOf(reply, args, 80); err != nil || math.Abs(got.BeyondNS-29) > 1e-9 {
		t.Errorf("of all samples: %v, %v", got, err)
	}
	args.TimingCheck, reply.Seen = kernels.CheckSamples, reply.Seen[1:]
	if _, err := timingCheckOf(reply, args, 80); err == nil {
		t.Error("a sample that nobody saw")
	}
}
