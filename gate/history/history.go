// Package history says what the records of a machine tell of its cases over time: on which levels each was, between which
// commits that changed, and whether a commit or the machine did it. It reads records and nothing else.
package history

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/org/perfgate/gate/baseline"
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
	Key string `json:"key"`
	Why string `json:"why"`
}

// Case is one case through time. Its last level is where it stands.
type Case struct {
	Name   string  `json:"name"`
	Kernel string  `json:"kernel"`
	Points []Point `json:"points"` // oldest first
	Levels []Level `json:"levels"` // oldest first, at least one
	// Changes lie between neighbouring levels: Changes[i] leads from Levels[i] to Levels[i+1].
	Changes []Change `json:"changes"`
	// OverBest is by how much its last level is slower than the lowest that it can be compared with, as a fraction: 0 where
	// it is the lowest. Levels that the machine alone moved apart count as one.
	OverBest   float64 `json:"overBest"`
	BestCommit string  `json:"bestCommit,omitempty"` // the newest commit of that lowest level, where it is another

	steadied bool // a canary was taken out of its points
}

// Point is one record of a case.
type Point struct {
	Commit
	NS       float64 `json:"ns"`       // median over the processes
	Steadied float64 `json:"steadied"` // ns with the canary's share of the session taken out, on the scale of the median canary

	log    float64 // ln of Steadied
	record *baseline.Record
	of     *baseline.Case
}

// Level is a run of records between two changes.
type Level struct {
	First int     `json:"first"` // index of its first point
	Count int     `json:"count"` // of its points
	NS    float64 `json:"ns"`    // median of its points, steadied

	log float64
}

// Of makes the history of a machine from its records (nearest first, as a lookup has them). accepted tells what acceptances the
// commits after one and up to another ask for; nil where that is not known.
func Of(machine string, found baseline.History, accepted func(after, upTo string) []Acceptance) History {
	h := History{Machine: machine, Records: len(found.Found), Cases: []Case{}, Moves: []Move{}}
	for _, p := range found.Problems {
		h.Passed = append(h.Passed, PassedOver{Key: p.Key, Why: p.Err.Error()})
	}
	if h.Records == 0 {
		return h
	}
	records := slices.Clone(found.Found)
	slices.Reverse(records)
	h.From, h.To = commitOf(records[0]), commitOf(records[len(records)-1])
	line := newTimeline(records)
	for _, name := range line.names() {
		h.Cases = append(h.Cases, line.follow(name))
	}
	h.Moves = line.explain(h.Cases, accepted)
	for i := range h.Cases {
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
	records []baseline.Found
	index   map[string]int // of a commit's record
}

func newTimeline(records []baseline.Found) timeline {
	t := timeline{records: records, index: map[string]int{}}
	for i, f := range records {
		t.index[f.Record.Commit] = i
	}
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

// follow gathers the points of a case and splits them into levels. Where its meaning changes (its configuration or the way it is timed)
// a new level begins whatever the values are: they are of other work.
func (t timeline) follow(name string) Case {
	c := Case{Name: name, Changes: []Change{}}
	for _, f := range t.records {
		if of := f.Record.Case(name); of != nil && len(of.ValuesNS) > 0 {
			c.Kernel = of.Kernel
			median, _ := stats.Median(of.ValuesNS) // not empty
			c.Points = append(c.Points, Point{Commit: commitOf(f), NS: median, record: f.Record, of: of})
		}
	}
	c.steady()
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
	return c
}

func sameWork(a, b *baseline.Case) bool {
	return a.ConfigHash == b.ConfigHash && baseline.SameMethod(a.Method, b.Method)
}

// steady takes out of every point what a canary says of its session, if neighbouring records then lie closer together. Neighbours are
// asked, since what moves all later ones is what history is about.
func (c *Case) steady() {
	by, shifts := baseline.SteadyNone, make([]float64, len(c.Points))
	least := leastHelp * stats.StepScatter(c.steadiedBy(shifts))
	for _, canary := range []baseline.Steady{baseline.SteadyCompute, baseline.SteadyMemory} {
		of, ok := c.canary(canary)
		if scatter := stats.StepScatter(c.steadiedBy(of)); ok && len(c.Points) >= baseline.MinSessions && scatter < least {
			by, shifts, least = canary, of, scatter
		}
	}
	c.steadied = by != baseline.SteadyNone
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
func (c *Case) canary(by baseline.Steady) (shifts []float64, ok bool) {
	shifts = make([]float64, len(c.Points))
	for i, p := range c.Points {
		if shifts[i], ok = baseline.NewSession(*p.of).Canary(by); !ok {
			return make([]float64, len(c.Points)), false
		}
	}
	usual, _ := stats.Median(shifts) // 0 where there is none
	for i := range shifts {
		shifts[i] -= usual
	}
	return shifts, ok
}

// leastScatter keeps levels together that differ by less than anything measures: 0.05 %.
const leastScatter = 0.0005

// split appends the levels of points from..to, which are of one kind of work.
func (c *Case) split(from, to int) {
	logs := c.logs(from, to)
	begin := 0
	for _, end := range append(stats.Shifts(logs, leastScatter), len(logs)) {
		middle, _ := stats.Median(logs[begin:end]) // not empty
		c.Levels = append(c.Levels, Level{First: from + begin, Count: end - begin, NS: math.Exp(middle), log: middle})
		begin = end
	}
}

func (c *Case) logs(from, to int) []float64 {
	out := make([]float64, 0, to-from)
	for _, p := range c.Points[from:to] {
		out = append(out, p.log)
	}
	return out
}

// standing compares the last level with the best one of the same work. What only the machine has moved is taken out on the way back: a
// slower driver makes no code worse.
func (c *Case) standing() {
	last := len(c.Levels) - 1
	best, machine := c.Levels[last].log, 0.0
	at, other := last, false
	for i := last - 1; i >= 0; i-- {
		change := c.Changes[i]
		if change.Cause == OtherWork {
			break
		}
		if change.Machine > 0 {
			machine += math.Log(change.Machine)
		}
		other = other || change.Cause != ByMachine // only then it is another level of the code
		if level := c.Levels[i].log + machine; other && level < best && c.Levels[i].Count >= stats.LeastLevel {
			best, at = level, i
		}
	}
	if at != last {
		l := c.Levels[at]
		c.OverBest = math.Expm1(c.Levels[last].log - best)
		c.BestCommit = c.Points[l.First+l.Count-1].ID
	}
}

// Slowdowns are the places at which a case became slower and its code may have done it, the largest change first.
func (h History) Slowdowns(name string) (out []Change) {
	for _, c := range h.Cases {
		for _, change := range c.Changes {
			if c.Name == name && change.Ratio > 1 && change.Cause != ByMachine && change.Cause != OtherWork {
				out = append(out, change)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return out
}
