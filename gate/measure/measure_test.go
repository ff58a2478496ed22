package measure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
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
	truly       float64 // times what head says, a launch of head takes by an external clock
	event       bool    // it is a GPU
	bytes       int64   // of a case's output
	started     map[string]int
	counting    sync.Mutex
	live        int // counted by processes that start ahead, too
	order       []string
	methods     []kernels.Method
}

func newBench(seed uint64) *bench {
	return &bench{
		rng: rand.New(rand.NewPCG(seed, 1)), levelNS: map[string]float64{"base": 1e6, "head": 1e6}, processSD: 0.003, sampleSD: 0.01,
		faults: map[string]func(string, int) error{}, threaded: map[string]bool{}, waits: map[string]bool{}, truly: 1, bytes: 4e6, started: map[string]int{},
	}
}

func (b *bench) start(_ context.Context, library string) (kernels.Process, error) {
	b.started[library]++
	b.count(1)
	level := b.levelNS[library] * math.Exp(b.processSD*b.rng.NormFloat64())
	return &fakeRunner{bench: b, library: library, level: level}, nil
}

// open starts a runner that has loaded nothing.
func (b *bench) open(_ context.Context, library string) (kernels.Process, error) {
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
	return nil
}

func (r *fakeRunner) Has(string) bool { return true }

func (r *fakeRunner) Printed() string { return "" }

func (r *fakeRunner) Call(_ context.Context, op, _ string, args, answer any, _ time.Duration) error {
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

// sidesOf are both sides, by their libraries.
func sidesOf(base, head string) []Variant {
	return []Variant{{Variant: result.VariantBase, Library: base}, {Variant: result.VariantHead, Library: head}}
}

// competitor is one that is measured by a library.
func competitor(name string) Variant {
	return Variant{Variant: result.CompetitorNamed(name), Library: name}
}

// edit changes the variants of subjects.
func edit(all []Subject, change func(*Variant)) {
	for i := range all {
		for j := range all[i].Variants {
			change(&all[i].Variants[j])
		}
	}
}

func subjects(n int) []Subject {
	var out []Subject
	for i := range n {
		out = append(out, Subject{Name: fmt.Sprintf("k/n=%d", i), Variants: sidesOf("base", "head"), Cache: "cold"})
	}
	return out
}

// libraries are so many kernels, each built apart on both sides, of two cases.
func (b *bench) libraries(n int, waits, share bool) []Subject {
	var all []Subject
	for i := range n {
		base, head := fmt.Sprint("base", i), fmt.Sprint("head", i)
		b.levelNS[base], b.levelNS[head] = 1e6, 1e6
		for at := range 2 {
			all = append(all, Subject{Name: fmt.Sprintf("k%d/n=%d", i, at), Variants: sidesOf(base, head), Cache: "cold"})
		}
	}
	edit(all, func(v *Variant) { v.Waits, v.Shares = waits, share })
	return all
}

// waiting are subjects whose processes may start ahead.
func waiting(n int) []Subject {
	all := subjects(n)
	edit(all, func(v *Variant) { v.Waits = true })
	return all
}

func (b *bench) run(t *testing.T, tolerance float64, n int) Outcome {
	t.Helper()
	out, err := Rounds(context.Background(), subjects(n), Options{Policy: policy(tolerance, n), Budget: time.Minute, Seed: 7, Start: b.start})
	must(t, err)
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
	return out
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
			t.Errorf("%s: %s after %d rounds, want %s; %+v", name, got.Verdict, len(out.Rounds), c.want, got.Compared().Elapsed)
		}
	}
	if _, err := summarise(kernels.TimeReply{Samples: []float64{1, 2, 3}, WaitedNS: math.NaN()}); err == nil {
		t.Error("a wait that is not a number is accepted")
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
		if c.Verdict != result.Error || !strings.Contains(result.MessageOf(c.Reason), "no elements") || len(b.methods) > 0 {
			t.Errorf("%+v after %d samplings", c, len(b.methods))
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
		must(t, err)
		for _, c := range out.Cases {
			if c.Verdict != result.Error || c.ErrorSide != result.SideBase && c.ErrorSide != result.SideBoth || c.Reason == nil || len(c.Processes) > 0 {
				t.Errorf("seed %d: %s on side %q (%s), %d processes", seed, c.Verdict, c.ErrorSide, result.MessageOf(c.Reason), len(c.Processes))
			}
		}
	}
}

// Without StartAhead, as on a CPU, a process has its own library and loads no other: the sandbox would not let it.
func TestCasesShareNoProcessThatHasALibrary(t *testing.T) {
	t.Parallel()
	b := newBench(5)
	all := b.libraries(3, true, true)
	for _, library := range []string{"base0", "base1", "base2", "head0", "head1", "head2"} {
		b.faults[library] = func(doing string, _ int) error {
			if doing == "load" {
				return &kernels.RunnerError{Code: result.CodeAdapterLoad, Message: "Permission denied"}
			}
			return nil
		}
	}
	out, err := Rounds(t.Context(), all, Options{Policy: policy(0.015, len(all)), Budget: time.Minute, Seed: 7, Start: b.start})
	must(t, err)
	for _, c := range out.Cases {
		if c.Verdict != result.Same {
			t.Errorf("%s: %s: %s", c.Subject.Name, c.Verdict, result.MessageOf(c.Reason))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
