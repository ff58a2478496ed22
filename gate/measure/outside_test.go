package measure

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// seenBench is a bench whose processes can be looked at from outside: a launch of head takes `truly` times what head says of it.
type seenBench struct {
	*bench
	truly float64
	fixed time.Duration // what a series takes beside its samples
	views int
	until int // the start of head from which on a launch takes what it says; 0: none
	heads int
}

func (b *seenBench) start(ctx context.Context, library string) (Runner, error) {
	if library == "head" {
		if b.heads++; b.heads == b.until {
			b.truly = 1
		}
	}
	r, err := b.bench.start(ctx, library)
	return &seenRunner{fakeRunner: r.(*fakeRunner), bench: b}, err
}

type seenRunner struct {
	*fakeRunner
	bench *seenBench
	spent time.Duration
}

func (r *seenRunner) CPUTime() (time.Duration, error) {
	r.bench.views++
	return r.spent, nil
}

func (r *seenRunner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	if err := r.fakeRunner.Call(ctx, op, what, args, answer, limit); err != nil {
		return err
	}
	reply, ok := answer.(*kernels.TimeReply)
	if !ok {
		return nil
	}
	truly := 1.0
	if r.library == "head" {
		truly = r.bench.truly
	}
	m := args.(kernels.TimeCommand).Method
	for _, ns := range reply.Samples {
		r.spent += time.Duration(truly*ns*float64(m.Launches)) + 20*time.Microsecond
	}
	r.spent += r.bench.fixed
	return nil
}

func (b *seenBench) run(t *testing.T) *Case {
	t.Helper()
	out, err := Rounds(t.Context(), subjects(1), Options{Policy: policy(0.05, 1), Budget: time.Minute, Seed: 7, Start: b.start})
	if err != nil {
		t.Fatal(err)
	}
	return out.Cases[0]
}

// A head whose clock runs slow is head's error, at a length of launch of any kind; one that is honest never is, be it slower or faster.
func TestClockThatRunsSlowIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		launchNS, says, truly float64 // says: what head claims over what base takes
		want                  result.Verdict
	}{
		"honest":                            {1e6, 1, 1, result.Same},
		"honest, and twice as slow":         {1e6, 2, 1, result.Regression},
		"honest, and three times faster":    {1e6, 1. / 3, 1, result.Improvement},
		"twice as slow, claims the same":    {1e6, 1, 2, result.Error},
		"the same, claims an improvement":   {1e6, 0.5, 2, result.Error},
		"slower by half, claims the same":   {1e6, 1, 1.5, result.Error},
		"short launches":                    {800, 1, 2, result.Error},
		"honest short launches":             {800, 1, 1, result.Same},
		"long launches":                     {3e8, 1, 2, result.Error},
		"honest long launches":              {3e8, 1, 1, result.Same},
		"launches too long to look at them": {6e9, 1, 2, result.Same},
	} {
		t.Run(name, func(t *testing.T) {
			b := &seenBench{bench: newBench(3), truly: c.truly, fixed: 20 * time.Millisecond}
			b.levelNS = map[string]float64{"base": c.launchNS, "head": c.launchNS * c.says}
			got := b.run(t)
			if got.Verdict != c.want || (got.Verdict == result.Error) != (got.ErrorSide == result.Side(result.SideHead)) {
				t.Errorf("%s of %q, want %s: %s", got.Verdict, got.ErrorSide, c.want, got.Reason)
			}
			if got.Verdict == result.Error && !strings.Contains(got.Reason, "clock") {
				t.Errorf("reason %q", got.Reason)
			}
		})
	}
}

// A busy machine that disturbs the first processes of head alone makes nobody a liar: the others are looked at as well.
func TestMachineThatIsBusyAtFirst(t *testing.T) {
	for until, want := range map[int]result.Verdict{3: result.Same, 6: result.Same, 0: result.Error} {
		b := &seenBench{bench: newBench(3), truly: 2, until: until + 1} // the first one calibrates
		b.levelNS = map[string]float64{"base": 1e6, "head": 1e6}
		if until == 0 {
			b.until = 0
		}
		if got := b.run(t); got.Verdict != want {
			t.Errorf("disturbed before process %d of head: %s: %s", until, got.Verdict, got.Reason)
		}
	}
}

