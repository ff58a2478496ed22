package result

import "slices"

// Baseline is what the stored records had to do with a run.
type Baseline struct {
	Store      string   `json:"store"`                      // dir:PATH or git:BRANCH; empty where none was used
	Mode       string   `json:"mode"`                       // auto, stored or paired
	Reason     []Reason `json:"reason,omitempty"`           // why nothing was compared with a record; several in results of several machines
	Records    int      `json:"records"`                    // that the store has of this machine
	Commit     string   `json:"commit,omitempty"`           // of the nearest record
	Distance   int      `json:"distance,omitempty"`         // commits from the merge base to it
	PassedOver []string `json:"passedOver,omitempty"`       // records that cannot be used, and why
	Screened   int      `json:"screened"`                   // cases measured on head only
	Settled    int      `json:"settled"`                    // of those, cases decided without rounds
	Identical  int      `json:"identical"`                  // cases whose kernel is the same on both sides, which are not timed
	SavedS     float64  `json:"savedSeconds,omitempty"`     // the least that the processes of a first look at those would have taken, by their nearest record
	ScreenS    float64  `json:"screenSeconds"`              // spent on measuring head only
	RoundsS    float64  `json:"roundsSeconds"`              // spent on rounds
	BestKnownS float64  `json:"bestKnownSeconds,omitempty"` // spent on builds of best-known levels and their rounds
}

// Stored is what the stored records say of a case: head only, compared with the stored sessions of base's code. Rounds with a build of the best-known commit
// run only where the case is slower itself and lost more than it may.
type Stored struct {
	Commit          string  `json:"commit,omitempty"`          // of the nearest record that fits
	Distance        int     `json:"distance,omitempty"`        // from the merge base to it (commits)
	Reason          *Reason `json:"reason,omitempty"`          // why nothing was compared, or why it did not decide the case
	Sessions        int     `json:"sessions,omitempty"`        // of base's code, compared with
	LearntSessions  int     `json:"learntSessions,omitempty"`  // sessions that the variation between sessions was estimated from
	SessionSD       float64 `json:"sessionSd,omitempty"`       // standard deviation between sessions (log)
	Steady          string  `json:"steady,omitempty"`          // the canary that both sides are divided by: none, compute or memory
	CanaryShift     float64 `json:"canaryShift,omitempty"`     // how far a canary is from base's sessions (log)
	Widened         float64 `json:"widened,omitempty"`         // added to both bounds, since a canary shifted farther than in any known session (log)
	MedianRatio     float64 `json:"medianRatio,omitempty"`     // median of head over that of base (fraction)
	MedianLow       float64 `json:"medianLow,omitempty"`       // lower end of its bootstrapped 95 % interval, without the variation between sessions (fraction)
	MedianHigh      float64 `json:"medianHigh,omitempty"`      // and upper end (fraction)
	BestCommit      string  `json:"bestCommit,omitempty"`      // newest commit at the best-known level
	BestRecords     int     `json:"bestRecords,omitempty"`     // records that this level is made of
	CumulativeShift float64 `json:"cumulativeShift,omitempty"` // how much slower head is than that level (fraction)
	CumulativeLow   float64 `json:"cumulativeLow,omitempty"`   // how much slower it is at least (two standard errors less) (fraction)
	CumulativeLimit float64 `json:"cumulativeLimit,omitempty"` // how much slower than that level it may be (fraction)
	// the case has a waiver that it no longer needs: each of the last 10 sessions was within its own tolerance of the
	// best-known level
	WithinBest     bool `json:"withinBest,omitempty"`
	TimedOtherwise int  `json:"timedOtherwise,omitempty"` // records of its best-known level that it was not compared with, since this run timed it in another way
}

// IsCumulativeRegression says whether a case is significantly slower than its best-known level by more than may be lost, and no rounds have confirmed that: it is
// warned of, and fails no run.
func (c Case) IsCumulativeRegression() bool {
	s, rounds := c.Stored, c.To(RoleBestKnown)
	if s == nil || s.BestCommit == "" || rounds != nil && rounds.Verdict == Regression {
		return false
	}
	return s.CumulativeLow > s.CumulativeLimit
}

// CumulativeRegressions are the cases that are warned of for what they have lost since their best-known level.
func (r *Result) CumulativeRegressions() []Case {
	if r.Baseline == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Cases), func(c Case) bool { return !c.IsCumulativeRegression() })
}
