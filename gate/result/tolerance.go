package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// MaxTolerances is the most entries that a policy has for some of its cases.
const MaxTolerances = 256

// maxCasePattern is the longest pattern of such an entry: every case is matched with it.
const maxCasePattern = 256

// maxFloorNS is the largest floor.
const maxFloorNS = 1e9

// CaseTolerance is the tolerance of the cases that a pattern names (see CaseMatches), in place of the policy's.
type CaseTolerance struct {
	Cases     string  `json:"cases"`     // a pattern of names of cases, or the name of a kernel
	Tolerance float64 `json:"tolerance"` // relative slowdown of these cases that passes (fraction)
	// a slowdown of a launch by less than it passes, too; it is compared with the mean of base's processes in the first
	// two rounds
	FloorNS float64 `json:"floorNs,omitempty"`
}

// Margin is the relative slowdown that passes of a case that takes launchNS on base: the larger of tolerance and floor. At most all of base's time.
func (t CaseTolerance) Margin(launchNS float64) float64 {
	if !(t.FloorNS > 0) || !(launchNS > 0) {
		return t.Tolerance
	}
	return max(t.Tolerance, min(t.FloorNS/launchNS, math.Nextafter(1, 0)))
}

// ToleranceOf is the last entry that names a case; where none does, the policy's tolerance. A waiver with a larger tolerance holds in its place.
func (p Policy) ToleranceOf(name string) CaseTolerance {
	t := p.configuredTolerance(name)
	if w := p.WaiverOf(name); w != nil {
		t.Tolerance = max(t.Tolerance, w.Tolerance)
	}
	return t
}

// configuredTolerance is the tolerance of a case as if there were no waiver.
func (p Policy) configuredTolerance(name string) CaseTolerance {
	kernel := ParseCaseID(name).Kernel
	for _, t := range slices.Backward(p.Tolerances) {
		if CaseMatches(t.Cases, kernel, name) {
			return t
		}
	}
	return CaseTolerance{Cases: name, Tolerance: p.Tolerance}
}

// Of is the policy of one case, by its name and what a launch takes on base: its tolerance is the margin of the case. Where that time is 0, not known,
// floors do not count. It has no entries itself, so that it can be handed on as the policy of the case.
func (p Policy) Of(name string, launchNS float64) Policy {
	return p.WithTolerance(p.ToleranceOf(name).Margin(launchNS))
}

// OfCase is the policy of a case that has been calibrated, of head against base.
func (p Policy) OfCase(c Case) Policy { return p.OfPair(c, VariantBase) }

// OfPair is that of head against another variant.
func (p Policy) OfPair(c Case, to Variant) Policy {
	t := p.ToleranceOf(c.Name)
	if t.FloorNS > 0 {
		return p.WithTolerance(t.Margin(c.floorTimeNS(to)))
	}
	return p.WithTolerance(t.Tolerance)
}

// FloorTimeNS is the time of a launch on base that a floor is compared with, and the same at each look: the mean of base's processes in its first two
// rounds. A calibration sees launches that are not batched, or caches that are warm, and of a benchmark it is head that may say it. It counts only where
// there are no rounds. 0: not known.
func (c Case) FloorTimeNS() float64 { return c.floorTimeNS(VariantBase) }

func (c Case) floorTimeNS(to Variant) float64 {
	const floorRounds = 2
	sum, n := 0.0, 0
	for _, p := range c.Of(to) {
		if p.Round < floorRounds {
			sum, n = sum+p.ValueNS, n+1
		}
	}
	switch {
	case n > 0:
		return sum / float64(n)
	case c.Method != nil:
		return c.Method.LaunchNS
	}
	return 0
}

// WithTolerance is the policy with one tolerance for all cases.
func (p Policy) WithTolerance(t float64) Policy {
	p.Tolerance, p.Tolerances, p.Waivers, p.Day = t, nil, nil, ""
	return p
}

// Equal says whether two policies are the same in every field.
func (p Policy) Equal(q Policy) bool {
	if !slices.Equal(p.Tolerances, q.Tolerances) {
		return false
	}
	p.Tolerances, q.Tolerances = nil, nil
	return reflect.DeepEqual(p, q)
}

func isTolerance(t float64) bool { return t > 0 && t < 1 }

// checkTolerances returns an error for every entry that makes no sense.
func (p Policy) checkTolerances() (errs []error) {
	if len(p.Tolerances) > MaxTolerances {
		return []error{fmt.Errorf("%d tolerances of cases, must be at most %d", len(p.Tolerances), MaxTolerances)}
	}
	for _, t := range p.Tolerances {
		if !IsCasePattern(t.Cases) || t.Cases == "" || len(t.Cases) > maxCasePattern {
			errs = append(errs, fmt.Errorf("%.60q is not a pattern of cases", t.Cases))
		}
		if !(t.FloorNS >= 0 && t.FloorNS <= maxFloorNS) {
			errs = append(errs, fmt.Errorf("floor of %.60q is %v ns, must be from 0 to 1 s", t.Cases, t.FloorNS))
		}
		if !isTolerance(t.Tolerance) {
			errs = append(errs, fmt.Errorf("tolerance of %.60q is %v, must be above 0 and below 1 (100 %%)", t.Cases, t.Tolerance))
		}
	}
	return errs
}
