package pipeline

import (
	"context"
	"slices"
	"sync"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/pool"
)

// Interpreters import installed packages before their turn to check parity, or to measure: an import takes seconds, and so does the check of a few cases.
// Nothing is timed meanwhile, and nothing of a side runs in them before.

// opening is a runner that is started to load libraries in its turn.
type opening struct {
	launcher
	specify func() (kernels.RunnerSpec, error)
	wants   kernels.RunnerSpec
}

// opening specifies one while others start.
func (l launcher) opening(specify func() (kernels.RunnerSpec, error)) (opening, error) {
	l.one.Lock()
	defer l.one.Unlock()
	wants, err := specify()
	return opening{l, specify, wants}, err
}

// fits compares what is of a kernel: all else is the same for all processes of a run.
func (o opening) fits(other opening) bool {
	a, b := o.wants, other.wants
	return a.Library == b.Library && slices.Equal(a.Beside, b.Beside) && slices.Equal(a.Reads, b.Reads) && slices.Equal(a.Writes, b.Writes)
}

func (o opening) start(ctx context.Context) (*kernels.Runner, error) { return o.begin(ctx, o.specify) }

// newPool lets so many runners wait for their turn.
func newPool(most int) *pool.Pool[opening, *kernels.Runner] {
	start := func(ctx context.Context, o opening) (*kernels.Runner, error) { return o.start(ctx) }
	return &pool.Pool[opening, *kernels.Runner]{Start: start, End: (*kernels.Runner).Close, Equal: opening.fits, Most: most}
}

// importAhead begins interpreters for the check of kernels, where so many may wait at once, and calls begun once all that are needed have begun. leave ends
// those that nobody needed.
func (r *runners) importAhead(ctx context.Context, ks []Kernel, most int, begun func()) (leave func()) {
	var needed []opening
	for _, k := range ks {
		for _, library := range k.interpreted() {
			if o, err := r.of(k).spare(library); err == nil { // else who needs it says so
				needed = append(needed, o)
			}
		}
	}
	begun = sync.OnceFunc(begun)
	r.spares = newPool(most)
	r.spares.Begun = begun
	r.spares.Want(ctx, needed...)
	return func() {
		r.spares.Close()
		r.spares = nil
		begun()
	}
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

// spare is a runner that is to load one library.
func (l launcher) spare(library string) (opening, error) {
	return l.opening(func() (kernels.RunnerSpec, error) {
		s, err := l.spec(library)
		s.Waits = true
		return s, err
	})
}

// start starts a runner on a library, within limits, unless one waits to load that.
func (l launcher) start(ctx context.Context, library string) (oracle.Runner, error) {
	o, err := l.spare(library)
	if err != nil {
		return nil, err
	}
	runner, waited, err := l.spares.Take(ctx, o, func() (*kernels.Runner, error) {
		return l.begin(ctx, func() (kernels.RunnerSpec, error) { return l.spec(library) })
	})
	if !waited {
		return asOracle(runner, err)
	}
	if err := runner.Load(ctx, library); err != nil {
		runner.Close()
		return nil, err
	}
	return runner, nil
}

// needFirst makes room for the runners of the first round. They import while parity is checked.
func (r *runners) needFirst(needs []opening) { r.firsts, r.early = needs, newPool(len(needs)) }

// beginFirst starts those that do not wait yet.
func (r *runners) beginFirst(ctx context.Context) { r.early.Want(ctx, r.firsts...) }

// open is a runner of a side that has loaded nothing yet: one that waits since parity was checked, else a new one.
func (l launcher) open(ctx context.Context, side result.Side, library string) (oracle.Runner, error) {
	o, err := l.unloaded(side, library)
	if err != nil {
		return nil, err
	}
	runner, _, err := l.early.Take(ctx, o, func() (*kernels.Runner, error) { return o.start(ctx) })
	return asOracle(runner, err)
}

func (l launcher) unloaded(side result.Side, library string) (opening, error) {
	return l.opening(func() (kernels.RunnerSpec, error) { return l.opened(side, library) })
}

// prestart makes room for the first processes of the rounds, which import while parity is checked.
func (s *session) prestart(_ context.Context, v *Values) error {
	s.runners.needFirst(s.firsts(v.Builds.On))
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
	add := func(side result.Side, b Build) {
		if o, err := from.unloaded(side, b.Library.Path); err == nil { // else who needs it says so
			needs = append(needs, o)
		}
	}
	add(result.SideHead, k.Head)
	if !s.records.count() { // base may not be needed where it is recorded
		add(result.SideBase, k.Base)
	}
	return needs
}

// mayBeTimed says that nothing is known yet that keeps a kernel from being timed.
func (s *session) mayBeTimed(k Kernel) bool {
	return !k.isNew() && !k.baseWaits() && !k.Plan.Kernel.IsSelfTimed() && (s.opt.NoSkip || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint)
}
