package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Where a subject has a judge, both sides hand the outputs of checked launches over in place of comparing them themselves. They
// wait until a look is due, so that no other process is alive, and on a GPU holds memory, while samples are taken.

// mostHeld bounds what waits for a judge; more is judged before the next process starts.
const mostHeld = 1 << 30

// delivery is the output of one checked launch.
type delivery struct {
	turn
	path string
	seed uint64 // of its inputs
}

// timeOpen has a process of a round time a case, by the method that was fixed before.
func (s *session) timeOpen(ctx context.Context, r kernels.Process, t turn) (result.Process, error) {
	args := timeCommand(t.Subject, *t.Method, s.rng.Uint64(), t.checks)
	args.TimingCheck = s.checkOfSamples(t)
	args.RenewMade = s.opt.Search
	judged := s.isJudged(t)
	switch {
	case judged:
		args.Oracle, args.Deliver = "deliver", filepath.Join(s.outputs(t.v.letter), fmt.Sprintf("timed-%d-", s.rng.Uint64()))
	case !t.v.hasReference:
		args.Oracle = oracleRelaunch
	}
	reply, err := callTime(ctx, r, t.Subject.Name, args)
	if err != nil {
		return result.Process{}, err
	}
	s.spent(reply.Phases)
	p, err := processOf(reply, args, t.Subject.Name)
	if err == nil && judged {
		err = s.keep(t, args, reply.Checks)
	}
	return p, err
}

// isJudged says whether the outputs of a case can wait for a judge.
func (s *session) isJudged(t turn) bool {
	if t.v.Judge == "" {
		return false
	}
	err := parity.Deliverable(t.outputBytes*(checksPerCase+1), s.opt.HeadOutputs)
	if err == nil {
		return true
	}
	if note := t.Subject.Name + ": each side's own process compared its timed outputs: " + err.Error(); !slices.Contains(s.notes, note) {
		s.notes = append(s.notes, note)
	}
	return false
}

func (s *session) outputs(l letter) string {
	if l == letterBase {
		return s.opt.BaseOutputs
	}
	return s.opt.HeadOutputs
}

// keep remembers what was delivered. A process that checks nothing has not done what it was told.
func (s *session) keep(t turn, args kernels.TimeCommand, checks []kernels.OutputCheck) error {
	seed, err := strconv.ParseUint(args.Seed, 10, 64)
	if err != nil {
		return fmt.Errorf("seed of a timing: %w", err)
	}
	if len(checks) == 0 || len(checks) > checksPerCase+1 {
		return &kernels.RunnerError{Code: result.CodeNonsense, Message: fmt.Sprintf("it says that it checked %d launches", len(checks)), Doing: "time " + t.Subject.Name}
	}
	for i, check := range checks {
		s.waiting = append(s.waiting, delivery{t, args.Deliver + strconv.Itoa(i), kernels.CheckSeed(seed, check.Sample)})
	}
	if t.outputBytes == 0 { // a record's method comes without the tensors
		if info, err := os.Lstat(args.Deliver + "0"); err == nil {
			t.outputBytes = info.Size()
		}
	}
	s.held += t.outputBytes * int64(len(checks))
	return nil
}

// judgeMany judges what waits where that has become much.
func (s *session) judgeMany(ctx context.Context) error {
	if s.held < mostHeld {
		return nil
	}
	return s.judge(ctx)
}

// judge judges all that waits. What is wrong becomes the verdict of its case.
func (s *session) judge(ctx context.Context) error {
	waiting := s.waiting
	s.waiting, s.held = nil, 0
	defer func() {
		for _, d := range waiting {
			os.RemoveAll(d.path)
		}
	}()
	start := time.Now()
	for _, group := range grouped(waiting, delivery.judge) {
		if err := s.judgeGroup(ctx, group); err != nil {
			return err
		}
	}
	s.runners += time.Since(start)
	if len(waiting) > 0 {
		s.health() // no process was sampled beside the judge
	}
	return nil
}

// judge is the library that judges an output.
func (d delivery) judge() string { return d.v.Judge }

// judgeGroup judges what is for one library to judge.
func (s *session) judgeGroup(ctx context.Context, group []delivery) error {
	judge := &parity.Judge{Library: group[0].judge(), Start: s.opt.Start}
	defer judge.Close()
	for _, d := range group {
		if d.isBlamed() {
			continue
		}
		side, err := judgeOne(ctx, judge, d)
		fault, err := asFault(err)
		switch {
		case err != nil:
			return err
		case fault == nil:
		case d.v.isAlongside(): // what cannot be checked is no fault of the sides, whose outputs are checked by themselves
			d.failed(fault)
		default:
			if d.Verdict == result.Error {
				side = result.SideBoth // which output lay first is random
			}
			d.fail(side, fault)
			d.judged = d.judged || fault.Code == result.CodeWrongOutput
		}
	}
	return nil
}

// isBlamed says whether this side need not be judged any more: its case has failed, and not by the other side alone.
func (d delivery) isBlamed() bool {
	if d.Verdict != result.Error {
		return false
	}
	other := map[result.Side]result.Side{result.SideBase: result.SideHead, result.SideHead: result.SideBase}[d.v.letter.side()]
	return other == "" || d.ErrorSide != other
}

// judgeOne compares one output with the judge's reference, and where there is none with what its own launch gives. The side says
// whose an error is.
func judgeOne(ctx context.Context, judge *parity.Judge, d delivery) (result.Side, error) {
	s := d.Subject
	question := kernels.JudgeCommand{
		Case: s.Spec, Seed: strconv.FormatUint(d.seed, 10), Values: "spec", Tolerances: s.Tolerances.For("spec"), Bound: s.Tolerances.Bound,
		Outputs: d.path, Launches: 1,
	}
	reply, _, err := judge.Compare(ctx, s.Name, question, probeLimit, parity.OracleReference, parity.OracleLaunch)
	var fault *kernels.RunnerError
	switch {
	case errors.As(err, &fault) && fault.Code == result.CodeBadDelivery:
		return d.v.letter.side(), err
	case err != nil:
		return result.SideBase, err
	case reply.Elements == 0:
		return result.SideBoth, &kernels.RunnerError{Code: result.CodeAdapterFailed, Message: "pg_written says that a timed launch writes nothing, so it cannot be checked"}
	case !reply.Passed:
		return d.v.letter.side(), &kernels.RunnerError{Code: result.CodeWrongOutput, Message: "a timed launch computed something else than base says it should: " + parity.Describe(reply)}
	}
	return "", nil
}
