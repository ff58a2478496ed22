package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// The code under test runs in the process that times it, and may have changed its clock. So an external timing check reads a clock outside of the
// process right before and right after launches (kernels.TimingCheck): its CPU time where samples are CPU time, else the wall clock. rule.CheckTiming
// compares what that saw with what the process says.
//
// In a search that code is untrusted, and may bend its clock where it counts and nowhere else. There the samples that count are checked, of every process.
// A gate leaves these alone, since who stands still comes back to other caches than it left: the first process of each side takes more samples that are
// checked, caches hot. Where head's launches took clearly longer than head says, and base's did not, head is doubted, and each further process of both
// sides is checked too, for as long as all agree. A machine that is busy with other work disturbs two processes of one side by chance, but not all of
// eight. Who is still doubted when the case is decided is not believed.
const (
	checkedSample = 5 * time.Millisecond   // launches of a sample make that much where they can
	checkedSpan   = 60 * time.Millisecond  // of all samples
	slowToCheck   = 200 * time.Millisecond // where a sample takes longer, one process a side is enough …
	neverChecked  = 2 * time.Second        // … and beyond it, none: the launches that are not timed cost too much
)

// isChecked says whether processes in a place are checked at all. A competitor's code is the configuration's, which has no reason to bend its clock, and
// the host's part of a launch convicts nobody.
func (s *session) isChecked(t turn) bool {
	return !s.opt.NoTimingCheck && t.v.letter.side() != result.SideNone && !t.Method.IsOfHost()
}

// checkOfSamples is the check of the samples that count. Where the caches of a CPU are to be warm, nobody stands still between them.
func (s *session) checkOfSamples(t turn) kernels.TimingCheck {
	switch m := t.Method; {
	case !s.opt.Search || !s.isChecked(t):
		return ""
	case m.Cache == "hot" && m.Clock != clockEvent:
		return kernels.CheckSeries
	}
	return kernels.CheckSamples
}

// checksMore says whether a process p takes more samples, to be checked. One that says itself that it is far slower is not worth the time.
func (s *session) checksMore(t turn, p result.Process) bool {
	m := t.Method
	sample := m.LaunchNS * float64(m.Launches)
	if s.opt.Search || !s.isChecked(t) || sample > float64(neverChecked) || p.Stopped != "" && p.ValueNS > slownessLimit/2*m.LaunchNS {
		return false
	}
	return len(t.Of(t.v.Variant.Variant)) == 0 || sample <= float64(slowToCheck) && rule.CheckTiming(t.Pair(t.to())).Significant
}

// checkMore has a process take more samples, and checks them.
func (s *session) checkMore(ctx context.Context, r kernels.Process, c *Case) (*result.TimingCheck, error) {
	defer s.spend(result.PhaseExternal, time.Now())
	var spec kernels.SpecReply
	if err := r.Call(ctx, "spec", c.Subject.Name, map[string]any{"case": c.Subject.Spec}, &spec, commandReserve); err != nil {
		return nil, err
	}
	args := timeCommand(c.Subject, methodToCheck(*c.Method, hasInout(spec.Tensors)), s.opt.Seed, 0)
	args.NoCanaries, args.TimingCheck = true, kernels.CheckSamples
	reply, err := callTime(ctx, r, c.Subject.Name, args)
	if err != nil {
		return nil, err
	}
	p, err := processOf(reply, args, c.Subject.Name)
	return p.TimingCheck, err
}

// methodToCheck is how the samples of checkMore are taken. inout tensors need a set of buffers for each launch, as timed.
func methodToCheck(m result.Method, inout bool) result.Method {
	most := maxLaunches
	if m.How == kernels.HowSingle || m.How == kernels.HowLoop {
		most = maxLoop
	}
	if inout {
		m.Pool = max(m.Pool, m.Launches)
	} else {
		m.Pool, m.Launches = 1, max(m.Launches, min(most, int(math.Ceil(float64(checkedSample)/m.LaunchNS))))
	}
	if m.How == kernels.HowSingle && m.Launches > 1 {
		m.How = kernels.HowLoop
	}
	sample := m.LaunchNS * float64(m.Launches)
	m.Samples = max(minSamples, int(math.Ceil(float64(checkedSpan)/sample)))
	m.LimitNS = slownessLimit * sample * float64(m.Samples)
	// Where the device waits for the host, the process's clock sees what the external one does.
	m.Cache, m.Block = "hot", false
	return m
}

// timingCheckOf compares what a process says with what the external clock saw. Each of the two is made of the samples as value, which is what the process
// says, was: a clock that is bent in some of them changes no median, and that.
func timingCheckOf(reply kernels.TimeReply, args kernels.TimeCommand, value float64) (*result.TimingCheck, error) {
	check := &result.TimingCheck{ClaimedNS: value, Launches: args.Method.Launches}
	launches := float64(args.Method.Launches)
	if args.TimingCheck == kernels.CheckSeries {
		for _, ns := range reply.Seen {
			check.BeyondNS += ns / launches
		}
		for _, ns := range reply.Samples {
			check.BeyondNS -= ns
		}
		check.BeyondNS /= float64(max(1, len(reply.Samples)))
		return check, nil
	}
	if len(reply.Seen) != len(reply.Samples) {
		return nil, fmt.Errorf("an external timing check saw %d samples, and %d are told of", len(reply.Seen), len(reply.Samples))
	}
	seen, err := valueOf(reply.Seen)
	check.BeyondNS = seen/launches - value
	return check, err
}

func hasInout(tensors []kernels.Tensor) bool {
	return slices.ContainsFunc(tensors, func(t kernels.Tensor) bool { return t.Role == "inout" })
}

// doubt takes back a verdict that head's own clock was bent for, and gives up a case of head alone. A regression stays one.
func (c *Case) doubt() {
	if c.Method != nil && c.Method.IsForeign() {
		return // what is known of its processes is for the conclusion to judge
	}
	t := rule.CheckTiming(c.Pair(c.to()))
	if !t.Significant || c.Verdict == result.Error || c.Verdict == result.Regression {
		return
	}
	c.fail(result.SideHead, &kernels.RunnerError{Code: result.CodeClock, Message: fmt.Sprintf(
		"its clock and the external timing check disagree: head says that a launch takes %.4g µs, "+
			"and by the check it takes %.4g µs more, which is not so on base: the code under test may have changed the clock of its process",
		t.ClaimedNS/1e3, t.HiddenNS/1e3)})
	if n := len(c.Looks); n > 0 {
		c.Looks[n-1].Verdict = c.Verdict
	}
}
