package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// waiting is a case whose CPU time is the same on both sides, but for process noise of sd, and whose launches take longer beside that.
type waiting struct {
	sd         float64
	base, head func(rng *rand.Rand) (mean, waited float64) // of a launch of 1, what the plain mean is, and what it waited
}

func usual(*rand.Rand) (mean, waited float64) { return 1, 0 }

// preempted has the plain mean of a busy machine: a few samples of some processes are many times as slow.
func preempted(rng *rand.Rand) (mean, waited float64) {
	mean = math.Exp(0.02 * rng.NormFloat64())
	if rng.IntN(4) == 0 {
		mean += rng.ExpFloat64()
	}
	return mean, 0
}

// with adds a wait to what there is.
func with(noise func(*rand.Rand) (float64, float64), wait float64) func(*rand.Rand) (float64, float64) {
	return func(rng *rand.Rand) (float64, float64) {
		mean, waited := noise(rng)
		return mean, waited + wait*math.Exp(0.1*rng.NormFloat64())
	}
}

var elapsedMethod = result.Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 100, Cache: "cold", LaunchNS: 1e6, QuantumNS: 1, Oracle: "reference"}

// decided takes the looks at the case until one decides, as a run does.
func (w waiting) decided(t *testing.T, seed uint64, p result.Policy) result.Case {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4242))
	c := result.Case{Name: "k/n=1", Kernel: "k", Params: []result.Param{{Name: "n", Value: "1"}}, Method: &elapsedMethod, Verdict: result.Undecided}
	var orders Orders
	round := 0
	for look, size := range ScheduleOf(p).Looks() {
		for ; round < size; round++ {
			for position, letter := range orders.Of(round, func() bool { return rng.IntN(2) == 0 }) {
				side, of := result.SideBase, w.base
				if letter == 'B' {
					side, of = result.SideHead, w.head
				}
				mean, waited := of(rng)
				ns := 1e6 * math.Exp(w.sd*rng.NormFloat64())
				c.Processes = append(c.Processes, result.Process{
					Round: round, Position: position, Variant: side.Variant(), ValueNS: ns, ElapsedNS: ns * (mean + waited), WaitedNS: ns * waited, Samples: 100, Planned: 100,
					Quantiles: result.Quantiles{Min: ns / 2, P50: ns, Max: ns * 10},
				})
			}
		}
		compared, err := CompareProcesses(c.Processes, look+1, elapsedMethod, p)
		must(t, err)
		c.Verdict = Decide(compared, p, look == mostLooks-1)
		c.SetComparison(result.VariantHead, result.VariantBase, &compared)
		c.Looks = append(c.Looks, result.Look{Rounds: size, Theta: compared.Theta, Low: compared.Low, High: compared.High, Verdict: c.Verdict})
		if c.Verdict.Decided() {
			break
		}
	}
	return c
}

var elapsedKernel = result.Kernel{
	Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed},
}

// Unchanged suites of a busy machine, and of kernels that wait on both sides, are no more often red than is stated; here never.
func TestUnchangedElapsedTimesAreNotRed(t *testing.T) {
	p := Default()
	p.Cases = 4
	for name, w := range map[string]waiting{
		"quiet": {0.003, usual, usual}, "busy": {0.005, preempted, preempted}, "both wait": {0.005, with(usual, 0.2), with(usual, 0.2)},
		"both wait, busy": {0.005, with(preempted, 1), with(preempted, 1)},
	} {
		for seed := range uint64(100) {
			if c := w.decided(t, seed, p); c.Verdict == result.Regression {
				t.Errorf("%s, run %d: %s, %+v", name, seed, c.Verdict, c.Compared().Elapsed)
			}
		}
	}
}

// An excess that is the tolerance itself is over it with no more than the share of the error rate, whatever the noise looks like.
func TestElapsedErrorsKeepTheirShare(t *testing.T) {
	p := Default()
	p.Confidence = 0.5 // so that the share can be counted: 0.5 / 10 over all looks
	const runs = 400
	red := 0
	for seed := range uint64(runs) {
		at := func(rng *rand.Rand) (float64, float64) {
			mean, waited := preempted(rng)
			return mean * (1 + p.Tolerance), waited
		}
		c := waiting{0.003, preempted, at}.decided(t, seed, p)
		if elapsedOver(*c.Compared(), p) {
			red++
		}
	}
	if red > runs/20 {
		t.Errorf("%d of %d runs at the tolerance are over it, want at most one in 20", red, runs)
	}
}

// A saved result says elapsed times, and is decided again by them.
func TestElapsedTimesAreDecidedAgain(t *testing.T) {
	p := Default()
	saved := func() *result.Result {
		c := waiting{0.003, usual, with(usual, 0.1)}.decided(t, 1, p)
		kernels, cases := []result.Kernel{elapsedKernel}, []result.Case{c}
		return &result.Result{Policy: p, Kernels: kernels, Cases: cases, Conclusion: Conclude(cases, kernels, p)}
	}
	if j := Replay(saved(), p); j.Err() != nil || j.Conclusion.Exit != result.ExitFailed {
		t.Errorf("as it was measured: %v, exit %d", j.Err(), j.Conclusion.Exit)
	}
	for name, forge := range map[string]func(*result.Case){
		"passed":               func(c *result.Case) { c.Verdict, c.Compared().Elapsed = result.Same, nil },
		"no elapsed time":      func(c *result.Case) { c.Processes[1].ElapsedNS = 0 },
		"none of all":          func(c *result.Case) { forEach(c, func(p *result.Process) { p.ElapsedNS, p.WaitedNS = 0, 0 }) },
		"a negative wait":      func(c *result.Case) { c.Processes[1].WaitedNS = -1 },
		"a wait of NaN":        func(c *result.Case) { c.Processes[1].WaitedNS = math.NaN() },
		"endless":              func(c *result.Case) { c.Processes[1].ElapsedNS = math.Inf(1) },
		"less than any sample": func(c *result.Case) { c.Processes[1].ElapsedNS = 1 },
		"more waits than time": func(c *result.Case) { c.Processes[1].WaitedNS = c.Processes[1].ElapsedNS },
		"another shift":        func(c *result.Case) { c.Compared().Elapsed.Theta = 0 },
	} {
		r := saved()
		forge(&r.Cases[0])
		if j := Replay(r, p); j.Err() == nil {
			t.Errorf("%s: nothing was found, exit %d", name, j.Conclusion.Exit)
		}
	}
}

func forEach(c *result.Case, change func(*result.Process)) {
	for i := range c.Processes {
		change(&c.Processes[i])
	}
}
