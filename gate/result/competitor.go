package result

// MaxCompetitors is the most competitors of a kernel. Each stands in the rounds beside base and head and takes as long as one of them.
const MaxCompetitors = 3

// MaxConfigurations is the most configurations of a kernel: each is built, and measured at least twice in every case.
const MaxConfigurations = 256

// CompetitorStatus is what became of a competitor in a run.
type CompetitorStatus string

const (
	CompetitorMeasured CompetitorStatus = "measured"  // in the rounds of its kernel's cases; a case may say that it could not
	CompetitorFailed   CompetitorStatus = "failed"    // it does not build, computes something else, or has other tensors
	CompetitorNotAsked CompetitorStatus = "not-asked" // its configuration (when) leaves it out of a run like this
	CompetitorNoRounds CompetitorStatus = "no-rounds" // its kernel is not measured side by side: new, the same code, or ended before
)

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

// Versus is what is known of a competitor of a case beside its processes and comparisons.
type Versus struct {
	Competitor string   `json:"competitor"`
	Summary    *Summary `json:"summary,omitempty"`
	Moved      *Moved   `json:"moved,omitempty"` // since a record of the same code of both; nil where no record has it
}

// Moved is how far base's code and a competitor's, both as they were, are from their times in one record of the same machine. Shifts are the time
// now over the time then, with the bounds that the scatter of processes leaves.
type Moved struct {
	Commit     string `json:"commit"` // of the record
	Base       Shift  `json:"base"`
	Competitor Shift  `json:"competitor"`
	Machine    bool   `json:"machine,omitempty"` // both changed significantly, the same way and by what may be the same amount: the machine did
}

// Speed is how many times as fast as To a comparison says that Of is, with its bounds; nil of none.
func Speed(c *Comparison) *Shift {
	if c == nil || c.Ratio <= 0 || c.RatioLow <= 0 || c.RatioHigh <= 0 {
		return nil
	}
	return &Shift{Ratio: 1 / c.Ratio, Low: 1 / c.RatioHigh, High: 1 / c.RatioLow}
}
