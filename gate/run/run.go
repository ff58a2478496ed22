// Package run runs the gate: the stages in order, from a configuration to a result. Each verb (run, parity, record, precheck, versus, tune) is a list of
// them. values.go has what they hand on, options.go what each of them is told, session.go what they work with.
//
//	configuration -> plan -> builds -> parity -> rounds -> evidence -> result
package run

import (
	"context"
	"strings"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// Stages of a run.
const (
	StageBuild   = "build"
	StageWait    = "wait" // for another measurement on this machine
	StageParity  = "parity"
	StageMeasure = "measure"
	StageProfile = "profile" // looking for the reasons of what was measured
	StageFailed  = "failed"  // a kernel of head's that is not timed: What says why, before the rounds of others
)

// Progress is where the run stands.
type Progress struct {
	Stage       string
	What        string // kernel, or who holds the lock
	Done, Total int
	Measure     *measure.Progress
}

// Run takes a configuration to a result. Faults of the code under test are in the result; the error is ours, the
// machine's or the context's, and then there is no verdict.
func Run(ctx context.Context, opt Options) (*result.Result, error) {
	v, err := Stages(ctx, opt)
	if err != nil {
		return nil, err
	}
	return v.Assemble(), nil
}

// Stages is Run with all that its stages found out.
func Stages(ctx context.Context, opt Options) (Values, error) {
	return runStages(ctx, opt, (*session).gate)
}

// gate are the stages of a run.
func (s *session) gate() []stage {
	return []stage{s.needed, s.open, s.opt.alone(s.build), s.limit, s.built, s.onDevice(s.timing()...)}
}

// timing are the stages that have the device to themselves.
func (s *session) timing() []stage {
	return []stage{s.turns.untimedOnCPU(s.find), s.prestart, s.check(checkTimed), s.measure, s.turns.untimedOnCPU(s.explain)}
}

// ParityOnly narrows a run that only checks parity.
type ParityOnly struct {
	Case  string // one case of the one kernel; "" draws from the plan
	Cases int    // how many to draw; 0 is the configuration's
}

// CheckParity builds and checks parity, without timing anything. The result holds kernels and a conclusion, no cases.
// Base is built only where Options name it.
func CheckParity(ctx context.Context, opt Options, only ParityOnly) (*result.Result, error) {
	v, err := runStages(ctx, opt, func(s *session) []stage {
		var narrowed map[string][]plan.FuzzCase
		narrow := func(_ context.Context, v *Values) (err error) {
			narrowed, err = only.narrow(v.Asked.Plan, opt.Question)
			return err
		}
		check := func(ctx context.Context, v *Values) (err error) {
			if v.Builds.Kernels, err = through(v.Builds.Kernels, checkable); err != nil {
				return err
			}
			c := s.checker(checkDrawn)
			c.only = narrowed
			if v.Checked, err = c.check(ctx, v.Builds); err != nil || !opt.Parity.Sanitize {
				return err
			}
			return c.sanitize(ctx, &v.Checked, only)
		}
		return []stage{narrow, s.open, s.build, s.besideNobody(check)}
	})
	if err != nil {
		return nil, err
	}
	return v.AssembleParity(), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
