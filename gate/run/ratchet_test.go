package run

import (
	"math"
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// fasterPast is a past whose kernel took 70 % of base's time until five commits ago.
func fasterPast(t *testing.T) (p *past, best string) {
	p = newPast(t)
	p.remember(10, func(i int) float64 {
		if i < 5 {
			return 1
		}
		return 0.7
	}, func(r *baseline.Record) {
		if r.Commit > commitName(4) {
			r.Cases[0].Fingerprint, r.Cases[0].Inputs = "best", "best"
		}
	})
	return p, p.ancestors[5]
}

// Many changes within the tolerance: the one that is slower itself fails once rounds against the best-known build confirm
// what is lost by now.
func TestRatchetFailsWhatRoundsConfirm(t *testing.T) {
	p, best := fasterPast(t)
	p.tree(best, 7*levelMicros/10, "")
	s, c := ratcheted(t, p, nil)
	q := c.Comparison(result.VariantHead, result.Variant{Role: result.RoleBestKnown, Name: best})
	if q == nil || q.Verdict != result.Regression || c.Stored.BestCommit != best || c.Stored.CumulativeShift <= 0 || q.Low <= 0 || len(c.For(result.PurposeBestKnown)) < 4*rule.MinRounds {
		t.Errorf("commit %.8s, lost %v, %+v", c.Stored.BestCommit, c.Stored.CumulativeShift, q)
	}
	if s.summary.BestKnownS <= 0 || c.IsCumulativeRegression() || len(p.laidOut) != 1 {
		t.Errorf("%+v, laid out %q", s.summary, p.laidOut)
	}
}

// slowerHead is what rounds say of a head that takes 10 % longer than base, up to where it is held against the best-known level.
func slowerHead(t *testing.T, p *past) (*screening, *Measured) {
	t.Helper()
	s, v := builtRun(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 11*levelMicros/10, "")))
	records, err := s.measuring(v.Asked).openScreening(t.Context())
	must(t, err)
	m := &Measured{Kernels: Kernels{On: []Kernel{timed(v.Builds.On[0])}}, Baseline: records.summary}
	records.findBases(m)
	c := &m.On[0].Cases[0].Record
	c.Verdict = result.Slower
	c.SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Rounds: rule.MinRounds, Theta: math.Log(1.1), Low: math.Log(1.09), High: math.Log(1.11), Ratio: 1.1})
	for _, ns := range p.sample().Cases[0].ValuesNS {
		c.Processes = append(c.Processes, result.Process{Variant: result.VariantBase, ValueNS: ns}, result.Process{Variant: result.VariantHead, ValueNS: 1.1 * ns})
	}
	return records, m
}

// ratcheted is such a head once it was held against the best-known level.
func ratcheted(t *testing.T, p *past, change func(*screening, *result.Case)) (*screening, result.Case) {
	t.Helper()
	s, m := slowerHead(t, p)
	c := &m.On[0].Cases[0].Record
	if change != nil {
		change(s, c)
	}
	must(t, s.ratchet(t.Context(), m))
	return s, *c
}

// A record that remembers a level which its commit does not have fails no run: the rounds outvote it, and this is said.
func TestRatchetBelievesRoundsMoreThanRecords(t *testing.T) {
	p, best := fasterPast(t)
	p.tree(best, 108*levelMicros/100, "")
	if _, c := ratcheted(t, p, nil); !c.To(result.RoleBestKnown).HasNumbers() || c.To(result.RoleBestKnown).Verdict == "" || !c.IsCumulativeRegression() {
		t.Errorf("%+v", c)
	}
}

// Without the best-known commit, or where it does not build any more, the run warns and says why.
func TestRatchetOnlyWarnsWithoutABuild(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(p *past, best string)
		says    result.ReasonKind
	}{
		"shallow clone":  {func(*past, string) {}, result.ReasonNoFiles},
		"does not build": {func(p *past, best string) { p.tree(best, levelMicros, "this is no C++") }, result.ReasonBestNoBuild},
	} {
		t.Run(name, func(t *testing.T) {
			p, best := fasterPast(t)
			c.prepare(p, best)
			_, r := ratcheted(t, p, nil)
			if q := r.To(result.RoleBestKnown); q == nil || q.Verdict != "" || !q.Reason.Is(c.says) || !r.IsCumulativeRegression() {
				t.Errorf("%+v, want %q", q, c.says)
			}
		})
	}
}

