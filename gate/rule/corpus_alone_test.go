package rule_test

import (
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// groups are processes of both sides that ran in pairs, or each on its own.
type groups struct {
	Policy  *policy   `json:"policy"`
	Timer   timer     `json:"timer"`
	Paired  bool      `json:"paired"`
	Base    []float64 `json:"base"` // ns
	Head    []float64 `json:"head"`
	Session float64   `json:"session"` // standard deviation of sessions, in log units
	DF      float64   `json:"df"`      // its degrees of freedom; 0: it is given, not learnt
}

type groupsAnswer struct {
	Verdict    string      `json:"verdict"`
	Compared   *comparison `json:"comparison"`
	Conclusion conclusion  `json:"conclusion"`
}

func (g *groups) answer() (any, error) {
	p, tm := g.Policy.today(), rule.TimingOf(*g.Timer.today())
	var c result.Comparison
	var err error
	if g.Paired {
		c, err = rule.ComparePairs(logs(g.Base), logs(g.Head), 1, tm, p)
	} else {
		session := stats.SessionVariance{Var: g.Session * g.Session, DF: g.DF}
		if g.DF == 0 {
			session.DF = math.Inf(1)
		}
		c, err = rule.CompareUnpaired(logs(g.Base), logs(g.Head), session, 1, tm, p)
	}
	if err != nil {
		return nil, err
	}
	decided := result.Case{Name: "k", Kernel: "k", Verdict: rule.Decide(c, p, true), Comparisons: result.HeadToBase(&c), Looks: make([]result.Look, 1)}
	return groupsAnswer{string(decided.Verdict), comparisonOf(&c), conclusionOf(rule.Conclude([]result.Case{decided}, nil, p))}, nil
}

func logs(times []float64) []float64 {
	out := make([]float64, len(times))
	for i, ns := range times {
		out[i] = math.Log(ns)
	}
	return out
}

// decide turns comparisons into verdicts as they are.
type decide struct {
	Policies    []*policy    `json:"policies"`
	Creep       *float64     `json:"creep"` // by the policy of what may be lost since the best-known level
	Comparisons []comparison `json:"comparisons"`
}

// answer has two verdicts of each, by each policy: while more looks may come, and at the last.
func (d *decide) answer() (any, error) {
	var out [][][2]result.Verdict
	for _, of := range d.Policies {
		p := of.today()
		if d.Creep != nil {
			p = rule.CumulativePolicy(p, *d.Creep)
		}
		var verdicts [][2]result.Verdict
		for _, c := range d.Comparisons {
			verdicts = append(verdicts, [2]result.Verdict{rule.Decide(*c.today(), p, false), rule.Decide(*c.today(), p, true)})
		}
		out = append(out, verdicts)
	}
	return out, nil
}

// samples are those of one process, of which fewer may be enough.
type samples struct {
	NS        []float64 `json:"ns"`
	Tolerance float64   `json:"tolerance"`
}

func (s *samples) answer() (any, error) { return rule.EnoughSamples(s.NS, s.Tolerance), nil }

// timingCheck is what external timing checks saw of processes.
type timingCheck struct {
	Launches int     `json:"launches"`
	Rounds   []round `json:"rounds"`
}

type timingCheckAnswer struct {
	NS          number `json:"ns"`
	Claimed     number `json:"claimed"`
	Significant bool   `json:"significant"`
	Likely      bool   `json:"likely"`
}

func (t *timingCheck) answer() (any, error) {
	sides, _, err := processesOf(t.Rounds, false)
	if err != nil {
		return nil, err
	}
	for _, p := range sides {
		if p.TimingCheck != nil {
			p.TimingCheck.Launches = t.Launches
		}
	}
	found := rule.CheckTiming(sides)
	return timingCheckAnswer{number(found.HiddenNS), number(found.ClaimedNS), found.Significant, found.Likely}, nil
}

// orders are those of rounds beside so many competitors, by the flips of a coin.
type orders struct {
	Competitors int    `json:"competitors"`
	Flips       []bool `json:"flips"`
	Rounds      int    `json:"rounds"`
}

type ordersAnswer struct {
	Orders []string `json:"orders"`
	Looks  []int    `json:"looks"` // at competitors
}

func (o *orders) answer() (any, error) {
	drawn, next := rule.Orders{Schedule: rule.Schedule{Even: o.Competitors > 0}, Competitors: o.Competitors}, 0
	flip := func() bool { next++; return o.Flips[next-1] }
	out := ordersAnswer{Looks: rule.CompetitorLooks(o.Competitors)}
	for round := range o.Rounds {
		out.Orders = append(out.Orders, drawn.Of(round, flip))
	}
	return out, nil
}
