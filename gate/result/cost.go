package result

// Cost is what the machine's time of a run is worth.
type Cost struct {
	HourPrice float64 `json:"hourPrice"` // of the machine, from cost.gpu-hour of the configuration
	Total     float64 `json:"total"`     // for the wall time of the run without waiting for the machine
}

// NewCost prices a run that took t; nil if the price is not known (0).
func NewCost(hourPrice float64, t Timings) *Cost {
	if hourPrice <= 0 {
		return nil
	}
	return &Cost{HourPrice: hourPrice, Total: hourPrice * max(0, t.TotalS-t.WaitS) / 3600}
}

// Accepted is a regression that a person took the responsibility for, so that it does not fail the run.
type Accepted struct {
	Case string `json:"case"`          // its name; a kernel's name stands for all of its cases, "" for all of the run
	By   string `json:"by"`            // who
	How  string `json:"how,omitempty"` // by what: a label, the trailer of a commit
}
