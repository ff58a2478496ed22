package result

// Cost is what the machine's time of a run is worth.
type Cost struct {
	HourPrice float64 `json:"hourPrice"` // cost.gpu-hour of the configuration (currency of the reader an hour)
	Total     float64 `json:"total"`     // for the wall time of the run, waiting for the machine left out (currency of the reader)
}

// NewCost prices a run that took t; nil if the price is not known (0).
func NewCost(hourPrice float64, t Timings) *Cost {
	if hourPrice <= 0 {
		return nil
	}
	return &Cost{HourPrice: hourPrice, Total: hourPrice * max(0, t.TotalS-t.WaitS) / 3600}
}

// Accepted is a regression that a person accepted, so that it does not fail the run.
type Accepted struct {
	Case string `json:"case"`          // the case; the name of a kernel stands for all of its cases, an empty one for all of the run
	By   string `json:"by"`            // who accepted it
	How  string `json:"how,omitempty"` // by what: a label, the trailer of a commit
}
