package history

import (
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

// Past is what a run has to say of a case before its head. It is nil where that is not worth a word: the case stands over its best-known
// level by no more than the tolerance, which is what a single change may lose.
func (c *Case) Past(tolerance float64) *result.Past {
	if c.OverBest <= tolerance {
		return nil
	}
	return c.Course()
}

// Course is what records say of a case over time.
func (c *Case) Course() *result.Past {
	out := &result.Past{OverBest: c.OverBest, BestCommit: c.BestCommit, Changes: []result.PastChange{}}
	best := 0 // before these records, if none of them is of that level
	for i, p := range c.Points {
		out.Points = append(out.Points, result.PastPoint{Commit: p.ID, NS: p.Steadied})
		if p.ID == c.BestCommit {
			best = i
		}
	}
	for i, l := range c.Levels {
		out.Levels = append(out.Levels, result.PastLevel{First: l.First, Count: l.Count, NS: l.NS})
		if i == 0 {
			continue
		}
		change := c.Changes[i-1]
		out.Changes = append(out.Changes, result.PastChange{
			Commit: change.At.ID, Ratio: change.Ratio, Low: change.Low, High: change.High, Cause: change.Cause, Accepted: change.IsAccepted(),
		})
		if own := change.ofCode(); l.First > best && own > 1 {
			out.Steps = append(out.Steps, own-1)
		}
	}
	return out
}

// ofCode is the part of a change that is the code's, as a ratio; 1 where it is all the machine's.
func (c Change) ofCode() float64 {
	switch {
	case c.Cause == result.LevelByMachine || c.Cause == result.LevelOfOtherWork:
		return 1
	case c.Machine > 0:
		return c.Ratio / c.Machine
	}
	return c.Ratio
}

// IsAccepted says whether somebody agreed to let a change pass: a commit may only ask for it.
func (c Change) IsAccepted() bool {
	return slices.ContainsFunc(c.Accepted, func(a baseline.Acceptance) bool { return a.By != "" })
}
