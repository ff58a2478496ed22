package run

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// session is what the stages of one run work with. It holds nothing that they found out.
type session struct {
	opt      Options
	device   *device
	box      *box
	workshop *workshop
	runners  *runners
	records  *records
	turns    *turns
	quota    machine.Quota // at the beginning
	began    time.Time
}

// stage takes what a run knows one step further.
type stage func(context.Context, *Values) error

// errOver ends a run whose values say all that there is to say.
var errOver = errors.New("nothing is left to do")

// runStages runs the stages of a verb, in order.
func runStages(ctx context.Context, opt Options, of func(*session) []stage) (v Values, err error) {
	s, err := newSession(opt, &v.Asked)
	if err != nil {
		return v, err
	}
	defer s.close()
	if err = inOrder(of(s))(ctx, &v); errors.Is(err, errOver) {
		err = nil
	}
	if s.workshop != nil {
		err = cmp.Or(err, s.workshop.environmentsChanged())
	}
	v.Surroundings = s.surroundings()
	return v, err
}

func inOrder(stages []stage) stage {
	return func(ctx context.Context, v *Values) error {
		for _, do := range stages {
			if err := do(ctx, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// newSession settles what a run is to do, and what of it is kept from the machine. Nothing of the device is touched.
func newSession(opt Options, asked *Asked) (*session, error) {
	s := &session{began: time.Now()}
	var err error
	if *asked, err = ask(&opt, s.began); err != nil {
		return nil, err
	}
	if err := opt.ownSurroundings(asked.Plan); err != nil {
		return nil, err
	}
	if opt.Progress == nil {
		opt.Progress = func(Progress) {}
	}
	s.opt, s.quota, s.device = opt, machine.ReadQuota(), &device{machine: machine.Describe()}
	s.turns = &turns{device: s.device, clocks: opt.Device.LockClocks, progress: opt.Progress, drop: func() { s.runners.early.Drop() }}
	s.box, err = openBox(opt, asked.Plan)
	return s, err
}

// needed ends a run whose change concerns nothing that it measures.
func (s *session) needed(_ context.Context, v *Values) error {
	if v.Asked.NothingToDo = unwatched(s.opt.Question); v.Asked.NothingToDo != nil {
		return errOver
	}
	return nil
}

// open takes the device and makes what builds and runs kernels on it. The harness runs adapters: where there are only benchmarks it is not needed, and no
// compiler either.
func (s *session) open(ctx context.Context, v *Values) (err error) {
	p := v.Asked.Plan
	if err := s.device.choose(ctx, s.opt, p); err != nil {
		return err
	}
	if err := machine.CheckLockDir(); err != nil { // before minutes of building
		return err
	}
	var before identity.Snapshots // first: they take time to settle
	if s.opt.recording {          // a record has only head
		before = identity.TakeSnapshots("", s.opt.Head.root(), s.opt.Scratch)
	} else if s.opt.Base.Tree != "" {
		before = identity.TakeSnapshots(s.opt.Base.root(), s.opt.Head.root(), s.opt.Scratch)
	}
	var compiler kernels.Compiler
	var harness kernels.Harness
	if slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.HasAdapter() }) {
		if compiler, err = s.device.compiler(ctx); err != nil {
			return err
		}
		s.opt.Progress(Progress{Stage: StageBuild, What: "harness"})
		if failed := s.turns.untimed(ctx, func() {
			harness, err = kernels.BuildHarness(ctx, compiler, s.device.target, s.opt.Cache, s.opt.Scratch, s.opt.Log)
		}); failed != nil || err != nil {
			return errors.Join(failed, err)
		}
	}
	pythons, err := interpreters(ctx, s.opt.Question, p, s.box.builds)
	if err != nil {
		return err
	}
	s.records = newRecords(s.opt, s.device, result.Toolchain{Compiler: compiler.Path, Version: compiler.Version, Harness: harness.Fingerprint})
	s.runners = &runners{harness: harness.Path, scratch: s.opt.Scratch, memory: s.opt.Device.MemoryBytes, device: s.device, box: s.box, log: s.opt.Log, one: new(sync.Mutex), early: newPool()}
	if s.device.target.IsCUDA() && slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.NeedsPython() }) {
		s.runners.tryBox(ctx)
	}
	s.workshop = s.newWorkshop(p, compiler, harness, pythons)
	s.workshop.before = before
	s.workshop.before.Settle()
	s.workshop.builder.Runner = s.runners.plain("")
	if s.opt.opened != nil {
		s.opt.opened(s)
	}
	return nil
}

