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
		if err != nil {
			t.Fatal(err)
		}
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

// A head whose trimmed CPU time is base's fails for what it does in some launches: it waits, or computes longer. The finding says which.
func TestWhatHeadDoesInSomeLaunchesFails(t *testing.T) {
	p := Default()
	for name, c := range map[string]struct {
		waiting
		waits bool
	}{
		"waits":                     {waiting{0.003, usual, with(usual, 0.1)}, true},
		"waits while base does too": {waiting{0.003, with(usual, 0.1), with(usual, 0.3)}, true},
		"computes longer":           {waiting{0.003, usual, func(*rand.Rand) (float64, float64) { return 1.9, 0 }}, false},
		"waits on a busy machine":   {waiting{0.02, preempted, with(preempted, 4)}, true},
		"is faster otherwise":       {waiting{0.003, func(*rand.Rand) (float64, float64) { return 1, 0 }, with(func(*rand.Rand) (float64, float64) { return 1, 0 }, 0.5)}, true},
	} {
		decided := c.decided(t, 1, p)
		concluded := Conclude([]result.Case{decided}, []result.Kernel{elapsedKernel}, p)
		if concluded.Exit != result.ExitFailed || len(concluded.Against()) != 1 {
			t.Errorf("%s: exit %d, %+v; compared %+v", name, concluded.Exit, concluded.Findings, decided.Compared())
			continue
		}
		f := concluded.Against()[0]
		if f.Kind != result.FindingElapsed || f.Side != result.SideHead || f.Elapsed == nil || f.Elapsed.HeadWaitedNS > 0 != c.waits {
			t.Errorf("%s: %+v, %+v", name, f, f.Elapsed)
		}
	}
}

// A head that is slower by its value as well is a plain regression.
func TestSlowerInBothTimesIsARegression(t *testing.T) {
	slow := func(*rand.Rand) (float64, float64) { return 1, 0 }
	c := waiting{0.003, slow, slow}.decided(t, 1, Default())
	for i, p := range c.Processes {
		if p.Variant == result.VariantHead {
			c.Processes[i].ValueNS *= 1.1
			c.Processes[i].ElapsedNS *= 1.1
		}
	}
	compared, err := CompareProcesses(c.Processes, 1, elapsedMethod, Default())
	if err != nil {
		t.Fatal(err)
	}
	c.Verdict = Decide(compared, Default(), false)
	c.SetComparison(result.VariantHead, result.VariantBase, &compared)
	if found := Conclude([]result.Case{c}, nil, Default()).Against(); c.Verdict != result.Regression || len(found) != 1 || found[0].Kind != result.FindingRegression {
		t.Errorf("%s, %+v", c.Verdict, found)
	}
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

// An excess that is significant, and by its estimate over the tolerance, does not pass before that is known. What is never known is the policy's.
func TestElapsedTimesThatStayOpen(t *testing.T) {
	p := Default()
	c := waiting{0.003, usual, usual}.decided(t, 1, p)
	c.Compared().Elapsed.Low, c.Compared().Elapsed.Theta = 0.005, 0.02 // of a tolerance of 1.5 %
	if v := Decide(*c.Compared(), p, false); v != result.Undecided {
		t.Errorf("before the last look: %s", v)
	}
	c.Verdict = Decide(*c.Compared(), p, true)
	for range mostLooks - len(c.Looks) {
		c.Looks = append(c.Looks, c.Looks[0])
	}
	for on, want := range map[result.OnInconclusive]result.FindingKind{
		result.OnInconclusiveStop: result.FindingSlowerEstimateOver, result.OnInconclusiveFail: result.FindingInconclusiveFailed, result.OnInconclusivePass: result.FindingInconclusivePassed,
	} {
		p.OnInconclusive = on
		if found := Conclude([]result.Case{c}, nil, p).Findings; c.Verdict != result.Inconclusive || len(found) != 1 || found[0].Kind != want {
			t.Errorf("%s: %s, %+v; want %s", on, c.Verdict, found, want)
		}
	}
	c.Compared().Elapsed.Theta = 0.01
	if v := Decide(*c.Compared(), p, false); v != result.Same {
		t.Errorf("an excess within the tolerance: %s", v)
	}
}

// Waits are counted exactly: where values vary so much that they could hide them, a case does not pass. What waits in few processes only does not either.
func TestNoiseHidesNoWaits(t *testing.T) {
	p := Default()
	p.Tolerance = 0.05
	rarely := func(rng *rand.Rand) (float64, float64) {
		if rng.IntN(12) == 0 {
			return 1, 3
		}
		return 1, 0
	}
	for name, w := range map[string]waiting{
		"noisy values": {0.3, usual, with(usual, 0.16)}, "faster by chance": {0.1, usual, with(usual, 0.16)}, "few processes wait": {0.003, usual, rarely},
	} {
		for seed := range uint64(30) {
			c := w.decided(t, seed, p)
			concluded := Conclude([]result.Case{c}, []result.Kernel{elapsedKernel}, p)
			if c.Compared().Elapsed.ExcessWait > p.Tolerance && concluded.Exit == result.ExitPassed {
				t.Errorf("%s, run %d: %s, %+v", name, seed, c.Verdict, c.Compared().Elapsed)
			}
		}
	}
	faster := waiting{0.003, usual, func(*rand.Rand) (float64, float64) { return 1, 0.1 }}.decided(t, 1, p)
	forEach(&faster, func(p *result.Process) {
		if p.Variant == result.VariantHead {
			p.ValueNS, p.ElapsedNS, p.WaitedNS = 0.5*p.ValueNS, 0.5*p.ElapsedNS, 0.5*p.WaitedNS // it waits, and is twice as fast for all that
		}
	})
	compared, err := CompareProcesses(faster.Processes, 1, elapsedMethod, p)
	if v := Decide(compared, p, true); err != nil || v != result.Improvement {
		t.Errorf("twice as fast, waits included: %s, %v", v, err)
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

// A benchmark that times itself has samples of its own choice.
func TestElapsedTimesOfBenchmarksAreNotCompared(t *testing.T) {
	c := waiting{0.003, usual, with(usual, 0.5)}.decided(t, 1, Default())
	foreign := elapsedMethod
	foreign.Clock = result.ClockBenchmark
	if compared, err := CompareProcesses(c.Processes, 1, foreign, Default()); err != nil || compared.Elapsed != nil {
		t.Errorf("%+v, %v", compared.Elapsed, err)
	}
}
