package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// runners is how the processes of a run start that run kernels.
type runners struct {
	harness string
	scratch string
	memory  int64 // of each; 0 means most of what is free
	device  *device
	box     *box
	log     child.Log
	one     *sync.Mutex                           // one starts at a time: the first may find that the sandbox does not work here
	early   *child.Pool[opening, *kernels.Runner] // interpreters for checks of parity, and firsts
	firsts  []opening                             // of the first round, which import while parity is checked
}

// newPool lets runners wait for their turn.
func newPool() *child.Pool[opening, *kernels.Runner] {
	start := func(ctx context.Context, o opening) (*kernels.Runner, error) { return o.begin(ctx, o.specify) }
	return &child.Pool[opening, *kernels.Runner]{Start: start, End: (*kernels.Runner).Close, Equal: opening.fits}
}

// apart are n runners of which so many work side by side, and that exchange outputs in folders of their own. leave removes these.
func (r *runners) apart(n, most int) (with func(i int) *runners, leave func(), err error) {
	all := make([]runners, n)
	leave = func() {
		for _, one := range all {
			os.RemoveAll(one.scratch)
		}
	}
	for i := range all {
		all[i] = *r
		all[i].scratch, all[i].memory = filepath.Join(r.scratch, fmt.Sprintf("check-%d", i)), mostMemory(r.memory)/int64(most)
		if err := os.MkdirAll(all[i].scratch, 0o700); err != nil {
			leave()
			return nil, nil, fmt.Errorf("make a folder for a check: %w", err)
		}
	}
	return func(i int) *runners { return &all[i] }, leave, nil
}

// launcher starts runners for kernels. Which side a library is of says what it may write.
type launcher struct {
	*runners
	bases, heads []string            // libraries
	environments map[string][]string // folders of libraries' environments, by library
}

// of is a launcher for the builds of kernels.
func (r *runners) of(ks ...Kernel) launcher {
	l := launcher{runners: r, environments: map[string][]string{}}
	for _, k := range ks {
		for _, lib := range []kernels.Library{k.Base.Library, k.Head.Library, k.Referee} {
			l.environments[lib.Path] = lib.Reads
		}
		l.bases, l.heads = append(l.bases, k.Base.Library.Path), append(l.heads, k.Head.Library.Path)
		if k.Referee.Path != "" {
			l.bases = append(l.bases, k.Referee.Path)
		}
		for _, r := range k.Competitors {
			l.environments[r.Library.Path] = r.Library.Reads
			l.heads = append(l.heads, r.Library.Path) // what they make is judged as head's is
		}
	}
	return l
}

func (l launcher) begin(ctx context.Context, specify func() (kernels.RunnerSpec, error)) (*kernels.Runner, error) {
	started, err := l.first(ctx, specify)
	if err != nil {
		return nil, err
	}
	l.one.Lock()
	defer l.one.Unlock()
	l.device.learn(started.Hello.GPU)
	return started, nil
}

// first starts a runner, one at a time until the sandbox is known to work here or not.
func (l launcher) first(ctx context.Context, specify func() (kernels.RunnerSpec, error)) (*kernels.Runner, error) {
	l.one.Lock()
	if l.box.works {
		spec, err := specify()
		l.one.Unlock()
		return l.attempt(ctx, spec, err)
	}
	defer l.one.Unlock()
	spec, err := specify()
	started, err := l.attempt(ctx, spec, err)
	if l.box.givesUp(err) {
		spec, err = specify()
		return l.attempt(ctx, spec, err)
	}
	return started, err
}

// tryBox finds out whether the device opens in the sandbox, by a process that loads nothing. An adapter in Python is imported by one to be built, and while an
// interpreter that takes seconds to start is the first no other could. What else is wrong is said by who needs a process.
func (r *runners) tryBox(ctx context.Context) {
	if r.harness == "" || r.box.runners == nil {
		return
	}
	started, err := r.of().begin(ctx, func() (kernels.RunnerSpec, error) {
		s := r.plain(r.harness)
		s.Waits = true
		return s, nil
	})
	if err == nil {
		started.Close()
	}
}

func (l launcher) attempt(ctx context.Context, spec kernels.RunnerSpec, err error) (*kernels.Runner, error) {
	if err != nil {
		return nil, err
	}
	spec.Started = l.device.watched
	return kernels.StartRunner(ctx, spec)
}

// spec is how a runner of one library starts. In the sandbox it reads both sides' files. What base computes for parity goes where
// head can read it and not change it.
func (l launcher) spec(library string) (kernels.RunnerSpec, error) {
	return opening{launcher: l, library: library}.specify()
}

// plain is a runner that has nothing but its library.
func (r *runners) plain(library string) kernels.RunnerSpec {
	return kernels.RunnerSpec{
		Harness: r.harness, Library: library, Dir: r.scratch, MemoryBytes: r.device.memoryLimit(r.memory), Env: r.device.environment(), Sandbox: r.box.runners,
		Log: r.log, CPUs: r.device.cpus,
	}
}

// profiled is spec for a runner that works under a profiler.
func (l launcher) profiled(library string) kernels.RunnerSpec {
	spec, _ := l.spec(library) // what cannot be listed for the sandbox cannot be read in it either
	spec.MemoryBytes = 0
	return l.box.watched(spec, ofProfilers)
}

// command starts a command of the configuration, within limits and watched as a runner is.
func (r *runners) command(spec kernels.CommandSpec) (*kernels.Command, error) {
	spec.Scratch, spec.Sandbox, spec.Memory = r.scratch, r.box.runners, mostMemory(r.memory)
	spec.Env = slices.Concat(r.device.environment(), spec.Env)
	spec.Started, spec.CPUs, spec.Devices = r.device.watched, r.device.cpus, r.device.devices
	return kernels.StartCommand(spec)
}

