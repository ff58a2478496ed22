package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// AloneSubject is a case whose head is measured without a base beside it.
type AloneSubject struct {
	Subject
	Method    *result.Method // of a record; nil calibrates on head, and so all subjects
	WarmUpNS  float64        // that goes with Method
	Processes int            // fresh processes to measure it in
}

// AloneOptions say how to measure head alone.
type AloneOptions struct {
	Budget time.Duration // wall time of all of it
	Seed   uint64
	Start  func(ctx context.Context, library string) (Runner, error)
	// Health says what happened on the machine since it was last asked that spoils a process, or "". May be nil.
	Health   func() string
	Progress func(Progress) // may be nil
	// MaxSamples and Device are those of Options; only calibrating asks for them.
	MaxSamples int
	Device     string
	// Audit looks at processes from outside as well, and gives a subject up where that and what it says of its samples disagree.
	Audit bool
}

// AloneOutcome is all that measuring head alone found out.
type AloneOutcome struct {
	Cases  map[string]*Alone // by name
	WarmUp result.WarmUp
	Notes  []string
}

// Alone is what was measured of a subject.
type Alone struct {
	Processes []result.Process // side head, four to a round; none where there is a fault
	// Fault of the code under test, of the machine or of the budget, in words; "" where all processes came through.
	Fault        string
	Method       *result.Method
	Flops, Bytes float64 // of a launch; 0 where Method came with the subject
	HalfInputs   bool    // as of a Case; not known where Method came with the subject
	calibrated   bool    // Method was found here, from what the adapter says of itself
}

// Summary describes the processes; nil if there are none.
func (a *Alone) Summary() *result.Summary {
	c := Case{Processes: a.Processes, Flops: a.Flops, Bytes: a.Bytes, HalfInputs: a.HalfInputs}
	if a.calibrated {
		c.Method = a.Method
	}
	return c.Summary(result.SideHead)
}

// RunAlone measures head in fresh processes. Faults of the code under test are in the outcome: rounds will find out whose
// they are. The error is ours, the machine's or the context's.
func RunAlone(ctx context.Context, subjects []AloneSubject, opt AloneOptions) (AloneOutcome, error) {
	s := &aloneSession{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x616c6f6e65)), out: map[string]*Alone{}, audits: map[string][]audit{}, began: time.Now()}
	most := 0
	for _, subject := range subjects {
		s.out[subject.Name] = &Alone{Method: subject.Method}
		s.warmUp = result.WarmUp{NS: max(s.warmUp.NS, subject.WarmUpNS), Held: true} // of several records the longest
		most = max(most, subject.Processes)
	}
	if slices.ContainsFunc(subjects, func(a AloneSubject) bool { return a.Method == nil }) {
		if err := s.calibrate(ctx, subjects); err != nil {
			return s.outcome(), err
		}
	}
	budget, cancel := context.WithTimeoutCause(ctx, opt.Budget, errBudget)
	defer cancel()
	s.health() // what happened before is no process's fault
	for n := range most {
		err := s.turn(budget, s.left(subjects, n), n)
		if errors.Is(context.Cause(budget), errBudget) && ctx.Err() == nil {
			s.budgetGone(subjects)
			break
		}
		if err != nil {
			return s.outcome(), err
		}
	}
	s.doubt(subjects)
	return s.outcome(), nil
}

func (s *aloneSession) outcome() AloneOutcome {
	return AloneOutcome{Cases: s.out, WarmUp: s.warmUp, Notes: s.notes}
}

// calibrate looks at every case once on head and freezes how it is timed.
func (s *aloneSession) calibrate(ctx context.Context, subjects []AloneSubject) error {
	look := &session{opt: Options{Seed: s.opt.Seed, Start: s.opt.Start, Device: s.opt.Device, MaxSamples: s.opt.MaxSamples}}
	for _, a := range subjects {
		a.Base = a.Head
		look.cases = append(look.cases, &Case{Subject: a.Subject, Verdict: result.Undecided})
	}
	probes := map[*Case]probe{}
	if err := look.probeSide(ctx, result.SideBase, probes); err != nil {
		return err
	}
	look.freeze(probes, probes)
	s.warmUp, s.notes = look.warmUp, look.notes
	for _, c := range look.cases {
		s.out[c.Subject.Name] = &Alone{Method: c.Method, Flops: c.Flops, Bytes: c.Bytes, HalfInputs: c.HalfInputs, calibrated: true, Fault: c.Reason}
	}
	return nil
}

