// Package pipeline runs the gate: configuration to plan, builds, parity, rounds, verdict, result.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Side is one of the two things compared, laid out in a folder.
type Side struct {
	Tree string // the folder that the configuration's paths are relative to; "" where there is no such side
	Root string // the folder around it that holds all of the side; "" means Tree
	// TreeID names all that Root holds, where it was laid out from git; "" otherwise.
	TreeID string
	Info   result.Version
}

// NewSide is a laid-out side seen from the configuration's folder dir within it, with flags of its own.
func NewSide(s repo.Side, dir string, flags []string) Side {
	if s.Root == "" {
		return Side{}
	}
	s.Info.Flags = flags
	return Side{Tree: filepath.Join(s.Root, dir), Root: s.Root, TreeID: s.TreeID, Info: s.Info}
}

// Options say what to run. The configuration has all overrides applied.
type Options struct {
	Trusted    repo.Trusted
	Only       []string // kernels; empty means all
	Base, Head Side
	// ChangedFiles are relative to the configuration's folder; ChangesKnown is false where nobody can tell.
	ChangedFiles []string
	ChangesKnown bool
	NoSkip       bool // time identical code all the same
	BaseNamed    bool // somebody asked for this base: a run that compares nothing with it does not pass
	Stored       *Stored
	// GPU is an index in PCI order or a UUID; "" is the first that CUDA sees. LockClocks is nil for clocks as they are.
	GPU         string
	LockClocks  *machine.ClockLock
	Profile     Profile
	Seed        uint64
	Shard       *plan.Shard // nil: all of the plan; otherwise Seed is made of its
	Scratch     string      // private folder; the caller removes it
	Cache       string
	Version     string
	Repro       string         // command line that makes the same run
	ParityCmd   string         // command line that parity's reproduction arguments are appended to
	Progress    func(Progress) // may be nil
	HangLimit   time.Duration  // of one parity case; 0 means the default of parity
	MaxSamples  int            // of a process; 0 means as many as measuring thinks right
	Parity      parity.Wishes  // what is asked of parity beyond the configuration
	Sanitize    bool           // CheckParity alone: look for what a right result does not show, too
	MemoryBytes int64          // of a runner; 0 means most of what is free
	Sandbox     string         // SandboxAuto, SandboxOn or SandboxOff, which "" means as well
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

// run is one call of Run.
type run struct {
	opt            Options
	config         *config.Config
	plan           *plan.Plan
	policy         result.Policy
	device         device
	harness        kernels.Harness
	builder        *kernels.Builder
	built          map[string]kernels.Library // by all that they were built from
	kept           map[string]string          // base's own adapters, of kernels that are nothing else
	kernels        []*kernelRun
	started        time.Time
	waited         time.Duration
	sandbox        *kernels.Sandbox // nil: builds and runners may touch what the user may
	sandboxWorks   bool             // a runner has started in it
	readable       []string         // in the sandbox; nil until it was listed
	leftBefore     int
	segmentsBefore child.SegmentsLeft
	history        *lookedUp  // nil until records were asked for
	screening      *screening // nil where records have no part in this run
	res            *result.Result
}

// kernelRun is what becomes of one kernel on its way through the stages.
type kernelRun struct {
	plan       plan.KernelPlan
	record     result.Kernel
	base, head kernels.Library
	cases      []result.Case
	fuzz       []plan.FuzzCase // what parity runs; nil draws from the plan
	misfit     string          // how head changes what base's adapter says, or ""
}

// Run takes a configuration to a result. Faults of the code under test are in the result; the error is ours, the
// machine's or the context's, and then there is no verdict.
func Run(ctx context.Context, opt Options) (*result.Result, error) {
	r, err := newRun(opt)
	if err != nil {
		return nil, err
	}
	if r.unwatched() {
		return r.res, nil
	}
	defer r.closeDevice()
	for _, stage := range []func(context.Context) error{r.build, r.limits, r.lockedStages} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r.res, nil
}

func newRun(opt Options) (*run, error) {
	p, err := plan.New(opt.Trusted.Config, opt.Only)
	if err != nil {
		return nil, err
	}
	if opt.Shard != nil {
		if p, err = p.Shard(*opt.Shard); err != nil {
			return nil, err
		}
		opt.Seed = opt.Shard.OwnSeed()
	}
	r := &run{opt: opt, config: opt.Trusted.Config, plan: p, started: time.Now(), policy: Policy(opt.Trusted.Config, p.K)}
	r.policy.NeedsBase = opt.BaseNamed
	if err := r.policy.Validate(); err != nil {
		return nil, err
	}
	r.begin()
	return r, r.openSandbox()
}

// unwatched concludes at once where head changes no file that matters. Flags of one side are a change too.
func (r *run) unwatched() bool {
	o := r.opt
	if !o.ChangesKnown || o.NoSkip || len(o.Base.Info.Flags)+len(o.Head.Info.Flags) > 0 || len(plan.Watched(r.config, o.ChangedFiles)) > 0 {
		return false
	}
	reason := "head changes no watched file, so nothing was built or timed"
	if slices.ContainsFunc(r.plan.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.Build != nil }) {
		reason += " (what a build command reads, watch alone says)"
	}
	if len(o.ChangedFiles) == 0 {
		reason = "head changes nothing, so nothing was built or timed"
		if base := o.Base.Info; strings.HasPrefix(base.Label, repo.MergeBase) && base.Revision == o.Head.Info.Revision {
			reason = fmt.Sprintf("head is the %s itself, so nothing was built or timed: --base HEAD~1 compares with the commit before", base.Label)
		}
	}
	r.res.Conclusion = gate.NothingToDo(reason)
	r.res.Machine.LoadAfter = machine.Load()
	r.res.Timings.TotalS = time.Since(r.started).Seconds()
	return true
}

