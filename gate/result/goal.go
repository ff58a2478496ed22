package result

import (
	"errors"
	"fmt"
)

// MaxGoals is the most goals that a policy has.
const MaxGoals = 64

// Goal is a speedup over a competitor that a policy wants in some cases, whichever they are.
type Goal struct {
	Speedup  float64 `json:"speedup"`            // how many times as fast as the competitor head is to be (times)
	Over     string  `json:"over"`               // the competitor, of all kernels that have it
	Cases    int     `json:"cases"`              // the least number of cases
	Required bool    `json:"required,omitempty"` // a run that misses it fails
}

// GoalCount is how many cases of a goal are known to be as fast as it wants.
type GoalCount struct {
	Cases   int `json:"cases"`             // how many the goal wants
	Of      int `json:"of"`                // cases of the kernels that have the competitor
	Reached int `json:"reached,omitempty"` // of these, significantly above the goal's speedup
	Below   int `json:"below,omitempty"`   // of these, significantly below it
}

// checkGoals returns an error for every goal that makes no sense.
func (p Policy) checkGoals() error {
	if len(p.Goals) > MaxGoals {
		return fmt.Errorf("%d goals, must be at most %d", len(p.Goals), MaxGoals)
	}
	var errs []error
	for _, g := range p.Goals {
		if !(g.Speedup >= 0.01 && g.Speedup <= 1000) || g.Over == "" || len(g.Over) > maxCasePattern || g.Cases < 1 {
			errs = append(errs, fmt.Errorf("goal of %v over %.60q in %d cases, must be from 0.01 to 1000, over a competitor, in at least 1 case", g.Speedup, g.Over, g.Cases))
		}
	}
	return errors.Join(errs...)
}
