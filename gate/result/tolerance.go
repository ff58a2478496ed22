package result

import (
	"fmt"
	"reflect"
	"slices"
)

// MaxTolerances is the most entries that a policy has for some of its cases.
const MaxTolerances = 256

// maxCasePattern is the longest pattern of such an entry: every case is matched with it.
const maxCasePattern = 256

// CaseTolerance is the tolerance of the cases that a pattern names (see CaseMatches), in place of the policy's.
type CaseTolerance struct {
	Cases     string  `json:"cases"`
	Tolerance float64 `json:"tolerance"`
}

// Of is the policy of one case, by its name: the last entry that names it says its tolerance, and where none does, the policy. It has no entries
// itself, so that it can be handed on as the policy of the case.
func (p Policy) Of(name string) Policy {
	kernel := ParseCaseID(name).Kernel
	for _, t := range p.Tolerances {
		if CaseMatches(t.Cases, kernel, name) {
			p.Tolerance = t.Tolerance
		}
	}
	p.Tolerances = nil
	return p
}

// WithTolerance is the policy with one tolerance for all cases.
func (p Policy) WithTolerance(t float64) Policy {
	p.Tolerance, p.Tolerances = t, nil
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
		if !isTolerance(t.Tolerance) {
			errs = append(errs, fmt.Errorf("tolerance of %.60q is %v, must be above 0 and below 1 (100 %%)", t.Cases, t.Tolerance))
		}
	}
	return errs
}
