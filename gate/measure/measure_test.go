package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// bench is a machine made of numbers: each fresh process of a library draws its level, and its samples around it.
type bench struct {
	rng       *rand.Rand
	levelNS   map[string]float64 // by library
	processSD float64
	sampleSD  float64
	faults    map[string]func(op string, started int) error // by library
	threaded  map[string]bool
	waits     map[string]bool
	waitedNS  map[string]float64
	// slowSamples are of a process, of which each takes ten times as long.
	slowSamples map[string]int
	truly       float64       // times what head says, a launch of head takes by an external clock
	event       bool          // it is a GPU
	bytes       int64         // of a case's output
	delay       time.Duration // of a time command
	started     map[string]int
	counting    sync.Mutex
	live        int // counted by processes that start ahead, too
	order       []string
	loads       int
	methods     []kernels.Method
}

func newBench(seed uint64) *bench {
	return &bench{
		rng: rand.New(rand.NewPCG(seed, 1)), levelNS: map[string]float64{"base": 1e6, "head": 1e6}, processSD: 0.003, sampleSD: 0.01,
		faults: map[string]func(string, int) error{}, threaded: map[string]bool{}, waits: map[string]bool{}, truly: 1, bytes: 4e6, started: map[string]int{},
	}
}

func (b *bench) start(_ context.Context, library string) (Runner, error) {
	b.started[library]++
	b.count(1)
	level := b.levelNS[library] * math.Exp(b.processSD*b.rng.NormFloat64())
	return &fakeRunner{bench: b, library: library, level: level}, nil
}

// open starts a runner that has loaded nothing.
func (b *bench) open(_ context.Context, library string) (Runner, error) {
	b.count(1)
	return &fakeRunner{bench: b}, nil
}

func (b *bench) count(runners int) {
	b.counting.Lock()
	defer b.counting.Unlock()
	b.live += runners
}

type fakeRunner struct {
	bench   *bench
	library string
	level   float64
}

func (r *fakeRunner) Close() { r.bench.count(-1) }

func (r *fakeRunner) load(library string) error {
	if fault := r.bench.faults[library]; fault != nil {
		if err := fault("load", r.bench.started[library]); err != nil {
			return err
		}
	}
	r.library = library
	r.level = r.bench.levelNS[library] * math.Exp(r.bench.processSD*r.bench.rng.NormFloat64())
	r.bench.started[library]++
	r.bench.loads++
	return nil
}

func (r *fakeRunner) Has(string) bool { return true }

func (r *fakeRunner) Printed() string { return "" }

func (r *fakeRunner) Call(ctx context.Context, op, _ string, args, answer any, _ time.Duration) error {
	b := r.bench
	if fault := b.faults[r.library]; fault != nil {
		if err := fault(op, b.started[r.library]); err != nil {
			return err
		}
	}
	if op == "load" {
		return r.load(args.(map[string]any)["adapter"].(string))
	}
	switch a := answer.(type) {
	case *kernels.WarmReply:
		*a = kernels.WarmReply{NS: 1e8, Held: true}
	case *kernels.SpecReply:
		*a = kernels.SpecReply{Tensors: []kernels.Tensor{{Name: "y", Dtype: "f32", Role: "out", Bytes: b.bytes}}, Flops: 2e6, WorkBytes: 1e6}
	case *kernels.ProbeReply:
		*a = kernels.ProbeReply{LaunchNS: r.level, WallNS: r.level, Batchable: true, FlushNS: 1e6, FlushBytes: 1 << 20, ReferenceNS: 1e6, QuantumNS: 1, PoolLimit: 64, Threaded: b.threaded[r.library], Waits: b.waits[r.library]}
		if b.event {
			a.Clock, a.Blockable, a.Capturable = clockEvent, true, true
		}
	case *kernels.TimeReply:
		cmd := args.(kernels.TimeCommand)
		if cmd.TimingCheck != "" {
			defer func() { a.Seen = r.seen(a.Samples, cmd.Method.Launches) }()
		}
		if cmd.NoCanaries && cmd.TimingCheck != "" { // nobody counts these samples, and they draw nothing
			a.Samples = slices.Repeat([]float64{r.level}, cmd.Method.Samples)
			return nil
		}
		b.order = append(b.order, r.library)
		b.methods = append(b.methods, cmd.Method)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(b.delay):
		}
		a.Planned = cmd.Method.Samples
		for range cmd.Method.Samples {
			a.Samples = append(a.Samples, r.level*math.Exp(b.sampleSD*b.rng.NormFloat64()))
		}
		a.WaitedNS = b.waitedNS[r.library]
		for i := range b.slowSamples[r.library] {
			a.Samples[i] *= 10
		}
	}
	return nil
}