func (s *session) newWorkshop(p *plan.Plan, compiler kernels.Compiler, harness kernels.Harness, pythons map[string]kernels.Interpreter) *workshop {
	w := &workshop{
		Question: s.opt.Question, harness: harness, records: s.records,
		builder: &kernels.Builder{
			Compiler: compiler, Target: s.device.target, Cache: s.opt.Cache, Scratch: s.opt.Scratch, Sandbox: s.box.builds, Memory: mostMemory(0),
			Repository: s.opt.repository(), Log: s.opt.Log,
		},
		pythons: pythons, built: map[string]kernels.Library{}, commands: buildsByCommand(p), started: s.began, turns: s.turns, asks: s.opt.asks,
		leftOut: map[string]leftOut{}, made: map[string]madeEnvironment{},
	}
	w.begun = &child.Pool[kernels.BuildSpec, kernels.Library]{Start: w.make, End: func(kernels.Library) {}, Equal: isBuiltAs}
	return w
}

// build takes the plan to builds. What of head's change both sides share is found before builds leave files in the sides.
func (s *session) build(ctx context.Context, v *Values) (err error) {
	for _, k := range v.Asked.Plan.Kernels {
		if s.workshop.leftOut[k.Kernel.Name], err = findLeftOut(s.opt.Question, k.Kernel); err != nil {
			return err
		}
	}
	v.Builds, err = s.workshop.build(ctx, v.Asked.Plan)
	return err
}

// limit ends kernels that break limits.
func (s *session) limit(_ context.Context, v *Values) (err error) {
	v.Builds.Kernels, err = through(v.Builds.Kernels, withinLimits(s.device.target))
	return err
}

// built ends the run where no kernel goes on.
func (s *session) built(_ context.Context, v *Values) error {
	if len(v.Builds.On) > 0 {
		return nil
	}
	v.Checked.Ended, v.Measured.Ended = v.Builds.Ended, v.Builds.Ended
	return errOver
}

// onDevice runs stages while this run has the device to itself.
func (s *session) onDevice(stages ...stage) stage {
	return func(ctx context.Context, v *Values) (err error) {
		return s.turns.onDevice(ctx, func() error { return inOrder(stages)(ctx, v) })
	}
}

// besideNobody runs a stage that is timed by nobody: a GPU that is measured on is left alone, and a core of the CPU is enough to share it.
func (s *session) besideNobody(do stage) stage {
	return func(ctx context.Context, v *Values) error {
		if s.device.gpu != nil {
			lock, err := s.turns.acquire(ctx, s.device.lockName(), machine.Alone)
			if err != nil {
				return err
			}
			defer lock.Release()
		}
		return do(ctx, v)
	}
}

// surroundings are where the run ran, once its last stage is over.
func (s *session) surroundings() Surroundings {
	out := Surroundings{Machine: s.device.machine, Notes: s.device.notes, WaitS: s.turns.waited.Seconds()}
	if s.records != nil {
		out.Toolchain, out.CompileS = s.records.toolchain, s.workshop.harness.Seconds
	}
	sandbox, notes := s.box.account()
	out.Sandbox, out.Notes = sandbox, slices.Concat(out.Notes, notes, containerNotes(s.opt.Cache, s.quota, machine.ReadQuota()))
	out.Machine.LoadAfter = machine.Load()
	out.TotalS = time.Since(s.began).Seconds()
	return out
}

// close lets go of the driver.
func (s *session) close() { s.device.gpus.Close() }
