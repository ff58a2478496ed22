// Package history tells how the latency of cases changed over time on one machine: on which levels each was, between which
// commits that changed, and whether a commit or the machine did it. It reads records and nothing else.
//
//	records of a machine -> one value a session -> levels and change points -> changes, each of a commit or of the machine
package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// History is what a machine remembers.
type History struct {
	Machine string       `json:"machine"`
	Records int          `json:"records"`
	From    Commit       `json:"from"` // the oldest record
	To      Commit       `json:"to"`   // the newest
	Cases   []Case       `json:"cases"`
	Moves   []Move       `json:"moves"` // of the machine, newest first
	Passed  []PassedOver `json:"passedOver,omitempty"`
}

// Commit is a commit that has a record.
type Commit struct {
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`     // of the measurement
	Distance int       `json:"distance"` // commits behind the one that was asked about
}

// PassedOver is a record that cannot be used.
type PassedOver struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// Case is one case through time. Its last level is where it stands.
type Case struct {
	Name   string  `json:"name"`
	Kernel string  `json:"kernel"`
	Points []Point `json:"points"` // oldest first
	Levels []Level `json:"levels"` // oldest first, at least one
	// Changes lie between neighbouring levels: Changes[i] leads from Levels[i] to Levels[i+1].
	Changes []Change `json:"changes"`
	// OverBest is by how much its last level is slower than the best-known one, as a fraction: 0 where it is the best known itself.
	OverBest   float64 `json:"overBest"`
	BestCommit string  `json:"bestCommit,omitempty"` // the newest commit of the best-known level, where it is another

	steady   baseline.Steady // the canary that was taken out of its points
	usual    float64         // ln of that canary's median, in ns; 0 without one
	moved    []int           // points before which the machine moved the case, oldest first
	best     Best
	accepted int // index of the first point that the latest acceptance counts for; -1 without one
}

// Point is one record of a case.
type Point struct {
	Commit
	NS       float64 `json:"ns"`       // median over the processes
	Steadied float64 `json:"steadied"` // ns with the canary's share of the session taken out, on the scale of the median canary

	log     float64 // ln of Steadied
	machine float64 // part of log that is the machine's: what it did since the first point
	record  *baseline.Record
	of      *baseline.Case
}

// Level is a run of records between two changes.
type Level struct {
	First int     `json:"first"` // index of its first point
	Count int     `json:"count"` // of its points
	NS    float64 `json:"ns"`    // median of its points, steadied
	Low   float64 `json:"low"`   // its interval of 95 %
	High  float64 `json:"high"`

	log  float64
	code float64 // log without what the machine did since the first point
}

// Of makes the history of a machine from its records (nearest first, as a lookup has them). asked tells what acceptances the
// commits after one and up to another ask for; nil where that is of no interest. Those that count are in the records.
func Of(machine string, found baseline.History, asked func(after, upTo string) []baseline.Acceptance) History {
	h := History{Machine: machine, Records: len(found.Found), Cases: []Case{}, Moves: []Move{}}
	for _, p := range found.Problems {
		h.Passed = append(h.Passed, PassedOver{Key: p.Key, Reason: p.Err.Error()})
	}
	if h.Records == 0 {
		return h
	}
	records := slices.Clone(found.Found)
	slices.Reverse(records)
	h.From, h.To = commitOf(records[0]), commitOf(records[len(records)-1])
	line := newTimeline(records)
	if asked != nil {
		asked = once(asked)
	}
	for _, name := range line.names() {
		h.Cases = append(h.Cases, line.follow(name))
	}
	moves := line.movesOf(h.Cases)
	for i := range h.Cases {
		line.takeMachineOut(&h.Cases[i], moves)
	}
	h.Moves = line.explain(h.Cases)
	for i := range h.Cases {
		line.accept(&h.Cases[i], asked)
		h.Cases[i].standing()
	}
	slices.SortStableFunc(h.Cases, func(a, b Case) int { return cmp.Compare(b.OverBest, a.OverBest) })
	return h
}

func commitOf(f baseline.Found) Commit {
	return Commit{ID: f.Record.Commit, Time: f.Record.Time, Distance: f.Distance}
}

// timeline is all records of a machine, oldest first.
type timeline struct {
	records  []baseline.Found
	index    map[string]int // of a commit's record
	canaries []Case
}

func newTimeline(records []baseline.Found) timeline {
	t := timeline{records: records, index: map[string]int{}}
	for i, f := range records {
		t.index[f.Record.Commit] = i
	}
	t.canaries = canariesOf(records)
	return t
}

// names are the cases of the newest record that has any, and of older ones that are gone since, each once.
func (t timeline) names() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range slices.Backward(t.records) {
		for _, c := range f.Record.Cases {
			if !seen[c.Name] {
				seen[c.Name] = true
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// follow gathers the points of a case and splits them into levels.
func (t timeline) follow(name string) Case {
	c := Case{Name: name, accepted: -1}
	for _, f := range t.records {
		if of := f.Record.Case(name); of != nil && len(of.ValuesNS) > 0 {
			c.Kernel = of.Kernel
			median, _ := stats.Median(of.ValuesNS) // not empty
			c.Points = append(c.Points, Point{Commit: commitOf(f), NS: median, record: f.Record, of: of})
		}
	}
	c.takeCanaryOut()
	c.levels()
	return c
}

// levels splits the points, and describes the changes between the levels. Where the meaning of the case changes (its configuration or the
// way it is timed) a new level begins whatever the values are: they are of other work.
func (c *Case) levels() {
	c.Levels, c.Changes = nil, []Change{}
	for from := 0; from < len(c.Points); {
		to := from + 1
		for to < len(c.Points) && sameWork(c.Points[to-1].of, c.Points[to].of) {
			to++
		}
		c.split(from, to)
		from = to
	}
	for i := 1; i < len(c.Levels); i++ {
		c.Changes = append(c.Changes, c.change(i))
	}
}

func sameWork(a, b *baseline.Case) bool {
	return a.ConfigHash == b.ConfigHash && baseline.SameMethod(a.Method, b.Method)
}

// takeCanaryOut takes out of every point what a canary says of its session, if neighbouring records then lie closer together. Neighbours are
// asked, since what moves all later ones is what history is about.
func (c *Case) takeCanaryOut() {
	by, shifts, usual := baseline.SteadyNone, make([]float64, len(c.Points)), 0.0
	least := leastHelp * stats.StepScatter(c.steadiedBy(shifts))
	for _, canary := range baseline.BothCanaries {
		of, median, ok := c.canary(canary)
		if scatter := stats.StepScatter(c.steadiedBy(of)); ok && len(c.Points) >= baseline.MinSessions && scatter < least {
			by, shifts, usual, least = canary, of, median, scatter
		}
	}
	c.steady, c.usual = by, usual
	for i, log := range c.steadiedBy(shifts) {
		c.Points[i].log, c.Points[i].Steadied = log, math.Exp(log)
	}
}

// leastHelp is the share of the scatter that a canary must leave at most: one that explains nothing only adds its own noise.
const leastHelp = 0.9

// steadiedBy are the logs of the points less a shift each.
func (c *Case) steadiedBy(shifts []float64) []float64 {
	out := make([]float64, len(c.Points))
	for i, p := range c.Points {
		out[i] = math.Log(p.NS) - shifts[i]
	}
	return out
}

// canary is how far, in ln units, a canary was off its median in each session; ok is false where a session has none.
func (c *Case) canary(by baseline.Steady) (shifts []float64, usual float64, ok bool) {
	shifts = make([]float64, len(c.Points))
	for i, p := range c.Points {
		if shifts[i], ok = baseline.NewSession(*p.of).Canary(by); !ok {
			return make([]float64, len(c.Points)), 0, false
		}
	}
	usual, _ = stats.Median(shifts) // 0 where there is none
	for i := range shifts {
		shifts[i] -= usual
	}
	return shifts, usual, ok
}

// leastScatter keeps levels together that differ by less than anything measures: 0.05 %.
const leastScatter = 0.0005

// scatterFloor is by how much points of one level scatter at least, as their processes tell: few points may lie together by chance.
func (c *Case) scatterFloor(from, to int) float64 {
	var variances []float64
	for _, p := range c.Points[from:to] {
		if n := len(p.of.ValuesNS); n > 1 { // a canary has none
			variances = append(variances, stat.Variance(baseline.NewSession(*p.of).Values, nil)*medianVariance(n))
		}
	}
	usual, err := stats.Median(variances)
	if err != nil {
		return leastScatter
	}
	return max(leastScatter, math.Sqrt(usual))
}

// split appends the levels of points from..to, which are of one kind of work.
func (c *Case) split(from, to int) {
	least := c.scatterFloor(from, to)
	sd := max(least, stats.StepScatter(c.codeLogs(from, to)))
	begin, t := from, intervalT(to-from)
	for _, end := range append(c.placesOf(from, to, least), to) {
		middle := c.logMedian(begin, end)
		code, _ := stats.Median(c.codeLogs(begin, end)) // not empty
		reach := t * math.Sqrt(medianVariance(end-begin)) * sd
		c.Levels = append(c.Levels, Level{
			First: begin, Count: end - begin, NS: math.Exp(middle), Low: math.Exp(middle - reach), High: math.Exp(middle + reach), log: middle, code: code,
		})
		begin = end
	}
}

// logMedian is the median of points, of which there are some.
func (c *Case) logMedian(from, to int) float64 {
	middle, _ := stats.Median(c.logs(from, to))
	return middle
}

// codeLogs are the logs of points without what the machine did since the first.
func (c *Case) codeLogs(from, to int) []float64 {
	out := c.logs(from, to)
	for i := range out {
		out[i] -= c.Points[from+i].machine
	}
	return out
}

func (c *Case) logs(from, to int) []float64 {
	out := make([]float64, 0, to-from)
	for _, p := range c.Points[from:to] {
		out = append(out, p.log)
	}
	return out
}

// Slowdowns are the places at which a case became slower and its code may have done it, the largest change first.
func (h History) Slowdowns(name string) (out []Change) {
	for _, c := range h.Cases {
		for _, change := range c.Changes {
			if c.Name == name && change.Ratio > 1 && change.Cause != result.LevelByMachine && change.Cause != result.LevelOfOtherWork {
				out = append(out, change)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return out
}

// Narrow leaves the cases that patterns name, or all where there are none. A pattern that names no case is a mistake, which an empty answer
// would hide.
func (h *History) Narrow(patterns []string) error {
	if len(patterns) == 0 || len(h.Cases) == 0 {
		return nil
	}
	matches := func(p string) func(Case) bool {
		return func(c Case) bool { return result.CaseMatches(p, c.Kernel, c.Name) }
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(h.Cases, matches(p)) {
			return fmt.Errorf("no case of these records matches %q; an example is %q", p, h.Cases[0].Name)
		}
	}
	h.Cases = slices.DeleteFunc(h.Cases, func(c Case) bool {
		return !slices.ContainsFunc(patterns, func(p string) bool { return matches(p)(c) })
	})
	return nil
}
