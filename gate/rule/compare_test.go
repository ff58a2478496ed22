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

func TestCompareOfATimerThatNeverMoves(t *testing.T) {
	y := math.Log(1000)
	rounds := make([]stats.Round, 4)
	for i := range rounds {
		rounds[i] = stats.Round{Base: []float64{y, y}, Head: []float64{y, y}}
	}
	c, err := Compare(rounds, 1, Timing{QuantumNS: 32, Launches: 1, MedianNS: 1000}, Default())
	must(t, err)
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
