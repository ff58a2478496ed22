package result

import "slices"

// Baseline is what the stored records had to do with a run.
type Baseline struct {
	Store      string   `json:"store"`                  // dir:PATH or git:BRANCH; empty: none was used
	Mode       string   `json:"mode"`                   // auto, stored or paired
	Reason     []Reason `json:"reason,omitempty"`       // nothing was compared with a record; several in results of several machines
	Records    int      `json:"records"`                // that the store has of this machine
	Commit     string   `json:"commit,omitempty"`       // of the nearest record
	Distance   int      `json:"distance,omitempty"`     // commits from the merge base to it
	PassedOver []string `json:"passedOver,omitempty"`   // records that cannot be used, and why
	Screened   int      `json:"screened"`               // cases measured on head alone
	Settled    int      `json:"settled"`                // of those, settled without rounds
	Identical  int      `json:"identical"`              // cases whose kernel is the same on both sides, not timed at all
	SavedS     float64  `json:"savedSeconds,omitempty"` // by Identical, at least
	ScreenS    float64  `json:"screenSeconds"`
	RoundsS    float64  `json:"roundsSeconds"`
	BestKnownS float64  `json:"bestKnownSeconds,omitempty"` // on builds of and rounds beside best-known levels
}

// Stored is what the stored records say of a case.
type Stored struct {
	Commit          string  `json:"commit,omitempty"` // of the nearest record that fits
	Distance        int     `json:"distance,omitempty"`
	Reason          *Reason `json:"reason,omitempty"`
	Sessions        int     `json:"sessions,omitempty"`       // of base's code
	LearntSessions  int     `json:"learntSessions,omitempty"` // that the scatter of sessions was learnt from
	SessionSD       float64 `json:"sessionSd,omitempty"`
	Steady          string  `json:"steady,omitempty"` // canary taken out: none, compute or memory
	CanaryShift     float64 `json:"canaryShift,omitempty"`
	Widened         float64 `json:"widened,omitempty"`
	MedianRatio     float64 `json:"medianRatio,omitempty"`
	MedianLow       float64 `json:"medianLow,omitempty"`
	MedianHigh      float64 `json:"medianHigh,omitempty"`
	BestCommit      string  `json:"bestCommit,omitempty"`
	BestRecords     int     `json:"bestRecords,omitempty"`     // that the level of BestCommit is made of
	CumulativeShift float64 `json:"cumulativeShift,omitempty"` // how much slower head is than that level
	CumulativeLow   float64 `json:"cumulativeLow,omitempty"`   // its lower bound
	CumulativeLimit float64 `json:"cumulativeLimit,omitempty"` // what may be lost since BestCommit
	// WithinBest is set where a case with a waiver no longer needs it: each of the latest WaiverSessions stood within its own tolerance of the best-known level.
	WithinBest bool `json:"withinBest,omitempty"`
	// TimedOtherwise is how many records of its best-known level it was not held against, since this run timed it in another way.
	TimedOtherwise int `json:"timedOtherwise,omitempty"`
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
