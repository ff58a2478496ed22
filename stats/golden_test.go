package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

// golden holds values computed by scipy and numpy; testdata/golden.py made them.
type golden struct {
	Ranks []struct {
		Name          string
		Base, Head    []float64
		Median        float64
		Quantiles     map[string]float64
		TrimmedMean   float64
		U, P          float64
		Ties          bool
		Delta         float64
		DeltaVariance float64
		Welch         struct{ T, DF, Low float64 }
	}
	Rounds []struct {
		Y            [][4]float64
		Theta, S, SE float64
		DF           float64
		Bounds       map[string][2]float64
	}
	Pairs struct {
		Base, Head []float64
		T, P       float64
	}
	Student []struct{ DF, P, T float64 }
}

func readGolden(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	must(t, err)
	var g golden
	must(t, json.Unmarshal(data, &g))
	return g
}

// near fails unless got equals want to a relative error of tolerance, scipy being the oracle.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-12)) {
		t.Errorf("%s = %.17g, scipy says %.17g", what, got, want)
	}
}

func TestLocationAgainstNumpy(t *testing.T) {
	for _, g := range readGolden(t).Ranks {
		median, err := Median(g.Base)
		must(t, err)
		near(t, g.Name+": median", median, g.Median, 1e-14)
		for text, want := range g.Quantiles {
			q, _ := strconv.ParseFloat(text, 64)
			got, err := Quantile(g.Base, q)
			must(t, err)
			near(t, g.Name+": quantile "+text, got, want, 1e-13)
		}
		trimmed, err := TrimmedMean(g.Base, 0.2)
		must(t, err)
		near(t, g.Name+": trimmed mean", trimmed, g.TrimmedMean, 1e-13)
	}
}

func TestMannWhitneyAgainstScipy(t *testing.T) {
	for _, g := range readGolden(t).Ranks {
		r, err := MannWhitneyU(g.Base, g.Head)
		must(t, err)
		near(t, g.Name+": U", r.U, g.U, 1e-14)
		// Scipy is exact up to 8 values without ties, and normal beyond: compare where both do the same.
		if (min(len(g.Base), len(g.Head)) <= 8 && !g.Ties) || min(len(g.Base), len(g.Head)) > 50 {
			near(t, g.Name+": p", r.P, g.P, 1e-9)
		}
	}
}

func TestCliffsDeltaAgainstNumpy(t *testing.T) {
	for _, g := range readGolden(t).Ranks {
		d, err := CliffsDelta(g.Base, g.Head, 0.95)
		must(t, err)
		near(t, g.Name+": delta", d.Delta, g.Delta, 1e-13)
		if g.Name == "disjoint" {
			continue
		}
		sums := dominate(sortedCopy(g.Base), sortedCopy(g.Head))
		pairs := float64(len(g.Base) * len(g.Head))
		want := max(g.DeltaVariance, (1-g.Delta*g.Delta)/(pairs-1))
		near(t, g.Name+": variance of delta", sums.variance(d.Delta), want, 1e-10)
	}
}

func TestWelchAgainstScipy(t *testing.T) {
	for _, g := range readGolden(t).Ranks {
		fit, err := FitUnpaired(logs(g.Base), logs(g.Head), SessionVariance{}, 0)
		must(t, err)
		near(t, g.Name+": t", fit.Theta/fit.SE, g.Welch.T, 1e-9)
		near(t, g.Name+": df", fit.DF, g.Welch.DF, 1e-9)
		low, _ := fit.TBounds(0.001)
		near(t, g.Name+": low", low, g.Welch.Low, 1e-8)
	}
}

func TestRoundsAgainstLeastSquares(t *testing.T) {
	for _, g := range readGolden(t).Rounds {
		rounds := make([]Round, len(g.Y))
		for i, y := range g.Y {
			rounds[i] = Round{Base: []float64{y[0], y[1]}, Head: []float64{y[2], y[3]}}
		}
		fit, err := FitRounds(rounds, 0)
		must(t, err)
		name := fmt.Sprintf("%d rounds", len(rounds))
		near(t, name+": theta", fit.Theta, g.Theta, 1e-9)
		near(t, name+": s", fit.S, g.S, 1e-9)
		near(t, name+": se", fit.SE, g.SE, 1e-9)
		near(t, name+": df", fit.DF, g.DF, 0)
		for text, want := range g.Bounds {
			alpha, _ := strconv.ParseFloat(text, 64)
			low, high := fit.TBounds(alpha)
			near(t, name+": low at "+text, low, want[0], 1e-8)
			near(t, name+": high at "+text, high, want[1], 1e-8)
		}
	}
}

func TestPairsAgainstScipy(t *testing.T) {
	g := readGolden(t).Pairs
	fit, err := FitPairs(g.Base, g.Head, 0)
	must(t, err)
	near(t, "paired t", fit.Theta/fit.SE, g.T, 1e-10)
	if fit.DF != float64(len(g.Base)-1) {
		t.Errorf("df = %v", fit.DF)
	}
}

func TestStudentQuantilesAgainstScipy(t *testing.T) {
	for _, g := range readGolden(t).Student {
		near(t, fmt.Sprintf("t(%v, %v)", g.P, g.DF), tQuantile(g.P, g.DF), g.T, 1e-8)
	}
}

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Log(x)
	}
	return out
}
