package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// HiddenGains are the true improvements that are hidden: shares of base's time.
var HiddenGains = []float64{0.02, 0.05, 0.10}

// Searches are what became of simulated searches.
type Searches struct {
	Options Options
	Equal   []EqualRow
	Hidden  []HiddenRow
}

// EqualRow is searches whose candidates are all base itself in disguise.
type EqualRow struct {
	Noise     string
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
	Noise     string
	Others    string // what the other candidates are
	Gain      float64
	Found     Rate // searches in which judge called the improvement better
	False     Rate // searches in which it called another one better
	Processes float64
	GateFound Rate // the same with a run of the gate for each candidate, which knows nothing of the others
	GateFalse Rate
	GateProcs float64
}

// Search simulates searches, whose smallest gain is the first tolerance.
func (o Options) Search() (Searches, error) {
	r := Searches{Options: o}
	if _, err := o.policies(); err != nil {
		return r, err
	}
	for _, n := range o.Noise {
		r.Equal = append(r.Equal, o.equal(n))
		for _, others := range mixes {
			for _, gain := range HiddenGains {
				r.Hidden = append(r.Hidden, o.hidden(n, others, gain))
			}
		}
		o.observe(n.Name())
	}
	return r, nil
}

func (o Options) gain() float64 { return o.Tolerances[0] }

// searched is what became of one simulated search.
type searched struct {
	better    []int // candidates, in the order in which they were called better
	worse     int
	requests  int
	processes int
}

