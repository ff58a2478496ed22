package drift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
)

// world is a machine with a past: sessions scatter by 0.4 %, of which the canary shows most, processes by 0.3 %.
type world struct {
	random  *rand.Rand
	sd      float64            // of processes
	clock   float64            // ratio by which everything that computes is slower
	only    map[string]float64 // ratio by which a case is slower
	code    map[string]int     // version of the code of a case
	batch   map[string]int     // launches a sample of a case, where not one
	records []baseline.Found   // oldest first
	epochs  bool               // the second one of all cases
}

const casesOfWorld = 6

func newWorld(seed uint64) *world {
	return &world{random: rand.New(rand.NewPCG(seed, 3)), sd: 0.003, clock: 1, only: map[string]float64{}, code: map[string]int{}, batch: map[string]int{}}
}

func (w *world) session() *baseline.Record {
	n := len(w.records)
	level := math.Log(w.clock) + 0.004*w.random.NormFloat64()
	canary := func() float64 { return 1e5 * math.Exp(level+0.0005*w.random.NormFloat64()) }
	r := &baseline.Record{
		Schema: baseline.Schema, Commit: fmt.Sprintf("%040x", n), Time: time.Unix(int64(n)*86400, 0), Machine: result.Machine{Key: "m", Device: "cpu"},
		Canaries: baseline.Canaries{ComputeNS: canary(), MemoryNS: 1e5 * math.Exp(0.002*w.random.NormFloat64())},
	}
	for i := range casesOfWorld {
		name := fmt.Sprintf("k%d/n=1", i)
		c := baseline.Case{
			Name: name, Kernel: fmt.Sprintf("k%d", i), Fingerprint: fmt.Sprint(i, w.code[name]), Canaries: r.Canaries,
			Method: result.Method{Clock: "wall", How: "single", Launches: 1},
		}
		if w.epochs {
			c.ConfigHash = "epoch 2"
		}
		if n := w.batch[name]; n > 0 {
			c.Method.Launches = n
		}
		slower := 1.0
		if s, ok := w.only[name]; ok {
			slower = s
		}
		for p := range 8 {
			c.Rounds = append(c.Rounds, p/4)
			c.ValuesNS = append(c.ValuesNS, 1e5*slower*math.Exp(level+w.sd*w.random.NormFloat64()))
		}
		r.Cases = append(r.Cases, c)
	}
	return r
}

// record keeps sessions of so many commits.
func (w *world) record(commits int) {
	for range commits {
		w.records = append(w.records, baseline.Found{Record: w.session()})
	}
}

// change makes a case of new code, slower by a ratio.
func (w *world) change(name string, ratio float64) {
	w.code[name]++
	w.only[name] = ratio
}

func (w *world) past() Past {
	records := slices.Clone(w.records)
	slices.Reverse(records)
	for i := range records {
		records[i].Distance = i + 1
	}
	found := baseline.History{Found: records, Keys: len(records)}
	return Past{Found: found, History: history.Of("m", found, nil)}
}

var policy = Policy{Tolerance: 0.015, CumulativeTolerance: 0.05, Confidence: 0.99}

func (w *world) judge() Report { return Judge(w.past(), w.session(), policy) }

// check is what the command does: a second session where the first finds something.
func (w *world) check() Report {
	r := w.judge()
	if len(r.Against()) > 0 {
		r = Confirm(r, w.judge())
	}
	return r
}

