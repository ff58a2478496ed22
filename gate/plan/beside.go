package plan

import "github.com/org/perfgate/gate/config"

// Asks says whether a run of the gate measures a competitor: manual ones where the run asks for them.
func Asks(r config.Competitor, manual bool) bool {
	return r.When == config.WhenChanged || r.When == config.WhenAlways || manual && r.When == config.WhenManual
}

// AsksRecord says whether a record of a kernel measures a competitor. first says that no record has the kernel's code yet.
func AsksRecord(r config.Competitor, first bool) bool {
	return r.When == config.WhenRecord || r.When == config.WhenAlways || first && r.When == config.WhenChanged
}

// Beside is how many questions there are about minimum speedups over competitors, each of which the error rate counts, and the most competitors
// that a kernel is measured beside. Like K it is of the whole plan: ask before it is cut into shards.
func (p *Plan) Beside(manual bool) (minSpeedups, competitors int) {
	for _, k := range p.Kernels {
		asked := 0
		for _, r := range k.Kernel.Competitors {
			if !Asks(r, manual) {
				continue
			}
			asked++
			if r.MinSpeedup > 0 {
				minSpeedups += len(k.Measured)
			}
		}
		competitors = max(competitors, asked)
	}
	return minSpeedups, competitors
}
