package pipeline

import (
	"context"
	"errors"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// What waits since parity is taken once, for its side, by those that want it as it was started, and ended where nobody does.
func TestFirstProcessesWait(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	python := kernelstest.PythonWith(t, "numpy")
	opt := example(t, "softmax_numpy", "softmax")
	opt.Trusted.Config.Python = python
	s, v := builtRun(t, opt)
	if s.firsts(v.Builds.On) != nil {
		t.Error("interpreters import beside parity on a CPU, whose clock they would disturb")
	}
	k := v.Builds.On[0]
	from, f := s.runners.of(k), new(firsts)
	s.runners.firsts = f
	opens := func(side result.Side, l launcher, library string) int {
		t.Helper()
		r, err := l.open(t.Context(), side, library)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.(interface {
			Load(context.Context, string) error
		}).Load(t.Context(), library); err != nil {
			t.Error(err)
		}
		return r.(*kernels.Runner).PID()
	}
	head := k.Head.Library.Path
	f.add(from, result.SideHead, head)
	f.begin(t.Context())
	started := <-f.waiting[0].ready
	f.waiting[0].ready <- started
	waiting := started.runner.PID()
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
	if opens(result.SideHead, from, head) == waiting || len(f.waiting) != 0 {
		t.Error("taken twice")
	}
	f.add(from, result.SideHead, head)
	f.begin(t.Context())
	started = <-f.waiting[0].ready
	f.waiting[0].ready <- started
	f.close()
	f.add(from, result.SideHead, head)
	f.close()
	f.begin(t.Context())
	if err := started.runner.Call(t.Context(), "spec", "", nil, &kernels.SpecReply{}, 0); err == nil || len(f.waiting) != 0 {
		t.Error("not ended")
	}
}

// One that did not come up beside others is started again.
func TestAFirstProcessThatFailsIsStartedAgain(t *testing.T) {
	t.Parallel()
	failed := make(chan readied, 1)
	failed <- readied{err: errors.New("no room beside the others")}
	f := &firsts{waiting: []first{{side: result.SideHead, ready: failed}}}
	wanted := func() (kernels.RunnerSpec, error) { return kernels.RunnerSpec{}, nil }
	var none *firsts
	if none.take(result.SideHead, wanted) != nil || f.take(result.SideHead, wanted) != nil || len(f.waiting) != 0 {
		t.Error("it is handed out")
	}
	none.begin(t.Context())
	none.close()
	f.close()
}