// aloneSession is one call of RunAlone.
type aloneSession struct {
	opt   AloneOptions
	rng   *rand.Rand
	out   map[string]*Alone
	began time.Time

	audits map[string][]audit // by name

	warmUp result.WarmUp
	notes  []string
}

// fault gives up a subject: what came through before does not count.
func (s *aloneSession) fault(a AloneSubject, why string) {
	c := s.out[a.Name]
	c.Processes, c.Fault = nil, why
}

// left are the subjects that want another process after n.
func (s *aloneSession) left(subjects []AloneSubject, n int) []AloneSubject {
	return slices.DeleteFunc(slices.Clone(subjects), func(a AloneSubject) bool {
		return s.out[a.Name].Fault != "" || len(s.out[a.Name].Processes) > n || a.Processes <= n
	})
}

// budgetGone gives up what is not complete: fewer processes than planned might not settle a case, and rounds need the time.
func (s *aloneSession) budgetGone(subjects []AloneSubject) {
	for _, a := range subjects {
		if c := s.out[a.Name]; c.Fault != "" || len(c.Processes) >= a.Processes {
			continue
		}
		s.fault(a, fmt.Sprintf("the %s of the budget that head alone may take were gone", s.opt.Budget.Round(time.Millisecond)))
	}
}

// turn measures every subject once, each library in one fresh process, in an order by lot.
func (s *aloneSession) turn(ctx context.Context, left []AloneSubject, n int) error {
	s.rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for _, group := range byHead(left) {
		if err := s.process(ctx, group, n); err != nil {
			return err
		}
	}
	return nil
}

func byHead(subjects []AloneSubject) [][]AloneSubject {
	index := map[string]int{}
	var groups [][]AloneSubject
	for _, a := range subjects {
		i, ok := index[a.Head]
		if !ok {
			i = len(groups)
			index[a.Head] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}

// process measures the subjects of one library in one fresh process.
func (s *aloneSession) process(ctx context.Context, group []AloneSubject, n int) error {
	r, err := s.opt.Start(ctx, group[0].Head)
	if err != nil {
		return s.blame(group, err)
	}
	defer r.Close()
	if err := warm(ctx, r, s.warmUp.NS); err != nil {
		return s.blame(group, err)
	}
	for i, a := range group {
		s.progress(a, n)
		p, err := s.sample(ctx, r, a)
		if err != nil {
			return s.blame(group[i:], err)
		}
		p.Round, p.Position, p.Side = n/4, n%4, result.SideHead
		s.out[a.Name].Processes = append(s.out[a.Name].Processes, p)
		if err := s.audit(ctx, r, a, p); err != nil {
			return s.blame(group[i:], err)
		}
	}
	if disturbed := s.health(); disturbed != "" {
		for _, a := range group {
			s.fault(a, "the machine was disturbed: "+disturbed)
		}
	}
	return nil
}

func (s *aloneSession) sample(ctx context.Context, r Runner, a AloneSubject) (result.Process, error) {
	return timeCase(ctx, r, a.Subject, *s.out[a.Name].Method, s.rng.Uint64())
}

// audit looks at a process from outside, in the first round.
func (s *aloneSession) audit(ctx context.Context, r Runner, a AloneSubject, p result.Process) error {
	m := *s.out[a.Name].Method
	if !s.opt.Audit || !audited(m, p.Round, p.Position) {
		return nil
	}
	seen, ok, err := watch(ctx, r, a.Subject, m, s.opt.Seed)
	if err == nil && ok {
		s.audits[a.Name] = append(s.audits[a.Name], seen)
	}
	return err
}

// doubt gives up subjects whose clock and ours disagree.
func (s *aloneSession) doubt(subjects []AloneSubject) {
	for _, a := range subjects {
		if ns := hiddenAlone(s.audits[a.Name], *s.out[a.Name].Method); ns > 0 {
			s.fault(a, disagrees(ns, average(s.audits[a.Name], audit.saysOf)).Message)
		}
	}
}

// blame files a fault of the code under test under the subjects that it leaves without values.
func (s *aloneSession) blame(group []AloneSubject, err error) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	for _, a := range group {
		s.fault(a, fault.Brief())
	}
	return nil
}

func (s *aloneSession) health() string {
	if s.opt.Health == nil {
		return ""
	}
	return s.opt.Health()
}

func (s *aloneSession) progress(a AloneSubject, n int) {
	if s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{Case: a.Name, Round: n/4 + 1, Process: n % 4, Open: len(s.out), Remaining: s.opt.Budget - time.Since(s.began)})
}
