package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Options say what to simulate. The zero value is not usable; start from Default.
type Options struct {
	Seed       uint64
	Trials     int // cases behind every number
	SuiteCases int // cases of a run, each tested at its share of the error rate
	Policy     result.Policy
	Tolerances []float64
	FloorNS    float64  // a slowdown by less than this passes, too
	Tables     []string // of the promises; see PromiseTables
	RuleTwo    bool     // decide by the rule before this one
	Noise      []Noise
	Observe    func(done string) // is told of every finished part; may be nil

	Searches   int // searches behind every number
	Candidates int // candidates of a search that are all equal to base
	Hidden     int // candidates of a search that one improvement is hidden among
}

// Default returns what the documentation's tables were made with.
func Default() Options {
	p := rule.Default()
	return Options{Seed: 1, Trials: 1000, SuiteCases: 30, Policy: p, Tolerances: []float64{p.Tolerance}, Noise: Models(),
		Tables: PromiseTables(), Searches: 200, Candidates: 1000, Hidden: 100}
}

// Select keeps the noise whose name contains one of the parts, which commas join. An empty text keeps all.
func (o *Options) Select(text string) error {
	var kept []Noise
	var names []string
	parts := strings.Split(text, ",")
	for _, n := range o.Noise {
		names = append(names, n.Name())
		if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(n.Name(), strings.TrimSpace(part)) }) {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 {
		return fmt.Errorf("no noise is called %q; there are: %s", text, strings.Join(names, "; "))
	}
	o.Noise = kept
	return nil
}

// policies are the policies of a suite, one for each tolerance.
func (o Options) policies() ([]result.Policy, error) {
	if min(o.Trials, o.SuiteCases, o.Searches, o.Candidates, o.Hidden) < 1 {
		return nil, errors.New("trials, cases of a suite, searches and candidates must be at least 1")
	}
	var policies []result.Policy
	for _, tolerance := range o.Tolerances {
		p := o.Policy
		p.Cases, p.Tolerance = o.SuiteCases, tolerance
		if o.FloorNS > 0 {
			p.Tolerances = []result.CaseTolerance{{Cases: theCase, Tolerance: tolerance, FloorNS: o.FloorNS}}
		}
		if err := p.Validate(); err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	return policies, nil
}

func (o Options) observe(done string) {
	if o.Observe != nil {
		o.Observe(done)
	}
}

// cases lets the gate decide cases of one true shift.
func (o Options) cases(n Noise, shift float64, p result.Policy) []outcome {
	looks := rule.ScheduleOf(p).Looks()
	if o.RuleTwo {
		looks, p.PlannedLooks = ruleTwoLooks, len(ruleTwoLooks)
	}
	return parallel(o.Trials, func(i int) outcome {
		t := newTrial(n, shift, o.Seed, i)
		t.orders.Even = o.RuleTwo
		return lookUntilDecided(t, n.Timing(), p, looks)
	})
}

func isRegression(c outcome) bool { return c.verdict == result.Regression }

func isOver(c outcome) bool { return c.kind == result.FindingSlowerEstimateOver }

func isUndecided(c outcome) bool { return c.verdict == result.Inconclusive }

func isRed(c outcome) bool { return c.red }

func passes(c outcome) bool { return c.verdict == result.Same || c.verdict == result.Slower }
