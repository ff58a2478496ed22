package rule_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Where some processes of a run lie far outside of all others, what it could have seen is not stated; a steady run states it. A machine says nothing of another.
func TestUnsteadyNoise(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	p.Cases = 8
	steady, wild := rule.Part{Machine: "steady"}, rule.Part{Machine: "wild"}
	for i := range p.Cases {
		c, err := ruletest.Measured(strconv.Itoa(i+1), rand.New(rand.NewPCG(3, uint64(i))), 0.001, 0, p)
		if err != nil {
			t.Fatal(err)
		}
		c.Machine = "steady"
		steady.Cases = append(steady.Cases, c)
		c.Machine = "wild"
		c.Processes = append([]result.Process{}, c.Processes...)
		if i < 3 {
			q := &c.Processes[0]
			q.ValueNS *= math.Exp(0.3)
			q.Quantiles.Max = q.ValueNS
		}
		wild.Cases = append(wild.Cases, c)
	}
	for _, part := range []rule.Part{steady, wild} {
		if got := rule.ConcludePart(part, p); got.Has(result.FindingUnsteady) != (part.Machine == "wild") || got.Exit != result.ExitPassed {
			t.Errorf("%s: %+v", part.Machine, got)
		}
	}
}