// seen is what an external clock saw of samples, with a look of 10 µs.
func (r *fakeRunner) seen(samples []float64, launches int) (seen []float64) {
	truly := 1.0
	if r.library == "head" {
		truly = r.bench.truly
	}
	for _, ns := range samples {
		seen = append(seen, truly*ns*float64(launches)+1e4)
	}
	return seen
}

func policy(tolerance float64, cases int) result.Policy {
	p := rule.Default()
	p.Tolerance, p.Cases = tolerance, cases
	return p
}

func subjects(n int) []Subject {
	var out []Subject
	for i := range n {
		out = append(out, Subject{Name: fmt.Sprintf("k/n=%d", i), Base: "base", Head: "head", Cache: "cold"})
	}
	return out
}

func (b *bench) run(t *testing.T, tolerance float64, n int) Outcome {
	t.Helper()
	out, err := Rounds(context.Background(), subjects(n), Options{Policy: policy(tolerance, n), Budget: time.Minute, Seed: 7, Start: b.start})
	if err != nil {
		t.Fatal(err)
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
	return out
}

func TestVerdictsOfReplayedShifts(t *testing.T) {
	for _, c := range []struct {
		shift float64
		want  []result.Verdict
	}{
		{0, []result.Verdict{result.Same}},
		{0.10, []result.Verdict{result.Regression}},
		{0.5, []result.Verdict{result.Regression}},
		{-0.05, []result.Verdict{result.Faster}},
		{-0.3, []result.Verdict{result.Improvement}},
	} {
		b := newBench(3)
		b.levelNS["head"] *= 1 + c.shift
		out := b.run(t, 0.015, 1)
		got := out.Cases[0]
		if !slices.Contains(c.want, got.Verdict) {
			t.Errorf("shift %+.0f %%: %s after %d rounds, want %v", 100*c.shift, got.Verdict, len(out.Rounds), c.want)
		}
	}
}

// What a trimmed mean and a CPU clock leave out of head's launches makes a regression of a case whose value is base's.
func TestVerdictsOfElapsedTimes(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*bench)
		want result.Verdict
	}{
		"head waits":                     {func(b *bench) { b.waitedNS = map[string]float64{"head": 0.2 * b.levelNS["head"]} }, result.Regression},
		"both wait":                      {func(b *bench) { b.waitedNS = map[string]float64{"base": 2e5, "head": 2e5} }, result.Same},
		"base waits":                     {func(b *bench) { b.waitedNS = map[string]float64{"base": 2e5} }, result.Same},
		"a tenth of head's launches":     {func(b *bench) { b.slowSamples = map[string]int{"head": 10} }, result.Regression},
		"a tenth of launches everywhere": {func(b *bench) { b.slowSamples = map[string]int{"base": 10, "head": 10} }, result.Same},
	} {
		b := newBench(3)
		c.set(b)
		out := b.run(t, 0.015, 1)
		if got := out.Cases[0]; got.Verdict != c.want {
			t.Errorf("%s: %s after %d rounds, want %s; %+v", name, got.Verdict, len(out.Rounds), c.want, got.Comparison.Elapsed)
		}
	}
	if _, err := summarise(kernels.TimeReply{Samples: []float64{1, 2, 3}, WaitedNS: math.NaN()}); err == nil {
		t.Error("a wait that is not a number is accepted")
	}
}

func TestRoundsAreInterleavedByLot(t *testing.T) {
	b := newBench(5)
	b.processSD = 0.02 // so that many rounds are needed
	out := b.run(t, 0.015, 1)
	orders := map[string]int{}
	for i, r := range out.Rounds {
		letters := map[string]string{"base": "A", "head": "B"}
		var got string
		for _, side := range b.order[4*i : 4*i+4] {
			got += letters[side]
		}
		if got != r.Order {
			t.Errorf("round %d ran %s, recorded %s", i, got, r.Order)
		}
		orders[r.Order]++
	}
	if orders["ABBA"] != orders["BAAB"] || orders["ABBA"]+orders["BAAB"] != len(out.Rounds) {
		t.Errorf("orders = %v, want as many of each", orders)
	}
}

func TestMethodIsFrozenForBothSides(t *testing.T) {
	b := newBench(1)
	b.levelNS["head"] *= 40 // calibration on head would choose fewer samples
	b.run(t, 0.015, 1)
	for _, m := range b.methods {
		if m != b.methods[0] {
			t.Fatalf("two methods met in one comparison: %+v and %+v", m, b.methods[0])
		}
	}
}

