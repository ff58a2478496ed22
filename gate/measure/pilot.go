package measure

import (
	"context"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// pilot is as many samples of a case as a process may take, so that those that add nothing are not taken by every process.
type pilot struct {
	method  result.Method
	samples []float64 // ns; nil where there was no pilot
}

// takePilot takes one on a GPU: on a CPU what disturbs samples comes in bursts that a short look does not see, so processes take as many as they may
// there.
func (s *session) takePilot(ctx context.Context, r *running, c *Case, p probe) (pilot, error) {
	m, _ := c.Subject.freeze([]named{{"head", p}}, p)
	if m.Clock != clockEvent || s.opt.MaxSamples > 0 || m.Samples <= minSamples {
		return pilot{}, nil
	}
	if err := r.warm(ctx, s.warmUp.NS); err != nil {
		return pilot{}, err
	}
	args := timeCommand(c.Subject, m, s.opt.Seed, 0)
	args.NoCanaries = true
	reply, err := callTime(ctx, r, c.Subject.Name, args)
	return pilot{m, reply.Samples}, err
}

// enough is a method with as many samples as are enough. A pilot that was timed in another way than both sides are says nothing.
func (p pilot) enough(m result.Method, tolerance float64) result.Method {
	sameWay := p.method.How == m.How && p.method.Block == m.Block && p.method.Launches == m.Launches && p.method.Pool == m.Pool
	if len(p.samples) < m.Samples || !sameWay {
		return m
	}
	all := m.Samples
	m.Samples = rule.EnoughSamples(p.samples, tolerance)
	m.LimitNS *= float64(m.Samples) / float64(all)
	return m
}

// checks is how many outputs of a process are checked: fewer where the oracle takes long.
func checks(m result.Method, referenceNS float64) int {
	if m.Oracle == oracleReference && checksPerCase*referenceNS > float64(referenceSpan) {
		return 1
	}
	return checksPerCase
}
