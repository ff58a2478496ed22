package measure

import (
	"context"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// belittled says of head's calibration that a launch takes next to nothing.
type belittled struct{ *program }

func (p belittled) Calibrate(ctx context.Context, side result.Side, cases []string, m map[string]result.Method) (map[string]Reading, error) {
	out, err := p.program.Calibrate(ctx, side, cases, m)
	for name, c := range out {
		if side == result.SideHead {
			c.Method.LaunchNS = 400
			out[name] = c
		}
	}
	return out, err
}

// The time that a floor is compared with is that of base's processes: what a calibration says moves no margin.
func TestFloorIsComparedWithBaseProcesses(t *testing.T) {
	p := policy(0.015, 1)
	p.Tolerances = []result.CaseTolerance{{Cases: "k/**", Tolerance: 0.015, FloorNS: 500}} // 0.05 % of base's millisecond
	slow := newProgram(1.5, 5)
	slow.clock = clockThread
	out, err := Rounds(t.Context(), []Subject{{Name: "k/n=1", Row: "k/n=1", Benchmark: answering{numbers: belittled{slow}}, Variants: sidesOf("", "")}}, Options{Policy: p, Budget: time.Minute, Seed: 7})
	must(t, err)
	if c := out.Cases[0]; c.Verdict != result.Regression || c.Compared().Tolerance != 0.015 {
		t.Errorf("%s at a tolerance of %g", c.Verdict, c.Compared().Tolerance)
	}
	if c := out.Cases[0]; c.Method.LaunchNS == 400 {
		t.Error("head says what base takes")
	}
}

// A floor widens the margin by what base takes in its first two rounds, whatever was calibrated.
func TestFloorOfAShortCase(t *testing.T) {
	c := result.Case{Method: &result.Method{LaunchNS: 6000}}
	if got := c.FloorTimeNS(); got != 6000 {
		t.Errorf("without rounds: %g", got)
	}
	for round, ns := range []float64{500, 540, 9000} {
		c.Processes = append(c.Processes, result.Process{Round: round, Variant: result.VariantBase, Purpose: result.PurposeRounds, ValueNS: ns},
			result.Process{Round: round, Variant: result.VariantHead, Purpose: result.PurposeRounds, ValueNS: 1})
	}
	if got := c.FloorTimeNS(); got != 520 {
		t.Errorf("%g, want 520", got)
	}
}
