package rule

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

var timing = Timing{QuantumNS: 32, Launches: 10, MedianNS: 150_000}

// makeRounds draws processes that scatter by sd about a level that drifts from round to round, head shifted by shift.
func makeRounds(n int, shift, sd float64, seed uint64) []stats.Round {
	random := rand.New(rand.NewPCG(seed, 1))
	rounds := make([]stats.Round, n)
	for i := range rounds {
		level := math.Log(timing.MedianNS) + 0.05*float64(i)
		for range 2 {
			rounds[i].Base = append(rounds[i].Base, level+sd*random.NormFloat64())
			rounds[i].Head = append(rounds[i].Head, level+shift+sd*random.NormFloat64())
		}
	}
	return rounds
}

func TestCompareSeesThePlantedShift(t *testing.T) {
	for _, shift := range []float64{-0.12, -0.02, 0, 0.005, 0.03} {
		c, err := Compare(makeRounds(20, shift, 0.004, 7), 6, timing, Default())
		if err != nil {
			t.Fatal(err)
		}
		if c.Low > shift || c.High < shift {
			t.Errorf("shift %v outside [%v, %v]", shift, c.Low, c.High)
		}
		if c.Rounds != 20 || c.Look != 6 {
			t.Errorf("rounds %d, look %d", c.Rounds, c.Look)
		}
	}
}

func TestCompareBoundsAreTheWiderPair(t *testing.T) {
	c, err := Compare(makeRounds(4, 0.01, 0.004, 3), 1, timing, Default())
	if err != nil {
		t.Fatal(err)
	}
	if c.Low != min(c.TLow, c.BootLow)-c.Tick || c.High != max(c.THigh, c.BootHigh)+c.Tick {
		t.Errorf("bounds [%v, %v] of t [%v, %v] and bootstrap [%v, %v]",
			c.Low, c.High, c.TLow, c.THigh, c.BootLow, c.BootHigh)
	}
	if !(c.RatioLow < c.Ratio && c.Ratio < c.RatioHigh) || c.Ratio != math.Exp(c.Theta) {
		t.Errorf("ratio %v in [%v, %v], theta %v", c.Ratio, c.RatioLow, c.RatioHigh, c.Theta)
	}
}

// Drift of 5 % a round must not reach delta: raw values of both sides would overlap nearly fully.
func TestCompareTakesRoundLevelsOutOfDelta(t *testing.T) {
	c, err := Compare(makeRounds(8, 0.03, 0.001, 5), 3, timing, Default())
	if err != nil {
		t.Fatal(err)
	}
	if c.Delta != 1 {
		t.Errorf("delta %v, want 1", c.Delta)
	}
}

func TestCompareOfATimerThatNeverMoves(t *testing.T) {
	y := math.Log(1000)
	rounds := make([]stats.Round, 4)
	for i := range rounds {
		rounds[i] = stats.Round{Base: []float64{y, y}, Head: []float64{y, y}}
	}
	c, err := Compare(rounds, 1, Timing{QuantumNS: 32, Launches: 1, MedianNS: 1000}, Default())
	if err != nil {
		t.Fatal(err)
	}
	if !c.Floored || !(c.Low < 0 && c.High > 0) {
		t.Errorf("a coarse timer gave floored=%v, bounds [%v, %v]", c.Floored, c.Low, c.High)
	}
	if c.Delta != 0 || c.DeltaLow != -1 || c.DeltaHigh != 1 {
		t.Errorf("delta %v in [%v, %v], want 0 in [-1, 1]", c.Delta, c.DeltaLow, c.DeltaHigh)
	}
	if _, err := Compare(rounds, 1, Timing{QuantumNS: 0, Launches: 1, MedianNS: 1000}, Default()); !errors.Is(err, stats.ErrConstant) {
		t.Errorf("no scatter and no quantum: error %v, want %v", err, stats.ErrConstant)
	}
}

// A kernel of 3.98 µs reads 3968 ns on a 32 ns timer, always, and one of 3.99 µs reads 4000: rounds do not help.
func TestRoundsDoNotShrinkWhatTheTimerHides(t *testing.T) {
	rounds := make([]stats.Round, 36)
	for i := range rounds {
		b, h := math.Log(3968), math.Log(4000)
		rounds[i] = stats.Round{Base: []float64{b, b}, Head: []float64{h, h}}
	}
	c, err := Compare(rounds, 8, Timing{QuantumNS: 32, Launches: 1, MedianNS: 3968}, Default())
	if err != nil {
		t.Fatal(err)
	}
	if truth := math.Log(3990.0 / 3980); c.Low > truth {
		t.Errorf("a shift of %v lies below [%v, %v]", truth, c.Low, c.High)
	}
	if math.Log1p(c.MDE) < c.Tick {
		t.Errorf("it is said to see %v, and the timer hides %v", c.MDE, c.Tick)
	}
}