// search judges candidates one after the other. speeds are the log times of their code over base's.
func (o Options) search(n Noise, speeds []float64, seed uint64) searched {
	var out searched
	spent, best := rule.Spending{Total: 1 - o.Policy.Confidence}, 0.0
	for i, speed := range speeds {
		standing, rounds := o.follow(n, speed-best, seed, 3*i, rule.Screening(o.Policy.Confidence, o.gain()))
		out.processes += 4 * rounds
		if standing == rule.Behind {
			out.worse++
		}
		if standing != rule.Ahead {
			continue
		}
		out.requests++
		course := rule.Confirmation(spent.Next(), o.Policy.Confidence, o.gain())
		standing, rounds = o.follow(n, speed-best, seed, 3*i+1, course)
		out.processes += 4 * rounds
		if standing == rule.Ahead && best != 0 {
			standing, rounds = o.follow(n, speed, seed, 3*i+2, course)
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

// follow takes the looks of a course, with random numbers of their own, until one is the last.
func (o Options) follow(n Noise, shift float64, seed uint64, i int, course rule.Course) (rule.Standing, int) {
	t := newTrial(n, shift, seed, i)
	t.orders.Even = true
	for _, rounds := range course.Looks {
		stand, err := course.Look([][]stats.Round{t.upTo(rounds)}, []rule.Timing{n.Timing()})
		if err != nil || stand.Over {
			return stand.Standing, rounds
		}
	}
	return rule.Undecided, course.Last()
}

func (o Options) seedOf(search int) uint64 { return o.Seed + uint64(search)*0x9e3779b97f4a7c15 }

func (o Options) equal(n Noise) EqualRow {
	type one struct {
		searched
		faster  int
		fastest float64
	}
	all := parallel(o.Searches, func(i int) one {
		out := one{searched: o.search(n, make([]float64, o.Candidates), o.seedOf(i))}
		out.faster, out.fastest = o.naive(n, o.seedOf(i)+1)
		return out
	})
	row := EqualRow{Noise: n.Name()}
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
func (o Options) naive(n Noise, seed uint64) (faster int, fastest float64) {
	var bases, heads []float64
	for i := range o.Candidates {
		t := newTrial(n, 0, seed, i)
		t.keep = 1
		t.upTo(1)
		b, h := stats.Mean(t.samples[base][0]), stats.Mean(t.samples[head][0])
		if h < b {
			faster++
		}
		bases, heads = append(bases, b), append(heads, h)
	}
	return faster, stats.MedianOrNaN(bases)/slices.Min(heads) - 1
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

func (o Options) hidden(n Noise, others mix, gain float64) HiddenRow {
	type one struct{ judge, gate searched }
	at := make([]int, o.Searches)
	random := rand.New(rand.NewPCG(o.Seed, 0x68696464))
	for i := range at {
		at[i] = random.IntN(o.Hidden)
	}
	all := parallel(o.Searches, func(i int) one {
		speeds := make([]float64, o.Hidden)
		for j := range speeds {
			speeds[j] = others.speeds[j%len(others.speeds)]
		}
		speeds[at[i]] = math.Log1p(-gain)
		return one{o.search(n, speeds, o.seedOf(i)+2), o.gates(n, speeds, o.seedOf(i)+3)}
	})
	row := HiddenRow{Noise: n.Name(), Others: others.name, Gain: gain}
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

// gates runs the gate on each candidate beside base, and keeps what it calls significantly faster.
func (o Options) gates(n Noise, speeds []float64, seed uint64) searched {
	var out searched
	p := o.Policy
	p.Tolerance = o.gain()
	for i, speed := range speeds {
		c := gateCase(newTrial(n, speed, seed, i), n.Timing(), p)
		out.processes += c.processes
		if c.verdict == result.Faster || c.verdict == result.Improvement {
			out.better = append(out.better, i)
		}
	}
	return out
}

// Render writes the searches as Markdown tables.
func (r Searches) Render() string {
	o := r.Options
	var b strings.Builder
	fmt.Fprintf(&b, "Confidence %.4g %% over a search, gain %.3g %%, seed %d, %d searches a number. Rates in %%.\n\n", 100*o.Policy.Confidence, 100*o.gain(), o.Seed, o.Searches)
	writeTable(&b, fmt.Sprintf("%d candidates that are base itself", o.Candidates), 1, r.Equal,
		column[EqualRow]{"noise", func(r EqualRow) string { return r.Noise }},
		column[EqualRow]{"judge: searches with any `better`", func(r EqualRow) string { return r.Better.String() }},
		column[EqualRow]{"(at most)", func(r EqualRow) string { return r.Better.upper() }},
		column[EqualRow]{"requests a search", func(r EqualRow) string { return decimal(r.Requests) }},
		column[EqualRow]{"candidates called worse", func(r EqualRow) string { return r.Worse.String() }},
		column[EqualRow]{"processes a candidate", func(r EqualRow) string { return decimal(r.Processes) }},
		column[EqualRow]{"mean below base's: candidates", func(r EqualRow) string { return r.MeanFaster.String() }},
		column[EqualRow]{"searches with any", func(r EqualRow) string { return r.MeanSearch.String() }},
		column[EqualRow]{"the fastest reading claims", func(r EqualRow) string { return fmt.Sprintf("%+.1f", 100*r.Fastest) }})
	writeTable(&b, fmt.Sprintf("One improvement among %d candidates", o.Hidden), 2, r.Hidden,
		column[HiddenRow]{"noise", func(r HiddenRow) string { return r.Noise }},
		column[HiddenRow]{"the others", func(r HiddenRow) string { return r.Others }},
		column[HiddenRow]{"hidden", func(r HiddenRow) string { return fmt.Sprintf("%.0f", 100*r.Gain) }},
		column[HiddenRow]{"judge: found", func(r HiddenRow) string { return r.Found.String() }},
		column[HiddenRow]{"another one `better`", func(r HiddenRow) string { return r.False.String() }},
		column[HiddenRow]{"processes a search", func(r HiddenRow) string { return fmt.Sprintf("%.0f", r.Processes) }},
		column[HiddenRow]{"gate for each: found", func(r HiddenRow) string { return r.GateFound.String() }},
		column[HiddenRow]{"another one faster", func(r HiddenRow) string { return r.GateFalse.String() }},
		column[HiddenRow]{"processes", func(r HiddenRow) string { return fmt.Sprintf("%.0f", r.GateProcs) }})
	return b.String()
}