func TestWhatAThreadsClockDoesNotSeeMeansWallClockForBoth(t *testing.T) {
	for want, set := range map[string]func(*bench){
		"head uses more than one thread": func(b *bench) { b.threaded["head"] = true },
		"base waits during a launch":     func(b *bench) { b.waits["base"] = true },
	} {
		b := newBench(1)
		set(b)
		out := b.run(t, 0.015, 1)
		if m := b.methods[0]; m.Clock != "wall" || m.Pin {
			t.Errorf("method = %+v", m)
		}
		if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], want) {
			t.Errorf("notes = %q, want %s", out.Notes, want)
		}
	}
}

func TestCaseWithoutElementsIsNotTimed(t *testing.T) {
	b := newBench(1)
	b.bytes = 0
	out := b.run(t, 0.015, 1)
	for _, c := range out.Cases {
		if c.Verdict != result.Error || !strings.Contains(c.Reason, "no elements") || len(b.methods) > 0 {
			t.Errorf("%+v after %d samplings", c, len(b.methods))
		}
	}
}

func TestDecidedCasesDropOut(t *testing.T) {
	b := newBench(2)
	out := b.run(t, 0.05, 3)
	for _, c := range out.Cases {
		rounds := c.Comparison.Rounds
		if len(c.Processes) != 4*rounds {
			t.Errorf("%s: %d processes for a verdict after %d rounds", c.Subject.Name, len(c.Processes), rounds)
		}
	}
}

func TestFaultsBelongToTheirSide(t *testing.T) {
	crash := func(op string, _ int) error {
		if op == "time" {
			return &kernels.RunnerError{Code: result.CodeCrashed, Message: "it crashed"}
		}
		return nil
	}
	for _, side := range []string{"base", "head"} {
		b := newBench(1)
		b.faults[side] = crash
		c := b.run(t, 0.05, 2).Cases
		for _, got := range c {
			if got.Verdict != result.Error || string(got.ErrorSide) != side || got.Reason == "" {
				t.Errorf("%s crashes: %+v", side, got)
			}
		}
	}
}

// What fails on both sides is not head's alone, whichever of them the lot has first.
func TestWhatFailsOnBothSidesIsNotHeads(t *testing.T) {
	for seed := range uint64(8) {
		b := newBench(1)
		for _, side := range []string{"base", "head"} {
			b.faults[side] = func(op string, _ int) error {
				if op == "time" {
					return &kernels.RunnerError{Code: result.CodeCrashed, Message: "it crashed"}
				}
				return nil
			}
		}
		out, err := Rounds(context.Background(), subjects(2), Options{Policy: policy(0.05, 2), Budget: time.Minute, Seed: seed, Start: b.start})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range out.Cases {
			if c.Verdict != result.Error || c.ErrorSide != result.SideBase && c.ErrorSide != result.SideBoth || c.Reason == "" || len(c.Processes) > 0 {
				t.Errorf("seed %d: %s on side %q (%s), %d processes", seed, c.Verdict, c.ErrorSide, c.Reason, len(c.Processes))
			}
		}
	}
}

func TestOurOwnErrorIsNoVerdict(t *testing.T) {
	broken := errors.New("no space left on device")
	b := newBench(1)
	b.faults["head"] = func(op string, _ int) error {
		if op == "time" {
			return broken
		}
		return nil
	}
	_, err := Rounds(context.Background(), subjects(1), Options{Policy: policy(0.05, 1), Budget: time.Minute, Start: b.start})
	if !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}

func TestBudgetGoneIsNeverAVerdict(t *testing.T) { synctest.Test(t, budgetGoneIsNeverAVerdict) }

func budgetGoneIsNeverAVerdict(t *testing.T) {
	b := newBench(1)
	b.delay = time.Second
	out, err := Rounds(t.Context(), subjects(1), Options{Policy: policy(0.015, 1), Budget: 10 * time.Second, Start: b.start})
	if err != nil {
		t.Fatal(err)
	}
	c := out.Cases[0]
	if !c.BudgetGone || c.Verdict != result.Inconclusive || c.BudgetNeeded <= 0 {
		t.Errorf("case = %+v", c)
	}
	if len(c.Processes) != 4*len(out.Rounds) || len(out.Rounds) != 2 {
		t.Errorf("%d processes in %d complete rounds: the interrupted round counts", len(c.Processes), len(out.Rounds))
	}
}