func TestBatchesLeaveNothingForTheTimerToHide(t *testing.T) {
	c, err := Compare(makeRounds(8, 0, 0.002, 3), 3, Timing{QuantumNS: 32, Launches: 100, MedianNS: 3000}, Default())
	if err != nil {
		t.Fatal(err)
	}
	if c.Tick > 1e-6 {
		t.Errorf("100 launches a sample leave %v to the timer", c.Tick)
	}
}

func TestCompareRefusesWhatItCannotUse(t *testing.T) {
	good := makeRounds(4, 0, 0.01, 1)
	bad := makeRounds(4, 0, 0.01, 1)
	bad[2].Head[1] = math.NaN()
	if _, err := Compare(nil, 1, timing, Default()); !errors.Is(err, stats.ErrEmpty) {
		t.Errorf("no rounds: %v", err)
	}
	if _, err := Compare(bad, 1, timing, Default()); !errors.Is(err, stats.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := Compare(good, 1, Timing{}, Default()); !errors.Is(err, stats.ErrArgument) {
		t.Errorf("zero timing: %v", err)
	}
	if _, err := Compare(good, 1, timing, result.Policy{}); err == nil {
		t.Error("zero policy accepted")
	}
}

func TestCompareIsReproducible(t *testing.T) {
	rounds := makeRounds(6, 0, 0.01, 9)
	a, _ := Compare(rounds, 2, timing, Default())
	b, _ := Compare(rounds, 2, timing, Default())
	if a != b {
		t.Errorf("same input and seed gave\n%+v\n%+v", a, b)
	}
}

func TestMoreCasesWidenTheBounds(t *testing.T) {
	rounds := makeRounds(6, 0, 0.01, 9)
	one, many := Default(), Default()
	many.Cases = 30
	a, _ := Compare(rounds, 2, timing, one)
	b, _ := Compare(rounds, 2, timing, many)
	if !(b.Low < a.Low && b.High > a.High && b.MDE > a.MDE) {
		t.Errorf("one case [%v, %v], thirty [%v, %v]", a.Low, a.High, b.Low, b.High)
	}
}

func TestPairsAndUnpairedAgreeOnCleanData(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	var base, head []float64
	for range 40 {
		base = append(base, 12+0.003*random.NormFloat64())
		head = append(head, 12.02+0.003*random.NormFloat64())
	}
	paired, err := ComparePairs(base, head, 1, timing, Default())
	if err != nil {
		t.Fatal(err)
	}
	unpaired, err := CompareUnpaired(base, head, stats.SessionVariance{}, 1, timing, Default())
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(paired.Theta-unpaired.Theta) > 1e-12 {
		t.Errorf("theta %v paired, %v unpaired", paired.Theta, unpaired.Theta)
	}
	if ratio := paired.SE / unpaired.SE; ratio < 0.7 || ratio > 1.4 {
		t.Errorf("standard error %v paired, %v unpaired", paired.SE, unpaired.SE)
	}
	session := stats.SessionVariance{Var: 0.01 * 0.01, DF: 10}
	wide, err := CompareUnpaired(base, head, session, 1, timing, Default())
	if err != nil {
		t.Fatal(err)
	}
	if wide.Low > 0 || wide.High < unpaired.High {
		t.Errorf("a session scatter of 1 %% leaves bounds [%v, %v]", wide.Low, wide.High)
	}
}

func TestRoundsNeededFallsWithDistance(t *testing.T) {
	far, _ := Compare(makeRounds(8, 0.05, 0.01, 2), 3, timing, Default())
	near, _ := Compare(makeRounds(8, 0.02, 0.01, 2), 3, timing, Default())
	if far.RoundsNeeded < 1 || near.RoundsNeeded <= far.RoundsNeeded {
		t.Errorf("rounds needed: %d at +5 %%, %d at +2 %%", far.RoundsNeeded, near.RoundsNeeded)
	}
}
