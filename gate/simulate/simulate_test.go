package simulate

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// small are simulations of a second: so many cases of suites of thirty.
func small(t *testing.T, noise string, trials int) Options {
	t.Helper()
	o := Default()
	o.Trials = trials
	must(t, o.Select(noise))
	return o
}

// promise are the rows of all tables of promises together, one of each kind of noise.
func promise(t *testing.T, o Options) []Row {
	t.Helper()
	r, err := o.Promise()
	must(t, err)
	rows := make([]Row, len(r.tables[0].rows))
	for _, one := range r.tables {
		for i, row := range one.rows {
			rows[i] = append(rows[i], row...)
		}
	}
	return rows
}

// figure is the one with a header; the test fails where a row has none.
func (r Row) figure(t *testing.T, header string) Figure {
	t.Helper()
	for _, f := range r {
		if f.header == header {
			return f
		}
	}
	t.Fatalf("no %q", header)
	return Figure{}
}

// hits are those of the rate with a header.
func (r Row) hits(t *testing.T, header string) int { return r.figure(t, header).rates[0].Hits }

// What the documentation promises of plain noise, at a size that a test can afford. A rate of 4 suites that is
// not 0 would be a thousand times what is allowed.
func TestTheRuleKeepsItsPromises(t *testing.T) {
	rows := promise(t, small(t, "process sd", 120))
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		noise := row[0].text
		if row.hits(t, "unchanged: regression (at most)") > 0 || row.hits(t, "unchanged: suites that fail (at most)") > 0 {
			t.Errorf("%s: %v are regressions, %v %% of suites of unchanged code fail", noise, row.rate("unchanged: regression (at most)"), row.rate("unchanged: suites that fail (at most)"))
		}
		if at3 := row.rate("at +3 %"); at3.Hits < at3.Trials-1 || row.rate("regression at twice the tolerance") != at3 {
			t.Errorf("%s: +3 %% found in %d of %d cases", noise, at3.Hits, at3.Trials)
		}
		if row.hits(t, "passed at +3 %") > 0 {
			t.Errorf("%s: +3 %% passes in %d cases", noise, row.hits(t, "passed at +3 %"))
		}
		for k, covered := range row.figure(t, "98 % bounds cover").rates {
			if covered.Value() < 0.9 {
				t.Errorf("%s: 98 %% bounds after %d rounds cover %v", noise, CheckedRounds[k], covered.Value())
			}
		}
	}
}

func TestEqualSeedsGiveEqualNumbers(t *testing.T) {
	o := small(t, "all of it", 30)
	a, b := promise(t, o), promise(t, o)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
	o.Seed++
	if c := promise(t, o); reflect.DeepEqual(a, c) {
		t.Error("another seed gives the same numbers")
	}
}

// A simulation that would not notice a broken rule proves nothing: bounds that are too narrow must show.
func TestABrokenRuleIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	o := small(t, "process sd 1.0", 300)
	p := o.Policy
	p.Cases, p.Confidence, p.Tolerance = o.SuiteCases, 0.5, 0.0005
	edge := o.cases(o.Noise[0], math.Log1p(p.Tolerance), p)
	if suitesWith(edge, o.SuiteCases, isRegression).Hits == 0 {
		t.Error("half of the confidence and next to no tolerance, and no suite at the edge has a false regression")
	}
}

func TestOtherRulesSeeTheSameSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	r, err := small(t, "process sd 0.6", 150).OtherRule()
	must(t, err)
	rows := r.tables[0].rows
	if len(rows) != 1+len(otherRules) || rows[0].figure(t, "rule").text != gateName {
		t.Fatalf("%+v", rows)
	}
	power := func(rule int, shift float64) float64 {
		return rows[rule].figure(t, fmt.Sprintf("fails at %+g %%", 100*shift)).rates[0].Value()
	}
	if power(0, 0.03) < 0.95 {
		t.Errorf("the gate finds +3 %% in %v", power(0, 0.03))
	}
	if p := power(1, 0.03); p < 0.3 || p > 0.7 {
		t.Errorf("a threshold at 3 %% finds a true 3 %% in %v of cases, about half expected", p)
	}
	if power(3, 0.05) < 0.95 {
		t.Errorf("Mann-Whitney finds +5 %% in %v", power(3, 0.05))
	}
}

func TestModelHasTheNoiseThatItSays(t *testing.T) {
	m := Model{MedianNS: 1e5, Samples: 200, ProcessSD: 0.02, LaunchSD: 0.01, Correlation: 0.8}
	machine := m.Start(rand.New(rand.NewPCG(1, 1)))
	var levels []float64
	lagged, squares := 0.0, 0.0
	for range 500 {
		samples := machine.Process(Place{}, 0)
		y, err := stats.LogProcess(samples)
		must(t, err)
		levels = append(levels, y)
		for i := 1; i < len(samples); i++ {
			a, b := samples[i-1]/math.Exp(y)-1, samples[i]/math.Exp(y)-1
			lagged += a * b
			squares += a * a
		}
	}
	fit, err := stats.FitPairs(levels[:250], levels[250:], 0)
	must(t, err)
	if math.Abs(fit.S/0.02-1) > 0.15 {
		t.Errorf("processes vary by %v, want 0.02", fit.S)
	}
	if lag := lagged / squares; math.Abs(lag-0.8) > 0.06 {
		t.Errorf("neighbouring launches correlate by %v, want 0.8", lag)
	}
}

