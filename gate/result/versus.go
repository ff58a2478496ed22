package result

import "time"

// VersusSchema names the format of a saved versus result.
const VersusSchema = "perfgate/versus/v2"

// VersusResult is two implementations of a kernel, A compared with B, locally. Nothing is decided by it.
type VersusResult struct {
	Schema  string    `json:"schema"`
	Tool    Tool      `json:"tool"`
	Started time.Time `json:"started"`
	Repro   string    `json:"repro,omitempty"` // command line that makes the same comparison
	Seed    string    `json:"seed"`            // of the run's random choices
	Kernel  string    `json:"kernel"`
	A       string    `json:"a"` // as the user calls it
	B       string    `json:"b"`
	Machine Machine   `json:"machine"`
	Policy  Policy    `json:"policy"`
	Cases   []Case    `json:"cases"` // A has head's place and B base's; their verdicts decide nothing
	Rounds  []Round   `json:"rounds,omitempty"`
	Notes   []string  `json:"notes,omitempty"`
	Seconds float64   `json:"seconds"`
}

// Unmeasured is how many cases have no comparison.
func (d *VersusResult) Unmeasured() int {
	n := 0
	for _, c := range d.Cases {
		if c.Compared() == nil {
			n++
		}
	}
	return n
}
