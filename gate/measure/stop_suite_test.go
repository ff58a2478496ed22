package measure

import (
	"fmt"
	"math/rand/v2"
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
		looks  int // after which the suite ends
	}{
		"nothing to trade":        {[3]float64{}, false, 1},
		"a trade at first sight":  {[3]float64{0.03, -0.2, 0}, false, 1},
		"a trade that stays open": {[3]float64{0.03, -0.0291, 0}, false, 17},
		"a part of a plan":        {[3]float64{}, true, 17},
	} {
		var cases []*Case
		for i, shift := range test.shifts {
			c := &Case{Subject: Subject{Name: fmt.Sprintf("k/n=%d", i)}}
			one, err := ruletest.Measured(fmt.Sprint(i), rand.New(rand.NewPCG(uint64(i), 7)), 0.0005, shift, p)
			if err != nil {
				t.Fatal(err)
			}
			ruletest.Extend(&one, rand.New(rand.NewPCG(uint64(i), 8)), 0.0005, shift, p, rule.LastLook(p))
			c.Case = one
			cases = append(cases, c)
		}
		stop, all := Suite(p, nil, test.isPart), cases
		for n, rounds := range rule.ScheduleOf(p).Looks() {
			var now []*Case
			for _, c := range all {
				one := *c
				one.Processes = c.processesBefore(rounds)
				now = append(now, &one)
			}
			if _, err := stop.Look(rounds, now); err != nil {
				t.Fatal(err)
			}
			if want := n+1 < test.looks; now[0].IsOpen() != want || now[1].IsOpen() != want || now[2].IsOpen() {
				t.Fatalf("%s, look %d: open %v %v %v, want %v %v false", name, n+1, now[0].IsOpen(), now[1].IsOpen(), now[2].IsOpen(), want, want)
			}
			if n+1 == test.looks {
				break
			}
		}
	}
}

func (c *Case) processesBefore(rounds int) (out []result.Process) {
	for _, p := range c.Processes {
		if p.Round < rounds {
			out = append(out, p)
		}
	}
	return out
}
