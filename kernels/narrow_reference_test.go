package kernels

import (
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// bounded checks one launch by the bound.
func bounded(t *testing.T, runner *Runner, kernel string) ParityReply {
	t.Helper()
	reply, err := runner.parity(ParityCommand{Case: caseOf(kernel, "n=1000"), Seed: "7", Values: "normal", Oracle: "reference", Bound: &Bound{}})
	must(t, err)
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
		if got := bounded(t, r.run(r.spec(r.adapter("narrow/shifted.cc", c.flags...))), "k"); got.Passed != c.right {
			t.Errorf("%s: passed is %v, %d failed, stage %d", name, got.Passed, got.Failed, got.Stage)
		}
	}
}

// The reference of an adapter in Python is asked in float32 as it is, unless it takes only float64. Each is a kernel of one adapter.
func TestAReferenceInPythonIsAskedInFloat32(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	z := newPythonZoo(t)
	runner := z.run(z.spec(z.adapter(t, "narrow.pg.py")))
	for kernel, right := range map[string]bool{
		"as_it_is": true, "written_in_place": true, "only_in_float64": false, "widened_by_itself": false, "of_another_shape": false, "off_by_a_tenth": false,
	} {
		if got := bounded(t, runner, kernel); got.Passed != right {
			t.Errorf("%s: passed is %v, %d failed, stage %d", kernel, got.Passed, got.Failed, got.Stage)
		}
	}
}
