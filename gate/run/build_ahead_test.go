package run

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
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
		cfg, err := config.Load(filepath.Join(head, "perfgate.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		opt := optionsFor(t, cfg, head, "")
		opt.Base = Side{Tree: base, Info: result.Version{Kind: result.KindDirectory, Label: base}}
		var v Values
		s, err := newSession(opt, &v.Asked)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.close)
		if err := s.open(t.Context(), &v); err != nil {
			t.Fatal(err)
		}
		builds, err := s.workshop.build(t.Context(), v.Asked.Plan)
		if err != nil {
			t.Fatal(err)
		}
		built := len(builds.On) == 1
		if built != (raises == "") || !built && (builds.Ended[0].Status != result.KernelFailed || builds.Ended[0].Base.Failed) {
			t.Errorf("head %q: %+v, ended %+v", raises, builds.On, builds.Ended)
		}
	}
}
