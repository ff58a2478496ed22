package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/stats"
)

// drawn are sessions of one code whose levels scatter by between and whose processes by within, in log units.
func drawn(random *rand.Rand, count, processes int, between, within float64) []Session {
	out := make([]Session, count)
	for i := range out {
		level := between * random.NormFloat64()
		for range processes {
			out[i].Values = append(out[i].Values, level+within*random.NormFloat64())
		}
	}
	return out
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestSessionVarianceIsLearnt(t *testing.T) {
	t.Parallel()
	sum := 0.0
	for seed := range uint64(200) {
		l := Learn(drawn(seeded(seed), 12, 6, 0.01, 0.004))
		if !l.Known() || l.DF != 11 {
			t.Fatalf("%+v", l)
		}
		sum += l.Var / 200
	}
	if math.Abs(sum/1e-4-1) > 0.1 {
		t.Errorf("mean estimate %v, want 0.0001", sum)
	}
}

func TestSessionVarianceWantsEightSessions(t *testing.T) {
	t.Parallel()
	if l := Learn(drawn(seeded(1), 7, 4, 0.01, 0.01)); l.Known() {
		t.Errorf("of 7 sessions: %+v", l)
	}
	for _, left := range []int{0, 1} {
		sessions := drawn(seeded(1), 8, 4, 0.01, 0.01)
		sessions[3].Values = sessions[3].Values[:left]
		if l := Learn(sessions); l.Known() {
			t.Errorf("with a session of %d processes: %+v", left, l)
		}
	}
}

// Two sessions of unchanged code differ by their offsets. Without the session variance the bounds miss the truth more
// often than they say; with it they do not.
func TestSessionVarianceRestoresCoverage(t *testing.T) {
	t.Parallel()
	const trials, alpha = 2000, 0.05
	missed := func(known bool) float64 {
		count := 0
		for i := range trials {
			all := drawn(seeded(uint64(i)), 12, 8, 0.01, 0.005)
			var v stats.SessionVariance
			if known {
				v = Learn(all[:10]).SessionVariance
			}
			fit, err := stats.FitUnpaired(all[10].Values, all[11].Values, v, 0)
			must(t, err)
			if low, _ := fit.TBounds(alpha); low > 0 {
				count++
			}
		}
		return float64(count) / trials
	}
	if rate := missed(true); rate > 0.07 {
		t.Errorf("with session variance a bound at 5 %% is wrong %v of the time", rate)
	}
	if rate := missed(false); rate < 0.15 {
		t.Errorf("without it only %v: this test shows nothing", rate)
	}
}
