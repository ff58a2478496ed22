package explain

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/profile"
)

// profiledLaunches are launches of kernels "a" and "b", whose times in µs are given for each launch.
func profiledLaunches(each ...[2]float64) profile.Profile {
	var p profile.Profile
	for _, times := range each {
		for i, name := range []string{"a", "b"} {
			k := profile.Kernel{ID: len(p.Kernels), Name: name, Grid: "(64, 1, 1)", Block: "(128, 1, 1)", Metrics: map[string]profile.Metric{"gpu__time_duration.sum": {Value: times[i] * 1e-6}}}
			p.Kernels = append(p.Kernels, k)
			p.Rules = append(p.Rules, profile.Rule{Kernel: k.ID, Name: fmt.Sprint("of ", k.ID)})
		}
	}
	return p
}

// TestTypicalLaunch: of several launches the one whose kernels took the median time together is taken, with its rules alone.
func TestTypicalLaunch(t *testing.T) {
	p, ok := Typical(profiledLaunches([2]float64{10, 9}, [2]float64{12, 1}, [2]float64{20, 30}, [2]float64{14, 2}, [2]float64{1, 1}), 5)
	if !ok || len(p.Kernels) != 2 || p.Kernels[0].ID != 6 || p.Kernels[1].ID != 7 || !slices.Equal(p.Rules, []profile.Rule{{Kernel: 6, Name: "of 6"}, {Kernel: 7, Name: "of 7"}}) {
		t.Errorf("%v: %+v", ok, p)
	}
	p, ok = Typical(profiledLaunches([2]float64{math.NaN(), 9}, [2]float64{5, 5}, [2]float64{7, 7}), 3)
	if !ok || p.Kernels[0].ID != 4 {
		t.Errorf("one without a time: %v, %+v", ok, p.Kernels)
	}
}

// TestTypicalLaunchUntold: where the launches have not the same kernels, none of them is taken for the others.
func TestTypicalLaunchUntold(t *testing.T) {
	same := profiledLaunches([2]float64{1, 2}, [2]float64{1, 2}, [2]float64{1, 2})
	less := profile.Profile{Kernels: same.Kernels[:5]}
	other := profile.Profile{Kernels: slices.Clone(same.Kernels)}
	other.Kernels[5].Grid = "(32, 1, 1)"
	for name, p := range map[string]profile.Profile{"a kernel less": less, "another grid": other, "nothing": {}} {
		if got, ok := Typical(p, 3); ok || len(got.Kernels) != len(p.Kernels) {
			t.Errorf("%s: %v, %d kernels", name, ok, len(got.Kernels))
		}
	}
	if p, ok := Typical(same, 1); !ok || len(p.Kernels) != 6 {
		t.Errorf("one launch: %v, %d kernels", ok, len(p.Kernels))
	}
}

// TestLaunchesToProfile: small changes of short launches are profiled several times, an odd number of them, and what takes long or stands out once.
func TestLaunchesToProfile(t *testing.T) {
	for _, at := range []struct {
		log, seconds float64
		kernels      int
		want         int
	}{
		{0.1, 100e-6, 1, 7}, {-0.1, 100e-6, 1, 7}, {0.3, 100e-6, 1, 1}, {0, 100e-6, 3, 5}, {0, 100e-6, 0, 3}, {0.1, 0.05, 1, 3}, {0.1, 1, 1, 1}, {0.1, 1e-6, 1000, 1},
	} {
		if got := LaunchesToProfile(at.log, at.seconds, at.kernels); got != at.want {
			t.Errorf("%+v: %d", at, got)
		}
	}
}
