package result

import "time"

// TunedSchema names the format of what perfgate tune found.
const TunedSchema = "perfgate/tune/v2"

// Tuned is which configurations of a kernel's parameters are the fastest on a machine.
type Tuned struct {
	Schema     string    `json:"schema"`
	Tool       Tool      `json:"tool"`
	Started    time.Time `json:"started"`
	Repro      string    `json:"repro,omitempty"`
	Seed       string    `json:"seed"`
	Kernel     string    `json:"kernel"`
	Machine    Machine   `json:"machine"`
	Confidence float64   `json:"confidence"` // that the fastest of every case, and of all together, is among those named
	Gain       float64   `json:"gain"`       // configurations that differ by less are as good as each other: 0.015 is 1.5 %
	// Use is what a build can read: the fastest configuration of a case by the case's name, and for all of them together by "*". One of no values is the
	// kernel as it is shipped.
	Use map[string]map[string]string `json:"use"`
	// Configurations are all that were tried. The first is the kernel as it is shipped, without any value set.
	Configurations []TunedConfiguration `json:"configurations"`
	Cases          []TunedCase          `json:"cases"`
	All            *TunedCase           `json:"all,omitempty"` // of all cases together; its times are geometric means
	Rounds         int                  `json:"rounds"`
	Over           bool                 `json:"over"` // every case has its answer; else the budget or the looks were spent
	// BudgetNeededS is what the first comparison, after two rounds, would take, where the budget was gone before it. 0 where that is not known.
	BudgetNeededS float64  `json:"budgetNeededSeconds,omitempty"`
	Seconds       float64  `json:"seconds"`
	Notes         []string `json:"notes,omitempty"`
}

// TunedConfiguration is a value of each parameter.
type TunedConfiguration struct {
	Values map[string]string `json:"values"` // empty of the shipped one
	Text   string            `json:"text"`
	Status TunedStatus       `json:"status"`
	SameAs int               `json:"sameAs,omitempty"` // place in the list of the configuration that builds to the same code
	Reason *Reason           `json:"reason,omitempty"` // why it was not measured
	Output string            `json:"output,omitempty"` // of its compiler, where it does not build
}

// TunedStatus is what became of a configuration.
type TunedStatus string

// Statuses of configurations.
const (
	TunedMeasured TunedStatus = "measured"
	TunedSame     TunedStatus = "same-code" // as SameAs
	TunedBroken   TunedStatus = "broken"    // does not build, or breaks a resource limit
	TunedWrong    TunedStatus = "wrong"     // computes something else, or crashes
)

// TunedCase is where the configurations stand in a case.
type TunedCase struct {
	Name           string        `json:"name,omitempty"`
	Best           int           `json:"best"`  // place in Configurations; -1: none was measured
	Among          []int         `json:"among"` // Best, and those that are not surely slower
	Configurations []TunedInCase `json:"configurations"`
	Reason         *Reason       `json:"reason,omitempty"` // why nothing was measured
}

// TunedInCase is a configuration in a case.
type TunedInCase struct {
	Configuration int           `json:"configuration"`
	Standing      TunedStanding `json:"standing"`
	MedianNS      float64       `json:"medianNs,omitempty"`
	Ratio         float64       `json:"ratio,omitempty"` // its time over the best's
	Low           float64       `json:"low,omitempty"`
	High          float64       `json:"high,omitempty"`
	Rounds        int           `json:"rounds"`
	Reason        *Reason       `json:"reason,omitempty"` // why it was not measured in this case
}

// TunedStanding is where a configuration stands beside the best one.
type TunedStanding string

// Standings of configurations.
const (
	TunedBest         TunedStanding = "best"
	TunedLevel        TunedStanding = "level"        // slower by less than Gain, if at all
	TunedInconclusive TunedStanding = "inconclusive" // may be as fast
	TunedSlower       TunedStanding = "slower"       // surely; the shipped one by more than Gain
	TunedUnmeasured   TunedStanding = "unmeasured"
)

// Shipped is where the shipped configuration stands over all cases.
func (t *Tuned) Shipped() TunedStanding {
	if t.All == nil {
		return TunedUnmeasured
	}
	for _, s := range t.All.Configurations {
		if s.Configuration == 0 {
			return s.Standing
		}
	}
	return TunedUnmeasured
}

// Compared is how many configurations the shipped one was compared with over all cases: those that were measured, and those that build to its code.
func (t *Tuned) Compared() int {
	n := 0
	if t.All != nil {
		for _, s := range t.All.Configurations {
			if s.Configuration != 0 && s.Standing != TunedUnmeasured {
				n++
			}
		}
	}
	for _, s := range t.Configurations {
		if s.Status == TunedSame && s.SameAs == 0 {
			n++
		}
	}
	return n
}
