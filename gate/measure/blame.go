package measure

import (
	"context"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// What ends a case in a round is found on the side whose turn it was, and the turns are randomized: a kernel that fails on both sides
// would be head's failure in every second run. So head is blamed alone only where base has been through as much.

// failedOnHead are the cases that head failed in, and that base has not gone through as often.
func failedOnHead(cases []*Case) []*Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool {
		return c.Verdict != result.Error || c.ErrorSide != result.SideHead || len(c.Of(c.to())) > len(c.Of(result.VariantHead))
	})
}

// askBase has base measure again what head has just failed in. What base fails in as well is the fault of both.
func (s *session) askBase(ctx context.Context, round int, failed []*Case) error {
	accused := snapshot(failed)
	for _, c := range failed {
		c.Verdict, c.ErrorSide, c.ErrorCode, c.Reason = result.Undecided, "", "", nil
	}
	const extra = 4 // it has no place in the round
	err := s.process(ctx, position{round, extra, turnsIn(failed, letterBase)}, nil)
	for i, c := range failed {
		both := c.Verdict == result.Error
		c.restore(accused[i])
		if both {
			c.ErrorSide = result.SideBoth
		}
	}
	return err
}
