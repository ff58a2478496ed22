package baseline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// TestLearnPoolsCodes holds the estimate to the truth, over many short-lived codes of different speed.
func TestLearnPoolsCodes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var all []Session
	for code := range 200 {
		group := drawn(random, 3, 8, 0.005, 0.003)
		for i := range group {
			group[i].Fingerprint = string(rune('a' + code))
			for j := range group[i].Values {
				group[i].Values[j] += float64(code) // a level of its own says nothing
			}
		}
		all = append(all, group...)
	}
	l := Learn(all)
	if sd := math.Sqrt(l.Var); !l.Known() || l.DF != 400 || sd < 0.0045 || sd > 0.0055 {
		t.Errorf("learnt %v from truth 0.5 %%", l)
	}
}

// TestUnknownVarianceDecidesNothing: with 7 sessions the screen must refuse, whatever it is shown.
func TestUnknownVarianceDecidesNothing(t *testing.T) {
	t.Parallel()
	b := baseOf(7, 0.001)
	if _, err := b.Screen(b.Sessions[0], rule.Default()); err == nil || Plan([]*Base{b}, rule.Default()) != 0 {
		t.Errorf("seven sessions decided (%v)", err)
	}
}

// TestCanaryOfOneSideSaysNothing: records without a canary do not widen the bounds by all of head's.
func TestCanaryOfOneSideSaysNothing(t *testing.T) {
	t.Parallel()
	b := baseOf(12, 0.001)
	head := b.unchanged(8)
	head.Canaries = Canaries{ComputeNS: 3e5, MemoryNS: 5e6}
	if s, err := b.Screen(head, rule.Default()); err != nil || s.Widened != 0 || s.CanaryShift != 0 || s.Verdict != result.Same {
		t.Errorf("%+v, %v", s, err)
	}
	for i := range b.Sessions {
		b.Sessions[i].Canaries = head.Canaries
	}
	b.Learnt = Learn(b.Sessions)
	head.Canaries.MemoryNS *= 1.1
	if s, err := b.Screen(head, rule.Default()); err != nil || b.Learnt.Steady != SteadyNone || s.Widened < 0.09 || s.Verdict == result.Same {
		t.Errorf("a canary 10 %% off: %+v, %v", s, err)
	}
}

func history(t *testing.T, change func(int, *Record)) History {
	t.Helper()
	var h History
	for n := range 10 {
		r := sampleRecord(n, 4)
		change(n, r)
		h.Found = append(h.Found, Found{Record: r, Distance: n})
	}
	return h
}

// nowOf asks what the nearest record's session measured.
func nowOf(h History) Now {
	r := h.Found[0].Record
	return Now{State: r, Case: r.Cases[0].Name, ConfigHash: r.Cases[0].ConfigHash, Fingerprint: r.Cases[0].Fingerprint}
}

// TestBaseSaysWhatChanged: an upgrade, another configuration and other code each keep a record from being the base, and
// are said in words.
func TestBaseSaysWhatChanged(t *testing.T) {
	t.Parallel()
	now := nowOf(history(t, func(int, *Record) {}))
	for want, change := range map[result.ReasonKind]func(int, *Record){
		"":                          func(int, *Record) {},
		result.ReasonMachineChanged: func(_ int, r *Record) { r.Machine.Kernel = "6.1" },
		result.ReasonConfigChanged:  func(_ int, r *Record) { r.Cases[0].ConfigHash = "other" },
		result.ReasonOtherCode:      func(_ int, r *Record) { r.Cases[0].Fingerprint = "other" },
		result.ReasonNotRecorded:    func(_ int, r *Record) { r.Cases[0].Name = "other" },
	} {
		b, why := history(t, change).Base(now)
		if (b != nil) != (want == "") || (why == nil) != (want == "") || why != nil && why.Kind != want {
			t.Errorf("base %v because %+v, want %q", b != nil, why, want)
		}
	}
	now.Reads = func(string, Observation) string { return "as it is" } // what the code reads when it runs
	for reads, want := range map[string]bool{"as it is": true, "another": false, "": false} {
		b, why := history(t, func(_ int, r *Record) { r.Cases[0].Reads = reads }).Base(now)
		if (b != nil) != want || !want && !why.Is(result.ReasonOtherCode) {
			t.Errorf("reads %q: base %v because %+v", reads, b != nil, why)
		}
	}
}

