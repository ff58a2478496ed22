package rule_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Weighted cases stay in all rounds until the suite has its last word: one that is decided by itself as well, and no case without weight. A shard cannot
// have that word, so its cases stay until the last look.
func TestSuiteKeepsItsCases(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	p.Cases, p.Suite = 3, result.Suite{Tolerance: 0.01, Worst: 0.05, Weights: []result.CaseWeight{{Cases: "k/n=[01]", Weight: 1}}}
	for name, test := range map[string]struct {
		shifts [3]float64
		isPart bool
		added  []string
		looks  int // after which the suite ends
	}{
		"nothing to trade":        {[3]float64{}, false, nil, 1},
		"a trade at first sight":  {[3]float64{0.03, -0.2, 0}, false, nil, 1},
		"a trade that stays open": {[3]float64{0.03, -0.0291, 0}, false, nil, 17},
		"one is new":              {[3]float64{0.03, -0.0291, 0}, false, []string{"k/n=1"}, 1},
		"a part of a plan":        {[3]float64{}, true, nil, 17},
	} {
		var cases []*result.Case
		for i, shift := range test.shifts {
			c, err := ruletest.Measured(strconv.Itoa(i), rand.New(rand.NewPCG(uint64(i), 7)), 0.0005, shift, p)
			must(t, err)
			ruletest.Extend(&c, rand.New(rand.NewPCG(uint64(i), 8)), 0.0005, shift, p, rule.LastLook(p))
			cases = append(cases, &c)
		}
		stop := rule.NewSuiteLooks(p, nil, test.added, test.isPart)
		for n, rounds := range rule.ScheduleOf(p).Looks() {
			if _, err := stop.Look(rounds, cases); err != nil {
				t.Fatal(err)
			}
			var open [3]bool
			for i, c := range cases {
				open[i] = stop.Wants(c, result.VariantHead)
			}
			if want := n+1 < test.looks; open != [3]bool{want, want, false} {
				t.Fatalf("%s, look %d: open %v, want %v %v false", name, n+1, open, want, want)
			}
			if n+1 == test.looks {
				break
			}
		}
	}
}
