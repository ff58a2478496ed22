package rule

import (
	"errors"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// suite is the weighted cases of a run on one machine.
type suite struct {
	policy  result.Policy
	timed   []result.Case
	rounds  [][]stats.Round // of each that is timed, as many as all of them have
	weights []float64
	timings []Timing
	total   float64 // weight, with that of cases whose sides are the same code: their ratio is 1
}

// SuiteOf takes the looks at all weighted cases together again, until no further one changes what they say: nil where the policy has no suite, or no weighted
// case was timed. A trade is then accepted or refused against base alone: how its cases stand against their best-known levels, Conclude says.
//
// Every case of a suite is a case by itself as well, decided by its own looks. The suite goes on until it is decided and, where a case is slower than its
// tolerance, until the trade is. A claim holds at whatever look it is made: each bound has its share of the error rate at every look.
func SuiteOf(cases []result.Case, p result.Policy) *result.SuiteValue {
	if p.Suite.Tolerance == 0 {
		return nil
	}
	v := &result.SuiteValue{Verdict: result.Undecided}
	s, err := newSuite(cases, p, v)
	if err == nil && len(s.timed) == 0 {
		return nil
	}
	if err == nil {
		err = s.looks(v)
	}
	if err != nil {
		v.Verdict = result.Error
	}
	return v
}

// looks takes looks until one has the last word.
func (s suite) looks(v *result.SuiteValue) error {
	looks := LooksOf(s.rounds[0])
	for n, size := range looks {
		if over, err := s.look(v, n+1, size, n+1 == len(looks)); err != nil || over {
			return err
		}
	}
	if v.Verdict == result.Undecided {
		v.Verdict = result.Inconclusive // the rounds ended before the looks did
	}
	if traded, _ := s.wanting(mostLooks); s.policy.Suite.Worst > 0 && len(traded) > 0 {
		v.Trade, v.Traded = result.TradeRefused, traded
	}
	return nil
}

var errSuite = errors.New("a weighted case was not timed")

func newSuite(cases []result.Case, p result.Policy, v *result.SuiteValue) (s suite, err error) {
	s.policy = p
	for _, c := range cases {
		weight := p.Suite.WeightOf(c)
		if weight == 0 || c.Verdict == result.New {
			continue
		}
		s.total += weight
		if c.Verdict == result.Same && len(c.Sides()) == 0 && byRecord(c) == "" {
			v.Equal++
			continue
		}
		rounds, err := arranged(c.Sides(), p)
		if err != nil || len(rounds) == 0 || c.Method == nil || c.Verdict == result.Error || c.Verdict == result.Skipped {
			return s, errSuite
		}
		s.timed, s.rounds, s.weights = append(s.timed, c), append(s.rounds, rounds), append(s.weights, weight)
		s.timings = append(s.timings, TimingOf(*c.Method))
	}
	v.Cases = len(s.timed)
	if len(s.rounds) > 0 {
		least := len(slices.MinFunc(s.rounds, func(a, b []stats.Round) int { return len(a) - len(b) }))
		for i := range s.rounds {
			s.rounds[i] = s.rounds[i][:least]
		}
	}
	return s, nil
}

// look compares the first so many rounds, and says whether that is the last word. isLast says that their numbers are shown, whatever comes of them.
func (s suite) look(v *result.SuiteValue, look, size int, isLast bool) (over bool, err error) {
	first := make([][]stats.Round, len(s.rounds))
	for i := range first {
		first[i] = s.rounds[i][:size]
	}
	mean, err := weightedRounds(first, s.weights, s.total)
	if err != nil {
		return false, err
	}
	p := s.policy.WithTolerance(s.policy.Suite.Tolerance)
	if !isLast && !MayDecide(mean, look, coarsest(s.timings), p) {
		return false, nil
	}
	c, err := Compare(mean, look, coarsest(s.timings), p)
	if err != nil {
		return false, err
	}
	c.Verdict = Decide(c, p, look == mostLooks)
	c = c.Between(result.VariantHead, result.VariantBase)
	v.Verdict, v.Looks, v.Comparison = c.Verdict, look, &c
	traded, pending := s.wanting(look)
	switch {
	case s.policy.Suite.Worst == 0 || c.Verdict == result.Undecided:
		return c.Verdict != result.Undecided, nil
	case c.Verdict == result.Regression && len(traded) > 0:
		v.Trade, v.Traded = result.TradeRefused, traded
		return true, nil
	case c.Verdict == result.Regression || pending || len(traded) == 0:
		return c.Verdict == result.Regression || !pending, nil
	}
	return s.trade(v, traded, look, size)
}

// wanting are the cases that are slower than their tolerance, or may be, by their own looks up to this one; pending says that some are not decided yet.
func (s suite) wanting(look int) (names []string, pending bool) {
	for _, c := range s.timed {
		pending = pending || c.Verdict == result.Undecided || len(c.Looks) > look
		if needsTrade(c) && len(c.Looks) <= look {
			names = append(names, c.Name)
		}
	}
	return names, pending
}

func needsTrade(c result.Case) bool {
	return c.Verdict == result.Regression || c.Verdict == result.Inconclusive
}

// trade decides at a look whether the suite makes up for cases that are slower: it is significantly faster, and every case would pass with the worst slowdown
// as its tolerance.
func (s suite) trade(v *result.SuiteValue, traded []string, look, size int) (over bool, err error) {
	v.Trade, v.Traded, v.Hindered = result.TradeRefused, traded, ""
	if !(v.Comparison.High < 0) {
		return v.Comparison.Low > 0 || look == mostLooks, nil
	}
	worst := s.policy.WithTolerance(s.policy.Suite.Worst)
	hopeless := false
	for _, c := range s.timed {
		first := slices.DeleteFunc(c.Sides(), func(p result.Process) bool { return p.Round >= size })
		q, err := CompareProcesses(first, look, *c.Method, worst)
		if err != nil {
			return false, err
		}
		if verdict := Decide(q, worst, true); !passes(verdict) {
			v.Hindered, hopeless = c.Name, verdict == result.Regression
			break
		}
	}
	if v.Hindered == "" {
		v.Trade = result.TradeAccepted
	}
	return v.Hindered == "" || hopeless || look == mostLooks, nil
}

// passes says whether a verdict excludes a slowdown beyond its tolerance.
func passes(v result.Verdict) bool {
	return slices.Contains([]result.Verdict{result.Same, result.Slower, result.Faster, result.Improvement}, v)
}

// TradeCandidates are the cases that a trade would let pass, as far as they say themselves: those of which rounds against their best-known levels are wanted. Of
// a part of a plan that is every case that the suite could make up for.
func TradeCandidates(cases []result.Case, p result.Policy, isPart bool) []string {
	if v := SuiteOf(cases, p); !isPart {
		if v == nil || v.Trade != result.TradeAccepted {
			return nil
		}
		return v.Traded
	}
	var names []string
	for _, c := range cases {
		worst := p.WithTolerance(p.Suite.Worst)
		if p.Suite.Worst > 0 && p.Suite.WeightOf(c) > 0 && needsTrade(c) && c.Compared().HasNumbers() && Decide(*c.Compared(), worst, true) != result.Regression {
			names = append(names, c.Name)
		}
	}
	return names
}

// suites has what the weighted cases say together, on each machine where several have measured all of the plan. A trade holds only if all of its cases
// exclude the worst slowdown against their best-known levels as well: a series of trades would lose one case bit by bit otherwise.
func (v *collector) suites(parts []Part) {
	byPlan, plans := partsOf(parts)
	for _, plan := range plans {
		var cases []result.Case
		for _, part := range byPlan[plan] {
			cases = append(cases, part.Cases...)
		}
		s := SuiteOf(cases, v.policy)
		if s == nil {
			continue
		}
		s.Machine = plan
		why := result.Finding{Kind: result.FindingTradeRefused, Machine: plan, Case: result.SuiteCase, Shift: result.ShiftOf(s.Comparison)}
		for _, c := range cases {
			if s.Trade == result.TradeAccepted && slices.Contains(s.Traded, c.Name) && !v.keepsBest(c, &why) {
				s.Trade, s.Hindered = result.TradeRefused, c.Name
			}
		}
		if v.suite = append(v.suite, *s); s.Trade == result.TradeRefused {
			if why.Limit = v.policy.Suite.Worst; s.Hindered != "" {
				why.Case, why.Kernel, why.Shift = s.Hindered, result.ParseCaseID(s.Hindered).Kernel, nil
			}
			v.refused = append(v.refused, why)
		}
	}
}

// keepsBest says whether a case excludes the worst slowdown against its best-known level: measured side by side with a build of that, or with base where that is
// the same build. One without such a level does not. why notes what is known.
func (v *collector) keepsBest(c result.Case, why *result.Finding) bool {
	q, worst := c.To(result.RoleBestKnown), CumulativePolicy(v.policy, v.policy.Suite.Worst)
	switch {
	case q.HasNumbers():
		why.Beyond = result.ShiftOf(q)
		return sameNumbers(q, c.To(result.RoleBase)) || passes(Decide(*q, worst, true))
	case q != nil && q.Reason != nil:
		why.Reason = q.Reason
	default:
		why.Reason = &result.Reason{Kind: result.ReasonNoBestKnown}
	}
	return false
}

// isTraded says whether a trade lets a finding pass: it is about how a case's time compares with base's, which no competitor has a part in.
func (v *collector) isTraded(f result.Finding) bool {
	return f.Against() && f.Competitor == "" && slices.ContainsFunc(v.suite, func(s result.SuiteValue) bool {
		return s.Machine == v.plan && s.Trade == result.TradeAccepted && slices.Contains(s.Traded, f.Case)
	})
}

// together adds what each suite comes to, as one case more that is decided like any other, and why a trade was refused.
func (v *collector) together() {
	policy, measured := v.policy, v.measured
	for _, s := range v.suite {
		v.machine, v.policy = s.Machine, policy.WithTolerance(policy.Suite.Tolerance)
		one := result.Case{Name: result.SuiteCase, Verdict: s.Verdict, Looks: make([]result.Look, s.Looks), BudgetGone: s.Looks < mostLooks}
		if s.Verdict == result.Error {
			one.Reason = &result.Reason{Kind: result.ReasonSuiteIncomplete}
		}
		if one.SetComparison(result.VariantHead, result.VariantBase, s.Comparison); s.Comparison != nil || s.Verdict == result.Error && !v.against() {
			v.timed(one)
		}
	}
	for _, f := range v.refused {
		v.machine = f.Machine
		v.add(f)
	}
	v.policy, v.measured = policy, measured
}
