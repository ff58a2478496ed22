package parity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// A scale that is off by less than half a unit in the last place hides in the rounding of each element, and shows in their mean: a right
// kernel rounds up as often as down. The unit is the case, since what a case shares (a sum that was rounded once for a whole row) leans
// its elements one way together, another way in the next case.

// lean watches the mean errors of outputs, relative and with their sign, over cases.
type lean struct {
	outputs map[string]*leaning
}

type leaning struct {
	dtype    string
	sum, sq  float64
	cases    int
	steepest float64
	fuzz     plan.FuzzCase // of the steepest
}

const (
	leanCases    = 12  // fewer do not show what is chance
	leanElements = 256 // of a case; the mean of fewer is chance
	leanSigmas   = 6
	// The mean error of a right kernel may be this share of a unit in the last place of its output: constants that are themselves rounded
	// lean every element alike, by up to some units of f32.
	leanShare = 1.0 / 8
	leanF32   = 8
)

// unitRoundoff of floating dtypes: half a unit in the last place, relative. Of eight bits there is no mean worth a test.
var unitRoundoff = map[string]float64{"f64": 0x1p-53, "f32": 0x1p-24, "f16": 0x1p-11, "bf16": 0x1p-8}

// leans are the kinds of inputs whose rounding errors have no sign of their own.
var leans = []string{"spec", "normal", "uniform", "tiny"}

// add takes the mean errors of a case that passed.
func (l *lean) add(fuzz plan.FuzzCase, r reply) {
	if !slices.Contains(leans, fuzz.Values) || r.Elements < leanElements {
		return
	}
	for _, m := range r.MeanErrors {
		if unitRoundoff[m.Dtype] == 0 || math.IsNaN(float64(m.Value)) || math.IsInf(float64(m.Value), 0) {
			continue
		}
		if l.outputs == nil {
			l.outputs = map[string]*leaning{}
		}
		key := m.Tensor + " " + m.Dtype
		if l.outputs[key] == nil {
			l.outputs[key] = &leaning{dtype: m.Dtype}
		}
		l.outputs[key].add(fuzz, float64(m.Value))
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

// allowed is how far the mean over cases may be from 0.
func (o *leaning) allowed() float64 {
	mean := o.sum / float64(o.cases)
	variance := max(o.sq-float64(o.cases)*mean*mean, 0) / float64(o.cases-1)
	return leanShare*unitRoundoff[o.dtype] + leanSigmas*math.Sqrt(variance/float64(o.cases)) + float32Constants(o.dtype)
}

func float32Constants(dtype string) float64 {
	if dtype == "f64" {
		return leanF32 * unitRoundoff["f64"]
	}
	return leanF32 * unitRoundoff["f32"]
}

// judgeLean fails a head whose errors have a sign. Where numbers of the configuration rule, or base is the oracle, nothing is asked.
func (c *check) judgeLean() {
	if c.subject.Tolerances.Bound == nil || c.out.Status != result.ParityPassed {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.lean.outputs)) {
		o := c.lean.outputs[key]
		mean := o.sum / float64(max(o.cases, 1))
		if o.cases < leanCases || math.Abs(mean) <= o.allowed() {
			continue
		}
		c.out.Status = result.ParityFailed
		failure := c.failure(o.fuzz, result.CodeWrongOutput, fmt.Sprintf(
			"no element is far off, but all of %s together are: by %.2g of their value in the mean of %d cases, where roundings that go both ways leave %.2g at most; a factor is off, or results are cut off in place of rounded",
			key, mean, o.cases, o.allowed()))
		// One case does not show it.
		failure.Repro = strings.Join([]string{c.opt.Repro, "--kernel", c.subject.Kernel, "--seed", c.opt.Seed}, " ")
		c.out.Failure = failure
		return
	}
}