// A change that is not slower itself does not answer for others: it is warned, nothing is built or measured for it.
func TestRatchetSparesTheInnocent(t *testing.T) {
	p, best := fasterPast(t)
	p.tree(best, 7*levelMicros/10, "")
	res := runIt(t, p.otherCode())
	if res.Conclusion.Exit != result.ExitPassed || len(p.laidOut) != 0 || res.Cases[0].To(result.RoleBestKnown) != nil {
		t.Errorf("exit %d, laid out %q, %+v", res.Conclusion.Exit, p.laidOut, res.Cases[0].Stored)
	}
	if lost := res.CumulativeRegressions(); len(lost) != 1 || lost[0].To(result.RoleBestKnown) != nil {
		t.Errorf("lost: %+v", lost)
	}
}

// What is slower itself, and not by more than changes may lose together, is a matter of base alone: nothing is built of the past for it.
func TestRatchetLeavesAloneWhatLostLittle(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, func(r *baseline.Record) { r.Cases[0].Fingerprint, r.Cases[0].Inputs = "best", "best" })
	if _, c := ratcheted(t, p, nil); c.Stored.BestCommit == "" || c.IsCumulativeRegression() || len(p.laidOut) > 0 || c.To(result.RoleBestKnown) != nil {
		t.Errorf("laid out %q, %+v", p.laidOut, c.Stored)
	}
}

// Where the best-known level is base's own code, its rounds have been run already.
func TestRatchetTakesTheRoundsThatItHas(t *testing.T) {
	p := newPast(t)
	p.remember(10, func(int) float64 { return 0.7 }, nil)
	p.tree(p.ancestors[0], levelMicros, "")
	s, m := slowerHead(t, p)
	of := &m.On[0].Cases[0]
	like := s.subject(m.On[0], of.Plan).Like
	if like == nil || *like != p.sample().Cases[0].Method {
		t.Fatalf("rounds would be timed like %+v", like)
	}
	other := *like
	other.Launches += 7
	of.Record.Method = &other
	if err := s.ratchet(t.Context(), m); err != nil || of.Record.Stored.TimedOtherwise != 10 || of.Record.To(result.RoleBestKnown) != nil {
		t.Errorf("timed otherwise than the records: %v, %+v", err, of.Record.Stored)
	}
	of.Record.Method, of.Record.Stored.TimedOtherwise = like, 0
	must(t, s.ratchet(t.Context(), m))
	c := of.Record
	q := c.To(result.RoleBestKnown)
	if !q.HasNumbers() || q.Low != c.Compared().Low || q.High != c.Compared().High || q.Theta != c.Compared().Theta || len(c.For(result.PurposeBestKnown)) != 0 {
		t.Fatalf("%+v against %+v", q, c.Compared())
	}
	// The comparison is with base, and its limit is that of many changes together. 10 % is within it, so what records say stays a warning.
	if q.Verdict != result.Slower || q.Tolerance != c.Stored.CumulativeLimit || !c.IsCumulativeRegression() {
		t.Errorf("%+v", c.Stored)
	}
}

// A case that a trade may let pass is measured beside a build of its best-known level, up to the worst slowdown that a trade has to exclude: a shard asks so for
// every such case, since it does not know the suite.
func TestRatchetOfATrade(t *testing.T) {
	p, best := fasterPast(t)
	p.tree(best, 7*levelMicros/10, "")
	_, c := ratcheted(t, p, func(s *screening, c *result.Case) {
		s.policy.Suite, s.opt.Shard = result.Suite{Tolerance: 0.01, Worst: 0.15}, &plan.Shard{Index: 1, Of: 2}
		c.Verdict = result.Regression
	})
	if q := c.To(result.RoleBestKnown); !q.HasNumbers() || q.To.Name != best || q.Tolerance != 0.15 || q.Verdict != result.Regression {
		t.Errorf("%+v", q)
	}
}
