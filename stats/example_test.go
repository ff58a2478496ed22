package stats_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/org/perfgate/stats"
)

// rounds are four complete rounds of a kernel that takes 100 µs, drifts upwards from round to round, and is 3 % slower in
// head: log values, as LogProcess gives them.
func rounds(slower float64) []stats.Round {
	var out []stats.Round
	for i, noise := range [][4]float64{{0, 0.003, -0.002, 0.001}, {0.002, -0.001, 0.001, -0.003}, {-0.002, 0, 0.003, 0.001}, {0.001, -0.002, 0, 0.002}} {
		level := math.Log(100_000 * (1 + 0.01*float64(i)))
		head := level + math.Log(slower)
		out = append(out, stats.Round{
			Base: []float64{level + noise[0], level + noise[1]},
			Head: []float64{head + noise[2], head + noise[3]},
		})
	}
	return out
}

// A process is one number: what stands for it ignores the launches that something else got in the way of.
func ExampleTrimmedMean() {
	launches := []float64{101, 99, 100, 102, 98, 100, 101, 99, 100, 900} // µs; the last one was interrupted
	mean, _ := stats.TrimmedMean(launches, 0)
	trimmed, _ := stats.TrimmedMean(launches, 0.2)
	fmt.Printf("mean %.1f µs, trimmed %.1f µs\n", mean, trimmed)
	// Output: mean 180.0 µs, trimmed 100.2 µs
}

// A difference of log values is a ratio of latencies.
func ExampleLogProcess() {
	base, _ := stats.LogProcess([]float64{100, 101, 99, 100, 100})
	head, _ := stats.LogProcess([]float64{103, 104, 102, 103, 103})
	fmt.Printf("head takes %.3f times as long\n", math.Exp(head-base))
	// Output: head takes 1.030 times as long
}

