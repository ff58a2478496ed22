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

// inPlanOrder sorts what the records and the rounds settled as the plan has it.
func (k *kernelRun) inPlanOrder() {
	place := map[string]int{}
	for i, c := range k.plan.Measured {
		place[c.Name()] = i
	}
	slices.SortStableFunc(k.cases, func(a, b result.Case) int { return place[a.Name] - place[b.Name] })
	slices.SortStableFunc(k.outcomes, func(a, b gate.CaseOutcome) int { return place[a.Name] - place[b.Name] })
}

// creep compares head with the best-known level. It warns: a red verdict would need rounds against a build of that
// level's commit.
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
	if limit := s.run.config.Baseline.Creep; lost > limit {
		s.run.res.Baseline.Warnings = append(s.run.res.Baseline.Warnings, creepWarning(c, best, lost, limit))
	}
}

func creepWarning(c *result.Case, best baseline.Best, lost, limit float64) string {
	text := fmt.Sprintf("%s is %.1f %% slower than its best-known level (%d records up to %.12s), more than the %.3g %% that baseline.creep allows",
		c.Name, 100*lost, best.Records, best.Commit, 100*limit)
	if c.Verdict == gate.Slower {
		text += "; this change is slower itself, and was not measured beside a build of that commit, so this only warns"
	}
	return text
}

// headSession is head's side of a case's rounds.
func headSession(c result.Case) baseline.Session {
	return baseline.Alone{Processes: slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Side != result.SideHead })}.Session()
}
