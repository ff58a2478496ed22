package result

import "slices"

// MaxRivals is the most rivals of a kernel. Each stands in the rounds beside base and head and takes as long as one of them.
const MaxRivals = 3

// The rivals of a kernel as sides of a process, in the order of the configuration.
const (
	SideRival1 Side = "rival-1"
	SideRival2 Side = "rival-2"
	SideRival3 Side = "rival-3"
)

// RivalSides lists them.
var RivalSides = []Side{SideRival1, SideRival2, SideRival3}

// IsRival says whether a process of that side is a rival's.
func (s Side) IsRival() bool { return slices.Contains(RivalSides, s) }

// RivalStatus is what became of a rival in a run.
type RivalStatus string

const (
	RivalMeasured RivalStatus = "measured"  // in the rounds of its kernel's cases; a case may say that it could not
	RivalFailed   RivalStatus = "failed"    // it does not build, computes something else, or has other tensors
	RivalNotAsked RivalStatus = "not-asked" // its configuration (when) leaves it out of a run like this
	RivalNoRounds RivalStatus = "no-rounds" // its kernel is not measured side by side: new, the same code, or ended before
)

// RivalStatuses lists them.
var RivalStatuses = []RivalStatus{RivalMeasured, RivalFailed, RivalNotAsked, RivalNoRounds}

// Rival is an implementation that is no side of a kernel, such as a library's, and is measured beside both.
type Rival struct {
	Name    string      `json:"name"`
	Adapter string      `json:"adapter,omitempty"` // "" of one that is a row of a benchmark
	Keep    float64     `json:"keep,omitempty"`    // head has to be so many times as fast: 1.2; 0: nothing is asked
	Status  RivalStatus `json:"status"`
	Reason  string      `json:"reason,omitempty"` // of any status but measured
	Why     *Why        `json:"why,omitempty"`    // in place of Reason
	Build   *Build      `json:"build,omitempty"`
	Parity  *Parity     `json:"parity,omitempty"` // its own, by the kernel's oracle; nil: not checked
}

// KeepVerdict is what is known about head and what it has to keep over a rival.
type KeepVerdict string

const (
	KeepNone       KeepVerdict = ""           // nothing is asked
	KeepUndecided  KeepVerdict = "undecided"  // another look is wanted, and did not come
	KeepHeld       KeepVerdict = "held"       // head is surely so many times as fast
	KeepMissed     KeepVerdict = "missed"     // head is surely less
	KeepOpen       KeepVerdict = "open"       // the last look left it open
	KeepUnmeasured KeepVerdict = "unmeasured" // the rival could not be measured in this case
)

// KeepVerdicts lists them.
var KeepVerdicts = []KeepVerdict{KeepNone, KeepUndecided, KeepHeld, KeepMissed, KeepOpen, KeepUnmeasured}

// Versus is a case against one rival of its kernel. Comparisons have the rival in base's place: Theta is ln(head/rival), Ratio
// head's time over the rival's, so that below 1 head is faster. Speed turns them around.
type Versus struct {
	Rival      string      `json:"rival"`
	Keep       float64     `json:"keep,omitempty"`
	Verdict    KeepVerdict `json:"verdict,omitempty"`
	Reason     string      `json:"reason,omitempty"`     // why it could not be measured
	Head       *Comparison `json:"head,omitempty"`       // head against the rival, at the last look at it; nil without one
	Base       *Comparison `json:"base,omitempty"`       // base against the rival, likewise
	Looks      int         `json:"looks,omitempty"`      // that were taken of head against the rival
	BudgetGone bool        `json:"budgetGone,omitempty"` // the budget ended it
	Summary    *Summary    `json:"summary,omitempty"`
	Processes  []Process   `json:"processes,omitempty"` // of the rival alone; their rounds and places are those of the case's
	Moved      *Moved      `json:"moved,omitempty"`     // since a record of the same code of both; nil where no record has it
}

// Moved is how far base's code and a rival's, both as they were, are from their times in one record of the same machine. Shifts are the time
// now over the time then, with the bounds that the scatter of processes leaves.
type Moved struct {
	Commit  string `json:"commit"` // of the record
	Base    Shift  `json:"base"`
	Rival   Shift  `json:"rival"`
	Machine bool   `json:"machine,omitempty"` // both moved surely, the same way and by what may be the same amount: the machine did
}

// Speed is how many times as fast as the rival a comparison says that a side is, with its bounds; nil of none.
func Speed(c *Comparison) *Shift {
	if c == nil || c.Ratio <= 0 || c.RatioLow <= 0 || c.RatioHigh <= 0 {
		return nil
	}
	return &Shift{Ratio: 1 / c.Ratio, Low: 1 / c.RatioHigh, High: 1 / c.RatioLow}
}
