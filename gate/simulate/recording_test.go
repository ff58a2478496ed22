package simulate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/rule"
)

// Quiet recordings are cut short, noisy ones are not, and what is left is the beginning of a process that there was.
func TestShortened(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	recording := func(sd float64) Recording {
		r := Recording{label: "r", medianNS: 1e5}
		for range 6 {
			samples := make([]float64, 300)
			for i := range samples {
				samples[i] = 1e5 * math.Exp(sd*random.NormFloat64())
			}
			r.processes[base] = append(r.processes[base], samples)
		}
		r.processes[head] = r.processes[base]
		return r
	}
	for sd, want := range map[float64][2]int{0.001: {50, 50}, 0.3: {300, 300}} {
		r := recording(sd)
		noise := Shortened("file", []Noise{r}, 0.015)
		if len(noise) != 2 || !strings.HasSuffix(noise[0].Name(), "all samples") || !strings.HasSuffix(noise[1].Name(), "enough samples") {
			t.Fatalf("%v", noise)
		}
		if all := noise[0].Start(random).Process(Place{}, 0); len(all) != 300 {
			t.Errorf("sd %v: %d of all samples", sd, len(all))
		}
		machine := noise[1].Start(random)
		cut := append([]float64{}, machine.Process(Place{Head: true}, math.Log(2))...)
		if len(cut) < want[0] || len(cut) > want[1] || len(machine.Process(Place{}, 0)) != len(cut) {
			t.Errorf("sd %v: %d samples are enough, want %v in each process", sd, len(cut), want)
		}
		known := false
		for _, p := range r.processes[base] {
			known = known || math.Abs(cut[0]-2*p[0]) < 1e-6 && math.Abs(cut[len(cut)-1]-2*p[len(cut)-1]) < 1e-6
		}
		if !known {
			t.Errorf("sd %v: no process begins so", sd)
		}
	}
}

// What a run states of a case is seen in another run of that case: of a quiet and a noisy one together, too.
func TestEffectsOfASuiteAreThoseOfItsCases(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var all []Noise
	for _, sd := range []float64{0.001, 0.01} {
		r := Recording{label: "r", medianNS: 1e5}
		for range 40 {
			level := 1e5 * math.Exp(sd*random.NormFloat64())
			r.processes[base] = append(r.processes[base], []float64{level, level, level, level, level})
		}
		r.processes[head] = r.processes[base]
		all = append(all, r)
	}
	o := Default()
	o.Trials = 300
	p := rule.Default()
	p.Cases, p.Tolerance = o.SuiteCases, 0.015
	for i, seen := range o.effects(Shortened("file", all, 0.015)[0], p).seen {
		if got := seen.Value(); got < 0.88 {
			t.Errorf("after %d rounds: what is stated is seen in %.1f %%", CheckedRounds[i], 100*got)
		}
	}
}
