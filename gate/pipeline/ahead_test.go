package pipeline

import (
	"runtime"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
)

// Interpreters of rivals import while others measure as those of a kernel do, several at once, and none that is forked.
func TestRivalsStartAhead(t *testing.T) {
	of := func(adapter, rival, fresh string) (waits, waitsOfRival bool, ahead int) {
		k := Kernel{
			Plan:   plan.KernelPlan{Kernel: config.Kernel{Adapter: adapter}},
			Rivals: []Rival{{Config: config.Rival{Adapter: rival}, Library: kernels.Library{Ahead: true}}},
		}
		m := &measuring{opt: Options{Trusted: repo.Trusted{Config: &config.Config{Fresh: fresh}}}}
		return m.startsAhead(k, adapter, kernels.Library{Ahead: true}), m.measuredBeside(k)[0].Waits, mostAhead([]Kernel{k})
	}
	several := max(1, min(5, runtime.NumCPU()/3))
	for _, c := range []struct {
		adapter, rival, fresh string
		waits, waitsOfRival   bool
		ahead                 int
	}{
		{"k.pg.cu", "r.pg.cu", config.FreshFork, true, true, 1},
		{"k.pg.cu", "r.pg.py", config.FreshProcess, true, true, several},
		{"k.pg.cu", "r.pg.py", config.FreshFork, true, false, several},
		{"k.pg.py", "r.pg.cu", config.FreshProcess, true, true, several},
		{"k.pg.py", "r.pg.py", config.FreshFork, false, false, several},
	} {
		if waits, ofRival, ahead := of(c.adapter, c.rival, c.fresh); waits != c.waits || ofRival != c.waitsOfRival || ahead != c.ahead {
			t.Errorf("%s beside %s, %s: waits %v, its rival %v, %d ahead", c.adapter, c.rival, c.fresh, waits, ofRival, ahead)
		}
	}
}
