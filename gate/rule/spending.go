package rule

import "math"

// Spending holds the chance of error of a search below a total, however many candidates ask to be called better. Request m (from 1) may spend
// gamma(m) of the total, with gamma(m) = 6/(pi m)^2, which sums to 1 over all m. A request that was granted hands on what it was allowed to spend
// to the next: a true find costs nothing. This is the online fallback procedure (Tian and Ramdas 2021, "Online control of the familywise error
// rate", Statistical Methods in Medical Research 30(4)).
//
// Why it holds: before the first false claim only true ones were granted. Each gamma therefore counts in the allowance of at most one
// candidate that is not better, so these allowances sum to at most the total. Every request has to be answered by data that nothing before it
// depends on: rounds of its own.
type Spending struct {
	Total   float64 // chance that any candidate at all is called better and is not
	Granted []bool  // of the requests so far: whether each was granted. One without an answer was not
}

// Next is the chance of error that the next request may spend.
func (s Spending) Next() float64 {
	gamma := s.gamma(len(s.Granted) + 1)
	for m := len(s.Granted); m > 0 && s.Granted[m-1]; m-- {
		gamma += s.gamma(m)
	}
	return s.Total * gamma
}

func (s Spending) gamma(m int) float64 { return 6 / (math.Pi * math.Pi * float64(m) * float64(m)) }
