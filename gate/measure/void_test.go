package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// shortPause lets a voided round be repeated at once.
func shortPause(t *testing.T) {
	voidPause = time.Microsecond
	t.Cleanup(func() { voidPause = time.Second })
}

// unwell returns a Health that finds something at the given questions, counted from 1.
func unwell(at func(question int) bool) func() string {
	asked := 0
	return func() string {
		asked++
		if at(asked) {
			return "thermal slowdown"
		}
		return ""
	}
}

func runWithHealth(t *testing.T, b *bench, health func() string) (Outcome, error) {
	t.Helper()
	shortPause(t)
	return Rounds(context.Background(), subjects(2), Options{Policy: policy(0.05, 2), Budget: time.Minute, Seed: 7, Start: b.start, Health: health})
}

func TestVoidedRoundIsRepeatedAndSaid(t *testing.T) {
	b := newBench(3)
	// The first question is about calibrating; the fourth about the third process of round 1, the fifth about the pause.
	out, err := runWithHealth(t, b, unwell(func(q int) bool { return q == 1 || q == 4 || q == 5 }))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Rounds) != 3 || out.Rounds[0].Voided != "thermal slowdown" || out.Rounds[0].Index != out.Rounds[1].Index {
		t.Errorf("rounds = %+v", out.Rounds)
	}
	for _, c := range out.Cases {
		if c.Verdict != result.Same || c.Compared().Rounds != 2 || len(c.Processes) != 12 {
			t.Errorf("%s: %s after %d processes", c.Subject.Name, c.Verdict, len(c.Processes))
		}
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
}

func TestErrorOfAVoidedRoundIsForgotten(t *testing.T) {
	b := newBench(3)
	failed := false
	b.faults["head"] = func(op string, _ int) error {
		if op != "time" || failed {
			return nil
		}
		failed = true
		return &kernels.RunnerError{Code: "out-of-memory", Message: "no memory left on the GPU"}
	}
	said := false
	out, err := runWithHealth(t, b, unwell(func(int) bool {
		once := failed && !said
		said = said || once
		return once
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range out.Cases {
		if c.Verdict != result.Same {
			t.Errorf("%s: %s (%s)", c.Subject.Name, c.Verdict, result.MessageOf(c.Reason))
		}
	}
}

func TestMachineThatIsNeverWellIsGivenUp(t *testing.T) {
	out, err := runWithHealth(t, newBench(3), unwell(func(int) bool { return true }))
	if err == nil || !strings.Contains(err.Error(), "thermal slowdown") || len(out.Rounds) != maxVoided+1 {
		t.Errorf("err = %v after %d rounds", err, len(out.Rounds))
	}
}

func TestPauseEndsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	b := newBench(3)
	_, err := Rounds(ctx, subjects(1), Options{Policy: policy(0.05, 1), Budget: time.Minute, Start: b.start, Health: func() string { return "hot" }})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
}

// That an output was wrong is forgotten with no round: it may have been one of a round before, and nobody made it wrong from outside.
func TestVoidedRoundsKeepWhatTheJudgeFound(t *testing.T) {
	shortPause(t)
	for judged, want := range map[bool]result.Verdict{true: result.Error, false: result.Undecided} {
		c := &Case{Case: result.Case{Verdict: result.Undecided}}
		before := snapshot([]*Case{c})
		c.Verdict, c.judged = result.Error, judged
		s := &session{}
		if err := s.void(t.Context(), result.Round{Voided: "busy"}, []*Case{c}, before); err != nil || c.Verdict != want {
			t.Errorf("judged %v: %s, %v", judged, c.Verdict, err)
		}
	}
}