// Nothing is timed where the first look does not fit: it is said how many cases the budget holds, and what is needed. With so many it is not refused.
func TestPlanThatItsBudgetCannotFinish(t *testing.T) {
	run := func(cases int, budget time.Duration) (Outcome, *bench) {
		b := newBench(1)
		out, err := Rounds(t.Context(), subjects(cases), Options{Policy: policy(0.015, cases), Budget: budget, Start: b.start})
		if err != nil || b.live != 0 {
			t.Fatal(b.live, err)
		}
		return out, b
	}
	for _, tt := range []struct {
		cases  int
		budget time.Duration
		holds  int
	}{
		{2000, 5 * time.Minute, 62}, {63, 100 * time.Second, 20}, {1, time.Millisecond, 0},
	} {
		out, b := run(tt.cases, tt.budget)
		if c := out.Cases[0]; !out.BudgetGone || len(out.Rounds) > 0 || len(b.methods) > 0 || !c.Refused || c.BudgetHolds != tt.holds || c.Verdict != result.Inconclusive {
			t.Errorf("%d cases in %s: %d rounds, %d sampled, %+v", tt.cases, tt.budget, len(out.Rounds), len(b.methods), c)
		}
		// 36 rounds of four processes, each with a warm-up, and samples of 150 ms that take as long again.
		if needed := 36 * 4 * (0.1 + 0.3*float64(tt.cases)); math.Abs(out.Cases[0].BudgetNeeded/needed-1) > 0.02 {
			t.Errorf("%d cases: %.1f s needed, want %.1f", tt.cases, out.Cases[0].BudgetNeeded, needed)
		}
		if tt.holds == 0 {
			continue
		}
		if out, _ := run(tt.holds, tt.budget); out.Cases[0].Refused {
			t.Errorf("%d cases do not fit into %s", tt.holds, tt.budget)
		}
	}
}

func TestCancelledRunReturnsTheCause(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := newBench(1)
	for _, side := range []string{"base", "head"} { // whichever the lot puts first
		b.faults[side] = func(op string, _ int) error {
			if op == "time" {
				cancel()
			}
			return nil
		}
	}
	b.delay = time.Minute
	if _, err := Rounds(ctx, subjects(1), Options{Policy: policy(0.015, 1), Budget: time.Hour, Start: b.start}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestSamplesThatAreNoTimesAreRefused(t *testing.T) {
	for _, bad := range [][]float64{{}, {0, 1}, {-1}, {math.NaN()}, {math.Inf(1)}} {
		if _, err := summarise(kernels.TimeReply{Samples: bad}); err == nil {
			t.Errorf("samples %v were accepted", bad)
		}
	}
}

func headIs(p probe) []named { return []named{{"head", p}} }

func TestFreeze(t *testing.T) {
	p := probe{hasReference: true}
	p.LaunchNS, p.FlushNS, p.PoolLimit, p.Batchable, p.ReferenceNS = 2000, 1e6, 1000, true, 1e6
	m, _ := freeze(p, headIs(p), "cold", nil)
	if m.Launches != 125 || m.Pool != 125 || m.Oracle != "reference" {
		t.Errorf("a short cold kernel: %+v", m)
	}
	inout := p
	inout.PoolLimit, inout.spec.Tensors = 10, []kernels.Tensor{{Role: "inout"}}
	if m, _ := freeze(inout, headIs(inout), "hot", nil); m.Launches > m.Pool || m.Pool != 10 {
		t.Errorf("inout tensors are restored once a launch, so a batch needs as many sets: %+v", m)
	}
	if m, _ := freeze(p, headIs(p), "hot", nil); m.Pool != hotPool || m.Launches != 125 {
		t.Errorf("a short hot kernel: %+v", m)
	}
	host := Subject{Host: true, Cache: "cold"}
	onGPU := p
	onGPU.WallNS, onGPU.Clock = 30000, clockEvent
	if m, _ := host.freeze(onGPU, headIs(onGPU)); m.Clock != result.ClockHost || m.Launches != 1 || m.Pool != hotPool || m.Cache != "hot" || m.Samples != maxSamples {
		t.Errorf("what a launch costs the host: %+v", m)
	}
	slow := p
	slow.LaunchNS, slow.ReferenceNS = 1e9, 1e9
	if m, _ := freeze(slow, headIs(slow), "cold", nil); m.Samples != minSamples || m.Launches != 1 || m.Oracle != "relaunch" {
		t.Errorf("a slow kernel: %+v", m)
	}
	blind := p
	blind.hasReference = false
	if m, _ := freeze(p, headIs(blind), "cold", nil); m.Oracle != "relaunch" {
		t.Errorf("head has no reference: %+v", m)
	}
}

// A kernel that got slower, or a little faster, is timed as its records are: by another number of launches it could not be held against them.
func TestFreezeAsRecordsDo(t *testing.T) {
	cpu := probe{}
	cpu.Clock, cpu.PoolLimit, cpu.Batchable = clockThread, 1000, true
	gpu := cpu
	gpu.Clock, gpu.Blockable, gpu.Capturable = clockEvent, true, true
	for what, c := range map[string]struct {
		of   probe
		ns   float64
		like result.Method
		want int
	}{
		"slower by half":                {cpu, 3000, result.Method{Clock: clockThread, Launches: 125}, 125},
		"slower than a short launch":    {cpu, 24e3, result.Method{Clock: clockThread, Launches: 14}, 14},
		"a little faster":               {cpu, 1500, result.Method{Clock: clockThread, Launches: 125}, 125},
		"no longer a long launch":       {cpu, 16e3, result.Method{Clock: clockThread, Launches: 1}, 1},
		"much slower":                   {cpu, 19e3, result.Method{Clock: clockThread, Launches: 125}, 14},
		"much faster":                   {cpu, 900, result.Method{Clock: clockThread, Launches: 125}, 278},
		"with another clock":            {cpu, 3000, result.Method{Clock: clockWall, Launches: 125}, 84},
		"a record that is none":         {cpu, 3000, result.Method{Clock: clockThread, Launches: 1 << 40}, 84},
		"slower in a graph":             {gpu, 30e3, result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}, 16},
		"much slower than in a graph":   {gpu, 90e3, result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}, 1},
		"a graph that is a loop by now": {gpu, 3000, result.Method{Clock: clockEvent, How: kernels.HowLoop, Launches: 60}, 84},
	} {
		c.of.LaunchNS, c.of.GraphNS = c.ns, c.ns
		if m, _ := freeze(c.of, headIs(c.of), "cold", &c.like); m.Launches != c.want || m.Pool < m.Launches {
			t.Errorf("%s: %+v, want %d launches", what, m, c.want)
		}
	}
	gpu.LaunchNS, gpu.GraphNS = 30e3, 30e3
	plain := gpu
	plain.Capturable = false
	if m, _ := freeze(gpu, headIs(plain), "cold", &result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}); m.How != kernels.HowSingle {
		t.Errorf("a long launch that no graph takes any more: %+v", m)
	}
}

