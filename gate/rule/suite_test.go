package rule_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// trading is the policy of a suite of six cases that allows trades.
func trading() result.Policy {
	p := rule.Default()
	p.Cases, p.Suite = sixCases, result.Suite{Tolerance: 0.01, Worst: 0.05}
	return p
}

// weighted are six cases with the shifts of some, each with all rounds, as a suite keeps them there.
func weighted(t *testing.T, p result.Policy, shifts map[int]float64) []result.Case {
	t.Helper()
	var out []result.Case
	for i := range sixCases {
		c := measured(t, i, shifts[i], p)
		ruletest.Extend(&c, rand.New(rand.NewPCG(uint64(i), 8)), 0.002, shifts[i], p, rule.LastLook(p))
		out = append(out, c)
	}
	return out
}

// against gives a case rounds beside a build of its best-known level, from which head has the shift.
func against(t *testing.T, c *result.Case, shift float64, p result.Policy) {
	t.Helper()
	best := result.Variant{Role: result.RoleBestKnown, Name: "b357"}
	limit := rule.CumulativePolicy(p, p.Suite.Worst)
	other, err := ruletest.Measured("0", rand.New(rand.NewPCG(99, 7)), 0.002, shift, limit)
	must(t, err)
	for i := range other.Processes {
		if other.Processes[i].Variant == result.VariantBase {
			other.Processes[i].Variant = best
		}
	}
	c.SetProcesses(result.PurposeBestKnown, other.Processes)
	q := *other.Compared()
	c.Stored = &result.Stored{BestCommit: "b357", CumulativeLimit: p.Suite.Worst}
	c.SetComparison(result.VariantHead, best, &q)
}

// A trade holds if the suite is significantly faster and the slower case excludes the worst slowdown, against base and against its best-known level.
func TestTrade(t *testing.T) {
	t.Parallel()
	fast := map[int]float64{0: 0.03, 1: -0.2, 2: -0.2}
	for name, test := range map[string]struct {
		shifts map[int]float64
		best   float64 // shift against the best-known level; 0: there is none
		change func(*result.Policy)
		trade  result.TradeStatus
		on     string // the case that a refusal names
		exit   result.ExitCode
	}{
		"accepted":                   {fast, 0.03, nil, result.TradeAccepted, "", 0},
		"no level that is known":     {fast, 0, nil, result.TradeRefused, "k/n=0", 1},
		"a series of trades":         {fast, 0.06, nil, result.TradeRefused, "k/n=0", 1},
		"a case beyond the worst":    {map[int]float64{0: 0.08, 1: -0.2, 2: -0.2}, 0.03, nil, result.TradeRefused, "k/n=0", 1},
		"a suite that is not faster": {map[int]float64{0: 0.03}, 0.03, nil, result.TradeRefused, result.SuiteCase, 1},
		"as much faster as slower":   {map[int]float64{0: 0.03, 1: -0.0291}, 0.03, nil, result.TradeRefused, result.SuiteCase, 1},
		"no trade by the policy":     {fast, 0.03, func(p *result.Policy) { p.Suite.Worst = 0 }, result.TradeNone, "", 1},
		"no suite":                   {fast, 0.03, func(p *result.Policy) { p.Suite = result.Suite{} }, result.TradeNone, "", 1},
		"a slower case with all the weight": {fast, 0.03, func(p *result.Policy) {
			p.Suite.Weights = []result.CaseWeight{{Cases: "k", Weight: 1}, {Cases: "k/n=0", Weight: 1000}}
		}, result.TradeRefused, result.SuiteCase, 1},
		"a slower case without weight":            {fast, 0.03, func(p *result.Policy) { p.Suite.Weights = []result.CaseWeight{{Cases: "k/n=1", Weight: 1}} }, result.TradeNone, "", 1},
		"nothing to trade":                        {map[int]float64{1: -0.2}, 0, nil, result.TradeNone, "", 0},
		"two slower cases, one of which is known": {map[int]float64{0: 0.03, 3: 0.03, 1: -0.2, 2: -0.2}, 0.03, nil, result.TradeRefused, "k/n=3", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := trading()
			if test.change != nil {
				test.change(&p)
			}
			cases := weighted(t, p, test.shifts)
			if test.best > 0 {
				against(t, &cases[0], test.best, p)
			}
			c := rule.Conclude(cases, nil, p)
			if c.Exit != test.exit {
				t.Fatalf("exit %d with %v, want %d", c.Exit, kinds(c), test.exit)
			}
			trade := result.TradeNone
			if len(c.Suites) == 1 {
				trade = c.Suites[0].Trade
			}
			if trade != test.trade || (len(c.With(result.EffectTraded)) > 0) != (test.trade == result.TradeAccepted) || c.Has(result.FindingTradeRefused) != (test.trade == result.TradeRefused) {
				t.Errorf("trade %q with %v, want %q", trade, kinds(c), test.trade)
			}
			for _, f := range c.Findings {
				if f.Kind == result.FindingTradeRefused && f.Case != test.on {
					t.Errorf("refused for %s, want %s", f.Case, test.on)
				}
			}
		})
	}
}

