package rule

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSpendingOfRequestsThatAllFailIsBelowTheTotal(t *testing.T) {
	s, sum := Spending{Total: 0.01}, 0.0
	for range 100_000 {
		sum += s.Total * s.gamma(len(s.Granted)+1)
		s.Granted = append(s.Granted, false)
	}
	if sum >= s.Total || sum < 0.99*s.Total {
		t.Errorf("100 000 requests spend %v of %v", sum, s.Total)
	}
}

func TestFirstRequests(t *testing.T) {
	first := 6 / (math.Pi * math.Pi)
	for _, tt := range []struct {
		granted []bool
		want    float64
	}{
		{nil, first},
		{[]bool{false}, first / 4},
		{[]bool{true}, first + first/4},
		{[]bool{true, true}, first + first/4 + first/9},
		{[]bool{true, false}, first / 9},
		{[]bool{false, true}, first/4 + first/9},
	} {
		if got := (Spending{Total: 1, Granted: tt.granted}).Next(); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("after %v: %v, want %v", tt.granted, got, tt.want)
		}
	}
}

// Candidates that are not better and ask with fresh data are granted with the chance that they may spend. However true finds are
// mixed among them, and whatever the search does after each answer, the chance of one false claim stays below the total.
func TestSpendingHoldsTheTotalAmongTrueFinds(t *testing.T) {
	const searches, requests, total = 4000, 200, 0.2
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0, 0.3, 0.9} {
		wrong := 0
		for range searches {
			s := Spending{Total: total}
			for range requests {
				isFind := random.Float64() < share
				granted := isFind || random.Float64() < s.Next()
				s.Granted = append(s.Granted, granted)
				if granted && !isFind {
					wrong++
					break
				}
			}
		}
		if rate := float64(wrong) / searches; rate > total+3*math.Sqrt(total*(1-total)/searches) {
			t.Errorf("with %v true finds, %v of the searches have a false claim, more than %v", share, rate, total)
		}
	}
}
