package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// The code under test runs in the process that times it, and may have changed its clock. So the first process of each side takes two
// more series of samples of a case: a short and a long one, caches hot, while its time is read from outside: its CPU time where samples
// are CPU time, else the wall clock. The difference of the two is launches and what is done between samples, which is the same on both
// sides. Where head's launches took clearly longer than head says, and base's did not, head is doubted, and each further process of both
// sides is looked at, for as long as all agree: a machine that is busy with other work disturbs two processes of one side by chance, but
// not all of eight. Who is still doubted when the case is decided is not believed. An honest head that is slower says so, so it does not
// show here.
const (
	shortSeries = 2                      // samples
	longerBy    = 5                      // samples, at least
	auditSpan   = 60 * time.Millisecond  // of the samples that only the long series has
	auditSample = time.Millisecond       // launches of a sample make that much where they can
	auditLimit  = 200 * time.Millisecond // where a sample takes longer, one process a side is enough …
	noAudit     = 2 * time.Second        // … and beyond it, none: the launches that are not timed cost too much

	// How much of a launch may be missing in what head says. The three bounds must all be passed.
	hiddenOfLaunch = 0.3 // of what head says that a launch takes
	hiddenOfFixed  = 0.2 // of what the short series took: whatever disturbed that may have disturbed the long one
	// Of what base does between samples: that scatters, the wall clock's view of it far more.
	hiddenOfRestCPU  = 0.3
	hiddenOfRestWall = 1.0
	disturbedOne     = 8 // of so many processes of head one may have been disturbed the other way

	// Where there is no base, what is done between samples takes at most this.
	restNS        = 200e3 // to synchronise
	restNSPerByte = 2     // to restore and poison
)

// noLimit: a series stops after its last sample, however slow the launches truly are. ns.
const noLimit = 1e15

// outsideClock is of a Runner whose CPU time can be read from outside of its process.
type outsideClock interface {
	CPUTime() (time.Duration, error)
}

// audit is what one process claimed of launches, and what they were seen to take, in ns per launch.
type audit struct {
	claimed, seen float64
	fixed         float64 // what the short series was seen to take, per launch of the difference
	tensors       []kernels.Tensor
}

// unclaimed is what a launch took beyond what was claimed: what is done between samples, and what is hidden.
func (a audit) unclaimed() float64 { return a.seen - a.claimed }

// series is how to take the samples of an audit.
type series struct {
	method kernels.Method
	more   int     // samples that the long series has over the short one
	limit  float64 // ns, after which it hangs
}

// planAudit is false where a case is not audited: its launches take too long.
func planAudit(m result.Method, inout bool) (series, bool) {
	launches, pool := m.Launches, 1
	if inout { // a set of buffers for each launch, as timed
		pool = max(m.Pool, m.Launches)
	} else {
		launches = max(launches, min(launchesFor(m), int(math.Ceil(float64(auditSample)/m.LaunchNS))))
	}
	sample := m.LaunchNS * float64(launches)
	if sample > float64(noAudit) {
		return series{}, false
	}
	how := m.How
	if how == kernels.HowSingle && launches > 1 {
		how = kernels.HowLoop
	}
	more := max(longerBy, int(math.Ceil(float64(auditSpan)/sample)))
	return series{
		// Block is left out: where the device waits for the host, the clock sees what the supervisor sees.
		method: kernels.Method{Clock: m.Clock, How: how, Launches: launches, Pool: pool, Cache: "hot", Pin: m.Pin},
		more:   more, limit: 10 * slownessLimit * sample * float64(more+shortSeries),
	}, true
}

// launchesFor is how many launches a sample may have.
func launchesFor(m result.Method) int {
	if m.How == kernels.HowSingle || m.How == kernels.HowLoop {
		return maxLoop
	}
	return maxLaunches
}

// audits says whether a process is looked at from outside for a case: the first of each side, and all others while those before tell of
// hidden work and samples are not slow. They have to agree, so more of them acquit and never convict.
func (s *session) audits(c *Case, p result.Process) bool {
	if s.opt.NoAudit {
		return false
	}
	slow := c.Method.LaunchNS*float64(c.Method.Launches) > float64(auditLimit)
	ns, _ := c.hidden(s.design.base)
	return len(c.of(p.Side)) == 1 || !slow && ns > 0
}

// watch takes the two series. ok is false where the case or the runner is not one to audit.
func watch(ctx context.Context, r Runner, s Subject, m result.Method, seed uint64) (a audit, ok bool, err error) {
	clock, ok := r.(outsideClock)
	if !ok {
		return a, false, nil
	}
	var spec kernels.SpecReply
	if err := r.Call(ctx, "spec", s.Name, map[string]any{"case": s.Spec}, &spec, commandReserve); err != nil {
		return a, false, err
	}
	plan, ok := planAudit(m, hasInout(spec.Tensors))
	if !ok {
		return a, false, nil
	}
	view := wallTime
	if m.Clock == clockThread {
		view = clock.CPUTime
	}
	short, fixed, err := plan.take(ctx, r, view, s, m, shortSeries, seed)
	if err != nil {
		return a, false, err
	}
	long, all, err := plan.take(ctx, r, view, s, m, shortSeries+plan.more, seed+1)
	if err != nil {
		return a, false, err
	}
	launches := float64(plan.more * plan.method.Launches)
	return audit{claimed: (long - short) / launches, seen: (all - fixed) / launches, fixed: fixed / launches, tensors: spec.Tensors}, true, nil
}