func TestFreezeOnAGPU(t *testing.T) {
	p := probe{hasReference: true}
	p.Clock, p.LaunchNS, p.GraphNS, p.FlushNS, p.FlushBytes, p.PoolLimit = "event", 4200, 1200, 33e3, 1<<27, 1024
	p.Batchable, p.Blockable, p.Capturable, p.ReferenceNS = true, true, true, 1e6
	m, notes := freeze(p, headIs(p), "cold", nil)
	if m.Clock != "event" || m.How != kernels.HowGraph || !m.Block || m.Launches != 209 || m.Pool != 209 || m.Samples != maxBatches || len(notes) != 0 {
		t.Errorf("a short kernel: %+v, %q", m, notes)
	}
	long := p
	long.LaunchNS = 65e3
	if m, notes := freeze(long, headIs(p), "cold", nil); m.How != kernels.HowSingle || m.Launches != 1 || m.Pool != smallPool || len(notes) != 0 {
		t.Errorf("a long kernel: %+v, %q", m, notes)
	}
	plain := p
	plain.Capturable, plain.CaptureError = false, "operation not permitted when stream is capturing"
	for _, sides := range [][2]probe{{p, plain}, {plain, p}} {
		m, notes := freeze(sides[0], headIs(sides[1]), "cold", nil)
		if m.How != kernels.HowLoop || m.Launches != 60 || m.LaunchNS != 4200 || len(notes) != 1 || !strings.Contains(notes[0], plain.CaptureError) {
			t.Errorf("one side cannot be recorded: %+v, %q", m, notes)
		}
	}
	plain.CaptureError = ""
	if m, notes := freeze(p, headIs(plain), "cold", nil); m.How != kernels.HowLoop || len(notes) != 1 || !strings.Contains(notes[0], "head was not recorded") || strings.Contains(notes[0], "()") {
		t.Errorf("head was not tried: %q", notes)
	}
	waits := p
	waits.Blockable = false
	if m, notes := freeze(p, headIs(waits), "cold", nil); m.Block || len(notes) != 1 || !strings.HasPrefix(notes[0], "head ") {
		t.Errorf("head waits for the device: %+v, %q", m, notes)
	}
	slow := p
	slow.LaunchNS = 12e9
	if m, _ := freeze(slow, headIs(slow), "cold", nil); m.Samples != slowSamples || m.Launches != 1 {
		t.Errorf("a launch of 12 s: %+v", m)
	}
}
