// Package measure times cases: base and head in interleaved rounds of fresh processes, looked at from time to time,
// until the bounds decide or the budget is gone.
package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Subject is a case to be timed, with the libraries of its two sides.
type Subject struct {
	Name       string
	Spec       kernels.CaseSpec
	Base, Head string         // libraries
	Waits      bool           // its process may open the device before its turn, and load the library in it
	Shares     bool           // and with Options.StartAhead be shared with other cases of its side that share, whatever their library
	Cache      string         // cold or hot
	Host       bool           // what a launch costs the host is timed, in place of the kernel
	Like       *result.Method // how records have timed it; nil where there are none. A Benchmark chooses for itself.
	Tolerances oracle.Tolerances
	// Judge is the library that says, in a process of its own, what timed outputs should be; "" lets each side's own say it.
	Judge  string
	Rivals []Rival // at most result.MaxRivals
	// Benchmark times the case in the place of the harness, which then has no part in it; nil where there is none.
	Benchmark Benchmark
}

// Runner is a live process that answers commands.
type Runner = oracle.Runner

// Options say how to measure.
type Options struct {
	Policy   result.Policy
	Budget   time.Duration // wall time of all rounds
	Seed     uint64
	Start    oracle.Start
	Progress func(Progress) // may be nil
	// MaxSamples bounds the samples of a process, and its warm-up to 5 ms, where a quick look is enough, as for effects that need no
	// precision; 0 means as many and as long as the design says.
	MaxSamples int
	// Course measures all cases together, as a search wants them; nil decides each by itself.
	Course *rule.Course
	Device string // result.DeviceCPU, which "" means as well, or result.DeviceCUDA
	// Health says what happened on the machine since it was last asked that voids a round, or "". It is asked after each
	// process of a round. May be nil.
	Health func() (void string)
	// StartAhead starts a process that has opened the device and loaded nothing: op load follows. With it start the processes of cases that
	// wait, the next one while one measures. nil where that would be noticed, as on a CPU.
	StartAhead func(ctx context.Context, side result.Side, library string) (Runner, error)
	// Ahead is how many processes may wait for their turn; 0 means one. Interpreters import for longer than others measure.
	Ahead int
	// NoAudit leaves out that processes are watched from outside: for times that nothing is decided by, such as a record's.
	NoAudit bool
	// Outputs are the folders, of base and of head, where timed outputs wait for a judge; each side's runners write into theirs. ""
	// where no subject has a judge.
	BaseOutputs, HeadOutputs string
}

// Progress is where the measuring stands.
type Progress struct {
	Case      string
	Round     int // from 1
	Process   int // 0 to 3
	Open      int // cases without a verdict
	Last      *result.Comparison
	Remaining time.Duration // of the budget
}

// Case is what was found out about a subject.
type Case struct {
	Subject      Subject
	Method       *result.Method // nil where it could not be calibrated
	Flops, Bytes float64
	HalfInputs   bool // all floating inputs are of a type that tensor cores take
	outputBytes  int64
	checks       int  // of timed outputs, by each process
	calibrated   bool // here, by what the adapter says of the case
	BaseLaunches []kernels.LaunchShape
	HeadLaunches []kernels.LaunchShape
	Processes    []result.Process
	Looks        []result.Look
	Comparison   *result.Comparison
	Verdict      result.Verdict
	ErrorSide    result.Side
	ErrorCode    result.Code
	Reason       string
	BudgetGone   bool
	BudgetNeeded float64 // seconds that all looks would take

	rivals   []*beside
	planned  int                     // processes of head alone
	pardoned []result.Side           // that seemed to work outside of the clock once
	audits   map[result.Side][]audit // by side
}

// Outcome is all that measuring found out; of head alone it has no rounds.
type Outcome struct {
	Cases          []*Case
	Rounds         []result.Round
	WarmUp         result.WarmUp
	RunnersSeconds float64 // spent inside runners
	Phases         result.PhaseSeconds
	Notes          []string
}

// session is one call of Run or RunAlone.
type session struct {
	opt    Options
	alone  bool // it measures head alone, and no rounds
	cases  []*Case
	rounds []result.Round // complete ones
	ran    []result.Round // with those that were voided
	warmUp result.WarmUp
	rng    *rand.Rand
	orders rule.Orders
	// rivalLooks are the numbers of rounds after which rivals are looked at; none where no case has any.
	rivalLooks []int
	next       []*ahead      // processes that start or wait, in the order of their turns
	ending     chan struct{} // closed when the process before has ended; nil where none is ending
	crowded    bool          // there is no room for two processes
	apart      bool          // the next process starts with nothing beside it
	runners    time.Duration
	phases     result.PhaseSeconds
	notes      []string
	began      time.Time // of round 1
	waiting    []delivery
	held       int64 // bytes that they hold
}