// What disturbs a process now and then is no lie: all processes of head must hide something that no process of base has.
func TestDisturbancesAreNoLies(t *testing.T) {
	quiet := audit{claimed: 1000, seen: 1100, fixed: 500}
	disturbed := audit{claimed: 1000, seen: 3000, fixed: 500}
	busyStart := audit{claimed: 1000, seen: 1500, fixed: 5000}
	slower := audit{claimed: 3000, seen: 3400, fixed: 500}
	other := audit{claimed: 1000, seen: 3000, fixed: 500, tensors: []kernels.Tensor{{Role: "scratch", Bytes: 1 << 20}}}
	scattered := audit{claimed: 1000, seen: 2100, fixed: 500}
	for name, c := range map[string]struct {
		base, head []audit
		clock      string
		lie        bool
	}{
		"both of head":                    {[]audit{quiet, quiet}, []audit{disturbed, disturbed}, clockThread, true},
		"one of head":                     {[]audit{quiet, quiet}, []audit{quiet, disturbed}, clockThread, false},
		"seven of eight of head":          {[]audit{quiet, quiet}, append(slices.Repeat([]audit{disturbed}, 7), quiet), clockThread, true},
		"six of eight of head":            {[]audit{quiet, quiet}, append(slices.Repeat([]audit{disturbed}, 6), quiet, quiet), clockThread, false},
		"base as well":                    {[]audit{disturbed, quiet}, []audit{disturbed, disturbed}, clockThread, false},
		"within what the start scatters":  {[]audit{quiet, busyStart}, []audit{busyStart, busyStart}, clockThread, false},
		"a head that says it is slower":   {[]audit{quiet, quiet}, []audit{slower, slower}, clockThread, false},
		"other tensors: not to compare":   {[]audit{quiet, quiet}, []audit{other, other}, clockThread, false},
		"not one of base":                 {nil, []audit{disturbed, disturbed}, clockThread, false},
		"not one of head":                 {[]audit{quiet}, nil, clockThread, false},
		"wall clock, and clear":           {[]audit{quiet, quiet}, []audit{disturbed, disturbed}, clockWall, true},
		"wall clock, with as much beside": {[]audit{scattered, quiet}, []audit{disturbed, disturbed}, clockWall, false},
	} {
		seen := Case{Method: &result.Method{Clock: c.clock}, audits: map[result.Side][]audit{result.SideBase: c.base, result.SideHead: c.head}}
		if ns, _ := seen.hidden(true); (ns > 0) != c.lie {
			t.Errorf("%s: %v ns are hidden", name, ns)
		}
	}
}

// A pool of one set serves all launches, but for tensors that each launch changes: those need a set for each, as timed.
func TestAuditIsCheap(t *testing.T) {
	short := result.Method{Clock: clockThread, Launches: 16, Pool: 16, LaunchNS: 1000, Cache: "cold"}
	if p, ok := planAudit(short, false); !ok || p.method.Pool != 1 || p.method.Launches != 1000 || p.method.Cache != "hot" || p.more != 60 {
		t.Errorf("%+v, %v", p, ok)
	}
	if p, ok := planAudit(short, true); !ok || p.method.Pool != 16 || p.method.Launches != 16 {
		t.Errorf("inout: %+v, %v", p, ok)
	}
	gpu := result.Method{Clock: clockEvent, How: kernels.HowSingle, Block: true, Launches: 1, Pool: 4, LaunchNS: 50e3}
	if p, ok := planAudit(gpu, false); !ok || p.method.How != kernels.HowLoop || p.method.Launches != 20 || p.method.Block {
		t.Errorf("GPU: %+v, %v", p, ok)
	}
	if _, ok := planAudit(result.Method{Clock: clockWall, Launches: 1, LaunchNS: 3e9}, false); ok {
		t.Error("launches of 3 s are audited")
	}
	for truly, processes := range map[float64]int{1: 2, 2: 16} {
		b := &seenBench{bench: newBench(3), truly: truly}
		b.run(t)
		if b.views != 4*processes {
			t.Errorf("%d looks from outside, want before and after two series in %d processes", b.views, processes)
		}
	}
}

// Against records alone there is no base to compare with. A case whose clock is bent is not settled, and rounds are asked.
func TestAloneDoesNotSettleWhatIsHidden(t *testing.T) {
	for _, c := range []struct {
		truly float64
		audit bool
		fault bool
	}{{1, true, false}, {2, true, true}, {2, false, false}} {
		b := &seenBench{bench: newBench(1), truly: c.truly}
		b.bytes = 4000
		out, err := Rounds(t.Context(), aloneSubjects(1, &recorded), Options{Design: Single, Stop: Count(6), Budget: time.Minute, Seed: 3, Start: b.start, NoAudit: !c.audit})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range out.Cases {
			if (a.Reason != "") != c.fault || c.fault && !strings.Contains(a.Reason, "clock") {
				t.Errorf("%+v: %s: %q", c, a.Subject.Name, a.Reason)
			}
		}
	}
}
