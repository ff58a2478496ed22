package run

import (
	"runtime"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
)

// Interpreters of competitors import while others measure as those of a kernel do, several at once, and none that has nothing to import ahead.
func TestCompetitorsStartAhead(t *testing.T) {
	several := max(1, min(5, runtime.NumCPU()/3))
	for _, c := range []struct {
		adapter, competitor string
		imports             bool // packages that can be imported before an adapter
		waits, ofCompetitor bool
		ahead               int
	}{
		{"k.pg.cu", "r.pg.cu", false, true, true, 1},
		{"k.pg.cu", "r.pg.py", true, true, true, several},
		{"k.pg.cu", "r.pg.py", false, true, false, several},
		{"k.pg.py", "r.pg.cu", true, true, true, several},
		{"k.pg.py", "r.pg.py", false, false, false, several},
	} {
		library := kernels.Library{Ahead: c.imports}
		k := Kernel{
			Plan:        plan.KernelPlan{Kernel: config.Kernel{Adapter: c.adapter}},
			Competitors: []Competitor{{Config: config.Competitor{Adapter: c.competitor}, Library: library}},
		}
		waits, ofCompetitor, ahead := startsAhead(k, c.adapter, library), k.measuredCompetitors(repo.Trusted{})[0].Waits, mostAhead([]Kernel{k})
		if waits != c.waits || ofCompetitor != c.ofCompetitor || ahead != c.ahead {
			t.Errorf("%s beside %s: waits %v, its competitor %v, %d ahead", c.adapter, c.competitor, waits, ofCompetitor, ahead)
		}
	}
}
