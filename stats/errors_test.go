package stats

import (
	"errors"
	"math"
	"strings"
	"testing"
)

var good = []float64{1, 2, 3, 4, 5, 6, 7, 8}

// calls runs every function that takes samples; one and two are the sides, a function of one sample sees one.
func calls(one, two []float64) map[string]error {
	failed := map[string]error{}
	note := func(name string, err error) { failed[name] = err }
	_, err := Median(one)
	note("Median", err)
	_, err = Quantile(one, 0.5)
	note("Quantile", err)
	_, err = TrimmedMean(one, 0.2)
	note("TrimmedMean", err)
	_, err = LogProcess(one)
	note("LogProcess", err)
	_, err = NewMedianBootstrap(one)
	note("NewMedianBootstrap", err)
	_, err = BootstrapMedian(one, 0.9)
	note("BootstrapMedian", err)
	_, err = RatioOfMedians(one, two, 0.9)
	note("RatioOfMedians", err)
	_, err = RatioOfMedians(two, one, 0.9)
	note("RatioOfMedians swapped", err)
	_, err = CliffsDelta(one, two, 0.9)
	note("CliffsDelta", err)
	_, err = CliffsDelta(two, one, 0.9)
	note("CliffsDelta swapped", err)
	_, err = MannWhitneyU(one, two)
	note("MannWhitneyU", err)
	_, err = MannWhitneyU(two, one)
	note("MannWhitneyU swapped", err)
	_, err = FitUnpaired(one, two, SessionVariance{}, 0)
	note("FitUnpaired", err)
	_, err = FitUnpaired(two, one, SessionVariance{}, 0)
	note("FitUnpaired swapped", err)
	return failed
}

func TestEverySampleFunctionRefusesWhatHasNoAnswer(t *testing.T) {
	with := func(x float64) []float64 { return append([]float64{x}, good...) }
	for _, tt := range []struct {
		name string
		bad  []float64
		want error
	}{
		{"empty", nil, ErrEmpty},
		{"NaN", with(math.NaN()), ErrNotFinite},
		{"infinite", with(math.Inf(1)), ErrNotFinite},
		{"minus infinite", with(math.Inf(-1)), ErrNotFinite},
	} {
		for name, err := range calls(tt.bad, good) {
			if !errors.Is(err, tt.want) {
				t.Errorf("%s input: %s gives %v, want %v", tt.name, name, err, tt.want)
			}
		}
	}
	for name, err := range calls(good, good) {
		if err != nil {
			t.Errorf("good input: %s gives %v", name, err)
		}
	}
}

func TestComparisonsRefuseConstantSides(t *testing.T) {
	constant := []float64{5, 5, 5, 5}
	failed := calls(constant, constant)
	for _, name := range []string{"CliffsDelta", "MannWhitneyU", "FitUnpaired"} {
		if !errors.Is(failed[name], ErrConstant) {
			t.Errorf("%s of equal constants gives %v, want %v", name, failed[name], ErrConstant)
		}
	}
	for _, name := range []string{"Median", "TrimmedMean", "BootstrapMedian", "RatioOfMedians"} {
		if failed[name] != nil {
			t.Errorf("%s of a constant gives %v", name, failed[name])
		}
	}
}

func TestTooFewIsAnError(t *testing.T) {
	one := []float64{1}
	if _, err := CliffsDelta(one, good, 0.9); !errors.Is(err, ErrTooFew) {
		t.Errorf("Cliff's delta of one value: %v", err)
	}
	if _, err := FitUnpaired(one, good, SessionVariance{}, 0); !errors.Is(err, ErrTooFew) {
		t.Errorf("unpaired fit of one process: %v", err)
	}
	if _, err := FitPairs(one, one, 0); !errors.Is(err, ErrTooFew) {
		t.Errorf("one pair: %v", err)
	}
	for _, r := range []Round{{one, good}, {good, one}} {
		if fit, err := FitRounds([]Round{r}, 0); !errors.Is(err, ErrTooFew) {
			t.Errorf("one process of a side: %+v, %v", fit, err)
		}
		if fit, err := FitRounds([]Round{r, r}, 1e-6); err != nil || math.IsNaN(fit.BootstrapBounds(0.01)[0].Low) {
			t.Errorf("two processes of a side: %+v, %v", fit, err)
		}
	}
}

func TestArgumentsOutOfRange(t *testing.T) {
	nan := math.NaN()
	for _, bad := range []float64{-0.1, 1.1, nan} {
		_, q := Quantile(good, bad)
		_, cut := TrimmedMean(good, bad)
		_, confidence := BootstrapMedian(good, bad)
		_, ratio := RatioOfMedians(good, good, bad)
		_, cliff := CliffsDelta(good, good, bad)
		for i, err := range []error{q, cut, confidence, ratio, cliff} {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("function %d accepts %v: %v", i, bad, err)
			}
		}
	}
	for _, variance := range []float64{-1, nan, math.Inf(1)} {
		if _, err := FitUnpaired(good, good, SessionVariance{Var: variance, DF: 5}, 0); !errors.Is(err, ErrArgument) {
			t.Errorf("session variance %v: %v", variance, err)
		}
		if _, err := FitUnpaired(good, good, SessionVariance{}, variance); !errors.Is(err, ErrArgument) {
			t.Errorf("floor %v: %v", variance, err)
		}
	}
	if _, err := FitUnpaired(good, good, SessionVariance{Var: 1}, 0); !errors.Is(err, ErrArgument) {
		t.Errorf("session variance without degrees of freedom: %v", err)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	_, err := CliffsDelta(good, []float64{1, math.NaN()}, 0.9)
	if err == nil || !strings.Contains(err.Error(), "head: value 2") {
		t.Errorf("error %v does not say which value is bad", err)
	}
}
