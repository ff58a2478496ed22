package stats

import "gonum.org/v1/gonum/mathext"

// UnequalRounds returns the chance that the processes of some round scatter, within their sides, by as much more than those of all other rounds
// as they do in the one that stands out most: F tests of each round against the rest, with Bonferroni's bound. Processes that are normal with one
// scatter give a chance below p in at most p of cases. Outliers, and a machine that changes its state now and then, make it small. 1 where fewer
// than two rounds have a side with two processes.
func UnequalRounds(rounds []Round) float64 {
	type spread struct{ squares, df float64 }
	var all []spread
	var total spread
	for _, r := range rounds {
		var s spread
		for _, side := range [][]float64{r.Base, r.Head} {
			level := Mean(side)
			for _, y := range side {
				s.squares += (y - level) * (y - level)
			}
			s.df += float64(len(side) - 1)
		}
		if s.df > 0 {
			all, total = append(all, s), spread{total.squares + s.squares, total.df + s.df}
		}
	}
	least := 1.0
	for _, s := range all {
		if rest := (spread{total.squares - s.squares, total.df - s.df}); rest.df > 0 && s.squares > 0 {
			least = min(least, mathext.RegIncBeta(rest.df/2, s.df/2, max(0, rest.squares)/total.squares))
		}
	}
	return min(1, least*float64(max(1, len(all))))
}
