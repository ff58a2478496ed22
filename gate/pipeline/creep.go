package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

// afterRounds completes what the result says of records: the minutes of both comparisons and how far cases have crept.
func (r *run) afterRounds(spent time.Duration) {
	b := r.res.Baseline
	if b == nil {
		return
	}
	if len(r.res.Rounds) > 0 {
		b.RoundsS = spent.Seconds()
	}
	for _, k := range r.kernels {
		k.inPlanOrder()
		if k.record.Status == result.KernelIdentical {
			b.Identical += len(k.plan.Measured)
			b.SavedS += r.saved(k)
		}
		if r.screening == nil {
			continue
		}
		for i := range k.cases {
			c := &k.cases[i]
			if c.Stored = r.screening.cases[c.Name]; c.Stored != nil {
				r.screening.creep(k, c)
			}
		}
	}
}

// saved is the least that rounds of a kernel's cases would have taken, in seconds, by its nearest records: the warm-up and the
// samples of the processes of four rounds. 0 where there is no record to tell.
func (r *run) saved(k *kernelRun) float64 {
	if r.history == nil {
		return 0
	}
	var warmUp, samples float64
	for _, c := range k.plan.Measured {
		for _, f := range r.history.history.Found {
			if kept := f.Record.Case(c.Name()); kept != nil {
				m := kept.Method
				warmUp = f.Record.WarmUp.NS
				samples += m.LaunchNS * float64(m.Launches*m.Samples)
				break
			}
		}
	}
	return 4 * gate.MinRounds * (warmUp + samples) / 1e9
}

// inPlanOrder sorts what the records and the rounds settled as the plan has it.
func (k *kernelRun) inPlanOrder() {
	place := map[string]int{}
	for i, c := range k.plan.Measured {
		place[c.Name()] = i
	}
	slices.SortStableFunc(k.cases, func(a, b result.Case) int { return place[a.Name] - place[b.Name] })
}

// creep compares head with the best-known level. Beyond the limit it warns; a case that may fail for it goes on to rounds
// against that level's build.
func (s *screening) creep(k *kernelRun, c *result.Case) {
	head, ok := s.heads[c.Name]
	if !ok {
		head = headSession(*c)
	}
	steady := baseline.SteadyNone
	if b := s.bases[c.Name]; b != nil && b.Learnt.Known() {
		steady = b.Learnt.Steady
	}
	best, ok := s.history.BestKnown(s.now(c.Name, k), steady)
	if !ok {
		return
	}
	lost, ok := best.Creep(head)
	if !ok {
		return
	}
	c.Stored.BestCommit, c.Stored.Creep = best.Commit, lost
	limit := s.run.config.Baseline.Creep
	c.Stored.CreepLimit = limit
	switch {
	case lost <= limit:
	case s.subjects[c.Name].Name != "" && gate.MayFailForCreep(c.Verdict):
		s.crept = append(s.crept, crept{k, c.Name, best})
	default:
		s.warn(creepWarning(c, best, lost, limit))
	}
}

func (s *screening) warn(text string) {
	s.run.res.Baseline.Warnings = append(s.run.res.Baseline.Warnings, text)
}

func creepWarning(c *result.Case, best baseline.Best, lost, limit float64) string {
	return fmt.Sprintf("%s is %.1f %% slower than its best-known level (%d records up to %.12s), more than the %.3g %% that baseline.creep allows",
		c.Name, 100*lost, best.Records, best.Commit, 100*limit)
}

// headSession is head's side of a case's rounds.
func headSession(c result.Case) baseline.Session {
	return baseline.SessionOf(slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Side != result.SideHead }))
}
