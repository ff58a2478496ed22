package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// SearchOptions says what searches to simulate.
type SearchOptions struct {
	Seed       uint64
	Searches   int
	Candidates int     // of each search for the promise
	Hidden     int     // candidates that a true improvement is hidden among
	Confidence float64 // of judge
	Gain       float64 // the smallest that judge looks for
	Worlds     []World
	Observe    func(done string)
}

// DefaultSearches are what the documentation's tables were made with.
func DefaultSearches() SearchOptions {
	p := rule.Default()
	return SearchOptions{Seed: 1, Searches: 200, Candidates: 1000, Hidden: 100, Confidence: p.Confidence, Gain: p.Tolerance, Worlds: Worlds()}
}

// PlantedGains are the true improvements that are hidden: shares of base's time.
var PlantedGains = []float64{0.02, 0.05, 0.10}

// SearchReport is what became of the searches.
type SearchReport struct {
	Options SearchOptions
	Equal   []EqualRow
	Hidden  []HiddenRow
}

// EqualRow is searches whose candidates are all base itself in disguise.
type EqualRow struct {
	World     string
	Better    Rate    // searches in which judge called any candidate better
	Requests  float64 // to be called better, a search
	Worse     Rate    // candidates that judge called worse
	Processes float64 // a candidate
	// What others would have kept of the same candidates, each measured in one process beside one of base.
	MeanFaster Rate    // candidates with a mean below base's: KernelBench's rule, a speedup over 1
	MeanSearch Rate    // searches in which that is true of any
	Fastest    float64 // what the fastest reading of a search claims to have gained over base's median reading: median over the searches
}

// HiddenRow is searches with one true improvement among candidates that are none.
type HiddenRow struct {
	World     string
	Others    string // what the other candidates are
	Gain      float64
	Found     Rate // searches in which judge called the improvement better
	False     Rate // searches in which it called another one better
	Processes float64
	GateFound Rate // the same with a run of the gate for each candidate, which knows nothing of the others
	GateFalse Rate
	GateProcs float64
}

// Search simulates. Equal options give equal numbers.
func Search(o SearchOptions) (SearchReport, error) {
	if o.Searches < 1 || o.Candidates < 1 || o.Hidden < 1 {
		return SearchReport{}, errors.New("searches and their candidates must be at least 1")
	}
	r := SearchReport{Options: o}
	for _, w := range o.Worlds {
		r.Equal = append(r.Equal, o.equal(w))
		for _, others := range mixes {
			for _, gain := range PlantedGains {
				r.Hidden = append(r.Hidden, o.hidden(w, others, gain))
			}
		}
		if o.Observe != nil {
			o.Observe(w.Name())
		}
	}
	return r, nil
}

// searched is what became of one simulated search.
type searched struct {
	better    []int // candidates, in the order in which they were called better
	worse     int
	requests  int
	processes int
}

// search judges candidates one after the other. speeds are the log times of their code over base's.
func (o SearchOptions) search(w World, speeds []float64, seed uint64) searched {
	var out searched
	spent, best := rule.Spending{Total: 1 - o.Confidence}, 0.0
	for i, speed := range speeds {
		standing, rounds := o.follow(w, speed-best, seed, 3*i, rule.Screening(o.Confidence, o.Gain))
		out.processes += 4 * rounds
		if standing == rule.Behind {
			out.worse++
		}
		if standing != rule.Ahead {
			continue
		}
		out.requests++
		course := rule.Confirmation(spent.Next(), o.Confidence, o.Gain)
		standing, rounds = o.follow(w, speed-best, seed, 3*i+1, course)
		out.processes += 4 * rounds
		if standing == rule.Ahead && best != 0 {
			standing, rounds = o.follow(w, speed, seed, 3*i+2, course)
			out.processes += 4 * rounds
		}
		granted := standing == rule.Ahead
		spent.Granted = append(spent.Granted, granted)
		if granted {
			out.better, best = append(out.better, i), speed
		}
	}
	return out
}

// follow takes the looks of a course, with luck of their own, until one is the last word.
func (o SearchOptions) follow(w World, shift float64, seed uint64, i int, course rule.Course) (rule.Standing, int) {
	t := newTrial(w, shift, seed, i)
	t.orders.Even = true
	for _, n := range course.Looks {
		stand, err := course.Look([][]stats.Round{t.upTo(n)}, []rule.Timing{w.Timing().gate()})
		if err != nil || stand.Over {
			return stand.Standing, n
		}
	}
	return rule.Open, course.Last()
}