var started = time.Now()

func wallTime() (time.Duration, error) { return time.Since(started), nil }

// take returns what the process says that its samples took, and what the whole command was seen to take, in ns.
func (p series) take(ctx context.Context, r Runner, view func() (time.Duration, error), s Subject, m result.Method, samples int, seed uint64) (claimed, seen float64, err error) {
	method := p.method
	method.Samples = samples
	args := kernels.TimeCommand{Case: s.Spec, Seed: strconv.FormatUint(seed, 10), Method: method, Oracle: m.Oracle, LimitNS: noLimit, NoCanaries: true}
	before, err := view()
	if err != nil {
		return 0, 0, err
	}
	var reply kernels.TimeReply
	if err := r.Call(ctx, "time", s.Name, args, &reply, time.Duration(p.limit)+commandReserve); err != nil {
		return 0, 0, err
	}
	after, err := view()
	if err != nil {
		return 0, 0, err
	}
	if len(reply.Samples) != samples {
		message := fmt.Sprintf("it was asked for %d samples and answered with %d", samples, len(reply.Samples))
		return 0, 0, &kernels.RunnerError{Code: result.CodeNonsense, Message: message, Doing: "time " + s.Name}
	}
	for _, x := range reply.Samples {
		claimed += x * float64(method.Launches)
	}
	return claimed, float64(after - before), nil
}

func hasInout(tensors []kernels.Tensor) bool {
	return slices.ContainsFunc(tensors, func(t kernels.Tensor) bool { return t.Role == "inout" })
}

// hidden is what a launch of head surely took beyond what head says, in ns, with what it says; 0 where the two views agree or there is too little to
// tell. What is done between samples is usual: beside base, what base does; alone it is bounded by what has to be written then, which is coarse, so
// that only says that rounds are needed.
func (c *Case) hidden(paired bool) (ns, claimed float64) {
	base, head := c.audits[result.SideBase], c.audits[result.SideHead]
	if len(head) == 0 || paired && (len(base) == 0 || !sameTensors(base, head)) {
		return 0, 0
	}
	usual, fixed := 0.0, mean(head).fixed
	claimed = mean(head).claimed
	if paired {
		// A slower head is slower in the launches that are not timed as well, and says so.
		usual, fixed = max(0, slices.MaxFunc(base, byRest).unclaimed())*max(1, claimed/mean(base).claimed), mean(base).fixed
	} else {
		usual = restAlone(head[0].tensors, *c.Method)
	}
	return beyond(head, claimed, usual, fixed, c.Method.Clock), claimed
}

// beyond is what the launches of these processes, all but one in disturbedOne, took over what they say and what is usual between samples;
// 0 where that is not beyond doubt.
func beyond(head []audit, claimed, usual, fixed float64, clock string) float64 {
	ns := slices.SortedFunc(slices.Values(head), byRest)[len(head)/disturbedOne].unclaimed() - usual
	ofRest := hiddenOfRestWall
	if clock == clockThread {
		ofRest = hiddenOfRestCPU
	}
	if ns > hiddenOfLaunch*claimed && ns > ofRest*usual && ns > hiddenOfFixed*fixed {
		return ns
	}
	return 0
}

// restAlone is what is done between samples at most, in ns per launch.
func restAlone(tensors []kernels.Tensor, m result.Method) float64 {
	rest := restNS / float64(max(1, m.Launches))
	for _, t := range tensors {
		if t.Role != "in" {
			rest += restNSPerByte * float64(t.Bytes)
		}
	}
	return rest
}

// mean has what audits claimed, and what their short series took.
func mean(of []audit) (m audit) {
	for _, a := range of {
		m.claimed += a.claimed
		m.fixed += a.fixed
	}
	m.claimed /= float64(len(of))
	m.fixed /= float64(len(of))
	return m
}

func byRest(a, b audit) int { return cmp.Compare(a.unclaimed(), b.unclaimed()) }

// sameTensors: what is done between samples is only the same for the same tensors, which differ where head brings its own adapter.
func sameTensors(base, head []audit) bool {
	return slices.EqualFunc(base[0].tensors, head[0].tensors, func(a, b kernels.Tensor) bool {
		return a.Role == b.Role && a.Dtype == b.Dtype && a.Bytes == b.Bytes
	})
}

// disagrees is the fault of a head whose clock and ours disagree.
func disagrees(ns, claimed float64) *kernels.RunnerError {
	return &kernels.RunnerError{Code: result.CodeClock, Message: fmt.Sprintf(
		"its clock and the supervisor's disagree: head says that a launch takes %.4g µs, "+
			"and as seen from outside of its process it takes %.4g µs more, which is not so on base: the code under test may have changed the clock of its process",
		claimed/1e3, ns/1e3)}
}