// TestMethodsNeverMeet: sessions timed another way are not averaged with base's.
func TestMethodsNeverMeet(t *testing.T) {
	t.Parallel()
	h := history(t, func(n int, r *Record) {
		if n > 3 {
			r.Cases[0].Method.Launches = 25
		}
	})
	if b, _ := h.Base(nowOf(h)); b == nil || len(b.Sessions) != 4 {
		t.Errorf("%+v, want the 4 sessions of one method", b)
	}
}

// baseOf is what records know of a code with so many sessions, which scatter by sd beside processes that scatter by 0.3 %.
func baseOf(sessions int, sd float64) *Base {
	all := drawn(rand.New(rand.NewPCG(5, 6)), sessions, 8, sd, 0.003)
	return &Base{Sessions: all, Learnt: Learn(all), Case: Case{Method: result.Method{Launches: 1, LaunchNS: 1e5}}}
}

// Head alone is measured where that mostly settles a case, and not where sessions scatter too much; more cases that have to
// be settled together leave less to win.
func TestPlanWeighsWhatScreeningSaves(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	quiet, noisy := baseOf(12, 0.001), baseOf(12, 0.02)
	for what, c := range map[string]struct {
		bases []*Base
		want  int
	}{
		"quiet sessions: the fewest do": {[]*Base{quiet}, minProcesses}, "noisy ones: none can settle it": {[]*Base{noisy}, 0},
		"one quiet case among noisy ones": {[]*Base{quiet, noisy, noisy, noisy}, 0}, "no case": {nil, 0},
	} {
		if n := Plan(c.bases, p); n != c.want {
			t.Errorf("%s: %d processes of head, want %d", what, n, c.want)
		}
	}
}

// The chance that Plan goes by is that of sessions drawn from what it was told, within what 400 of them can show.
func TestChanceHoldsAgainstSimulation(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	random := rand.New(rand.NewPCG(7, 8))
	for _, sd := range []float64{0.002, 0.003} {
		b := baseOf(12, sd)
		b.Learnt.Var, b.Learnt.DF = sd*sd, 1000 // the truth
		level, _ := meanVariance(b.pooled(SteadyNone))
		const trials, processes = 400, 6
		same := 0
		for range trials {
			head := Session{}
			session := level + sd*random.NormFloat64()*math.Sqrt(1+1.0/12)
			for range processes {
				head.Values = append(head.Values, session+0.003*random.NormFloat64())
			}
			s, err := b.Screen(head, p)
			must(t, err)
			if s.Verdict == result.Same {
				same++
			}
		}
		got, want := float64(same)/trials, b.chance(processes, p)
		if math.Abs(got-want) > 0.12 {
			t.Errorf("sessions that scatter by %v: %.2f came out as same, planned with %.2f", sd, got, want)
		}
	}
}

// A case with a real regression is never the same to the records, whatever its session's luck within what was learnt.
func TestScreenDoesNotMissRegressions(t *testing.T) {
	t.Parallel()
	p := rule.Default()
	random := rand.New(rand.NewPCG(9, 10))
	b := baseOf(12, 0.003)
	level, _ := meanVariance(b.pooled(b.Learnt.Steady))
	missed := 0
	const trials = 1000
	for range trials {
		head := Session{}
		session := level + math.Log1p(p.Tolerance) + 0.003*random.NormFloat64()
		for range 4 {
			head.Values = append(head.Values, session+0.003*random.NormFloat64())
		}
		if s, err := b.Screen(head, p); err != nil || s.Verdict == result.Same {
			missed++
		}
	}
	if most := 25; missed > most { // 1 - confidence is 10 of 1000
		t.Errorf("%d of %d regressions of just the tolerance were called the same, at most %d may be", missed, trials, most)
	}
}

