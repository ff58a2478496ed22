package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Options says what to simulate. The zero value is not usable; start from Default or Quick.
type Options struct {
	Seed       uint64
	Suites     int // suites for error rates
	SuiteCases int // of each, which are those of a run
	Cases      int // cases for power, coverage and curves
	Policy     result.Policy
	Worlds     []World
	Peers      bool
	Curve      bool
	Observe    func(done string) // told of every finished part; may be nil
}

// Default returns what the documentation's tables were made with.
func Default() Options {
	return Options{Seed: 1, Suites: 200, SuiteCases: 30, Cases: 1000, Policy: rule.Default(), Worlds: Worlds(), Peers: true, Curve: true}
}

// Quick returns a small calibration: enough to see that all is well, not to quote.
func Quick() Options {
	o := Default()
	o.Suites, o.Cases = 10, 100
	return o
}

// Select keeps the worlds whose name contains one of the parts, which commas join. An empty text keeps all.
func (o *Options) Select(text string) error {
	var kept []World
	var names []string
	parts := strings.Split(text, ",")
	for _, w := range o.Worlds {
		names = append(names, w.Name())
		if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(w.Name(), strings.TrimSpace(part)) }) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return fmt.Errorf("no world is called %q; there are: %s", text, strings.Join(names, "; "))
	}
	o.Worlds = kept
	return nil
}

// Shifts are the true slow-downs of which the power is stated.
var Shifts = []float64{0.01, 0.02, 0.03, 0.05}

// at3 is where Shifts has 3 %.
const at3 = 2

// Report is the outcome of a calibration.
type Report struct {
	Options Options
	Rows    []Row
	Peers   []PeerRow
	Curves  []Curve
}

// Row is what the rule does in one world. Rates are fractions with the number of trials beside them.
type Row struct {
	World       string
	FalseSuites Rate      // suites of unchanged code with a regression
	RedSuites   Rate      // the same, and suites that the policy for open cases fails
	Power       []Rate    // cases of Shifts found to be a regression
	WrongSame   Rate      // cases at +3 % called same
	Edge        Rate      // suites with the true shift exactly at the tolerance that have a regression
	EdgePass    Rate      // cases of such suites that are called same or slower
	Same        Rate      // unchanged cases called same
	Coverage    []Rate    // of 98 % bounds after CoverageRounds
	MDE         []float64 // median of unchanged cases, after CoverageRounds; 0.01 is 1 %
	Rounds      float64
	RoundsAt3   float64
	RoundsEdge  float64
	Open        Rate     // unchanged cases that all looks leave open
	Misses      []string // what breaks the bar of the world
}

// CoverageRounds are the rounds after which the coverage of bounds is counted, each a look of the gate.
var CoverageRounds = []int{2, 8, 34}

// coverageAlpha is the error of one side of the bounds whose coverage is counted.
const coverageAlpha = 0.01

// Run calibrates.
func Run(o Options) (Report, error) {
	o.Policy.Cases = o.SuiteCases
	if err := o.Policy.Validate(); err != nil {
		return Report{}, err
	}
	r := Report{Options: o}
	for _, w := range o.Worlds {
		r.Rows = append(r.Rows, o.row(w))
		o.observe(w.Name())
	}
	if o.Peers {
		r.Peers = o.peers()
		o.observe("peers")
	}
	if o.Curve {
		r.Curves = o.curves()
		o.observe("operating curve")
	}
	return r, nil
}

func (o Options) observe(done string) {
	if o.Observe != nil {
		o.Observe(done)
	}
}

func (o Options) row(w World) Row {
	unchanged := o.suites(w, 0)
	edge := o.suites(w, math.Log1p(o.Policy.Tolerance))
	row := Row{
		World:       w.Name(),
		FalseSuites: suitesWith(unchanged, o.SuiteCases, isRegression),
		RedSuites:   suitesWith(unchanged, o.SuiteCases, isRed),
		Edge:        suitesWith(edge, o.SuiteCases, isRegression),
		EdgePass:    casesWith(edge, passes),
		Same:        casesWith(unchanged, func(c outcome) bool { return c.verdict == result.Same }),
		Rounds:      meanRounds(unchanged),
		RoundsEdge:  meanRounds(edge),
		Open:        casesWith(unchanged, func(c outcome) bool { return c.verdict == result.Inconclusive }),
		Coverage:    o.coverage(w),
		MDE:         o.mde(w),
	}
	for i, s := range Shifts {
		cases := o.cases(w, math.Log1p(s), o.Cases)
		row.Power = append(row.Power, casesWith(cases, isRegression))
		if i == at3 {
			row.WrongSame = casesWith(cases, func(c outcome) bool { return c.verdict == result.Same })
			row.RoundsAt3 = meanRounds(cases)
		}
	}
	row.Misses = barOf(w).misses(row)
	return row
}

func isRegression(c outcome) bool { return c.verdict == result.Regression }

func isRed(c outcome) bool { return c.red }

func passes(c outcome) bool { return c.verdict == result.Same || c.verdict == result.Slower }

func (o Options) suites(w World, shift float64) []outcome {
	return o.cases(w, shift, o.Suites*o.SuiteCases)
}

func (o Options) cases(w World, shift float64, n int) []outcome {
	return parallel(n, func(i int) outcome {
		return gateCase(newTrial(w, shift, o.Seed, i), w.Timing(), o.Policy)
	})
}

// coverage counts how often the true shift lies within 98 % bounds made as the gate makes them. A shift of 1 % is
// planted: it must not matter.
func (o Options) coverage(w World) []Rate {
	const shift = 0.01
	tm := w.Timing()
	most := CoverageRounds[len(CoverageRounds)-1]
	covered := parallel(o.Cases, func(i int) []bool {
		rounds := newTrial(w, shift, o.Seed+1, i).upTo(most)
		hits := make([]bool, len(CoverageRounds))
		for k, n := range CoverageRounds {
			hits[k] = covers(rounds[:n], tm, shift)
		}
		return hits
	})
	rates := make([]Rate, len(CoverageRounds))
	for _, hits := range covered {
		for k, hit := range hits {
			rates[k].add(hit)
		}
	}
	return rates
}

// mde is the median of the minimum detectable effects that the gate states of unchanged cases after CoverageRounds.
func (o Options) mde(w World) []float64 {
	most := CoverageRounds[len(CoverageRounds)-1]
	stated := parallel(o.Cases, func(i int) []float64 {
		rounds := newTrial(w, 0, o.Seed+2, i).upTo(most)
		out := make([]float64, len(CoverageRounds))
		for k, n := range CoverageRounds {
			c, err := rule.Compare(rounds[:n], 1+slices.Index(rule.ScheduleOf(o.Policy).Looks(), n), w.Timing().gate(), o.Policy)
			if out[k] = c.MDE; err != nil {
				out[k] = math.NaN()
			}
		}
		return out
	})
	out := make([]float64, len(CoverageRounds))
	for k := range out {
		var all []float64
		for _, one := range stated {
			all = append(all, one[k])
		}
		slices.Sort(all)
		out[k] = all[len(all)/2]
	}
	return out
}

func covers(rounds []stats.Round, tm Timing, shift float64) bool {
	p := rule.Default()
	p.Cases, p.PlannedLooks, p.Confidence = 1, 1, 1-coverageAlpha
	c, err := rule.Compare(rounds, 1, tm.gate(), p)
	return err == nil && c.Low <= shift && shift <= c.High
}
