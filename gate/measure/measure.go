// Package measure times cases in rounds of fresh processes until a stop rule has enough rounds or the time budget is exhausted.
// What stands in a round is its Design: base and head side by side, head only, or many configurations of one kernel.
//
//	cases, Design -> calibration, pilot -> rounds, each position a fresh process -> samples
//	samples -> rule.StopRule, at interim looks -> more rounds, or the end
//	Program: a benchmark that times itself -> its cases from a first run; in the rounds, its samples
package measure

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Subject is a case to be timed.
type Subject struct {
	Name     string
	Spec     kernels.CaseSpec
	Variants []Variant
	To       result.Variant // the one that head is compared with, in every round beside it; the zero value is base
	// Tolerance is the slowdown that passes in that comparison (fraction); 0 is what the policy has for the case.
	Tolerance float64
	Cache     string         // cold or hot
	Host      bool           // what a launch costs the host is timed, in place of the kernel
	Like      *result.Method // how records have timed it; nil where there are none. A Benchmark chooses for itself.
	// Method is how a record has timed it, and WarmUpNS what goes with that: head alone is timed so. Where any subject has none, all are calibrated.
	Method     *result.Method
	WarmUpNS   float64
	Tolerances parity.Tolerances
	// Benchmark times the case in the place of the harness, which then has no part in it; nil where there is none.
	Benchmark Benchmark
	Row       string // what that calls the case
}

// Options say how to measure.
type Options struct {
	Policy   result.Policy
	Budget   time.Duration // wall time of all rounds
	Seed     uint64
	Start    parity.StartLibrary
	Progress func(Progress) // may be nil
	// MaxSamples bounds the samples of a process, and its warm-up to 5 ms, where a quick look is enough, as for effects that need no
	// precision; 0 means as many and as long as the design says.
	MaxSamples int
	Design     *Design         // nil is Paired
	Stop       rule.StopRule   // nil is rule.Gate
	Also       []rule.StopRule // keep cases in the rounds for longer, as that of a suite does
	// Search says that the code under test is untrusted, and knows again what it has seen.
	Search bool
	Device string // result.DeviceCPU, which "" means as well, or result.DeviceCUDA
	// Health says what happened on the machine since it was last asked that voids a round, or "". It is asked after each
	// process of a round. May be nil.
	Health func() (void string)
	// StartAhead starts a process that has opened the device and loaded nothing: op load follows. With it start the processes of cases that
	// wait, the next one while one measures. nil where that would be noticed, as on a CPU.
	StartAhead func(ctx context.Context, side result.Side, library string) (kernels.Process, error)
	// Ahead is how many processes may wait for their turn; 0 means one. Interpreters import for longer than others measure.
	Ahead int
	// Quiet keeps builds of the host from running until leave. It is asked once it is known that the host's part of a launch is in the times of a case.
	// nil where they do not run from the start.
	Quiet func(ctx context.Context) (leave func(), err error)
	// NoTimingCheck leaves out external timing checks: for times that nothing is decided by, such as a record's.
	NoTimingCheck bool
	// Outputs are the folders, of base and of head, where timed outputs wait for a judge; each side's runners write into theirs. ""
	// where no subject has a judge.
	BaseOutputs, HeadOutputs string
}

// Progress is where the measuring stands.
type Progress struct {
	Case      string
	Round     int // from 1
	Process   int // 0 to 3
	Open      int // cases without a verdict, each as often as variants stand in head's place
	Last      *result.Comparison
	Remaining time.Duration // of the budget
}

// Case is what was found out about a subject: what a result has of a case, which stop rules decide, and what only rounds need.
type Case struct {
	result.Case
	Subject      Subject
	HalfInputs   bool // all floating inputs are of a type that tensor cores take
	BaseLaunches []kernels.LaunchShape
	HeadLaunches []kernels.LaunchShape

	outputBytes int64
	checks      int     // of timed outputs, by each process
	calibrated  bool    // here, by what the adapter says of the case
	spanNS      float64 // of the samples that a process is to take
	variants    []variant
	stops       []rule.StopRule
	probes      []named // the first looks at them, in that order
	judged      bool    // an output was wrong, which nothing that disturbs the machine excuses
}