// A suite fails where it is significantly slower than its tolerance though no case is than its own, and one that its looks leave open is no pass.
func TestSuiteIsACaseMore(t *testing.T) {
	t.Parallel()
	slow, open := map[int]float64{}, map[int]float64{}
	for i := range sixCases {
		slow[i], open[i] = 0.03, 0.0095
	}
	for name, test := range map[string]struct {
		shifts    map[int]float64
		tolerance float64 // of cases
		rounds    int
		want      result.FindingKind
		exit      result.ExitCode
	}{
		"slower together": {slow, 0.05, 36, result.FindingRegression, 1},
		"open":            {open, 0.05, 2, result.FindingUnfinished, 3},
		"equal":           {nil, 0.05, 36, "", 0},
	} {
		p := trading()
		p.Tolerance, p.Suite.Worst = test.tolerance, 0
		cases := weighted(t, p, test.shifts)
		for i := range cases {
			cases[i].Processes = slices.DeleteFunc(cases[i].Processes, func(q result.Process) bool { return q.Round >= test.rounds })
		}
		c := rule.Conclude(cases, nil, p)
		i := slices.IndexFunc(c.Findings, func(f result.Finding) bool { return f.Case == result.SuiteCase })
		if c.Exit != test.exit || (i >= 0) != (test.want != "") || i >= 0 && c.Findings[i].Kind != test.want {
			t.Errorf("%s: exit %d with %v, want %d with %q", name, c.Exit, kinds(c), test.exit, test.want)
		}
		if accepted := rule.Accept(c, func(f result.Finding) bool { return f.Case == result.SuiteCase }); test.exit == 1 && accepted.Exit != 0 {
			t.Errorf("%s: a person can accept it by name, and exit is %d", name, accepted.Exit)
		}
	}
}

// A weighted case that was not timed leaves no suite to say anything of, and a trade needs one.
func TestSuiteNeedsItsCases(t *testing.T) {
	t.Parallel()
	p := trading()
	for name, change := range map[string]func(*result.Case){
		"error": func(c *result.Case) { c.Verdict, c.Processes, c.Looks = result.Error, nil, nil },
		"by records": func(c *result.Case) {
			c.Processes = nil
			c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleRecord}, &result.Comparison{Verdict: result.Same})
		},
	} {
		cases := weighted(t, p, map[int]float64{0: 0.03, 1: -0.2, 2: -0.2})
		against(t, &cases[0], 0.03, p)
		change(&cases[5])
		c := rule.Conclude(cases, nil, p)
		if c.Exit == 0 || len(c.With(result.EffectTraded)) > 0 || c.Suites[0].Verdict != result.Error {
			t.Errorf("%s: exit %d with %v", name, c.Exit, kinds(c))
		}
	}
	cases := weighted(t, p, map[int]float64{0: 0.03, 1: -0.2, 2: -0.2})
	against(t, &cases[0], 0.03, p)
	whole := *rule.SuiteOf(cases, p)
	equal := cases[5]
	equal.Verdict, equal.Processes, equal.Looks, equal.Comparisons = result.Same, nil, nil, nil // the same code
	part := *rule.SuiteOf(append(cases[:5:5], equal), p)
	if part.Trade != result.TradeAccepted || part.Equal != 1 || part.Cases != 5 || part.Comparison.Theta-whole.Comparison.Theta > 0.005 {
		t.Errorf("a case of the same code counts as unchanged: %+v beside %+v", part, whole)
	}
}

// tradedResult is a saved run with a trade that its best-known rounds allow.
func tradedResult(t *testing.T, shard *result.Shard, own func(i int) bool) *result.Result {
	t.Helper()
	r := shardOf(t, 1, 1, "L4", nil)
	p := trading()
	cases := weighted(t, p, map[int]float64{0: 0.03, 1: -0.2, 2: -0.2})
	against(t, &cases[0], 0.03, p)
	r.Policy, r.Shard, r.Cases = p, shard, nil
	for i, c := range cases {
		if own(i) {
			r.Cases = append(r.Cases, c)
		}
	}
	if shard != nil {
		r.Seed = "of a shard"
	}
	r.Conclusion = rule.ConcludePart(rule.Part{Kernels: r.Kernels, Cases: r.Cases, IsShard: shard != nil}, p)
	return r
}

func all(int) bool { return true }

