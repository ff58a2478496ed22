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
	CompetitorNoRounds CompetitorStatus = "no-rounds" // its kernel has no rounds: new without a minimum speedup, the same code, or ended before
)

// Competitor is another implementation of a kernel, such as a library's, measured in the rounds of base and head.
type Competitor struct {
	Name       string           `json:"name"`                 // as configured
	Adapter    string           `json:"adapter,omitempty"`    // its adapter; missing where it is a row of a benchmark
	MinSpeedup float64          `json:"minSpeedup,omitempty"` // how many times as fast as it head has to be; missing where nothing is asked (times)
	Status     CompetitorStatus `json:"status"`               // what became of it
	Reason     *Reason          `json:"reason,omitempty"`     // of any status but measured: why
	Build      *Build           `json:"build,omitempty"`      // its build
	Parity     *Parity          `json:"parity,omitempty"`     // whether it computes what the kernel's oracle says; missing where that was not checked
}

// Versus is what is known of a competitor of a case in addition to its processes and comparisons.
type Versus struct {
	Competitor string   `json:"competitor"`        // its name
	Summary    *Summary `json:"summary,omitempty"` // the competitor over all of its processes
	// how far both are from a record that has the same code of base and of the competitor; missing where none has
	Moved *Moved `json:"moved,omitempty"`
}

// Moved is how far base's code and a competitor's, both as they were, are from their times in one record of the same machine. Shifts are the time
// now over the time then, with bounds of 99 % by the variation between processes only.
type Moved struct {
	Commit     string `json:"commit"`     // of the nearest record that has both
	Base       Shift  `json:"base"`       // base's code: its time now over its time then
	Competitor Shift  `json:"competitor"` // the same of the competitor
	// both are significantly off their records, by half the tolerance at least, the same way and by what may be the same
	// amount: the machine shifted, not the code
	Machine bool `json:"machine,omitempty"`
}

// Speed is how many times as fast as To a comparison says that Of is, with its bounds; nil of none.
func Speed(c *Comparison) *Shift {
	if c == nil || c.Ratio <= 0 || c.RatioLow <= 0 || c.RatioHigh <= 0 {
		return nil
	}
	return &Shift{Ratio: 1 / c.Ratio, Low: 1 / c.RatioHigh, High: 1 / c.RatioLow}
}