func kinds(findings []Finding) (out []string) {
	for _, f := range findings {
		out = append(out, string(f.Kind)+" "+f.Case)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const seeds = 2

func TestWatchFinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before int
		happen func(*world)
		want   []string // that speaks against a pass
		exit   result.ExitCode
	}{
		"nothing":                        {30, func(*world) {}, nil, result.ExitPassed},
		"a loss since the last record":   {30, func(w *world) { w.change("k1/n=1", 1.06) }, []string{"slower k1/n=1"}, result.ExitFailed},
		"a loss that has two records":    {30, func(w *world) { w.change("k1/n=1", 1.06); w.record(2) }, []string{"cumulative-regression k1/n=1"}, result.ExitFailed},
		"a smaller one that has four":    {30, func(w *world) { w.change("k1/n=1", 1.03); w.record(4) }, []string{"slower k1/n=1"}, result.ExitFailed},
		"one of long ago":                {30, func(w *world) { w.change("k1/n=1", 1.03); w.record(40) }, nil, result.ExitPassed},
		"one that was taken back":        {30, func(w *world) { w.change("k1/n=1", 1.03); w.record(4); w.change("k1/n=1", 1) }, nil, result.ExitPassed},
		"a loss within the tolerance":    {30, func(w *world) { w.change("k1/n=1", 1.008) }, nil, result.ExitPassed},
		"new code that is faster":        {30, func(w *world) { w.change("k1/n=1", 0.9) }, nil, result.ExitPassed},
		"a clock that fell":              {30, func(w *world) { w.clock = 1.07 }, []string{"clock "}, result.ExitNotMeasurable},
		"a clock that fell, new code":    {30, func(w *world) { w.clock = 1.07; w.change("k1/n=1", 1) }, []string{"clock "}, result.ExitNotMeasurable},
		"the same at first, 6 records":   {6, func(w *world) { w.clock = 1.2; w.change("k1/n=1", 1) }, []string{"clock ", "moved "}, result.ExitNotMeasurable},
		"a clock that fell, and a loss":  {30, func(w *world) { w.clock = 1.07; w.change("k1/n=1", 1.08) }, []string{"clock ", "slower k1/n=1"}, result.ExitFailed},
		"unchanged code takes longer":    {30, func(w *world) { w.only["k2/n=1"], w.only["k3/n=1"] = 1.06, 1.06 }, []string{"moved "}, result.ExitNotMeasurable},
		"a noisier runner":               {30, func(w *world) { w.sd *= 3 }, []string{"noisier "}, result.ExitNotMeasurable},
		"ten small losses":               {12, func(w *world) { tenLosses(w) }, []string{"cumulative-regression k4/n=1"}, result.ExitFailed},
		"ten small losses, and a repair": {12, func(w *world) { tenLosses(w); w.change("k4/n=1", 1) }, nil, result.ExitPassed},
		"a loss that times it otherwise": {30, func(w *world) { w.change("k1/n=1", 2); w.batch["k1/n=1"] = 18 }, []string{"otherwise k1/n=1"}, result.ExitNotMeasurable},
		"the same with two records":      {30, func(w *world) { w.change("k1/n=1", 2); w.batch["k1/n=1"] = 18; w.record(2) }, []string{"otherwise k1/n=1"}, result.ExitNotMeasurable},
		"the same with six":              {30, func(w *world) { w.change("k1/n=1", 2); w.batch["k1/n=1"] = 18; w.record(6) }, []string{"otherwise k1/n=1"}, result.ExitNotMeasurable},
		"one of long ago, too":           {30, func(w *world) { w.change("k1/n=1", 2); w.batch["k1/n=1"] = 18; w.record(40) }, nil, result.ExitPassed},
		"a gain that times it otherwise": {30, func(w *world) { w.change("k1/n=1", 0.4); w.batch["k1/n=1"] = 18; w.record(6) }, nil, result.ExitPassed},
		"too few records":                {3, func(*world) {}, []string{"uncompared "}, result.ExitNotMeasurable},
		"no record":                      {0, func(*world) {}, []string{"uncompared "}, result.ExitNotMeasurable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := 0
			for seed := range uint64(seeds) {
				w := newWorld(seed)
				w.record(c.before)
				c.happen(w)
				r := w.check()
				if got := kinds(r.Against()); !slices.Equal(got, c.want) || r.Conclude() != c.exit {
					wrong++
					t.Logf("seed %d: %q, exit %d; want %q, exit %d: %+v", seed, got, r.Conclude(), c.want, c.exit, r.Findings)
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d are wrong", wrong, seeds)
			}
		})
	}
}

func tenLosses(w *world) {
	for i := range 10 {
		w.change("k4/n=1", math.Pow(1.008, float64(i+1)))
		w.record(4)
	}
}

