package rule

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