// Run measures the subjects. Faults of the code under test end up in their cases; the error is ours, the machine's or
// the context's.
func Run(ctx context.Context, subjects []Subject, opt Options) (Outcome, error) {
	s := &session{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x70657266))}
	for _, subject := range subjects {
		s.add(subject)
	}
	s.placeRivals()
	defer s.leaveNone()
	if err := s.calibrate(ctx); err != nil {
		return s.outcome(), err
	}
	err := s.roundsUntilDecided(ctx)
	return s.outcome(), err
}

func (s *session) add(subject Subject) *Case {
	subject.Shares = subject.Shares && s.opt.StartAhead != nil // Start gives a process one library and no right to read others
	c := &Case{Subject: subject, Verdict: result.Undecided, checks: checksPerCase, rivals: besides(subject)}
	s.cases = append(s.cases, c)
	return c
}

func (s *session) outcome() Outcome {
	return Outcome{Cases: s.cases, Rounds: s.ran, WarmUp: s.warmUp, RunnersSeconds: s.runners.Seconds(), Phases: s.phases, Notes: s.notes}
}

func (s *session) open() []*Case {
	var open []*Case
	for _, c := range s.cases {
		if s.alone && c.Verdict == result.Undecided && len(c.Processes) < c.planned || !s.alone && c.isOpen() {
			open = append(open, c)
		}
	}
	return open
}

func (s *session) remaining() time.Duration { return s.opt.Budget - time.Since(s.began) }

func (s *session) roundsUntilDecided(ctx context.Context) error {
	budget, cancel := s.begin(ctx)
	defer cancel()
	for len(s.open()) > 0 {
		voided, err := s.round(budget)
		if isGone(budget, ctx) {
			s.budgetGone()
			return nil
		}
		if err != nil {
			return err
		}
		if voided {
			continue
		}
		if s.lookIsDue() {
			if err := s.judge(budget); err != nil {
				return err
			}
		}
		if err := s.look(); err != nil {
			return err
		}
		if err := s.lookAtRivals(); err != nil {
			return err
		}
	}
	return nil
}

var errBudget = errors.New("the budget is gone")

// begin starts the budget. What happened to the machine while calibrating is no process's fault.
func (s *session) begin(ctx context.Context) (budget context.Context, cancel context.CancelFunc) {
	s.health()
	s.began = time.Now()
	return context.WithTimeoutCause(ctx, s.opt.Budget, errBudget)
}

// isGone says whether it was the budget that ended something, and not what the session was given to run in.
func isGone(budget, session context.Context) bool {
	return errors.Is(context.Cause(budget), errBudget) && session.Err() == nil
}

// budgetGone gives what is still open its last word: without all its looks a case is not decided.
func (s *session) budgetGone() {
	complete := len(s.rounds)
	perRound := s.roundSeconds()
	for _, c := range s.open() {
		c.rivalsCutShort()
		c.dropPartialRound(complete)
		if c.Verdict != result.Undecided {
			continue
		}
		c.Verdict = result.Inconclusive
		c.BudgetGone = true
		c.BudgetNeeded = perRound * float64(s.lastLook())
		rounds := "rounds"
		if complete == 1 {
			rounds = "round"
		}
		c.Reason = fmt.Sprintf("the budget of %s was gone after %d complete %s", s.opt.Budget, complete, rounds)
	}
}

// roundSeconds estimates what a round takes. Before one was complete there is only what calibration planned: the samples,
// and about as much again for starting, filling and checking.
func (s *session) roundSeconds() float64 {
	if complete := len(s.rounds); complete > 0 {
		return s.opt.Budget.Seconds() / float64(complete)
	}
	planned := s.warmUp.NS
	for _, c := range s.open() {
		planned += 2 * c.Method.LimitNS / slownessLimit
	}
	return max(s.opt.Budget.Seconds(), float64(2*(2+s.orders.Rivals))*planned/1e9)
}

// dropPartialRound removes what the interrupted round measured.
func (c *Case) dropPartialRound(complete int) {
	late := func(p result.Process) bool { return p.Round >= complete }
	c.Processes = slices.DeleteFunc(c.Processes, late)
	for _, b := range c.rivals {
		b.Processes = slices.DeleteFunc(b.Processes, late)
	}
	if complete == 0 {
		c.audits = nil
	}
}

// fail gives a case the verdict error, or a rival of it no answer.
func (c *Case) fail(side result.Side, fault *kernels.RunnerError) {
	if side.IsRival() {
		c.rival(side).fail(fault)
		return
	}
	if fault.Code == result.CodeCoarseClock { // on which side it was seen first is chance
		side = result.SideNone
	}
	c.Verdict, c.ErrorSide, c.ErrorCode, c.Reason = result.Error, side, fault.Code, fault.Brief()
}