// Rounds have levels of their own, so the drift of 1 % a round does not blur a shift of 3 %. Head is slower by
// 2.6 % at least, and a bound like that is wrong once in a thousand times.
func ExampleFitRounds() {
	fit, err := stats.FitRounds(rounds(1.03), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	lo, hi := fit.TBounds(0.001)
	fmt.Printf("shift %+.1f %%, bounds %+.1f … %+.1f %%\n", percent(fit.Theta), percent(lo), percent(hi))
	fmt.Printf("one process scatters by %.2f %%, %v degrees of freedom\n", percent(fit.S), fit.DF)
	// Output:
	// shift +3.0 %, bounds +2.6 … +3.5 %
	// one process scatters by 0.21 %, 11 degrees of freedom
}

// Values that do not vary are refused: a timer that is too coarse is no proof that nothing scatters. What the timer's step
// can hide is the floor that makes them believable.
func ExampleFitRounds_coarseTimer() {
	level := math.Log(2000) // ns
	same := stats.Round{Base: []float64{level, level}, Head: []float64{level, level}}
	_, err := stats.FitRounds([]stats.Round{same, same, same, same}, 0)
	fmt.Println(errors.Is(err, stats.ErrConstant))

	fit, _ := stats.FitRounds([]stats.Round{same, same, same, same}, stats.QuantumVariance(32, 1, 2000))
	fmt.Printf("floored: %v, one process scatters by %.2f %% at least\n", fit.Floored, percent(fit.S))
	// Output:
	// true
	// floored: true, one process scatters by 0.46 % at least
}

// Where one process is out of line and rounds are few, the bootstrap is wider than Student's bounds. A decision takes the
// wider of the two.
func ExampleRoundFit_BootstrapBounds() {
	slow := rounds(1)
	slow[3].Head[1] += 0.05
	fit, _ := stats.FitRounds(slow, 0)
	tLow, tHigh := fit.TBounds(0.01)
	boot := fit.BootstrapBounds(0.01)[0]
	fmt.Printf("Student   %+.2f … %+.2f %%\n", percent(tLow), percent(tHigh))
	fmt.Printf("bootstrap %+.2f … %+.2f %%\n", percent(boot.Low), percent(boot.High))
	// Output:
	// Student   -1.14 … +2.48 %
	// bootstrap -1.23 … +2.57 %
}

// Processes that ran next to each other, one of each side.
func ExampleFitPairs() {
	base := []float64{11.50, 11.52, 11.49, 11.51}
	head := []float64{11.55, 11.57, 11.54, 11.57}
	fit, _ := stats.FitPairs(base, head, 0)
	lo, hi := fit.TBounds(0.01)
	fmt.Printf("shift %+.1f %%, bounds %+.1f … %+.1f %%\n", percent(fit.Theta), percent(lo), percent(hi))
	// Output: shift +5.4 %, bounds +4.2 … +6.6 %
}

// Sides that were measured on different days differ by the day as well. How much a day does is learnt from days on which
// the same code was measured, and widens the bounds.
func ExampleFitUnpaired() {
	base := []float64{11.500, 11.503, 11.498, 11.501, 11.499}
	head := []float64{11.521, 11.524, 11.519, 11.520, 11.522}
	day := stats.SessionVariance{Var: 0.006 * 0.006, DF: 7} // of 8 days
	for _, session := range []stats.SessionVariance{{}, day} {
		fit, _ := stats.FitUnpaired(base, head, session, 0)
		lo, hi := fit.TBounds(0.01)
		fmt.Printf("days differ by %.1f %%: bounds %+.1f … %+.1f %%\n", percent(math.Sqrt(session.Var)), percent(lo), percent(hi))
	}
	// Output:
	// days differ by 0.0 %: bounds +1.8 … +2.5 %
	// days differ by 0.6 %: bounds -0.4 … +4.8 %
}

// How small a slowdown could have been seen depends on the scatter and on the number of rounds.
func ExampleMDE() {
	for _, rounds := range []int{4, 11, 36} {
		mde, _ := stats.MDE(0.01, even(rounds), 0.0006, 0.9)
		fmt.Printf("%2d rounds: %.1f %%\n", rounds, percent(mde))
	}
	// Output:
	//  4 rounds: 3.0 %
	// 11 rounds: 1.5 %
	// 36 rounds: 0.8 %
}

// even is the size of rounds of two processes of each side.
func even(rounds int) stats.Size {
	return stats.Size{Weight: float64(rounds), DF: float64(3*rounds - 1)}
}

// The other way round: what it takes to see a slowdown of 1 % through processes that scatter by 1 %.
func ExampleRoundsNeeded() {
	rounds, _ := stats.RoundsNeeded(0.01, 0.01, 0.0006, 0.9, even)
	fmt.Println(rounds, "rounds")

	_, err := stats.RoundsNeeded(0.01, 0, 0.0006, 0.9, even)
	fmt.Println(err)
	// Output:
	// 23 rounds
	// rounds needed: effect is 0: argument out of range
}

// A shift says how much, Cliff's delta how often: -1 means that every process of head is faster than every one of base.
func ExampleCliffsDelta() {
	base := []float64{100, 101, 102, 103, 104, 105}
	head := []float64{99, 100, 101, 102, 103, 104}
	for _, faster := range []float64{0, 10} {
		shifted := make([]float64, len(head))
		for i, x := range head {
			shifted[i] = x - faster
		}
		d, _ := stats.CliffsDelta(base, shifted, 0.95)
		fmt.Printf("%v µs faster: %+.2f (%+.2f … %+.2f)\n", faster+1, d.Delta, d.Low, d.High)
	}
	// Output:
	// 1 µs faster: -0.31 (-0.75 … +0.32)
	// 11 µs faster: -1.00 (-1.00 … -0.22)
}

// The bootstrap of a median is exact and needs no seed. Its values are medians of processes, not launches of one.
func ExampleBootstrapMedian() {
	iv, _ := stats.BootstrapMedian([]float64{99, 100, 100, 101, 102, 103, 180}, 0.95)
	fmt.Printf("%v µs (%v … %v)\n", iv.Estimate, iv.Low, iv.High)
	// Output: 101 µs (100 … 103)
}

// Above 1, head is slower.
func ExampleRatioOfMedians() {
	base := []float64{99, 100, 101, 102, 98, 100, 103}
	head := []float64{103, 105, 104, 106, 102, 104, 107}
	iv, _ := stats.RatioOfMedians(base, head, 0.95)
	fmt.Printf("%.3f (%.3f … %.3f)\n", iv.Estimate, iv.Low, iv.High)
	// Output: 1.040 (1.020 … 1.061)
}

// The test that benchstat makes, for those who want to see its P beside the gate's bounds.
func ExampleMannWhitneyU() {
	u, _ := stats.MannWhitneyU([]float64{100, 101, 102, 103}, []float64{104, 105, 106, 107})
	fmt.Printf("U %v, P %.4f\n", u.U, u.P)
	// Output: U 16, P 0.0286
}

// percent is a log shift as a change in per cent.
func percent(shift float64) float64 { return 100 * math.Expm1(shift) }
