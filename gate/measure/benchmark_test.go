package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// program is a benchmark made of numbers: each process draws its level, and its samples around it.
type program struct {
	rng    *rand.Rand
	factor float64                                                  // of head
	fault  func(side result.Side, process int) *kernels.RunnerError // of the whole process
	lost   func(side result.Side, process int, name string) bool    // a row that vanishes
	frozen string                                                   // a case that always takes the same
	cache  map[string]string                                        // of how a case is timed
	count  map[result.Side]int
	clock  string  // ClockBenchmark where it is ""
	slow   float64 // how many times as long as the others one of head's samples in ten takes
	waits  float64 // ns of head's launches
	span   float64 // ns that a process measures of a case
}

// numbers are what a benchmark answers.
type numbers interface {
	Calibrate(ctx context.Context, side result.Side, cases []string, methods map[string]result.Method) (map[string]Reading, error)
	Time(ctx context.Context, side result.Side, cases []string, methods map[string]result.Method) (map[string]Reading, error)
}

// answering is a Benchmark of numbers, and a process of it.
type answering struct {
	numbers
	side result.Side
}

func (a answering) Start(_ context.Context, side result.Side, _ bool) (kernels.Process, error) {
	return answering{a.numbers, side}, nil
}

func (a answering) Call(ctx context.Context, op, _ string, args, answer any, _ time.Duration) (err error) {
	do := a.Time
	if op == "probe" {
		do = a.Calibrate
	}
	rows := args.(RowsCommand)
	*answer.(*map[string]Reading), err = do(ctx, a.side, rows.Rows, rows.Methods)
	return err
}

func (answering) Has(string) bool { return false }

func (answering) Close() {}

func (answering) Printed() string { return "" }

func (p *program) Calibrate(_ context.Context, _ result.Side, cases []string, _ map[string]result.Method) (map[string]Reading, error) {
	out := map[string]Reading{}
	for _, name := range cases {
		out[name] = Reading{SpanNS: p.span, Method: &result.Method{Clock: cmp.Or(p.clock, result.ClockBenchmark), How: "nvbench", Launches: 1, Samples: 20, LaunchNS: 1e6, Cache: p.cache[name]}}
	}
	return out, nil
}

func (p *program) Time(_ context.Context, side result.Side, cases []string, _ map[string]result.Method) (map[string]Reading, error) {
	p.count[side]++
	if p.fault != nil {
		if fault := p.fault(side, p.count[side]); fault != nil {
			return nil, fault
		}
	}
	out := map[string]Reading{}
	for _, name := range cases {
		level := 1e6 * math.Exp(0.003*p.rng.NormFloat64())
		if side == result.SideHead {
			level *= p.factor
		}
		r := Reading{}
		for range 20 {
			r.Samples = append(r.Samples, level*math.Exp(0.01*p.rng.NormFloat64()))
		}
		if side == result.SideHead {
			r.Samples[0], r.Samples[10], r.WaitedNS = max(1, p.slow)*r.Samples[0], max(1, p.slow)*r.Samples[10], p.waits
		}
		if name == p.frozen {
			r.Samples = []float64{1e6}
		}
		if p.lost != nil && p.lost(side, p.count[side], name) {
			r = Reading{Fault: &kernels.RunnerError{Code: result.CodeVanished, Message: "it vanished"}}
		}
		out[name] = r
	}
	return out, nil
}

// Scripts that lend perfgate's clock are compared in elapsed time. What a benchmark that times itself does now and then is its own: launches that warm
// up may be among its samples.
func TestElapsedTimesOfBenchmarks(t *testing.T) {
	for clock, want := range map[string]result.Verdict{clockThread: result.Regression, clockEvent: result.Regression, result.ClockBenchmark: result.Same} {
		p := newProgram(1, 5)
		p.clock, p.slow = clock, 8
		if c := measured(t, p, "k/n=1").Cases[0]; c.Verdict != want {
			t.Errorf("one launch in ten is slower, clock %s: %s, want %s", clock, c.Verdict, want)
		}
	}
	p := newProgram(1, 5)
	p.clock, p.waits = clockThread, 5e5
	if c := measured(t, p, "k/n=1").Cases[0]; c.Verdict != result.Regression || c.Compared().Elapsed.HeadWaitedNS != 5e5 {
		t.Errorf("launches wait: %s, %+v", c.Verdict, c.Compared().Elapsed)
	}
}

func newProgram(factor float64, seed uint64) *program {
	return &program{rng: rand.New(rand.NewPCG(seed, 3)), factor: factor, count: map[result.Side]int{}}
}

