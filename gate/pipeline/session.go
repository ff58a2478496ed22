package pipeline

import (
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
)

// session is what the stages of one run work with. It holds nothing that they found out.
type session struct {
	opt      Options
	device   *device
	box      *box
	workshop *workshop
	runners  *runners
	records  *records
	watch    stopwatch
}

// stopwatch tells time spent from time waited for other runs of this machine.
type stopwatch struct {
	began  time.Time
	waited time.Duration
}

// wait counts what acquire takes as waiting.
func (w *stopwatch) wait(acquire func() (*machine.Lock, error)) (*machine.Lock, error) {
	start := time.Now()
	defer func() { w.waited += time.Since(start) }()
	return acquire()
}

// newSession settles what a run is to do, and what of it is kept from the machine. Nothing of the device is touched.
func newSession(opt Options, asked *Asked) (*session, error) {
	s := &session{watch: stopwatch{began: time.Now()}}
	var err error
	if *asked, err = ask(&opt, s.watch.began); err != nil {
		return nil, err
	}
	if err := opt.ownSurroundings(asked.Plan); err != nil {
		return nil, err
	}
	if opt.Progress == nil {
		opt.Progress = func(Progress) {}
	}
	s.opt, s.device = opt, &device{machine: machine.Describe()}
	s.box, err = openBox(opt, asked.Plan)
	return s, err
}

// open takes the device and makes what builds and runs kernels on it.
func (s *session) open(ctx context.Context, p *plan.Plan) error {
	if err := s.device.choose(s.opt, p); err != nil {
		return err
	}
	if err := machine.CheckLockDir(); err != nil { // before minutes of building
		return err
	}
	compiler, harness, err := s.harness(ctx, p)
	if err != nil {
		return err
	}
	pythons, err := interpreters(ctx, s.opt, p, s.box.builds)
	if err != nil {
		return err
	}
	s.records = newRecords(s.opt, s.device, result.Toolchain{Compiler: compiler.Path, Version: compiler.Version, Harness: harness.Fingerprint})
	s.runners = &runners{harness: harness.Path, scratch: s.opt.Scratch, memory: s.opt.MemoryBytes, device: s.device, box: s.box, log: s.opt.Log, one: new(sync.Mutex)}
	if s.device.target.IsCUDA() && len(pythons) > 0 {
		s.runners.tryBox(ctx)
	}
	s.workshop = s.newWorkshop(p, compiler, harness, pythons)
	s.workshop.before = s.opt.snapshots()
	s.workshop.builder.Runner = s.runners.plain("")
	return nil
}

func (s *session) newWorkshop(p *plan.Plan, compiler kernels.Compiler, harness kernels.Harness, pythons map[string]kernels.Interpreter) *workshop {
	return &workshop{
		trusted: s.opt.Trusted, config: s.opt.Trusted.Config, base: s.opt.Base, head: s.opt.Head, referee: s.opt.Referee, harness: harness, records: s.records,
		builder: &kernels.Builder{
			Compiler: compiler, Target: s.device.target, Cache: s.opt.Cache, Scratch: s.opt.Scratch, Sandbox: s.box.builds, Memory: mostMemory(0),
			Repository: s.opt.repository(), Log: s.opt.Log,
		},
		pythons: pythons, checkout: s.opt.Checkout,
		built: map[string]kernels.Library{}, commands: buildsByCommand(p), started: s.watch.began, progress: s.opt.Progress, asks: s.opt.asks,
		leftOut: map[string]leftOut{}, opt: s.opt,
	}
}

// snapshots are of the sides that are built; a record has only head.
func (o Options) snapshots() identity.Snapshots {
	switch {
	case o.recording:
		return identity.TakeSnapshots("", o.Head.root(), o.Scratch)
	case o.Base.Tree == "":
		return identity.Snapshots{}
	}
	return identity.TakeSnapshots(o.Base.root(), o.Head.root(), o.Scratch)
}

// harness builds what runs adapters. Where there are benchmarks alone it is not needed, and no compiler either.
func (s *session) harness(ctx context.Context, p *plan.Plan) (compiler kernels.Compiler, harness kernels.Harness, err error) {
	if !slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.HasAdapter() }) {
		return compiler, harness, nil
	}
	if compiler, err = s.device.compiler(ctx); err != nil {
		return compiler, harness, err
	}
	s.opt.Progress(Progress{Stage: StageBuild, What: "harness"})
	harness, err = kernels.BuildHarness(ctx, compiler, s.device.target, s.opt.Cache, s.opt.Scratch, s.opt.Log)
	return compiler, harness, err
}

// alone does something while this run has the device to itself.
func (s *session) alone(ctx context.Context, do func() error) (err error) {
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	finish, err := s.device.prepare(s.opt.LockClocks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finish()) }()
	return do()
}

func (s *session) lock(ctx context.Context) (*machine.Lock, error) {
	return s.watch.wait(func() (*machine.Lock, error) {
		return machine.Acquire(ctx, s.device.lockName(), func(holder string) { s.opt.Progress(Progress{Stage: StageWait, What: holder}) })
	})
}

// surroundings are where the run ran, once its last stage is over.
func (s *session) surroundings() Surroundings {
	out := Surroundings{Machine: s.device.machine, Notes: s.device.notes, WaitS: s.watch.waited.Seconds()}
	if s.records != nil {
		out.Toolchain, out.CompileS = s.records.toolchain, s.workshop.harness.Seconds
	}
	sandbox, notes := s.box.account()
	out.Sandbox, out.Notes = sandbox, append(out.Notes, notes...)
	out.Machine.LoadAfter = machine.Load()
	out.TotalS = time.Since(s.watch.began).Seconds()
	return out
}

// close lets go of the driver.
func (s *session) close() { s.device.gpus.Close() }
