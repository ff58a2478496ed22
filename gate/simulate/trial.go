package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// trial is one case: rounds that are measured as they are asked for.
type trial struct {
	machine Machine
	random  *rand.Rand
	shift   float64
	orders  rule.Orders
	rounds  []stats.Round
	ns      float64        // what all samples took
	keep    int            // of this many rounds the samples are kept
	samples [2][][]float64 // kept samples of base and of head, by process
}

const (
	base = 0
	head = 1
)

// newTrial starts case i of a noise and shift, with its own random numbers.
func newTrial(n Noise, shift float64, seed uint64, i int) *trial {
	h := fnv.New64a()
	h.Write([]byte(n.Name()))
	random := rand.New(rand.NewPCG(seed^h.Sum64(), math.Float64bits(shift)^uint64(i)*0x9e3779b97f4a7c15))
	if suite, ok := n.(interface{ Case(i int) Noise }); ok {
		n = suite.Case(i)
	}
	return &trial{machine: n.Start(random), random: random, shift: shift}
}

// upTo measures until there are n complete rounds.
func (t *trial) upTo(n int) []stats.Round {
	for len(t.rounds) < n {
		var r stats.Round
		order := t.orders.Of(len(t.rounds), func() bool { return t.random.IntN(2) == 0 }) // as measuring draws it
		for place, letter := range order {
			side, of := base, &r.Base
			if letter == 'B' {
				side, of = head, &r.Head
			}
			*of = append(*of, t.process(side, Place{side == head, place, len(order)}))
		}
		t.rounds = append(t.rounds, r)
	}
	return t.rounds[:n]
}

func (t *trial) process(side int, at Place) float64 {
	samples := t.machine.Process(at, t.shift)
	t.ns += stats.Mean(samples) * float64(len(samples))
	if len(t.rounds) < t.keep {
		t.samples[side] = append(t.samples[side], append([]float64{}, samples...))
	}
	y, err := stats.LogProcess(samples)
	if err != nil {
		// Only a model with absurd parameters makes latencies of 0; NaN lets no look decide.
		return math.NaN()
	}
	return y
}

// outcome is what the gate said of a case.
type outcome struct {
	verdict   result.Verdict
	rounds    int
	processes int
	sampling  float64            // what its samples took, in ns
	kind      result.FindingKind // what the run says of the case; "" for nothing
	red       bool               // the run fails by this case, policy for open cases included
}

// gateCase lets the gate look until it decides.
func gateCase(t *trial, tm rule.Timing, p result.Policy) outcome {
	return lookUntilDecided(t, tm, p, rule.ScheduleOf(p).Looks())
}

// ruleTwoLooks are the looks of the rule that this one replaced, in rounds. It had two processes of each side in every round and shared both
// error rates equally, which a policy with as many planned looks does as well.
var ruleTwoLooks = []int{4, 6, 8, 12, 16, 20, 28, 36}

// theCase is the name of a case that is alone.
const theCase = "k"

// lookUntilDecided lets the gate look after so many rounds.
func lookUntilDecided(t *trial, tm rule.Timing, p result.Policy, looks []int) outcome {
	var o outcome
	c := newCase(theCase, tm)
	for look, rounds := range looks {
		extend(&c, t, rounds, nil)
		o = outcome{rounds: rounds, processes: len(c.Processes), sampling: t.ns}
		if decideOnce(&c, look, look == len(looks)-1, p); c.Verdict != result.Undecided {
			break
		}
	}
	concluded := rule.Conclude([]result.Case{c}, nil, p)
	if len(concluded.Findings) > 0 {
		o.kind = concluded.Findings[0].Kind
	}
	o.verdict, o.red = c.Verdict, concluded.Exit == result.ExitFailed
	return o
}

// parallel calls visit for 0 … n-1 on all cores and returns the results in order.
func parallel[T any](n int, visit func(i int) T) []T {
	results := make([]T, n)
	var workers sync.WaitGroup
	cores := runtime.GOMAXPROCS(0)
	for w := range cores {
		workers.Go(func() {
			for i := w; i < n; i += cores {
				results[i] = visit(i)
			}
		})
	}
	workers.Wait()
	return results
}
