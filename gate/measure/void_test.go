package measure

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// shortPause lets a voided round be repeated at once.
func shortPause(t *testing.T) {
	voidPause = time.Microsecond
	t.Cleanup(func() { voidPause = time.Second })
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
