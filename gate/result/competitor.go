package result

import "slices"

// MaxCompetitors is the most competitors of a kernel. Each stands in the rounds beside base and head and takes as long as one of them.
const MaxCompetitors = 3

// The competitors of a kernel as sides of a process, in the order of the configuration.
const (
	SideCompetitor1 Side = "competitor-1"
	SideCompetitor2 Side = "competitor-2"
	SideCompetitor3 Side = "competitor-3"
)

// CompetitorSides lists them.
var CompetitorSides = []Side{SideCompetitor1, SideCompetitor2, SideCompetitor3}

// IsCompetitor says whether a process of that side is a competitor's.
func (s Side) IsCompetitor() bool { return slices.Contains(CompetitorSides, s) }

// CompetitorStatus is what became of a competitor in a run.
type CompetitorStatus string

const (
	CompetitorMeasured CompetitorStatus = "measured"  // in the rounds of its kernel's cases; a case may say that it could not
	CompetitorFailed   CompetitorStatus = "failed"    // it does not build, computes something else, or has other tensors
	CompetitorNotAsked CompetitorStatus = "not-asked" // its configuration (when) leaves it out of a run like this
	CompetitorNoRounds CompetitorStatus = "no-rounds" // its kernel is not measured side by side: new, the same code, or ended before
)

// CompetitorStatuses lists them.
var CompetitorStatuses = []CompetitorStatus{CompetitorMeasured, CompetitorFailed, CompetitorNotAsked, CompetitorNoRounds}

// Competitor is an implementation that is no side of a kernel, such as a library's, and is measured beside both.
type Competitor struct {
	Name       string           `json:"name"`
	Adapter    string           `json:"adapter,omitempty"`    // "" of one that is a row of a benchmark
	MinSpeedup float64          `json:"minSpeedup,omitempty"` // head has to be so many times as fast: 1.2; 0: nothing is asked
	Status     CompetitorStatus `json:"status"`
	Reason     *Reason          `json:"reason,omitempty"` // of any status but measured
	Build      *Build           `json:"build,omitempty"`
	Parity     *Parity          `json:"parity,omitempty"` // its own, by the kernel's oracle; nil: not checked
}

// SpeedupVerdict is what is known about head and its minimum speedup over a competitor.
type SpeedupVerdict string

const (
	SpeedupNone         SpeedupVerdict = ""             // nothing is asked
	SpeedupUndecided    SpeedupVerdict = "undecided"    // another look is wanted, and did not come
	SpeedupMet          SpeedupVerdict = "met"          // head is surely so many times as fast
	SpeedupMissed       SpeedupVerdict = "missed"       // head is surely less
	SpeedupInconclusive SpeedupVerdict = "inconclusive" // the last look left it open
	SpeedupUnmeasured   SpeedupVerdict = "unmeasured"   // the competitor could not be measured in this case
)

// SpeedupVerdicts lists them.
var SpeedupVerdicts = []SpeedupVerdict{SpeedupNone, SpeedupUndecided, SpeedupMet, SpeedupMissed, SpeedupInconclusive, SpeedupUnmeasured}

// Versus is a case against one competitor of its kernel. Comparisons have the competitor in base's place: Theta is ln(head/competitor), Ratio
// head's time over the competitor's, so that below 1 head is faster. Speed turns them around.
type Versus struct {
	Competitor string         `json:"competitor"`
	MinSpeedup float64        `json:"minSpeedup,omitempty"`
	Verdict    SpeedupVerdict `json:"verdict,omitempty"`
	Reason     *Reason        `json:"reason,omitempty"`     // why it could not be measured
	Head       *Comparison    `json:"head,omitempty"`       // head against the competitor, at the last look at it; nil without one
	Base       *Comparison    `json:"base,omitempty"`       // base against the competitor, likewise
	Looks      int            `json:"looks,omitempty"`      // that were taken of head against the competitor
	BudgetGone bool           `json:"budgetGone,omitempty"` // the budget ended it
	Summary    *Summary       `json:"summary,omitempty"`
	Moved      *Moved         `json:"moved,omitempty"` // since a record of the same code of both; nil where no record has it
}

// Moved is how far base's code and a competitor's, both as they were, are from their times in one record of the same machine. Shifts are the time
// now over the time then, with the bounds that the scatter of processes leaves.
type Moved struct {
	Commit     string `json:"commit"` // of the record
	Base       Shift  `json:"base"`
	Competitor Shift  `json:"competitor"`
	Machine    bool   `json:"machine,omitempty"` // both moved surely, the same way and by what may be the same amount: the machine did
}

// Speed is how many times as fast as the competitor a comparison says that a side is, with its bounds; nil of none.
func Speed(c *Comparison) *Shift {
	if c == nil || c.Ratio <= 0 || c.RatioLow <= 0 || c.RatioHigh <= 0 {
		return nil
	}
	return &Shift{Ratio: 1 / c.Ratio, Low: 1 / c.RatioHigh, High: 1 / c.RatioLow}
}
