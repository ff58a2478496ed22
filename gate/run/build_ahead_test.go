package run

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
)

// meeting is a module whose import ends once the other side's has begun.
const meeting = `import pathlib, time

here, limit = pathlib.Path(%q), time.monotonic() + 30
(here / %q).touch()
while not (here / %q).exists():
    assert time.monotonic() < limit, "the other side is not imported meanwhile"
    time.sleep(0.01)
%s
`

const meetingAdapter = `import perfgate as pg
import meeting


def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}


def launch(case, t):
    pass
`

// Adapters in Python of both sides are imported at once, and what goes wrong on one of them is that side's.
func TestSidesInPythonAreImportedTogether(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for _, raises := range []string{"", "raise ValueError('of head')"} {
		base, head, meet := t.TempDir(), t.TempDir(), t.TempDir()
		write(t, filepath.Join(head, "perfgate.yaml"), "version: 1\nkernels:\n  - name: k\n    adapter: k.pg.py\n    params: {n: {values: [10]}}\n")
		for _, dir := range []string{base, head} {
			write(t, filepath.Join(dir, "k.pg.py"), meetingAdapter)
		}
		write(t, filepath.Join(base, "meeting.py"), fmt.Sprintf(meeting, meet, "base", "head", ""))
		write(t, filepath.Join(head, "meeting.py"), fmt.Sprintf(meeting, meet, "head", "base", raises))
		cfg := configIn(t, head)
		cfg.Python = kernelstest.PythonWith(t)
		opt := optionsFor(t, cfg, head, "")
		opt.Base = Side{Tree: base, Info: result.Version{Kind: result.KindDirectory, Label: base}}
		_, v := builtRun(t, opt)
		built := len(v.Builds.On) == 1
		if built != (raises == "") || !built && (v.Builds.Ended[0].Status != result.KernelFailed || v.Builds.Ended[0].Base.Failed) {
			t.Errorf("head %q: %+v, ended %+v", raises, v.Builds.On, v.Builds.Ended)
		}
	}
}

// Head is compiled while base is, where that is another build and both have one adapter.
func TestSidesAreCompiledTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string // of head
		own   string   // base's adapter, where it has its own
		want  bool
	}{
		"other flags":     {[]string{"-DOTHER"}, "", true},
		"equal":           {nil, "", false},
		"another adapter": {[]string{"-DOTHER"}, "own.pg.c", false},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "perfgate.yaml"), "version: 1\nkernels:\n  - name: k\n    adapter: k.pg.c\n    params: {n: {values: [10]}}\n")
		write(t, filepath.Join(dir, "k.pg.c"), "int pg_nothing;\n")
		cfg := configIn(t, dir)
		opt := optionsFor(t, cfg, dir, "")
		opt.Base = Side{Tree: t.TempDir(), Info: result.Version{Kind: result.KindDirectory, Label: "base"}}
		if c.flags == nil {
			opt.Base.Tree = dir
		}
		opt.Head.Info.Flags = c.flags
		started := make(chan kernels.BuildSpec, 1)
		w := &workshop{Question: opt.Question, built: map[string]kernels.Library{}}
		w.begun = &child.Pool[kernels.BuildSpec, kernels.Library]{
			Start: func(_ context.Context, s kernels.BuildSpec) (kernels.Library, error) {
				started <- s
				return kernels.Library{}, nil
			},
			End: func(kernels.Library) {}, Equal: isBuiltAs,
		}
		k := Kernel{BaseAdapter: c.own}
		k.Plan.Kernel = cfg.Kernels[0]
		leave := w.beginHead(t.Context(), k)
		_, begun, err := w.begun.Take(t.Context(), w.spec(k, w.Head))
		leave()
		if err != nil || begun != c.want {
			t.Errorf("%s: head was begun: %v, %v; want %v", name, begun, err, c.want)
		}
	}
}
