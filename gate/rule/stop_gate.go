package rule

import (
	"cmp"
	"errors"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Gate decides every case by itself, from head's comparison with base.
type Gate struct {
	Looks
	policy result.Policy
	// Pair says what head is compared with in a case, and which slowdown passes there (fraction): base where that is the zero value, and what the policy has
	// for the case where it is 0. nil is both of all cases.
	Pair func(*result.Case) (to result.Variant, tolerance float64)
}

// NewGate looks as the gate's schedule has it.
func NewGate(p result.Policy) Gate { return Gate{Looks: ScheduleOf(p).Looks(), policy: p} }

func (g Gate) pair(c *result.Case) (to result.Variant, tolerance float64) {
	if g.Pair != nil {
		to, tolerance = g.Pair(c)
	}
	return cmp.Or(to, result.VariantBase), tolerance
}

// Look decides cases that are undecided. One whose processes all say the same time is an error of neither side.
func (g Gate) Look(rounds int, cases []*result.Case) (over bool, err error) {
	number := g.number(rounds)
	for _, c := range cases {
		if c.Verdict != result.Undecided {
			continue
		}
		to, tolerance := g.pair(c)
		p := g.policy.OfPair(*c, to)
		if tolerance > 0 {
			p = g.policy.WithTolerance(tolerance)
		}
		err := look(c, to, rounds, number, p)
		if errors.Is(err, stats.ErrConstant) {
			c.Verdict, c.ErrorSide, c.ErrorCode = result.Error, result.SideNone, result.CodeCoarseClock
			c.Reason = result.Message("every process says exactly the same time: its clock is too coarse to " +
				"show a change, or it measures nothing. Let it time more work at once, or write times as they are")
			continue
		}
		if err != nil {
			return false, err
		}
		decide(c, to, p, number == mostLooks)
	}
	return false, nil
}

// Wants is true of both variants that are compared, until they are.
func (g Gate) Wants(c *result.Case, v result.Variant) bool {
	to, _ := g.pair(c)
	return c.Verdict == result.Undecided && (v == result.VariantHead || v == to)
}

// gateAgain takes the looks of the gate again, at processes of head and another variant of a case: what that case came to, as far as they say it.
func gateAgain(c result.Case, to result.Variant, processes []result.Process, p result.Policy) (result.Case, error) {
	out := result.Case{Name: c.Name, Method: c.Method, Processes: processes, Verdict: result.Undecided}
	for i := range processes {
		processes[i].Purpose = result.PurposeRounds
	}
	rounds, err := arranged(processes, p)
	switch {
	case err != nil:
		return out, err
	case c.Method == nil:
		return out, errNoMethod
	case len(LooksOf(rounds)) == 0:
		return out, nil
	}
	err = retake(Gate{LooksOf(rounds), p, func(*result.Case) (result.Variant, float64) { return to, 0 }}, &out)
	if err == nil && out.Verdict == result.Error {
		err = errors.New(result.MessageOf(out.Reason))
	}
	return out, err
}

var errNoMethod = errors.New("there is no method")
