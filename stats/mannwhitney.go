package stats

import (
	"errors"
	"fmt"

	moremath "github.com/aclements/go-moremath/stats"
)

// MannWhitney is the result of a two-sided Mann-Whitney U test.
type MannWhitney struct {
	U float64 // pairs in which head is larger, ties counted half
	P float64
}

// MannWhitneyU tests whether head and base come from one population against one of them being larger (Mann and
// Whitney 1947), as benchstat does: exact up to 50 values a side, or 25 with ties (Klotz 1966), with the normal
// approximation corrected for ties and continuity beyond. Values need only an order; the unit does not matter.
//
// Empty input, NaN or infinite values, and values that are all equal (ErrConstant) are errors.
func MannWhitneyU(base, head []float64) (MannWhitney, error) {
	if err := checkFinite("Mann-Whitney: base", base); err != nil {
		return MannWhitney{}, err
	}
	if err := checkFinite("Mann-Whitney: head", head); err != nil {
		return MannWhitney{}, err
	}
	less, err := oneSided(head, base)
	if err != nil {
		return MannWhitney{}, err
	}
	greater, err := oneSided(base, head)
	if err != nil {
		return MannWhitney{}, err
	}
	return MannWhitney{U: less.U, P: min(1, 2*less.P, 2*greater.P)}, nil
}

// oneSided tests whether xs is smaller than ys. The two-sided test of the library reads the wrong tail of a
// distribution that ties make asymmetric (for {1} against {1, 2} it says 2/3 one way round and 1 the other), so both
// tails are asked for.
func oneSided(xs, ys []float64) (*moremath.MannWhitneyUTestResult, error) {
	r, err := moremath.MannWhitneyUTest(xs, ys, moremath.LocationLess)
	switch {
	case errors.Is(err, moremath.ErrSamplesEqual):
		return nil, fmt.Errorf("Mann-Whitney: %w", ErrConstant)
	case err != nil:
		return nil, fmt.Errorf("Mann-Whitney: %w", err)
	}
	return r, nil
}
