package kernels

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

// bounded checks one launch by the bound.
func (r *rig) bounded(lib Library) (reply ParityReply) {
	r.t.Helper()
	runner, err := StartRunner(context.Background(), RunnerSpec{Harness: r.harness.Path, Library: lib.Path, Dir: r.builder.Scratch})
	if err != nil {
		r.t.Fatal(err)
	}
	defer runner.Close()
	cmd := ParityCommand{
		Case: CaseSpec{Kernel: "k", Params: []CaseParam{{Name: "n", Text: "1000", Value: 1000}}}, Seed: "7", Values: "normal", Oracle: "reference", Bound: &Bound{},
	}
	if err := runner.Call(context.Background(), "parity", "k", cmd, &reply, time.Minute); err != nil {
		r.t.Fatal(err)
	}
	return reply
}

// What cancels on the way to a result is lost by right kernels and shows in no change of an input. A reference in float32 loses it too;
// where there is none, the bound is what inputs explain.
func TestANarrowReferenceShowsWhatCancels(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, c := range map[string]struct {
		flags []string
		right bool
	}{
		"right":                    {nil, true},
		"off by a thousandth":      {[]string{"-DWRONG=1"}, false},
		"without such a reference": {[]string{"-DALONE"}, false},
		"without, by a thousandth": {[]string{"-DALONE", "-DWRONG=1"}, false},
	} {
		if got := r.bounded(r.adapter("narrow/shifted.cc", c.flags...)); got.Passed != c.right {
			t.Errorf("%s: passed is %v, %d failed, stage %d", name, got.Passed, got.Failed, got.Stage)
		}
	}
}

// The reference of an adapter in Python is asked in float32 as it is, unless it takes only float64.
func TestAReferenceInPythonIsAskedInFloat32(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "narrow", "shifted.pg.py"))
	if err != nil {
		t.Fatal(err)
	}
	const reference = "    return shifted(t.x)\n"
	for name, c := range map[string]struct {
		adapter string
		right   bool
	}{
		"as it is":          {string(text), true},
		"written in place":  {strings.Replace(string(text), reference, "    t.y[:] = shifted(t.x)\n", 1), true},
		"only in float64":   {strings.Replace(string(text), reference, "    if t.x.dtype != np.float64:\n        raise TypeError\n"+reference, 1), false},
		"widened by itself": {strings.Replace(string(text), reference, "    return shifted(t.x.astype(np.float64))\n", 1), false},
		"of another shape":  {strings.Replace(string(text), reference, "    return shifted(t.x if t.x.dtype == np.float64 else t.x[:1])\n", 1), false},
		"off by a tenth":    {strings.Replace(string(text), "t.y[:] = shifted(t.x)", "t.y[:] = shifted(t.x) * np.float32(1.1)", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			kernelstest.PythonWith(t, "numpy")
			lib, err := r.python(pythonTree(t, c.adapter, scaledModule))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.bounded(lib); got.Passed != c.right {
				t.Errorf("passed is %v, %d failed, stage %d", got.Passed, got.Failed, got.Stage)
			}
		})
	}
}
