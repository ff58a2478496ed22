package result

import "time"

// VersusSchema names the format of a saved versus.
const VersusSchema = "perfgate/versus/v2"

// Versus is two implementations of a kernel's cases, A against B, at a desk. Nothing is decided by it.
type VersusResult struct {
	Schema  string       `json:"schema"`
	Tool    Tool         `json:"tool"`
	Started time.Time    `json:"started"`
	Repro   string       `json:"repro,omitempty"` // command line that makes the same comparison
	Seed    string       `json:"seed"`            // of the run's random choices
	Kernel  string       `json:"kernel"`
	A       string       `json:"a"` // as the user calls it
	B       string       `json:"b"`
	Machine Machine      `json:"machine"`
	Policy  Policy       `json:"policy"`
	Cases   []VersusCase `json:"cases"`
	Rounds  []Round      `json:"rounds,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Seconds float64      `json:"seconds"`
}

// VersusCase is one case of a Versus. B has base's place, and A head's: Compared is A's time over B's.
type VersusCase struct {
	Name      string      `json:"name"`
	Params    []Param     `json:"params,omitempty"`
	A         *Summary    `json:"a,omitempty"`
	B         *Summary    `json:"b,omitempty"`
	Compared  *Comparison `json:"comparison,omitempty"` // nil where it could not be measured
	Reason    *Reason     `json:"reason,omitempty"`     // why not
	Method    *Method     `json:"method,omitempty"`
	Processes []Process   `json:"processes,omitempty"` // of side base for B, head for A
}

// Unmeasured is how many cases have no comparison.
func (d *VersusResult) Unmeasured() int {
	n := 0
	for _, c := range d.Cases {
		if c.Compared == nil {
			n++
		}
	}
	return n
}