// Policy is the decision policy of a configuration for k timed cases.
func Policy(c *config.Config, k int) result.Policy {
	return result.Policy{
		Tolerance: c.Gate.Tolerance, Improvement: c.Gate.Improvement, Confidence: c.Gate.Confidence,
		OnInconclusive: result.OnInconclusive(c.Gate.OnInconclusive), Cases: max(1, k),
	}
}

func (r *run) begin() {
	o := r.opt
	r.res = &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "perfgate", Version: o.Version}, Started: r.started.UTC(),
		Repro: o.Repro, Seed: strconv.FormatUint(o.Seed, 10), Policy: r.policy, BudgetS: r.config.Gate.Budget.Seconds(),
		Config:  result.Config{File: filepath.Base(r.config.File), SHA256: r.config.SHA256, Trust: o.Trusted.Trust, Changed: o.Trusted.Changed},
		Base:    o.Base.Info,
		Head:    o.Head.Info,
		Machine: machine.Describe(),
	}
	if s := o.Shard; s != nil {
		r.res.Shard = &result.Shard{Index: s.Index, Of: s.Of, Seed: strconv.FormatUint(s.Seed, 10)}
	}
	if o.Trusted.NoBaseConfig {
		r.res.Notes = append(r.res.Notes, "base has no configuration, so head's own was used")
	}
	for _, k := range r.plan.Kernels {
		r.kernels = append(r.kernels, &kernelRun{plan: k, record: result.Kernel{Name: k.Kernel.Name, Parity: result.Parity{Status: result.ParitySkipped}}})
	}
}

// lockedStages use the device: one perfgate at a time.
func (r *run) lockedStages(ctx context.Context) error {
	if !r.anythingToRun() {
		return nil
	}
	return r.locked(ctx, func() error {
		if err := r.parity(ctx); err != nil {
			return err
		}
		if err := r.refusedCases(ctx, true); err != nil {
			return err
		}
		if err := r.measure(ctx); err != nil {
			return err
		}
		return r.evidence(ctx)
	})
}

// locked does something while this run has the device to itself.
func (r *run) locked(ctx context.Context, do func() error) (err error) {
	lock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	finish, err := r.prepareGPU()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finish()) }()
	return do()
}

func (r *run) lock(ctx context.Context) (*machine.Lock, error) {
	start := time.Now()
	defer func() { r.waited += time.Since(start) }()
	return machine.Acquire(ctx, r.device.lockName(), func(holder string) { r.progress(Progress{Stage: StageWait, What: holder}) })
}

func (r *run) anythingToRun() bool {
	for _, k := range r.kernels {
		if k.record.Status == "" || k.record.Status == result.KernelNew {
			return true
		}
	}
	return false
}

func (r *run) progress(p Progress) {
	if r.opt.Progress != nil {
		r.opt.Progress(p)
	}
}

// finish concludes and fills in what is known only at the end.
func (r *run) finish() {
	for _, k := range r.kernels {
		k.fillCases()
		r.res.Kernels = append(r.res.Kernels, k.record)
		r.res.Cases = append(r.res.Cases, k.cases...)
	}
	r.closeSandbox()
	policy := r.policy
	if r.opt.Shard != nil {
		policy = policy.OfPart()
	}
	r.res.Conclusion = gate.Conclude(r.res.Cases, r.res.Kernels, policy)
	r.res.Machine.LoadAfter = machine.Load()
	t := &r.res.Timings
	t.WaitS = r.waited.Seconds()
	t.TotalS = time.Since(r.started).Seconds()
	t.OverheadS = t.TotalS - t.CompileS - t.RunnersS - t.WaitS
	r.res.Cost = result.NewCost(r.config.Cost.GPUHour, *t)
}

// fillCases gives cases that nobody got to measure their place in the result: nothing that was planned disappears.
func (k *kernelRun) fillCases() {
	if len(k.cases) > 0 {
		return
	}
	verdict, reason := result.Skipped, k.record.Reason
	switch k.record.Status {
	case result.KernelNew:
		verdict = result.New
	case result.KernelIdentical:
		verdict = result.Same
	}
	for _, c := range k.plan.Measured {
		k.cases = append(k.cases, result.Case{Name: c.Name(), Kernel: c.Kernel, Params: params(c), Verdict: verdict, Reason: reason})
	}
}

func params(c plan.Case) []result.Param {
	var out []result.Param
	for _, a := range c.Params {
		out = append(out, result.Param{Name: a.Name, Value: a.Value.Text})
	}
	return out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