// Interpreters import installed packages before their turn to check parity, or to measure: an import takes seconds, and so does the check of a few cases.
// Nothing is timed meanwhile, and nothing of a side runs in them before.

// opening is a runner that is started to load libraries: one, or in its turn what is wanted of a side's.
type opening struct {
	launcher
	library string
	side    result.Side // whose other libraries it may load as well; "" for none
	waits   bool        // it loads nothing before it is asked to
}

// sides are those that its library is of. Code that is the same on both is of both, where a process is not of one side.
func (o opening) sides() (ofBase, ofHead bool) {
	if o.side != "" {
		return o.side == result.SideBase, o.side != result.SideBase
	}
	return slices.Contains(o.bases, o.library), slices.Contains(o.heads, o.library)
}

// others are the libraries that it may load as well.
func (o opening) others() []string {
	switch o.side {
	case "":
		return nil
	case result.SideBase:
		return nonEmpty(slices.Clone(o.bases)...)
	}
	return nonEmpty(slices.Clone(o.heads)...)
}

func (o opening) specify() (kernels.RunnerSpec, error) {
	s := o.plain(o.library)
	s.Waits, s.Beside = o.waits, o.others()
	if s.Sandbox == nil {
		return s, nil
	}
	readable, err := o.box.reads()
	if err != nil {
		return s, err
	}
	given, made, err := parity.DeliveryFolders(o.scratch)
	if err != nil {
		return s, err
	}
	s.Reads = append(slices.Clone(readable), given)
	for _, library := range append(o.others(), o.library) {
		s.Reads = append(s.Reads, o.environments[library]...)
	}
	ofBase, ofHead := o.sides()
	if ofBase {
		s.Writes = append(s.Writes, given)
		s.Reads = append(s.Reads, made) // a judge compares what head's library made
	}
	if ofHead {
		s.Writes = append(s.Writes, made)
	}
	return s, nil
}

// fits compares what is of a kernel: all else is the same for all processes of a run.
func (o opening) fits(other opening) bool {
	ofBase, ofHead := o.sides()
	itsBase, itsHead := other.sides()
	return o.library == other.library && o.scratch == other.scratch && ofBase == itsBase && ofHead == itsHead && slices.Equal(o.others(), other.others())
}

// spares are the interpreters that checks of kernels take, so many of which are made side by side, in the order in which they are needed: interpreters
// that import at once all wait for each other, and head's are needed first.
func spares(ks []Kernel, with func(i int) *runners, most int) (out []opening) {
	for first := 0; first < len(ks); first += most {
		for at := range 3 { // libraries
			for i := first; i < min(first+most, len(ks)); i++ {
				if all := ks[i].interpreted(); at < len(all) {
					out = append(out, opening{with(i).of(ks[i]), all[at], "", true})
				}
			}
		}
	}
	return out
}

// interpreted are the libraries of a kernel that parity runs in interpreters which can import ahead: head's, and the one that it is compared with. Base's is
// asked about cases besides, where a parameter gives reason to.
func (k Kernel) interpreted() []string {
	var out []string
	for _, library := range []kernels.Library{k.Head.Library, k.referee()} {
		if !k.Plan.Kernel.Parity.Off && library.Ahead && kernels.IsHosted(library.Path) && (len(out) == 0 || out[0] != library.Path) {
			out = append(out, library.Path)
		}
	}
	if base := k.Base.Library; len(out) > 0 && base.Ahead && kernels.IsHosted(base.Path) && slices.ContainsFunc(k.Plan.Measured, notPositive) {
		out = append(out, base.Path)
	}
	return out
}

// start starts a runner on a library, within limits, unless one waits to load that.
func (l launcher) start(ctx context.Context, library string) (kernels.Process, error) {
	runner, waited, err := l.early.Take(ctx, opening{launcher: l, library: library})
	if err == nil && waited {
		if err = runner.Load(ctx, library); err != nil {
			runner.Close()
		}
	}
	if err != nil {
		return nil, err // not a nil *Runner in an interface
	}
	return runner, nil
}

// open is a runner of a side that has loaded nothing yet: one that waits since parity was checked, else a new one.
func (l launcher) open(ctx context.Context, side result.Side, library string) (kernels.Process, error) {
	runner, _, err := l.early.Take(ctx, opening{l, library, side, true})
	if err != nil {
		return nil, err // not a nil *Runner in an interface
	}
	return runner, nil
}

// prestart picks the first processes of the rounds, which import while parity is checked.
func (s *session) prestart(_ context.Context, v *Values) error {
	s.runners.firsts = s.firsts(v.Builds.On)
	return nil
}

// firsts are one of each side that is measured for sure, where others can import beside them: for the first kernel that is timed.
func (s *session) firsts(ks []Kernel) (needs []opening) {
	at := slices.IndexFunc(ks, s.mayBeTimed)
	if at < 0 || !s.device.shares() || mostAhead(ks) < 2 {
		return nil
	}
	k, from := ks[at], s.runners.of(ks...)
	if !kernels.IsHosted(k.Head.Library.Path) || !startsAhead(k, k.Plan.Kernel.Adapter, k.Base.Library, k.Head.Library) {
		return nil
	}
	needs = []opening{{from, k.Head.Library.Path, result.SideHead, true}}
	if !s.records.count() { // base may not be needed where it is recorded
		needs = append(needs, opening{from, k.Base.Library.Path, result.SideBase, true})
	}
	return needs
}

// mayBeTimed says that nothing is known yet that keeps a kernel from being timed.
func (s *session) mayBeTimed(k Kernel) bool {
	return !k.isNew() && !k.baseWaits() && !k.Plan.Kernel.IsSelfTimed() && (s.opt.NoSkip || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint)
}
