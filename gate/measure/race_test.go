package measure

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// A race measures every lane in two processes a round. An error of a round that was voided is forgotten with it, one of any other ends its lane
// alone, and a lane that is dropped is measured no more.
func TestRace(t *testing.T) {
	voidPause = time.Microsecond
	t.Cleanup(func() { voidPause = time.Second })
	b := newBench(3)
	b.levelNS["slow"], b.levelNS["broken"] = 2e6, 1e6
	failed := false
	fault := &kernels.RunnerError{Code: "out-of-memory", Message: "no memory left on the GPU"}
	b.faults["head"] = func(op string, _ int) error {
		if op != "time" || failed {
			return nil
		}
		failed = true
		return fault
	}
	b.faults["broken"] = func(op string, _ int) error {
		if op == "time" {
			return fault
		}
		return nil
	}
	voided := false
	health := func() string {
		if failed && !voided {
			voided = true
			return "thermal slowdown"
		}
		return ""
	}
	track := Track{Subject: subjects(1)[0], Settings: []string{"head", "slow", "", "broken"}}
	raced, err := Race(context.Background(), []Track{track}, Options{Policy: policy(0.05, 1), Budget: time.Minute, Seed: 7, Start: b.start, Health: health},
		func(r Raced) (bool, error) {
			if r.Rounds == 2 {
				r.Lanes[0][1].Drop()
			}
			return r.Rounds == 5, nil
		})
	if err != nil || !voided || raced.Rounds != 5 || !raced.Over {
		t.Fatalf("%v, voided %v, %+v", err, voided, raced)
	}
	lanes := raced.Lanes[0]
	if n, slow := len(lanes[0].Processes), len(lanes[1].Processes); n != 10 || slow != 4 || lanes[2] != nil {
		t.Errorf("%d processes of one that stays, %d of one that is dropped after two rounds", n, slow)
	}
	if lanes[0].Verdict != result.Undecided || lanes[3].Verdict != result.Error || lanes[3].ErrorCode != fault.Code {
		t.Errorf("%s and %s", lanes[0].Verdict, lanes[3].Verdict)
	}
	if l := lanes[0].Lane(0); len(l.Values) != 5 || l.Values[0][0] == 0 {
		t.Errorf("%+v", l)
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
}

// While one setting is measured the next one's process starts, so that a round of many costs no more starts than there are settings.
func TestRaceStartsAhead(t *testing.T) {
	o := &overlap{bench: newBench(3), ahead: 1}
	names := []string{"one", "two", "three"}
	for i, name := range names {
		o.levelNS[name] = 1e6 * float64(i+1)
	}
	raced, err := Race(t.Context(), []Track{{Subject: waiting(1)[0], Settings: names}},
		Options{Policy: policy(0.05, 1), Budget: time.Minute, Seed: 7, StartAhead: o.open, Ahead: o.ahead}, func(r Raced) (bool, error) { return r.Rounds == 3, nil })
	if err != nil || raced.Rounds != 3 || o.live != 0 {
		t.Fatalf("%v, %d rounds, %d processes left", err, raced.Rounds, o.live)
	}
	if want := 2 + 3*2*len(names); o.most < 2 || o.most > 3 || o.starts > want { // two for calibration: it has another one start, which may be of a later setting
		t.Errorf("%d processes at once of %d, want 2 or 3 of %d", o.most, o.starts, want)
	}
	for i, lane := range raced.Lanes[0] {
		if l := lane.Lane(i); math.Abs(l.Values[2][1]-math.Log(1e6*float64(i+1))) > 0.1 {
			t.Errorf("%s: %v", names[i], l.Values)
		}
	}
}

// Settings that may share a process are measured in two a round, each in one order and in its reverse.
func TestRaceShares(t *testing.T) {
	o := &overlap{bench: newBench(3), ahead: 1}
	names := []string{"one", "two", "three"}
	for _, name := range names {
		o.levelNS[name] = 1e6
	}
	subject := waiting(1)[0]
	subject.Shares = true
	raced, err := Race(t.Context(), []Track{{Subject: subject, Settings: names}},
		Options{Policy: policy(0.05, 1), Budget: time.Minute, Seed: 7, StartAhead: o.open, Ahead: o.ahead}, func(r Raced) (bool, error) { return r.Rounds == 3, nil })
	if err != nil || raced.Rounds != 3 || o.live != 0 || o.starts > 2+3*2 {
		t.Fatalf("%v, %d rounds, %d processes left of %d", err, raced.Rounds, o.live, o.starts)
	}
	order := o.order[len(o.order)-6:]
	if there, back := order[:3], order[3:]; !slices.Equal(there, []string{back[2], back[1], back[0]}) {
		t.Errorf("a round went %v", order)
	}
	for i, lane := range raced.Lanes[0] {
		if l := lane.Lane(i); len(l.Values) != 3 {
			t.Errorf("%s: %v", names[i], l.Values)
		}
	}
}

// Where the budget is gone before two rounds, what they take is told by what was done.
func TestRaceSaysWhatTwoRoundsNeed(t *testing.T) {
	s := &session{opt: Options{Budget: 10 * time.Second}}
	for _, done := range []int{3, 2, 1} {
		s.cases = append(s.cases, &Case{Processes: make([]result.Process, done)})
	}
	if got := s.neededOfTwo(); got != 20 { // 6 of 12 processes
		t.Errorf("%v s", got)
	}
}
