package measure

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
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

// A head whose clock runs slow is head's error, at a length of launch of any kind; one that is honest never is, be it slower or faster.
func TestClockThatRunsSlowIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		launchNS, says, truly float64 // says: what head claims over what base takes
		want                  result.Verdict
	}{
		"honest":                             {1e6, 1, 1, result.Same},
		"honest, and twice as slow":          {1e6, 2, 1, result.Regression},
		"honest, and three times faster":     {1e6, 1. / 3, 1, result.Improvement},
		"twice as slow, claims the same":     {1e6, 1, 2, result.Error},
		"the same, claims an improvement":    {1e6, 0.5, 2, result.Error},
		"slower by half, claims the same":    {1e6, 1, 1.5, result.Error},
		"short launches":                     {800, 1, 2, result.Error},
		"honest short launches":              {800, 1, 1, result.Same},
		"long launches":                      {3e8, 1, 2, result.Error},
		"honest long launches":               {3e8, 1, 1, result.Same},
		"launches too long to check of them": {6e9, 1, 2, result.Same},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bentBench{bench: newBench(3)}
			b.truly, b.levelNS = c.truly, map[string]float64{"base": c.launchNS, "head": c.launchNS * c.says}
			got := b.run(t)
			if got.Verdict != c.want || (got.Verdict == result.Error) != (got.ErrorSide == result.Side(result.SideHead)) {
				t.Errorf("%s of %q, want %s: %s", got.Verdict, got.ErrorSide, c.want, result.MessageOf(got.Reason))
			}
			if got.Verdict == result.Error && (got.ErrorCode != result.CodeClock || !strings.Contains(result.MessageOf(got.Reason), "clock")) {
				t.Errorf("code %q, reason %q", got.ErrorCode, result.MessageOf(got.Reason))
			}
		})
	}
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

// Against records alone there is no base to compare with. A case whose clock is bent is not settled, and rounds are asked.
func TestAloneDoesNotSettleWhatIsHidden(t *testing.T) {
	for _, c := range []struct {
		truly float64
		check bool
		fault bool
	}{{1, true, false}, {2, true, true}, {2, false, false}} {
		b := &bentBench{bench: newBench(1)}
		b.truly = c.truly
		opt := Options{Design: Single, Stop: rule.Count(6), Budget: time.Minute, Seed: 3, Start: b.start, NoTimingCheck: !c.check}
		all := subjects(1)
		all[0].Method = &recorded
		out, err := Rounds(t.Context(), all, opt)
		must(t, err)
		for _, a := range out.Cases {
			if (a.Reason != nil) != c.fault || c.fault && !strings.Contains(result.MessageOf(a.Reason), "clock") {
				t.Errorf("%+v: %s: %q", c, a.Subject.Name, result.MessageOf(a.Reason))
			}
		}
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