// A saved trade is decided again from its samples, and what was changed in it to get one is found, or refuses it.
func TestTradeReplayed(t *testing.T) {
	t.Parallel()
	p := trading()
	for name, test := range map[string]struct {
		change func(*result.Result)
		honest bool
	}{
		"as it is":      {func(*result.Result) {}, true},
		"another worst": {func(r *result.Result) { r.Policy.Suite.Worst = 0.5 }, false},
		"a suite that the configuration does not have": {func(r *result.Result) { r.Policy.Suite.Weights = []result.CaseWeight{{Cases: "k/n=1", Weight: 9}} }, false},
		"a case less": {func(r *result.Result) { r.Cases = r.Cases[:5] }, true}, // K says that it is missing, where parts are merged and where base's rules count
		"a better best-known comparison": {func(r *result.Result) {
			r.Cases[0].SetProcesses(result.PurposeBestKnown, nil)
			r.Cases[0].To(result.RoleBestKnown).Verdict = result.Same
		}, false},
		"no best-known comparison": {func(r *result.Result) {
			r.Cases[0].SetComparison(result.VariantHead, r.Cases[0].To(result.RoleBestKnown).To, nil)
		}, false},
		"a slower case that is called the same code": {func(r *result.Result) {
			r.Cases[3].Verdict, r.Cases[3].Processes, r.Cases[3].Looks, r.Cases[3].Comparisons = result.Same, nil, nil, nil
		}, false},
	} {
		r := tradedResult(t, nil, all)
		if r.Conclusion.Exit != 0 || len(r.Conclusion.With(result.EffectTraded)) != 1 {
			t.Fatalf("exit %d with %v", r.Conclusion.Exit, kinds(r.Conclusion))
		}
		test.change(r)
		again := rule.Replay(r, p)
		if (again.Err() == nil) != test.honest {
			t.Errorf("%s: %v, %v", name, again.Err(), kinds(again.Conclusion))
		}
	}
}

// No shard decides a trade: each says that its case regressed, and all of them together that the suite is faster.
func TestTradeOfShards(t *testing.T) {
	t.Parallel()
	first := tradedResult(t, &result.Shard{Index: 1, Of: 2, Seed: "42"}, func(i int) bool { return i%2 == 0 })
	second := tradedResult(t, &result.Shard{Index: 2, Of: 2, Seed: "42"}, func(i int) bool { return i%2 == 1 })
	if first.Conclusion.Exit != 1 || second.Conclusion.Exit != 0 || first.Conclusion.Suites != nil {
		t.Fatalf("alone: %v and %v", kinds(first.Conclusion), kinds(second.Conclusion))
	}
	m := mustMerge(t, rule.MergeOptions{}, first, second)
	if m.Conclusion.Exit != 0 || m.Conclusion.Suites[0].Trade != result.TradeAccepted {
		t.Errorf("together: exit %d with %v", m.Conclusion.Exit, kinds(m.Conclusion))
	}
	second.Machine.Key, second.Machine.Model = "other", "Xeon" // shards of one plan run wherever they like
	m = mustMerge(t, rule.MergeOptions{}, first, second)
	if m.Conclusion.Exit != 0 || len(m.Conclusion.Suites) != 1 || m.Conclusion.Suites[0].Trade != result.TradeAccepted {
		t.Errorf("on two machines: exit %d with %v, %+v", m.Conclusion.Exit, kinds(m.Conclusion), m.Conclusion.Suites)
	}
	if alone := mustMerge(t, rule.MergeOptions{}, first); alone.Conclusion.Exit != 1 {
		t.Errorf("without the second: %v", kinds(alone.Conclusion))
	}
}

// The looks of a suite end where a trade is out of reach: further rounds could only make the slower case more certain.
func TestHopelessTradeEndsTheLooks(t *testing.T) {
	t.Parallel()
	p := trading()
	v := rule.SuiteOf(weighted(t, p, map[int]float64{0: 0.2, 1: -0.3, 2: -0.3}), p)
	if v.Trade != result.TradeRefused || v.Hindered != "k/n=0" || v.Looks != 1 {
		t.Errorf("trade %q for %q after %d looks, want it refused for k/n=0 after the first", v.Trade, v.Hindered, v.Looks)
	}
}

// A case asks for a trade from the look on at which it is decided, so a suite that is slower before that refuses none.
func TestTradeIsOfCasesDecidedByThen(t *testing.T) {
	t.Parallel()
	p := trading()
	for looks, want := range map[int]result.TradeStatus{1: result.TradeRefused, 2: result.TradeNone} {
		cases := weighted(t, p, map[int]float64{0: 0.2})
		cases[0].Verdict, cases[0].Looks = result.Regression, make([]result.Look, looks)
		for i := 1; i < len(cases); i++ {
			cases[i].Verdict, cases[i].Looks = result.Same, make([]result.Look, 1)
		}
		if v := rule.SuiteOf(cases, p); v.Verdict != result.Regression || v.Looks != 1 || v.Trade != want {
			t.Errorf("decided after %d looks: suite %s after %d looks with trade %q, want %q", looks, v.Verdict, v.Looks, v.Trade, want)
		}
	}
}
