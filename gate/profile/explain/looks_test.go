package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

func idsOf(causes []result.Cause) result.CauseID {
	var out []string
	for _, c := range causes {
		out = append(out, string(c.ID))
	}
	return result.CauseID(strings.Join(out, " "))
}

// TestTheBestPairSpeaks: the figures of a cause are those of the kernel that shows it best, however many show it.
func TestTheBestPairSpeaks(t *testing.T) {
	var base, head []profile.Kernel
	for _, factor := range []float64{1.4, 1.4, 1.4, 2} {
		base = append(base, kernel(nil))
		head = append(head, kernel(counters{"cycles": factor * 1e6, "inst": factor * 1e8}))
	}
	e := Explain(Input{Base: profile.Profile{Kernels: base}, Head: profile.Profile{Kernels: head}, Measured: sureOf(1.55)})
	if len(e.Causes) != 1 || *e.Causes[0].Changes[0].Head != 2e8 || e.Causes[0].Launch != 3 || math.Abs(e.Causes[0].Share-1) > 0.01 {
		t.Errorf("%+v", e.Causes)
	}
}

// TestProfilesOfAnotherChange: nothing is explained by profiles that show the opposite, or do not say how long anything took.
func TestProfilesOfAnotherChange(t *testing.T) {
	one := made
	e := Explain(Input{Base: one(nil), Head: one(counters{"cycles": 5e5, "inst": 5e7}), Measured: sureOf(2)})
	if len(e.Causes)+len(e.Rest) != 0 || !strings.Contains(e.Nothing, "+100.0 %") || !strings.Contains(e.Nothing, "-50.0 %") {
		t.Errorf("%+v", e)
	}
	untimed := one(counters{"cycles": 2e6})
	delete(untimed.Kernels[0].Metrics, "gpc__cycles_elapsed.avg.per_second")
	for _, measured := range []Measured{sureOf(2), {Log: math.NaN(), Low: math.NaN(), High: math.NaN()}} {
		if e := Explain(Input{Base: one(nil), Head: untimed, Measured: measured}); !strings.Contains(e.Nothing, "how long") {
			t.Errorf("%+v", e)
		}
	}
}

// TestCountersOfOneSide: a counter that one profile lacks is not 0 there.
func TestCountersOfOneSide(t *testing.T) {
	e := Explain(Input{Base: made(counters{"local-loads": math.NaN()}), Head: made(counters{"cycles": 2e6, "inst": 2e8, "local-loads": 1e8}), Measured: sureOf(2)})
	if idsOf(e.Causes) != MoreInstructions || !slices.Contains(e.Missing, metricOf("local-loads")) {
		t.Errorf("%+v, without %v", e.Causes, e.Missing)
	}
}