func TestRecordingsReplayWhatWasRecorded(t *testing.T) {
	recorded := Recordings()
	if len(recorded) != 4 {
		t.Fatalf("%d recordings", len(recorded))
	}
	for _, n := range recorded {
		r := n.(Recording)
		if len(r.processes[base]) != 16 {
			t.Errorf("%s: %d processes", r.Name(), len(r.processes[base]))
		}
		machine := r.Start(rand.New(rand.NewPCG(1, 1)))
		var ratios float64
		for range 200 {
			b, errB := stats.Median(append([]float64{}, machine.Process(Place{}, math.Log(1.1))...))
			h, errH := stats.Median(append([]float64{}, machine.Process(Place{Head: true}, math.Log(1.1))...))
			if errB != nil || errH != nil {
				t.Fatal(errB, errH)
			}
			ratios += h / b / 200
		}
		if math.Abs(ratios-1.1) > 0.01 {
			t.Errorf("%s: +10 %% replays as %v", r.Name(), ratios)
		}
	}
}

func TestOwnRecordingsNeedProcesses(t *testing.T) {
	if _, err := ReadRecordings("mine", []byte("process,kernel,case,ns\np1,k,,5\n"), 0); err == nil {
		t.Error("one process accepted")
	}
	if _, err := ReadRecordings("mine", []byte("nonsense"), 0); err == nil {
		t.Error("nonsense accepted")
	}
}

func TestFigureIsWellFormedAndComplete(t *testing.T) {
	r, err := small(t, "process sd 1.0", 50).Curve()
	must(t, err)
	svg := r.Figure()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"process sd 1.0 %", "tolerance", string(result.Regression), "true shift"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the figure does not show %q", want)
		}
	}
	for _, p := range r.Curves[0].Points {
		sum := 0.0
		for _, share := range p.Share {
			sum += share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("shares at %v add up to %v", p.Shift, sum)
		}
	}
}

func TestRateBounds(t *testing.T) {
	low, high := Rate{0, 1000}.Bounds()
	if low != 0 || math.Abs(high-0.003682) > 1e-5 {
		t.Errorf("0 of 1000: %v to %v", low, high) // 1 - 0.025^(1/1000)
	}
	low, high = Rate{10, 10}.Bounds()
	if high != 1 || math.Abs(low-math.Pow(0.025, 0.1)) > 1e-9 {
		t.Errorf("10 of 10: %v to %v", low, high)
	}
}

// What disturbs one place of every round is no effect, and what a case shows of a head that is slow sometimes is followed.
func TestAdverseNoiseKeepsItsTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	rows := promise(t, small(t, "middle-pair,two-clocks,slow-sometimes,ticks", 60))
	if len(rows) != 5 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if target := row.figure(t, "target").text; target != "holds" {
			t.Errorf("%s: %s", row[0].text, target)
		}
	}
}

// A floor above the tolerance is the margin of a case: half of it passes, a case exactly on it does not, and only tables that are asked for have numbers.
func TestFloorIsTheMargin(t *testing.T) {
	o := small(t, "process sd 0.3", 60)
	o.Tables, o.FloorNS = []string{"errors", "power"}, 6000 // 6 % of 100 us
	row := promise(t, o)[0]
	passed, red, over := row.hits(t, "at the tolerance: passed (at most)"), row.hits(t, "at the tolerance: regression"), row.hits(t, "at the tolerance: slower, estimate over")
	if passed > 3 || red > 3 || over < 15 {
		t.Errorf("at the floor: %d pass, %d are regressions, %d are over by their estimate", passed, red, over)
	}
	if passed, found := row.hits(t, "passed at +3 %"), row.hits(t, "regression at twice the tolerance"); passed < 57 || found < 57 {
		t.Errorf("at half of the floor %d pass, at twice %d are regressions", passed, found)
	}
	for _, f := range row {
		if f.header == "98 % bounds cover" || f.header == "unchanged: passed" {
			t.Errorf("%+v of tables that nobody asked for", f)
		}
	}
}

func TestSelectTakesSeveral(t *testing.T) {
	o := Default()
	if err := o.Select("drift, ticks"); err != nil || len(o.Noise) != 2 {
		t.Errorf("%d kinds of noise, %v", len(o.Noise), err)
	}
	if err := o.Select("no such noise"); err == nil || !strings.Contains(err.Error(), "drift 0.2") {
		t.Errorf("error %v", err)
	}
}

// Every simulation refuses options of which it could make no number.
func TestOptionsAreRefused(t *testing.T) {
	none := small(t, "process sd 0.3", 1)
	none.Candidates = 0
	unknown := small(t, "process sd 0.3", 1)
	unknown.Policy.Confidence = 2
	for _, o := range []Options{none, unknown} {
		_, promise := o.Promise()
		_, curve := o.Curve()
		_, others := o.OtherRule()
		_, power := o.Power(InjectedRecordings(), false)
		_, search := o.Search()
		for _, err := range []error{promise, curve, others, power, search} {
			if err == nil {
				t.Errorf("%+v is not refused", o)
			}
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
