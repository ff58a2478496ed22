package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// tried is the variant with a number; the first is the kernel as it is shipped.
func tried(number int) result.Variant {
	if number == 0 {
		return result.VariantHead
	}
	return result.ConfigurationNamed(strconv.Itoa(number))
}

// eliminated compares variants that take times[case][variant], with processes that scatter by sd, and returns the elimination, taken again from what it
// measured, with what that cost.
func eliminated(t *testing.T, rng *rand.Rand, times [][]float64, sd, gain float64) (*Survivors, int) {
	t.Helper()
	e := Elimination{Confidence: 0.99, Gain: gain, Cases: len(times), Shipped: result.VariantHead}
	for v := range times[0] {
		e.Variants = append(e.Variants, tried(v))
	}
	r, cases, processes := NewSurvivors(e), make([]result.Case, len(times)), 0
	var all []*result.Case
	for i := range cases {
		cases[i].Name = strconv.Itoa(i)
		all = append(all, &cases[i])
	}
	for round := 0; round < r.Last() && (round == 0 || !r.Over()); round++ {
		for i := range times {
			cases[i].Method = &result.Method{QuantumNS: 1, Launches: 1, LaunchNS: 1e6}
			for v, time := range times[i] {
				if !r.Wants(all[i], tried(v)) {
					continue
				}
				for range 2 {
					ns := 1e6 * time * math.Exp(sd*rng.NormFloat64())
					cases[i].Processes = append(cases[i].Processes, result.Process{Round: round, Variant: tried(v), ValueNS: ns, Quantiles: result.Quantiles{Min: ns, Max: ns}})
					processes++
				}
			}
		}
		if r.LooksAt(round + 1) {
			if over, err := r.Look(round+1, all); err != nil || over != (r.Over() || round+1 == r.Last()) {
				t.Fatalf("after %d rounds: over %t, %v", round+1, over, err)
			}
		}
	}
	again, err := eliminateAgain(e, cases)
	must(t, err)
	for group := range len(times) + 1 {
		was := r.Standings(group, nil)
		for i, q := range again.Standings(group, nil) {
			if q.Of != was[i].Of || q.To != was[i].To || q.Verdict != was[i].Verdict || q.Theta != was[i].Theta {
				t.Errorf("group %d: %+v, and again from its processes %+v", group, was[i], q)
			}
		}
	}
	return again, processes
}

// standing is where a variant stands: "best", or the verdict of its comparison with the best.
func standing(r *Survivors, group, number int) string {
	all := r.Standings(group, nil)
	q := all[slices.IndexFunc(all, func(q result.Comparison) bool { return q.Of == tried(number) })]
	if q.IsOfFastest() {
		return "best"
	}
	return string(q.Verdict)
}

// The fastest variant of a case and of all is always among those that are left, slower ones are dropped early, and one that is best over all need not be
// best in any case.
func TestEliminationKeepsTheFastest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 7))
	times := [][]float64{ // shipped, then four others; the last is the best over all cases
		{1.20, 1.00, 1.60, 2.00, 1.05},
		{1.20, 1.60, 1.00, 2.00, 1.05},
	}
	for range 4 {
		r, processes := eliminated(t, rng, times, 0.004, 0.02)
		for c, best := range []int{1, 2, 4} { // the third is all cases together
			if s := standing(r, c, best); s != "best" || !r.Over() {
				t.Errorf("group %d: variant %d is %s, over %t", c, best, s, r.Over())
			}
			if s := standing(r, c, 3); s != string(result.Slower) {
				t.Errorf("group %d: the slowest is %s", c, s)
			}
		}
		if all := 2 * 2 * 5 * r.Last(); processes > all/4 {
			t.Errorf("%d processes; all variants in all rounds are %d", processes, all)
		}
	}
}

// Variants of the same speed: none of them is dropped, and they end level where the scatter lets it be seen.
func TestEliminationOfEquals(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 13))
	for range 4 {
		r, _ := eliminated(t, rng, [][]float64{{1, 1, 1, 1}}, 0.004, 0.02)
		for v := range 4 {
			if at := standing(r, 0, v); at != "best" && at != string(result.Same) {
				t.Errorf("variant %d of four equals is %s", v, at)
			}
		}
	}
}
