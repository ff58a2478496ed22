package history

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Best is the best-known level of a case: the lowest that enough records agree on and that it can be compared with. It is pinned by
// its commit, and rises with an acceptance only.
type Best struct {
	Commit  string // the newest one at that level
	Records int    // that it was learnt from

	log   float64 // ln ns, without the canary and what the machine did since the first point
	found bool
}

// candidate is a level that may be the best known.
func (b *Best) candidate(other Best) {
	if !b.found || other.log < b.log {
		*b = other
		b.found = true
	}
}

// standing compares the last level with the best-known one of the same work. What the machine did is no level of the code, and levels from
// before an acceptance do not count.
func (c *Case) standing() {
	last := len(c.Levels) - 1
	first := last
	for first > 0 && c.Changes[first-1].Cause != result.LevelOfOtherWork {
		first--
	}
	now, to := 0.0, len(c.Points)
	for i := last; i >= first; i-- {
		if i > first && c.Changes[i-1].Cause == result.LevelByMachine {
			continue // one level of the code
		}
		if to == len(c.Points) {
			now, _ = stats.Median(c.codeLogs(c.Levels[i].First, to)) // not empty
		}
		c.consider(c.Levels[i].First, to)
		to = c.Levels[i].First
	}
	if first == 0 && c.accepted < 0 {
		c.recall()
	}
	if c.best.found && c.best.log < now {
		c.OverBest, c.BestCommit = math.Expm1(now-c.best.log), c.best.Commit
	}
}

// consider takes a level as a candidate, as far as it lies after the latest acceptance and enough records agree on it.
func (c *Case) consider(from, to int) {
	from = max(from, c.accepted)
	if to-from < stats.LeastLevel {
		return
	}
	level, _ := stats.Median(c.codeLogs(from, to)) // not empty
	c.best.candidate(Best{Commit: c.Points[to-1].ID, Records: to - from, log: level})
}

// recall takes the best-known level of before these records from what those of their first level say of it: the median, since a record may
// have been made before it was known that a level had changed.
func (c *Case) recall() {
	l := c.Levels[0]
	var pins []*baseline.Pin
	for _, p := range c.Points[l.First : l.First+l.Count] {
		if pin := p.of.Pin; pin != nil && !slices.ContainsFunc(c.Points, func(q Point) bool { return q.ID == pin.Commit }) {
			pins = append(pins, pin)
		}
	}
	if len(pins) == 0 {
		return // these records tell it themselves
	}
	slices.SortStableFunc(pins, func(a, b *baseline.Pin) int { return cmp.Compare(a.Over, b.Over) })
	pin := pins[len(pins)/2]
	c.best.candidate(Best{Commit: pin.Commit, Records: pin.Records, log: l.code - math.Log1p(pin.Over)})
}

// Best is the best-known level; ok is false where no level has enough records.
func (c *Case) Best() (best Best, ok bool) { return c.best, c.best.found }

// Over is how much slower a session of a head is than the best-known level, as a fraction, and its lower bound: less two standard
// errors, since one session scatters. ok is false where the two cannot be compared: no level is known well enough, the machine or the
// meaning of the case is another than in the newest record, or the session lacks the canary.
func (c *Case) Over(head baseline.Session, now baseline.Now) (over, least float64, ok bool) {
	newest := c.Points[len(c.Points)-1]
	canary, has := head.Canary(c.steady)
	if !c.best.found || !has || !c.Means(now.ConfigHash) || len(baseline.Changes(newest.record, now.State)) > 0 {
		return 0, 0, false
	}
	level, err := stats.Median(head.Values)
	shift := level - (canary - c.usual) - newest.machine - c.best.log
	sd := max(c.scatterFloor(0, len(c.Points)), stats.StepScatter(c.codeLogs(0, len(c.Points))))
	se := sd * math.Sqrt(1+medianVariance(max(stats.LeastLevel, c.best.Records)))
	return math.Expm1(shift), math.Expm1(shift - sureZ*se), err == nil
}

// IsWithin says whether each of the latest sessions, of one way of measuring, stands within a tolerance of the best-known level.
func (c *Case) IsWithin(tolerance float64, sessions int) bool {
	if !c.best.found || len(c.SinceWork()) < sessions {
		return false
	}
	latest := c.codeLogs(len(c.Points)-sessions, len(c.Points))
	return slices.Max(latest) <= c.best.log+math.Log1p(tolerance)
}

// Case returns the case of that name, or nil.
func (h *History) Case(name string) *Case {
	for i := range h.Cases {
		if h.Cases[i].Name == name {
			return &h.Cases[i]
		}
	}
	return nil
}

// PinFrom is Pin with the records of a store. ancestors lists those of a commit, nearest first, the commit itself included.
func PinFrom(ctx context.Context, store *baseline.Store, ancestors func(context.Context, string) ([]string, error), r *baseline.Record) error {
	commits, err := ancestors(ctx, r.Commit)
	if err != nil {
		return err
	}
	found, err := baseline.Lookup(ctx, store, r.Machine.Key, commits, baseline.MaxRecords)
	if err == nil {
		Pin(r, found)
	}
	return err
}

// Pin notes in a new record how each of its cases stands against its best-known level. found are the records of its ancestors, nearest
// first, its own among them or not.
func Pin(r *baseline.Record, found baseline.History) {
	records := []baseline.Found{{Record: r}}
	for _, f := range found.Found {
		if f.Record.Commit != r.Commit {
			records = append(records, f)
		}
	}
	h := Of(r.Machine.Key, baseline.History{Found: records}, nil)
	for i := range r.Cases {
		c := h.Case(r.Cases[i].Name)
		if best, ok := c.Best(); ok {
			r.Cases[i].Pin = &baseline.Pin{Commit: best.Commit, Records: best.Records, Over: c.OverBest}
		}
	}
}

// PinAgain is Pin for every record after one, in which an acceptance has come or gone: a gate that reads them reads that one no longer. The records are
// those of a lookup; those that were pinned are returned.
func PinAgain(found baseline.History, after *baseline.Record) (pinned []*baseline.Record) {
	at := slices.IndexFunc(found.Found, func(f baseline.Found) bool { return f.Record == after })
	for i, f := range slices.Backward(found.Found[:at]) {
		for j := range f.Record.Cases {
			f.Record.Cases[j].Pin = nil
		}
		before := found.Found[i+1:]
		Pin(f.Record, baseline.History{Found: before[:min(len(before), baseline.MaxRecords)]})
		pinned = append(pinned, f.Record)
	}
	return pinned
}