// TestWantedOnce: a commit that has a record needs no second one; code without one does.
func TestWantedOnce(t *testing.T) {
	t.Parallel()
	all := history(t, func(int, *Record) {})
	now, behind := nowOf(all), all.Found[0]
	other := now
	other.Fingerprint, behind.Distance = "other", 1
	for what, c := range map[string]struct {
		records []Found
		now     Now
		want    bool
		kind    result.ReasonKind
	}{
		"the commit itself":        {all.Found[:1], now, false, result.ReasonHasRecord},
		"one session of its code":  {[]Found{behind}, now, true, result.ReasonScatterLearnt},
		"ten sessions of its code": {append([]Found{behind}, all.Found[1:]...), now, false, result.ReasonScatterKnown},
		"other code":               {all.Found, other, true, result.ReasonOtherCode},
	} {
		if wanted, why := (History{Found: c.records}).Wanted(c.now); wanted != c.want || why.Kind != c.kind || why.Count != 0 {
			t.Errorf("%s: %v, %+v", what, wanted, why)
		}
	}
}

// TestBuiltFindsEqualInputs: the nearest record of equal inputs, of this configuration and machine.
func TestBuiltFindsEqualInputs(t *testing.T) {
	t.Parallel()
	h := history(t, func(n int, r *Record) { r.Cases[0].Inputs = map[bool]string{true: "new", false: "old"}[n < 3] })
	now := nowOf(h)
	if got := h.Built(now, "old"); got == nil || got.Inputs != "old" {
		t.Errorf("%+v", got)
	}
	if h.Built(now, "unknown") != nil || h.Built(now, "") != nil {
		t.Error("found what was not built")
	}
	now.ConfigHash = "other"
	if h.Built(now, "old") != nil {
		t.Error("found a record of another configuration")
	}
}

// TestChangesOfAGPU: an upgrade or another setting of the card is said in words; its serial number is not looked at.
func TestChangesOfAGPU(t *testing.T) {
	t.Parallel()
	record := func(change func(*result.GPU)) *Record {
		r := sampleRecord(1, 4)
		r.Machine.Device = "cuda"
		r.Machine.GPU = &result.GPU{UUID: "GPU-1", Driver: "570.86", CUDA: "12.8", ComputeCapability: "8.9", MemoryBytes: 24 << 30, PowerLimitW: 72}
		change(r.Machine.GPU)
		return r
	}
	then := record(func(*result.GPU) {})
	for want, change := range map[string]func(*result.GPU){
		"":                                 func(g *result.GPU) { g.UUID = "GPU-2" },
		"driver was 570.86, is 580.12":     func(g *result.GPU) { g.Driver = "580.12" },
		"CUDA was 12.8, is 13.0":           func(g *result.GPU) { g.CUDA = "13.0" },
		"power limit was 72 W, is 60 W":    func(g *result.GPU) { g.PowerLimitW = 60 },
		"ECC was off, is on":               func(g *result.GPU) { g.ECC = true },
		"MIG was off, is on":               func(g *result.GPU) { g.MIG = true },
		"compute capability was 8.9, is 9": func(g *result.GPU) { g.ComputeCapability = "9.0" },
	} {
		got := strings.Join(Changes(then, record(change)), "; ")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A head whose launches wait now and then has base's values, and elapsed times beyond them. Records do not call it the same: rounds tell.
func TestScreenLeavesWaitsToRounds(t *testing.T) {
	t.Parallel()
	p, b := rule.Default(), baseOf(12, 0.001)
	head := b.unchanged(6)
	for _, c := range []struct {
		base, head float64
		want       result.Verdict
	}{{0, 0, result.Same}, {0, 0.1, result.Inconclusive}, {0.1, 0.1, result.Same}, {0.1, 0, result.Same}, {0.1, 0.3, result.Inconclusive}} {
		for i := range b.Sessions {
			b.Sessions[i].Excess = c.base
		}
		head.Excess = c.head
		if s, err := b.Screen(head, p); err != nil || s.Verdict != c.want {
			t.Errorf("elapsed times %v over the values of base, %v over those of head: %s, %v; want %s", c.base, c.head, s.Verdict, err, c.want)
		}
	}
	processes := []result.Process{{Variant: result.VariantHead, ValueNS: 1e6, ElapsedNS: 1.1e6}, {Variant: result.VariantHead, ValueNS: 2e6, ElapsedNS: 2.2e6}}
	if got := SessionOf(processes).Excess; math.Abs(got-math.Log(1.1)) > 1e-12 {
		t.Errorf("an excess of %v, want ln 1.1", got)
	}
}
