package parity

import "github.com/org/perfgate/gate/result"

// ExactWithoutBase says whether an outcome of a run without base stands as it is: it passed against the reference, and no
// error is large enough for the yardstick, which leaves errors below a tenth of the tolerance alone whatever base's are.
func ExactWithoutBase(p result.Parity) bool {
	return p.Status == result.ParityPassed && p.Oracle == OracleReference && p.MaxRatio <= yardstickFloor
}