func measured(t *testing.T, p *program, names ...string) Outcome {
	t.Helper()
	var subjects []Subject
	for _, name := range names {
		subjects = append(subjects, Subject{Name: name, Row: name, Benchmark: answering{numbers: p}, Variants: sidesOf("", "")})
	}
	out, err := Rounds(t.Context(), subjects, Options{Policy: policy(0.015, len(names)), Budget: time.Minute, Seed: 7})
	must(t, err)
	return out
}

// A benchmark of 1,500 cases whose iterations take longer than the budget is refused before anything is timed, with how many cases fit; those are timed.
func TestBenchmarkOfManyCasesIsRefusedBeforeItStarts(t *testing.T) {
	cases := func(n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("k/n=%d", i))
		}
		return names
	}
	p := newProgram(1, 5)
	p.span = 1e8
	out := measured(t, p, cases(1500)...) // a minute for rounds of four processes, of 150 s each
	reason := out.Cases[0].Reason
	if !reason.Is(result.ReasonBudgetShort) || reason.Count < 10 || reason.Count > 100 || len(out.Rounds) > 0 || len(p.count) > 0 {
		t.Fatalf("%d rounds, %v processes, %+v", len(out.Rounds), p.count, reason)
	}
	if out := measured(t, p, cases(reason.Count)...); out.Cases[0].Reason.Is(result.ReasonBudgetShort) || p.count[result.SideBase] == 0 {
		t.Errorf("%d cases do not fit: %+v", reason.Count, out.Cases[0].Reason)
	}
}

// A clock that does not move is the fault of no side, and a process that says 0 no other nonsense.
func TestClockThatIsTooCoarseIsNoSidesFault(t *testing.T) {
	if _, fault := (Reading{TimeReply: kernels.TimeReply{Samples: []float64{0, 0}}}).process("k"); fault == nil || fault.Code != result.CodeCoarseClock {
		t.Fatalf("%v", fault)
	}
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		p := newProgram(1, 5)
		p.fault = func(s result.Side, process int) *kernels.RunnerError {
			if s == side && process == 2 {
				return &kernels.RunnerError{Code: result.CodeCoarseClock, Message: "2 of 2 samples are 0 ns"}
			}
			return nil
		}
		for _, c := range measured(t, p, "k/a", "k/b").Cases {
			if c.Verdict != result.Error || c.ErrorSide != result.SideNone || c.ErrorCode != result.CodeCoarseClock {
				t.Errorf("%s: %s of %q", side, c.Verdict, c.ErrorSide)
			}
		}
	}
}

func TestBenchmarkThatSaysNonsense(t *testing.T) {
	for _, samples := range [][]float64{nil, {math.NaN()}, {-1, 2}} {
		if _, fault := (Reading{TimeReply: kernels.TimeReply{Samples: samples}}).process("k"); fault == nil || fault.Code != result.CodeNonsense {
			t.Errorf("%v: %v", samples, fault)
		}
	}
}

// A case whose clock never moves ends alone: it cannot be measured, and the others are.
func TestBenchmarkWithAClockThatStands(t *testing.T) {
	p := newProgram(1, 11)
	p.frozen = "k/a"
	out := measured(t, p, "k/a", "k/b")
	if a, b := out.Cases[0], out.Cases[1]; a.Verdict != result.Error || a.ErrorSide != result.SideNone || !strings.Contains(result.MessageOf(a.Reason), "too coarse") || b.Verdict != result.Same {
		t.Errorf("%s: %s; the other is %s", a.Verdict, result.MessageOf(a.Reason), b.Verdict)
	}
}

// row is a competitor that the benchmark measures.
func row(name, row string) Variant { return Variant{Variant: result.CompetitorNamed(name), Row: row} }

// A competitor is timed in one way. Cases that are timed in another are not compared with it.
func TestACompetitorOfCasesThatAreTimedInTwoWays(t *testing.T) {
	p := newProgram(1, 6)
	p.cache = map[string]string{"k/short": "hot", "k/long": "cold", "k/longer": "cold"}
	var subjects []Subject
	for _, name := range []string{"k/long", "k/short", "k/longer"} {
		subjects = append(subjects, Subject{Name: name, Row: name, Benchmark: answering{numbers: p}, Variants: append(sidesOf("", ""), row("torch", "k/torch"))})
	}
	out, err := Rounds(t.Context(), subjects, Options{Policy: policy(0.015, 3), Budget: time.Minute, Seed: 7})
	must(t, err)
	held := map[string]int{}
	for _, c := range out.Cases {
		switch v := speedupOf(c, 0); {
		case v.HasNumbers():
			held[c.Method.Cache]++
		case v.Verdict != result.Unmeasured || !strings.Contains(result.MessageOf(v.Reason), "timed in another way"):
			t.Errorf("%s: %+v", c.Subject.Name, v)
		}
	}
	if len(held) != 1 {
		t.Errorf("compared with one row: %v", held)
	}
}
