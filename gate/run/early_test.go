package run

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
)

// startedBy says of each runner that a pool starts, and that loads nothing yet, which process it is, once it has started.
func startedBy(p *child.Pool[opening, *kernels.Runner]) <-chan *kernels.Runner {
	started, start := make(chan *kernels.Runner, 10), p.Start
	p.Start = func(ctx context.Context, o opening) (*kernels.Runner, error) {
		r, err := start(ctx, o)
		if o.waits {
			started <- r
		}
		return r, err
	}
	return started
}

func numpyRun(t *testing.T) (*session, Kernel) {
	t.Helper()
	kernelstest.Live(t)
	opt := example(t, "softmax_numpy", "softmax", "-DOTHER")
	opt.Trusted.Config.Python = kernelstest.PythonWith(t, "numpy")
	s, v := builtRun(t, opt)
	if s.firsts(v.Builds.On) != nil {
		t.Error("interpreters import beside parity on a CPU, whose clock they would disturb")
	}
	return s, v.Builds.On[0]
}

func pidOf(r kernels.Process) int { return r.(*kernels.Runner).PID() }

// What waits since parity is taken once, for its side, by those that want it as it was started, and ended where nobody does.
func TestFirstProcessesWait(t *testing.T) {
	t.Parallel()
	s, k := numpyRun(t)
	from := s.runners.of(k)
	opens := func(side result.Side, l launcher, library string) int {
		t.Helper()
		r, err := l.open(t.Context(), side, library)
		must(t, err)
		defer r.Close()
		if err := r.(*kernels.Runner).Load(t.Context(), library); err != nil {
			t.Error(err)
		}
		return pidOf(r)
	}
	head := k.Head.Library.Path
	first := opening{from, head, result.SideHead, true}
	from = s.runners.of(k)
	started := startedBy(s.runners.early)
	s.runners.early.Want(t.Context(), 1, first)
	waiting := (<-started).PID()
	if opens(result.SideBase, from, k.Base.Library.Path) == waiting {
		t.Error("base has what waits for head")
	}
	other := from
	other.heads = append(other.heads, k.Base.Library.Path)
	if opens(result.SideHead, other, head) == waiting {
		t.Error("taken by who wants more than it may load")
	}
	if opens(result.SideHead, from, head) != waiting {
		t.Error("not taken")
	}
	if opens(result.SideHead, from, head) == waiting {
		t.Error("taken twice")
	}
	for len(started) > 0 {
		<-started
	}
	s.runners.early.Want(t.Context(), 1, first)
	unused := <-started
	s.runners.early.Drop()
	if err := unused.Call(t.Context(), "spec", "", nil, &kernels.SpecReply{}, 0); err == nil || len(started) > 0 {
		t.Error("not ended")
	}
}

// A spare is handed out once, with the library that it waited for, and ended where nobody wants it.
func TestSparesWait(t *testing.T) {
	t.Parallel()
	s, k := numpyRun(t)
	base, head := k.Base.Library.Path, k.Head.Library.Path
	started := startedBy(s.runners.early)
	var needed []opening
	for _, library := range []string{head, base} {
		needed = append(needed, opening{s.runners.of(k), library, "", true})
	}
	s.runners.early.Want(t.Context(), 1, needed...)
	var pids []int
	for _, library := range []string{head, head, base, base} {
		r, err := s.runners.of(k).start(t.Context(), library)
		must(t, err)
		if !r.Has("reference") {
			t.Errorf("%s was not loaded", library)
		}
		pids = append(pids, pidOf(r))
		r.Close()
	}
	if one, two := <-started, <-started; one.PID() != pids[0] || two.PID() != pids[2] || len(started) > 0 {
		t.Errorf("%d and %d waited, and %v were used", one.PID(), two.PID(), pids)
	}
}

// Checks that are made side by side take interpreters that wait, each with the folder of its check. None is left afterwards.
func TestChecksSideBySideTakeSpares(t *testing.T) {
	t.Parallel()
	s, k := numpyRun(t)
	k.Plan.Kernel.Parity.Cases = 4
	started := startedBy(s.runners.early)
	c := s.checker(checkDrawn)
	c.most = 2
	if err := c.checkEach(t.Context(), []Kernel{k, k}, new(Account)); err != nil || c.found[k.Name()].Status != result.ParityPassed {
		t.Fatalf("%v, %+v", err, c.found)
	}
	s.runners.early.Drop()
	if len(started) < 2 {
		t.Errorf("%d interpreters waited", len(started))
	}
	for range len(started) {
		if r := <-started; r.Call(t.Context(), "spec", "", nil, &kernels.SpecReply{}, 0) == nil {
			t.Errorf("process %d is left", r.PID())
		}
	}
}

// Only interpreters that can import ahead have spares: one of head and one of base for each kernel that parity is asked about, and one of base
// where that is asked about cases.
func TestWhichLibrariesHaveSpares(t *testing.T) {
	t.Parallel()
	of := func(path string, ahead bool) Build { return Build{Library: kernels.Library{Path: path, Ahead: ahead}} }
	const base, head = "build-0/adapter.python.json", "build-1/adapter.python.json"
	asked := plan.KernelPlan{Measured: []plan.Case{{Params: []plan.Assignment{{Name: "causal", Value: config.Value{Text: "0"}}}}}}
	off := plan.KernelPlan{Kernel: config.Kernel{Parity: config.Parity{Off: true}}}
	for _, c := range []struct {
		kernel Kernel
		want   int
	}{
		{Kernel{Base: of(base, true), Head: of(head, true)}, 2},
		{Kernel{Base: of(head, true), Head: of(head, true)}, 1},
		{Kernel{Head: of(head, true)}, 1},
		{Kernel{Base: of(base, true), Head: of(head, true), Plan: asked}, 3},
		{Kernel{Base: of(base, false), Head: of(head, false)}, 0},
		{Kernel{Base: of("build-0/adapter.so", true), Head: of("build-1/adapter.so", true)}, 0},
		{Kernel{Plan: off, Base: of(base, true), Head: of(head, true)}, 0},
	} {
		if got := c.kernel.interpreted(); len(got) != c.want {
			t.Errorf("%+v has spares for %q, want %d", c.kernel, got, c.want)
		}
	}
}

// Interpreters of checks are wanted in the order in which they are needed: of those that are made side by side, head's first.
func TestSparesAreWantedInOrder(t *testing.T) {
	t.Parallel()
	var ks []Kernel
	for _, name := range []string{"a", "b", "c"} {
		build := func(side string) Build {
			return Build{Library: kernels.Library{Path: name + side + "/adapter.python.json", Ahead: true}}
		}
		ks = append(ks, Kernel{Base: build(".base"), Head: build(".head")})
	}
	for most, want := range map[int]string{1: "a.head a.base b.head b.base c.head c.base", 2: "a.head b.head a.base b.base c.head c.base"} {
		var got []string
		for _, o := range spares(ks, func(int) *runners { return new(runners) }, most) {
			got = append(got, filepath.Dir(o.library))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%d at once: %s, want %s", most, text, want)
		}
	}
}