// Outcome is all that measuring found out.
type Outcome struct {
	Cases          []*Case // in the order of the subjects
	Rounds         []result.Round
	WarmUp         result.WarmUp
	RunnersSeconds float64 // spent inside runners
	Phases         result.PhaseSeconds
	Notes          []string
	BudgetGone     bool // before the stop rule had enough
	// NeededS is what two mirrored rounds would take, where the budget was gone before: no comparison is made of fewer. 0 where that is not known.
	NeededS float64
}

// session is one call of Rounds.
type session struct {
	opt     Options
	design  *Design
	cases   []*Case
	rounds  []result.Round // complete ones
	ran     []result.Round // with those that were voided
	warmUp  result.WarmUp
	rng     *rand.Rand
	orders  rule.Orders
	stops   []rule.StopRule               // Options.Stop, which says how many rounds there are, Options.Also, and that of competitors where a case has any
	pool    *child.Pool[wanted, *running] // starts processes while another one measures
	runners time.Duration
	starts  int // of processes
	phases  result.PhaseSeconds
	notes   []string
	began   time.Time // of round 1
	gone    bool      // the budget
	needed  float64   // s, by what mirrored rounds took
	waiting []delivery
	held    int64 // bytes that they hold
}

// Rounds measures the subjects. Faults of the code under test end up in their cases; the error is ours, the machine's or
// the context's.
//
// A case of head alone has all of its processes, or none: then its verdict is error, and Reason says what of the code, the machine or the budget was in
// the way. Paired rounds will find out whose fault it is.
func Rounds(ctx context.Context, subjects []Subject, opt Options) (Outcome, error) {
	if opt.Stop == nil {
		gate := rule.NewGate(opt.Policy)
		gate.Pair = pairs(subjects)
		opt.Stop = gate
	}
	design := cmp.Or(opt.Design, Paired)
	s := &session{opt: opt, design: design, stops: append([]rule.StopRule{opt.Stop}, opt.Also...), rng: rand.New(rand.NewPCG(opt.Seed, design.stream))}
	s.pool = s.newPool()
	for _, subject := range subjects {
		s.cases = append(s.cases, s.newCase(subject))
	}
	if design.base {
		s.orders.Even = design.even || rule.ScheduleOf(opt.Policy).Even
	}
	s.askStopRules()
	defer s.pool.Drop()
	if err := s.calibrate(ctx); err != nil {
		return s.outcome(), err
	}
	for _, c := range s.cases {
		s.addConfigurations(c)
	}
	if s.refuse() {
		return s.outcome(), nil
	}
	if s.opt.Quiet != nil && slices.ContainsFunc(s.cases, func(c *Case) bool { return c.Method == nil || c.Method.NeedsHost() }) {
		leave, err := s.opt.Quiet(ctx)
		if err != nil {
			return s.outcome(), err
		}
		defer leave()
	}
	err := s.roundsUntilOver(ctx)
	return s.outcome(), err
}

func (s *session) outcome() Outcome {
	for _, c := range s.cases {
		if s.design.whole && c.Verdict == result.Error {
			c.Processes, c.Comparisons, c.variants = nil, nil, nil
		}
		c.summarize()
	}
	return Outcome{
		Cases: s.cases, Rounds: s.ran, WarmUp: s.warmUp, RunnersSeconds: s.runners.Seconds(), Phases: s.phases, Notes: s.notes,
		BudgetGone: s.gone, NeededS: s.needed,
	}
}

// open are the cases that are measured further.
func (s *session) open() []*Case {
	return slices.DeleteFunc(slices.Clone(s.cases), func(c *Case) bool {
		return !c.IsOpen() || s.design.whole && len(c.Of(result.VariantHead)) >= s.opt.Stop.Last()
	})
}

func (c *Case) fail(side result.Side, fault *kernels.RunnerError) {
	if fault.Code == result.CodeCoarseClock { // on which side it was seen first is chance
		side = result.SideNone
	}
	c.Verdict, c.ErrorSide, c.ErrorCode, c.Reason = result.Error, side, fault.Code, result.Message(fault.Brief())
}