func (o SearchOptions) seedOf(search int) uint64 { return o.Seed + uint64(search)*0x9e3779b97f4a7c15 }

func (o SearchOptions) equal(w World) EqualRow {
	type one struct {
		searched
		faster  int
		fastest float64
	}
	all := parallel(o.Searches, func(i int) one {
		out := one{searched: o.search(w, make([]float64, o.Candidates), o.seedOf(i))}
		out.faster, out.fastest = o.naive(w, o.seedOf(i)+1)
		return out
	})
	row := EqualRow{World: w.Name()}
	var fastest []float64
	for _, s := range all {
		row.Better.add(len(s.better) > 0)
		row.MeanSearch.add(s.faster > 0)
		row.Requests += float64(s.requests) / float64(o.Searches)
		row.Processes += float64(s.processes) / float64(o.Searches*o.Candidates)
		row.Worse = Rate{row.Worse.Hits + s.worse, row.Worse.Trials + o.Candidates}
		row.MeanFaster = Rate{row.MeanFaster.Hits + s.faster, row.MeanFaster.Trials + o.Candidates}
		fastest = append(fastest, s.fastest)
	}
	row.Fastest = stats.MedianOrNaN(fastest)
	return row
}

// naive measures each candidate in one process beside one of base: how many have a mean below base's, and what the fastest claims.
func (o SearchOptions) naive(w World, seed uint64) (faster int, fastest float64) {
	var bases, heads []float64
	for i := range o.Candidates {
		t := newTrial(w, 0, seed, i)
		t.keep = 1
		t.upTo(1)
		b, h := meanOf(t.samples[base][0]), meanOf(t.samples[head][0])
		if h < b {
			faster++
		}
		bases, heads = append(bases, b), append(heads, h)
	}
	return faster, stats.MedianOrNaN(bases)/slices.Min(heads) - 1
}

func meanOf(samples []float64) float64 {
	sum := 0.0
	for _, ns := range samples {
		sum += ns
	}
	return sum / float64(len(samples))
}

// mix is what the candidates are that are no improvement: log times over base's, in turn.
type mix struct {
	name   string
	speeds []float64
}

var mixes = []mix{
	{"equal to base", []float64{0}},
	{"a third each equal, 5 % and 30 % slower", []float64{0, math.Log(1.05), math.Log(1.3)}},
}

func (o SearchOptions) hidden(w World, others mix, gain float64) HiddenRow {
	type one struct{ judge, gate searched }
	at := make([]int, o.Searches)
	lot := rand.New(rand.NewPCG(o.Seed, 0x68696464))
	for i := range at {
		at[i] = lot.IntN(o.Hidden)
	}
	all := parallel(o.Searches, func(i int) one {
		speeds := make([]float64, o.Hidden)
		for j := range speeds {
			speeds[j] = others.speeds[j%len(others.speeds)]
		}
		speeds[at[i]] = math.Log1p(-gain)
		return one{o.search(w, speeds, o.seedOf(i)+2), o.gates(w, speeds, o.seedOf(i)+3)}
	})
	row := HiddenRow{World: w.Name(), Others: others.name, Gain: gain}
	for i, s := range all {
		count := func(better []int, found, wrong *Rate) {
			is := slices.Contains(better, at[i])
			found.add(is)
			wrong.add(len(better) > 1 || len(better) == 1 && !is)
		}
		count(s.judge.better, &row.Found, &row.False)
		count(s.gate.better, &row.GateFound, &row.GateFalse)
		row.Processes += float64(s.judge.processes) / float64(o.Searches)
		row.GateProcs += float64(s.gate.processes) / float64(o.Searches)
	}
	return row
}

// gates runs the gate on each candidate beside base, and keeps what it calls surely faster.
func (o SearchOptions) gates(w World, speeds []float64, seed uint64) searched {
	var out searched
	p := rule.Default()
	p.Tolerance, p.Confidence = o.Gain, o.Confidence
	for i, speed := range speeds {
		c := gateCase(newTrial(w, speed, seed, i), w.Timing(), p)
		out.processes += c.processes
		if isFaster(c) {
			out.better = append(out.better, i)
		}
	}
	return out
}
