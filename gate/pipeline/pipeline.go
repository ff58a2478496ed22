// Package pipeline runs the gate: the stages in order, from a configuration to a result. values.go has what its stages hand on.
//
//	configuration -> plan -> builds -> parity -> rounds -> evidence -> result
package pipeline

import (
	"context"
	"strings"
	"time"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/child"
)

// Options say what to run. The configuration has all overrides applied.
type Options struct {
	Trusted    repo.Trusted
	Only       []string // kernels; empty means all
	Cases      []string // patterns of timed cases; empty means all
	Base, Head Side
	// Referee is the side whose build says what is right, where Base is code under test itself. Without a Tree it is Base. It needs the
	// trust in base's rules.
	Referee Side
	Course  *rule.Course // measures all cases together, as a search wants them; nil decides each by itself
	// ChangedFiles are relative to the configuration's folder; ChangesKnown is false where git cannot tell.
	ChangedFiles []string
	ChangesKnown bool
	NoSkip       bool // time identical code all the same
	BaseNamed    bool // this base was asked for: a run that compares nothing with it does not pass
	MayDrop      bool // head's configuration may drop cases of base's: a writer vouches for it, or it alone is asked about
	Stored       *Stored
	// GPU is an index in PCI order or a UUID; "" is the first that CUDA sees. LockClocks is nil for clocks as they are.
	GPU         string
	LockClocks  *machine.ClockLock
	Profile     Profile
	Seed        uint64
	Shard       *plan.Shard // nil: all of the plan; otherwise Seed is made of its
	Desk        string      // folder of the configuration in the checkout that the run was started in; an interpreter's path is relative to it
	Checkout    string      // its top folder
	Scratch     string      // private folder; the caller removes it
	Cache       string
	Version     string
	Repro       string             // command line that makes the same run
	ParityCmd   string             // command line that parity's reproduction arguments are appended to
	Progress    func(Progress)     // may be nil
	Log         child.Log          // of compilers and of what they build; may be nil
	HangLimit   time.Duration      // of one parity case; 0 means the default of parity
	MaxSamples  int                // of a process; 0 means as many as measuring thinks right
	Parity      parity.Wishes      // what is asked of parity beyond the configuration
	Sanitize    bool               // CheckParity alone: look for what a right result does not show, too
	MemoryBytes int64              // of a runner; 0 means most of what is free
	Sandbox     result.SandboxMode // "" is off
	Competitors bool               // measure competitors with when: manual, too
	recording   bool               // head alone is measured, to be recorded
}

// Stages of a run.
const (
	StageBuild   = "build"
	StageWait    = "wait" // for another measurement on this machine
	StageParity  = "parity"
	StageMeasure = "measure"
	StageProfile = "profile" // looking for the reasons of what was measured
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
	return []stage{s.needed, s.open, s.build, s.limit, s.built, s.onDevice(s.timing()...)}
}

// timing are the stages that have the device to themselves.
func (s *session) timing() []stage {
	return []stage{s.find, s.prestart, s.check(checkTimed), s.measure, s.explain}
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
			narrowed, err = only.narrow(v.Asked.Plan, opt)
			return err
		}
		check := func(ctx context.Context, v *Values) (err error) {
			if v.Builds.Kernels, err = through(v.Builds.Kernels, checkable); err != nil {
				return err
			}
			c := s.checker(checkDrawn)
			c.only = narrowed
			if v.Checked, err = c.check(ctx, v.Builds); err != nil || !opt.Sanitize {
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

// OnGPU says whether the kernels of a run need a GPU.
func OnGPU(opt Options) (bool, error) {
	p, err := plan.New(opt.Trusted.Config, opt.Only)
	if err != nil {
		return false, err
	}
	reason, err := whyGPU(opt.Trusted.Config, p.Kernels)
	return reason != "", err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