// TestQuietNights: a year of nights without any event, with a spike in every tenth session, names nothing, or nearly so.
func TestQuietNights(t *testing.T) {
	if testing.Short() {
		t.Skip("sixty nights take a second")
	}
	t.Parallel()
	const nights = 60
	alarms, twice := 0, 0
	w := newWorld(9)
	w.record(30)
	for night := range nights {
		spike := night%10 == 5
		w.clock = 1
		if spike {
			w.clock, w.sd = 1.05, 0.009
		}
		first := w.judge()
		w.clock, w.sd = 1, 0.003 // over by the second session
		if len(first.Against()) > 0 {
			twice++
			if r := Confirm(first, w.judge()); len(r.Against()) > 0 {
				alarms++
				t.Logf("night %d: %q", night, kinds(r.Against()))
			}
		}
		w.record(1)
	}
	t.Logf("%d nights: %d measured twice, %d alarms", nights, twice, alarms)
	if twice < nights/10 {
		t.Errorf("of %d spikes only %d were measured again: the test shows nothing", nights/10, twice)
	}
	if alarms > 1 {
		t.Errorf("%d alarms in %d quiet nights", alarms, nights)
	}
}

// TestSince: a finding names the newest record that had the case as it was.
func TestSince(t *testing.T) {
	t.Parallel()
	w := newWorld(2)
	w.record(20)
	w.change("k1/n=1", 1.1)
	w.record(1)
	r := w.judge()
	if len(r.Findings) == 0 || r.Findings[0].Kind != Slower || r.Findings[0].After != fmt.Sprintf("%040x", 19) || math.Abs(r.Findings[0].Ratio-1.1) > 0.02 {
		t.Errorf("%+v", r.Findings)
	}
}

// A case with a tolerance of its own may be off by that much.
func TestWatchKnowsTolerancesOfCases(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	w.record(30)
	w.change("k1/n=1", 1.06)
	own := policy
	own.Tolerances = []result.CaseTolerance{{Cases: "k1", Tolerance: 0.12}}
	if found := Judge(w.past(), w.session(), own).Against(); len(found) != 0 {
		t.Errorf("%q", kinds(found))
	}
	if found := Judge(w.past(), w.session(), policy).Against(); len(found) != 1 {
		t.Errorf("by the tolerance of all: %q", kinds(found))
	}
}

// TestEpochBeginsAgain: what a case lost before its epoch is not held against a session of the next one, which has nothing to be compared with yet.
func TestEpochBeginsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(5)
	tenLosses(w)
	w.epochs = true
	w.change("k1/n=1", 3)
	r := Judge(w.past(), w.session(), policy)
	for _, f := range r.Findings {
		if f.Case != "" {
			t.Errorf("%+v", f)
		}
	}
	for _, c := range r.Cases {
		if c.Ratio != 0 || c.Otherwise != 0 {
			t.Errorf("compared: %+v", c)
		}
	}
	w.record(20)
	w.change("k1/n=1", 3.6)
	if r = w.judge(); len(r.Findings) == 0 || r.Findings[0].Kind != Slower || r.Findings[0].Case != "k1/n=1" {
		t.Errorf("in its epoch: %+v", r.Findings)
	}
}

// TestWaivedLosses: a loss that a waiver covers is said and fails nothing, as long as the waiver holds; one that is of no use fails by itself.
func TestWaivedLosses(t *testing.T) {
	t.Parallel()
	w := newWorld(5)
	tenLosses(w)
	for name, tt := range map[string]struct {
		waiver result.Waiver
		exit   result.ExitCode
	}{
		"no tolerance":         {result.Waiver{Cases: "**", Until: "2027-01-31"}, result.ExitPassed},
		"within its tolerance": {result.Waiver{Cases: "**", Until: "2027-01-31", Tolerance: 0.5}, result.ExitPassed},
		"beyond its tolerance": {result.Waiver{Cases: "**", Until: "2027-01-31", Tolerance: 0.001}, result.ExitFailed},
		"lapsed":               {result.Waiver{Cases: "**", Until: "2027-01-30"}, result.ExitFailed},
		"of other cases":       {result.Waiver{Cases: "other", Until: "2027-01-31"}, result.ExitFailed},
	} {
		own := policy
		own.Waivers, own.Day = []result.Waiver{tt.waiver}, "2027-01-31"
		r := Judge(w.past(), w.session(), own)
		if exit := r.Conclude(); exit != tt.exit {
			t.Errorf("%s: exit %d, %+v", name, exit, r.Findings)
		}
		r.Waivers = []result.Finding{{Kind: result.FindingWaiverLapsed, Effect: result.EffectFails, Waiver: &tt.waiver}}
		if r.Conclude() != result.ExitFailed {
			t.Errorf("%s: a waiver of no use passes", name)
		}
	}
}
