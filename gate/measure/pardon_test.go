package measure

import (
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// A driver that is busy with another process looks like work outside of the clock. A process more tells them apart.
func TestWorkOutsideOfTheClockConvictsWhenItIsSeenTwice(t *testing.T) {
	for _, tt := range []struct {
		side  string
		times int
		want  result.Verdict
	}{
		{"head", 1, result.Same}, {"base", 1, result.Same}, {"head", 2, result.Error}, {"base", 2, result.Error},
	} {
		b := newBench(3)
		left := tt.times
		b.faults[tt.side] = func(op string, started int) error {
			if op != "time" || left == 0 || started < 4 {
				return nil
			}
			left--
			return &kernels.RunnerError{Code: result.CodeOutsideWork, Message: "work went on elsewhere"}
		}
		out := b.run(t, 0.015, 1)
		c := out.Cases[0]
		if c.Verdict != tt.want || (c.Verdict == result.Error) != (c.ErrorCode == result.CodeOutsideWork) {
			t.Errorf("%s, %d times: %s %s, want %s", tt.side, tt.times, c.Verdict, c.ErrorCode, tt.want)
		}
		if c.Verdict == result.Error && string(c.ErrorSide) != tt.side {
			t.Errorf("%s, %d times: blamed on %s", tt.side, tt.times, c.ErrorSide)
		}
		if n := processesIn(len(out.Rounds)); c.Verdict == result.Same && len(c.Processes) != n {
			t.Errorf("%s: %d processes in %d rounds, want %d", tt.side, len(c.Processes), len(out.Rounds), n)
		}
	}
}
