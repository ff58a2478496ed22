package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// bruteDominance forms all pairs.
func bruteDominance(base, head []float64) dominance {
	d := dominance{n: float64(len(head)), m: float64(len(base))}
	sign := func(a, b float64) float64 {
		switch {
		case a > b:
			return 1
		case a < b:
			return -1
		}
		return 0
	}
	for _, h := range head {
		row := 0.0
		for _, b := range base {
			row += sign(h, b)
			d.untied += math.Abs(sign(h, b))
		}
		d.sum += row
		d.headSquare += row * row
	}
	for _, b := range base {
		column := 0.0
		for _, h := range head {
			column += sign(h, b)
		}
		d.baseSquare += column * column
	}
	return d
}

func TestFastCliffEqualsAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, head := latencies(t, "base", 2), latencies(t, "head", 2)
		fast := dominate(sortedCopy(base), sortedCopy(head))
		if slow := bruteDominance(base, head); fast != slow {
			t.Fatalf("merged %+v, all pairs %+v", fast, slow)
		}
	})
}

func TestCliffIsAntisymmetricAndScaleFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, head := latencies(t, "base", 2), latencies(t, "head", 2)
		d, err := CliffsDelta(base, head, 0.9)
		if err != nil {
			t.Skip("constant")
		}
		back, err := CliffsDelta(head, base, 0.9)
		must(t, err)
		if d.Delta != -back.Delta || math.Abs(d.Low+back.High) > 1e-12 || math.Abs(d.High+back.Low) > 1e-12 {
			t.Fatalf("%+v against %+v", d, back)
		}
		if !(-1 <= d.Low && d.Low <= d.Delta && d.Delta <= d.High && d.High <= 1) {
			t.Fatalf("not ordered: %+v", d)
		}
		for i := range base {
			base[i] *= 8
		}
		for i := range head {
			head[i] *= 8
		}
		scaled, err := CliffsDelta(rapid.Permutation(base).Draw(t, "b"), rapid.Permutation(head).Draw(t, "h"), 0.9)
		if err != nil || scaled != d {
			t.Fatalf("scaled and shuffled: %+v, %v; want %+v", scaled, err, d)
		}
	})
}

// Interval coverage where delta is known: normal samples shifted by d have delta = 2Φ(d/√2) - 1.
func TestCliffIntervalCovers(t *testing.T) {
	const shift, n, trials = 0.5, 20, 2000
	truth := 2*normalTail(-shift/math.Sqrt2) - 1
	covered := 0
	for i := range trials {
		d, err := CliffsDelta(normals(n, 0, 1, uint64(2*i)), normals(n, shift, 1, uint64(2*i+1)), 0.95)
		must(t, err)
		if d.Low <= truth && truth <= d.High {
			covered++
		}
	}
	if rate := float64(covered) / trials; rate < 0.93 || rate > 0.975 {
		t.Errorf("95 %% interval covers %v", rate)
	}
}
