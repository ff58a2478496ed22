package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// SuiteSettings ask something of cases together.
type SuiteSettings struct {
	Weights   []CaseWeight `key:"weights" names:"cases" one:"the weight of" most:"256"` // how much cases count, by pattern (default 1 each)
	Tolerance float64      `key:"tolerance" is:"percent tolerance"`                     // slowdown of the weighted geometric mean that passes; required with trade
	Trade     bool         `key:"trade" is:"true"`                                      // a significantly faster suite lets a case be slower than its tolerance
	Worst     float64      `key:"worst" is:"percent tolerance"`                         // slowdown that a trade has to exclude for every case; required with trade
}

// CaseWeight is how much the cases that a pattern names count.
type CaseWeight struct {
	Cases  string
	Weight float64 `is:"weight"`
}

func (w CaseWeight) String() string { return fmt.Sprintf("%s %g", w.Cases, w.Weight) }

// IsSet says whether anything is asked.
func (s SuiteSettings) IsSet() bool { return !reflect.ValueOf(s).IsZero() }

// checkSuite checks what of the suite hangs on other keys.
func (c *Config) checkSuite(d *decoder) {
	s, limit := c.Suite, c.CumulativeTolerance()
	if s.Tolerance == 0 {
		d.failEach("suite", []string{"weights", "trade"}, "%s needs suite.tolerance: how much slower the weighted geometric mean may be")
	}
	switch {
	case s.Trade && s.Worst == 0:
		d.failAt("suite.trade", "suite: {worst: 5%}", "trade needs suite.worst: the slowdown of a case that a trade has to exclude")
	case s.Worst > 0 && !s.Trade:
		d.failAt("suite.worst", "", "worst has no effect without trade: true")
	case s.Trade && s.Worst <= c.Gate.Tolerance:
		d.failAt("suite.worst", "more than "+percentText(c.Gate.Tolerance), "worst %s is not above gate.tolerance (%s), so nothing could be traded", percentText(s.Worst), percentText(c.Gate.Tolerance))
	case s.Trade && s.Worst > limit:
		d.failAt("suite.worst", "at most "+percentText(limit)+", or baseline: {cumulative-tolerance: "+percentText(s.Worst)+"}",
			"worst %s is larger than baseline.cumulative-tolerance (%s)", percentText(s.Worst), percentText(limit))
	case s.Trade && c.Baseline.Mode != BaselineAuto:
		d.failAt("suite.trade", "baseline: {mode: auto}", "a trade is measured against best-known levels, which takes baseline.mode auto, not %s", c.Baseline.Mode)
	case s.Tolerance > 0 && c.Baseline.Mode == BaselineStored:
		d.failAt("suite.tolerance", "baseline: {mode: auto}", "the suite is measured in rounds, and baseline.mode is stored")
	}
	if i := slices.IndexFunc(c.Kernels, func(k Kernel) bool { return k.Name == result.SuiteCase }); s.Tolerance > 0 && i >= 0 {
		d.failAt(join(index("kernels", i), "name"), "", "no kernel can be called %s where a suite is tested: reports and Perfgate-Accept call that so", result.SuiteCase)
	}
}
