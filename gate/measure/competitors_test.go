package measure

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// runBeside measures a case beside a competitor that head is to be 1.2 times as fast as, and another without a question.
func (b *bench) runBeside(t *testing.T, change func(*Options)) (*Case, Outcome) {
	t.Helper()
	p := policy(0.015, 1)
	p.MinSpeedups, p.Competitors = 1, 2
	lib := competitor("lib")
	lib.MinSpeedup = 1.2
	s := Subject{Name: "k/n=1", Cache: "cold", Variants: append(sidesOf("base", "head"), lib, competitor("old"))}
	opt := Options{Policy: p, Budget: time.Minute, Seed: 7, Start: b.start}
	if change != nil {
		change(&opt)
	}
	out, err := Rounds(context.Background(), []Subject{s}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
	return out.Cases[0], out
}

func TestKeepOfReplayedCompetitors(t *testing.T) {
	for level, want := range map[float64]result.Verdict{1.2 * 1.03: result.Met, 1.2 / 1.03: result.Missed} {
		for seed := range uint64(10) {
			b := newBench(seed)
			b.levelNS["lib"], b.levelNS["old"] = 1e6*level, 2e6
			c, _ := b.runBeside(t, nil)
			v := []result.Comparison{speedupOf(c, 0), speedupOf(c, 1)}
			if v[0].Verdict != want || v[1].Verdict != "" || !v[1].HasNumbers() || c.Verdict != result.Same {
				t.Errorf("seed %d, competitor at %.3f: %s, %+v; case %s", seed, level, v[0].Verdict, v[1], c.Verdict)
			}
			if s := result.Speed(&v[1]); s.Low > 2 || s.High < 2 {
				t.Errorf("seed %d: %+v does not hold 2", seed, s)
			}
		}
	}
}

// Competitors stand in the rounds of their case: two fresh processes in each, in the places that the orders say, by the method of the sides.
func TestCompetitorsStandInTheRounds(t *testing.T) {
	b := newBench(5)
	b.levelNS["lib"], b.levelNS["old"] = 1.5e6, 2e6
	b.threaded["old"] = true
	c, out := b.runBeside(t, nil)
	first := b.order[:8]
	for _, library := range []string{"base", "head", "lib", "old"} {
		if n := strings.Count(strings.Join(first, " "), library); n != 2 {
			t.Errorf("round 1 was %v", first)
		}
	}
	if half := slices.Clone(first[:4]); !slices.Equal(half, []string{first[7], first[6], first[5], first[4]}) {
		t.Errorf("round 1 was %v: drift does not cancel", first)
	}
	if c.Method.Clock != clockWall || !strings.Contains(strings.Join(out.Notes, "\n"), "old uses more than one thread") {
		t.Errorf("a threaded competitor: clock %s, %q", c.Method.Clock, out.Notes)
	}
	for _, m := range b.methods {
		if m != b.methods[0] {
			t.Fatalf("two methods: %+v, %+v", m, b.methods[0])
		}
	}
	for i, v := range c.Competitors {
		if len(measuredBeside(c, i)) != 16 || speedupOf(c, i).Look != 1 || v.Summary == nil || v.Summary.Processes != 16 {
			t.Errorf("%s: %d processes, %d looks, want 8 rounds", v.Competitor, len(measuredBeside(c, i)), speedupOf(c, i).Look)
		}
	}
	// What was found can be found again from what is kept.
	r := result.Case{Name: "k/n=1", Kernel: "k", Method: c.Method, Processes: c.Processes, Looks: c.Looks, Comparisons: c.Comparisons, Verdict: c.Verdict, Competitors: c.Competitors}
	k := result.Kernel{Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed},
		Competitors: []result.Competitor{{Name: "lib", MinSpeedup: 1.2, Status: result.CompetitorMeasured}, {Name: "old", Status: result.CompetitorMeasured}}}
	p := policy(0.015, 1)
	p.MinSpeedups, p.Competitors = 1, 2
	res := &result.Result{Policy: p, Cases: []result.Case{r}, Kernels: []result.Kernel{k}, Rounds: out.Rounds}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, p)
	if err := rule.Replay(res, p).Err(); err != nil || res.Conclusion.Exit != result.ExitPassed {
		t.Errorf("exit %d, %v", res.Conclusion.Exit, err)
	}
}

// A competitor's fault is no side's: the case has its verdict, and the question no answer.
func TestFaultOfACompetitor(t *testing.T) {
	for _, at := range []string{"load", "spec", "probe", "time"} {
		b := newBench(2)
		b.levelNS["lib"], b.levelNS["old"] = 1.5e6, 2e6
		b.faults["lib"] = func(op string, _ int) error {
			if op != at {
				return nil
			}
			return &kernels.RunnerError{Code: result.CodeCrashed, Message: "crashed"}
		}
		c, _ := b.runBeside(t, func(o *Options) {
			if at == "load" {
				o.Start = func(ctx context.Context, library string) (kernels.Process, error) {
					if library == "lib" {
						return nil, &kernels.RunnerError{Code: result.CodeCrashed, Message: "crashed"}
					}
					return b.start(ctx, library)
				}
			}
		})
		v := []result.Comparison{speedupOf(c, 0), speedupOf(c, 1)}
		if v[0].Verdict != result.Unmeasured || !strings.Contains(result.MessageOf(v[0].Reason), "crashed") || len(measuredBeside(c, 0)) > 0 || !v[1].HasNumbers() || c.Verdict != result.Same {
			t.Errorf("%s: %+v, %s, case %s %s", at, v[0].Verdict, result.MessageOf(v[0].Reason), c.Verdict, result.MessageOf(c.Reason))
		}
	}
}

func TestCompetitorOfAVoidedRound(t *testing.T) {
	shortPause(t)
	b := newBench(2)
	b.levelNS["lib"], b.levelNS["old"] = 1.5e6, 2e6
	failed := false
	b.faults["lib"] = func(op string, _ int) error {
		if op != "time" || failed {
			return nil
		}
		failed = true
		return &kernels.RunnerError{Code: result.CodeOutOfMemory, Message: "out of memory"}
	}
	c, out := b.runBeside(t, func(o *Options) { o.Health = unwell(func(q int) bool { return q == 8 }) })
	if v := speedupOf(c, 0); v.Verdict != result.Met || len(measuredBeside(c, 0)) != 16 || out.Rounds[0].Voided == "" {
		t.Errorf("%s after %d processes (%s), round 1 voided: %q", v.Verdict, len(measuredBeside(c, 0)), result.MessageOf(v.Reason), out.Rounds[0].Voided)
	}
}

func TestBudgetLeavesAKeepWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(2)
		b.levelNS["lib"], b.levelNS["old"], b.delay = 1.2e6, 2e6, time.Millisecond
		c, _ := b.runBeside(t, func(o *Options) { o.Budget = 90 * time.Millisecond })
		v := speedupOf(c, 0)
		if v.Verdict != result.Undecided || !v.BudgetGone || len(measuredBeside(c, 0))%2 != 0 {
			t.Errorf("%s, budget gone: %v, %d processes", v.Verdict, v.BudgetGone, len(measuredBeside(c, 0)))
		}
	})
}
