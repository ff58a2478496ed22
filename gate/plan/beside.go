package plan

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/config"
)

// Asks says whether a run of the gate measures a competitor: manual ones where the run asks for them.
func Asks(r config.Competitor, manual bool) bool {
	return r.When == config.WhenChanged || r.When == config.WhenAlways || manual && r.When == config.WhenManual
}

// AsksRecord says whether a record of a kernel measures a competitor. first says that no record has the kernel's code yet.
func AsksRecord(r config.Competitor, first bool) bool {
	return r.When == config.WhenRecord || r.When == config.WhenAlways || first && r.When == config.WhenChanged
}

// Beside is how many questions there are about speedups over competitors, each of which the error rate counts: of minimum speedups and of goals; and the
// most competitors that a kernel is measured alongside. Like K it is of the whole plan: ask before it is cut into shards.
func (p *Plan) Beside(manual bool, goals []config.Goal) (speedups, competitors int) {
	for _, k := range p.Kernels {
		asked := 0
		for _, r := range k.Kernel.Competitors {
			if !Asks(r, manual) {
				continue
			}
			asked++
			if r.MinSpeedup > 0 {
				speedups += len(k.Measured)
			}
			for _, g := range goals {
				if g.Over == r.Name {
					speedups += len(k.Measured)
				}
			}
		}
		competitors = max(competitors, asked)
	}
	return speedups, competitors
}

// checkGoals returns an error for a goal that wants more cases than there are.
func (p *Plan) checkGoals(cfg *config.Config) error {
	for i, g := range cfg.Goals {
		n := 0
		for _, k := range p.Kernels {
			if slices.ContainsFunc(k.Kernel.Competitors, func(r config.Competitor) bool { return r.Name == g.Over }) {
				n += len(k.Measured)
			}
		}
		if n < g.Cases && !p.HasUnknown() {
			return cfg.ErrorAt(fmt.Sprintf("goals[%d].cases", i), "goals: %d cases are wanted, and %d are timed of the kernels that have the competitor %s", g.Cases, n, g.Over)
		}
	}
	return nil
}
