package result

import (
	"errors"
	"fmt"
	"slices"
)

// SuiteCase is what findings on all weighted cases together name in the place of a case. No kernel has this name where a suite is tested.
const SuiteCase = "suite"

// maxWeight is the largest weight of a case, and 1/maxWeight the smallest.
const maxWeight = 1e6

// Suite is what a policy asks of cases together. The zero value asks nothing.
type Suite struct {
	Weights   []CaseWeight `json:"weights,omitempty"`   // of cases; without any, all weigh 1
	Tolerance float64      `json:"tolerance,omitempty"` // of the weighted geometric mean of the cases' ratios; missing: it is not tested (fraction)
	Worst     float64      `json:"worst,omitempty"`     // the slowdown of a case that a trade has to exclude; missing: nothing is traded (fraction)
}

// CaseWeight is how much the cases that a pattern names count in the mean.
type CaseWeight struct {
	Cases  string  `json:"cases"`  // a pattern of names of cases, or the name of a kernel; the last that names a case holds
	Weight float64 `json:"weight"` // how much they count (no unit)
}

// WeightOf is the weight of a case; 0 where it has no part in the mean.
func (s Suite) WeightOf(c Case) float64 {
	for _, w := range slices.Backward(s.Weights) {
		if CaseMatches(w.Cases, c.Kernel, c.Name) {
			return w.Weight
		}
	}
	if s.Tolerance > 0 && len(s.Weights) == 0 {
		return 1
	}
	return 0
}

// check returns an error for everything that makes no sense.
func (s Suite) check() error {
	var errs []error
	if s.Tolerance != 0 && !isTolerance(s.Tolerance) || s.Worst != 0 && !isTolerance(s.Worst) || s.Tolerance == 0 && (s.Worst > 0 || len(s.Weights) > 0) {
		errs = append(errs, fmt.Errorf("suite has tolerance %v and worst %v, both must be above 0 and below 1 (100 %%), and worst and weights need a tolerance", s.Tolerance, s.Worst))
	}
	if len(s.Weights) > MaxTolerances {
		errs = append(errs, fmt.Errorf("suite has %d weights, must be at most %d", len(s.Weights), MaxTolerances))
	}
	for _, w := range s.Weights {
		if !IsCasePattern(w.Cases) || w.Cases == "" || len(w.Cases) > maxCasePattern || !(w.Weight >= 1/maxWeight && w.Weight <= maxWeight) {
			errs = append(errs, fmt.Errorf("%.60q with weight %v is not a pattern of cases with a weight from %g to %g", w.Cases, w.Weight, 1/maxWeight, maxWeight))
		}
	}
	return errors.Join(errs...)
}

// TradeStatus is what became of a trade: of cases that are slower than their tolerance, for a suite that is faster.
type TradeStatus string

const (
	TradeNone     TradeStatus = ""         // no case needs one, or the policy has none
	TradeAccepted TradeStatus = "accepted" // the suite is significantly faster, and every case excludes the worst slowdown, against the best-known levels too
	TradeRefused  TradeStatus = "refused"
)

// SuiteValue is what the weighted cases of a run say together: each process has one value, the weighted mean of the logs of its cases' times.
type SuiteValue struct {
	Machine    string      `json:"machine,omitempty"`    // in results merged of several machines
	Cases      int         `json:"cases"`                // that have a weight and were timed
	Equal      int         `json:"equal,omitempty"`      // that have a weight and the same code on both sides: their ratio is 1
	Verdict    Verdict     `json:"verdict"`              // of the suite, as of a case; error: a weighted case was not timed in the rounds of the others
	Looks      int         `json:"looks"`                // looks taken at it
	Comparison *Comparison `json:"comparison,omitempty"` // of the last look; tolerance is the suite's
	Trade      TradeStatus `json:"trade,omitempty"`      // accepted or refused; missing where no case needs one, or the policy has none
	Traded     []string    `json:"traded,omitempty"`     // cases that need it
	// of a refused one: the case that does not exclude the worst slowdown; missing where the suite is not significantly
	// faster
	Hindered string `json:"hindered,omitempty"`
}
