package calibrate

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// small returns a calibration of a second.
func small(t *testing.T, noise string) Options {
	t.Helper()
	o := Quick()
	o.Suites, o.Cases = 4, 60
	if err := o.Select(noise); err != nil {
		t.Fatal(err)
	}
	return o
}

// What the documentation promises of the plain worlds, at a size that a test can afford. A rate of 4 suites that is
// not 0 would be a thousand times what is allowed.
func TestTheRuleKeepsItsPromises(t *testing.T) {
	o := small(t, "process sd")
	o.Peers, o.Curve = false, false
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 3 {
		t.Fatalf("%d worlds", len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.FalseSuites.Hits > 0 || row.RedSuites.Hits > 0 {
			t.Errorf("%s: %d of %d suites of unchanged code are red", row.World, row.RedSuites.Hits, row.RedSuites.Trials)
		}
		if at3 := row.Power[2]; at3.Hits < at3.Trials-1 {
			t.Errorf("%s: +3 %% found in %d of %d cases", row.World, at3.Hits, at3.Trials)
		}
		if row.WrongSame.Hits > 0 {
			t.Errorf("%s: +3 %% called same in %d cases", row.World, row.WrongSame.Hits)
		}
		for k, c := range row.Coverage {
			if c.Value() < 0.9 {
				t.Errorf("%s: 98 %% bounds after %d rounds cover %v", row.World, CoverageRounds[k], c.Value())
			}
		}
	}
}

func TestEqualSeedsGiveEqualNumbers(t *testing.T) {
	o := small(t, "all of it")
	o.Suites, o.Cases, o.Curve = 1, 20, false
	a, errA := Run(o)
	b, errB := Run(o)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !reflect.DeepEqual(a.Rows, b.Rows) {
		t.Errorf("%+v\n%+v", a.Rows, b.Rows)
	}
	o.Seed++
	c, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(a.Rows, c.Rows) {
		t.Error("another seed gives the same numbers")
	}
}

// A calibration that would not notice a broken rule proves nothing: bounds that are too narrow must show.
func TestCalibrationNoticesABrokenRule(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	o := small(t, "process sd 1.0")
	o.Policy.Confidence = 0.5
	o.Policy.Tolerance = 0.0005
	o.Peers, o.Curve = false, false
	o.Suites = 10
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows[0].Edge.Hits == 0 {
		t.Error("half of the confidence and next to no tolerance, and no suite at the edge has a false regression")
	}
}

func TestPeersSeeTheSameSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	o := small(t, "process sd 0.6")
	o.Suites, o.Cases = 20, 200
	rows := o.peers()
	if len(rows) != 1+len(peerRules) || rows[0].Rule != gateName {
		t.Fatalf("%+v", rows)
	}
	power := func(rule int, shift float64) float64 {
		for i, s := range Shifts {
			if s == shift {
				return rows[rule].Power[i].Value()
			}
		}
		t.Fatalf("no shift of %v", shift)
		return 0
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
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, y)
		for i := 1; i < len(samples); i++ {
			a, b := samples[i-1]/math.Exp(y)-1, samples[i]/math.Exp(y)-1
			lagged += a * b
			squares += a * a
		}
	}
	fit, err := stats.FitPairs(levels[:250], levels[250:], 0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(fit.S/0.02-1) > 0.15 {
		t.Errorf("processes scatter by %v, want 0.02", fit.S)
	}
	if lag := lagged / squares; math.Abs(lag-0.8) > 0.06 {
		t.Errorf("neighbouring launches correlate by %v, want 0.8", lag)
	}
}

func TestRecordingsReplayWhatWasRecorded(t *testing.T) {
	worlds := Recordings()
	if len(worlds) != 4 {
		t.Fatalf("%d recordings", len(worlds))
	}
	for _, w := range worlds {
		r := w.(Recording)
		if len(r.processes) != 16 {
			t.Errorf("%s: %d processes", r.Name(), len(r.processes))
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

func TestSelectNamesWhatThereIs(t *testing.T) {
	o := Quick()
	if err := o.Select("no such noise"); err == nil || !strings.Contains(err.Error(), "two modes") {
		t.Errorf("error %v", err)
	}
}

func TestFigureIsWellFormedAndComplete(t *testing.T) {
	o := small(t, "process sd 1.0")
	o.Cases, o.Peers = 50, false
	o.Suites = 1
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := r.WriteFigure(&svg); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(svg.String()))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"process sd 1.0 %", "tolerance", string(result.Regression), "true shift"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure does not show %q", want)
		}
	}
	if err := (Report{}).WriteFigure(io.Discard); err == nil {
		t.Error("a figure without curves")
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
func TestAdverseWorldsKeepTheirBars(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of simulated cases")
	}
	o := small(t, "middle-pair,two-clocks,slow-sometimes,ticks")
	o.Suites, o.Cases, o.Peers, o.Curve = 3, 40, false, false
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 5 {
		t.Fatalf("%d worlds", len(r.Rows))
	}
	for _, row := range r.Rows {
		if len(row.Misses) > 0 {
			t.Errorf("%s: %v", row.World, row.Misses)
		}
	}
}

func TestSelectTakesSeveralWorlds(t *testing.T) {
	o := Default()
	if err := o.Select("drift, ticks"); err != nil || len(o.Worlds) != 2 {
		t.Errorf("%d worlds, %v", len(o.Worlds), err)
	}
	if err := o.Select("none such"); err == nil {
		t.Error("a world that is not there")
	}
}
