package parity

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// A scale that is off by less than half a unit in the last place hides in the rounding of each element, and shows in their mean: a right
// kernel rounds up as often as down. The unit is the case, since what a case shares (a sum that was rounded once for a whole row) leans
// its elements one way together, another way in the next case.

// lean has the mean errors of outputs, relative and with their sign, over cases, by tensor and dtype.
type lean map[string]*leaning

type leaning struct {
	dtype    string
	sum, sq  float64
	cases    int
	steepest float64
	fuzz     plan.FuzzCase // of the steepest
}

const (
	leanSuspects = 3  // cases that raise a suspicion...
	leanCases    = 12 // ...and those that settle it
	leanRounds   = 8  // lists of cases that are drawn for that at most
	leanElements = 32 // of a case; the mean of fewer is chance
	leanSigmas   = 6
	leanDoubts   = 2 // standard errors from which on more cases are drawn
	// The mean error of a right kernel may be this share of a unit in the last place of its output: constants that are themselves rounded
	// lean every element alike, by up to some units of f32.
	leanShare = 1.0 / 8
	leanF32   = 8
)

// unitRoundoff of floating dtypes: half a unit in the last place, relative. Of eight bits there is no mean worth a test.
var unitRoundoff = map[string]float64{"f64": 0x1p-53, "f32": 0x1p-24, "f16": 0x1p-11, "bf16": 0x1p-8}

// leans are the kinds of inputs whose rounding errors have no sign of their own.
var leans = []string{"spec", "normal", "uniform", "tiny", "large"}

// add takes the mean errors of a case that passed.
func (l lean) add(fuzz plan.FuzzCase, r reply) {
	if !slices.Contains(leans, fuzz.Values) || r.Elements < leanElements {
		return
	}
	for _, m := range r.MeanErrors {
		if unitRoundoff[m.Dtype] == 0 || math.IsNaN(float64(m.Value)) || math.IsInf(float64(m.Value), 0) {
			continue
		}
		key := m.Tensor + " " + m.Dtype
		if l[key] == nil {
			l[key] = &leaning{dtype: m.Dtype}
		}
		l[key].add(fuzz, float64(m.Value))
	}
}

func (o *leaning) add(fuzz plan.FuzzCase, value float64) {
	o.sum += value
	o.sq += value * value
	o.cases++
	if math.Abs(value) > o.steepest {
		o.steepest, o.fuzz = math.Abs(value), fuzz
	}
}

func (o *leaning) mean() float64 { return o.sum / float64(o.cases) }

// allowed is how far the mean over cases may be from 0.
func (o *leaning) allowed(sigmas float64) float64 {
	variance := max(o.sq-o.sum*o.mean(), 0) / float64(o.cases-1)
	constants := unitRoundoff["f32"]
	if o.dtype == "f64" {
		constants = unitRoundoff["f64"]
	}
	return leanShare*unitRoundoff[o.dtype] + sigmas*math.Sqrt(variance/float64(o.cases)) + leanF32*constants
}

// leaningOutput is the first output whose errors have a sign, by name; "" for none. It takes so many cases at least, and so many standard errors.
func (l lean) leaningOutput(cases int, sigmas float64) string {
	for _, key := range slices.Sorted(maps.Keys(l)) {
		o := l[key]
		if o.cases >= cases && math.Abs(o.mean()) > o.allowed(sigmas) {
			return key
		}
	}
	return ""
}

// judgeLean fails a head whose errors have a sign. A suspicion from few cases is settled with more of them. Where numbers of the
// configuration rule, or base is the oracle, nothing is asked.
func (c *check) judgeLean(ctx context.Context) error {
	if c.subject.Tolerances.Bound == nil || c.subject.Replay {
		return nil
	}
	for round := uint64(1); round <= leanRounds && c.out.Status == result.ParityPassed && time.Now().Before(c.deadline); round++ {
		suspected := c.lean.leaningOutput(leanSuspects, leanSigmas) != "" || c.lean.leaningOutput(leanCases, leanDoubts) != ""
		if !suspected || c.lean.leaningOutput(leanCases, leanSigmas) != "" {
			break
		}
		more := c.draw(round)
		c.out.Planned += len(more)
		c.out.Status = "" // until these are through
		if err := c.all(ctx, more, false); err != nil {
			return err
		}
		c.out.Status = cmp.Or(c.out.Status, result.ParityPassed)
	}
	key := c.lean.leaningOutput(leanCases, leanSigmas)
	if key == "" || c.out.Status != result.ParityPassed {
		return nil
	}
	o := c.lean[key]
	c.out.Status = result.ParityFailed
	c.out.Failure = c.failure(o.fuzz, result.CodeWrongOutput, fmt.Sprintf(
		"no element of %s is far off, but together they are biased: by %.2g of their value in the mean of %d cases, where "+
			"roundings that go both ways leave %.2g at most; a factor is off, or results are cut off in place of rounded",
		key, o.mean(), o.cases, o.allowed(leanSigmas)))
	// One case does not show it.
	c.out.Failure.Repro = strings.Join([]string{c.opt.Repro, "--kernel", c.subject.Kernel, "--seed", c.opt.Seed}, " ")
	return nil
}
