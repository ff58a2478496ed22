package stats

import "fmt"

// stillShare is the share of samples in which a clock may stand still: the processor time of a thread was seen to, on a virtual
// machine with other load.
const stillShare = 0.1

// CoarseError says that so many of a case's samples are 0: its clock is too coarse for it.
type CoarseError struct{ Zeros, Samples int }

func (e *CoarseError) Error() string {
	return fmt.Sprintf("%d of %d samples are 0 ns: the clock is too coarse for this case; let it time more work at once, or read a finer clock", e.Zeros, e.Samples)
}

// Moving are the samples in which the clock moved. The error is a *CoarseError where it stood still in more than a tenth of them.
func Moving(xs []float64) ([]float64, error) {
	moving := make([]float64, 0, len(xs))
	for _, x := range xs {
		if x != 0 {
			moving = append(moving, x)
		}
	}
	if still := len(xs) - len(moving); float64(still) > stillShare*float64(len(xs)) {
		return nil, &CoarseError{still, len(xs)}
	}
	return moving, nil
}
