package result

// Comparison is what the processes of a case say about head against base. Theta and all bounds are in log units,
// positive is slower; Ratio and its bounds are head/base; MDE is relative.
type Comparison struct {
	Rounds       int      `json:"rounds"`              // complete rounds (pairs of processes in a paired, processes of the smaller side in an unpaired comparison)
	Look         int      `json:"look"`                // which look this is, from 1
	Theta        float64  `json:"theta"`               // estimated shift
	Low          float64  `json:"low"`                 // lower bound: the wider of the two below, less Tick
	High         float64  `json:"high"`                // upper bound: the wider of the two below, plus Tick
	PassHigh     float64  `json:"passHigh"`            // upper bound for same and slower, which a green run needs of every case: at most High
	TLow         float64  `json:"tLow"`                // Student's bounds
	THigh        float64  `json:"tHigh"`               //
	BootLow      float64  `json:"bootLow"`             // bootstrap bounds
	BootHigh     float64  `json:"bootHigh"`            //
	Ratio        float64  `json:"ratio"`               // e^Theta
	RatioLow     float64  `json:"ratioLow"`            // e^Low
	RatioHigh    float64  `json:"ratioHigh"`           // e^High
	Boot95Low    float64  `json:"boot95Low"`           // the bootstrap's 95 % interval of the ratio, of this case and look alone: nothing is decided by it
	Boot95High   float64  `json:"boot95High"`          //
	S            float64  `json:"s"`                   // scatter of one process
	SE           float64  `json:"se"`                  // standard error of Theta
	Delta        float64  `json:"delta"`               // Cliff's delta of process values, round levels taken out
	DeltaLow     float64  `json:"deltaLow"`            //
	DeltaHigh    float64  `json:"deltaHigh"`           //
	MDE          float64  `json:"mde"`                 // upper limit of the smallest shift that is told from 0 with 90 % power: 0.012 is 1.2 %
	RoundsNeeded int      `json:"roundsNeeded"`        // rounds that would tell this estimate from the tolerance; 0 if beyond reach
	Tick         float64  `json:"tick"`                // what the timer's step may hide for good; next to nothing in batched samples
	Tolerance    float64  `json:"tolerance,omitempty"` // of this case, by which it was decided; missing of a competitor, which is not compared for regressions
	Floored      bool     `json:"floored"`             // S is the timer's floor, not the observed scatter
	Suspect      *Suspect `json:"suspect,omitempty"`
	Elapsed      *Elapsed `json:"elapsed,omitempty"` // missing where processes say no elapsed time
}

// Elapsed compares the elapsed time of all launches (Process.ElapsedNS), waits included and nothing trimmed, at a share of alpha.
type Elapsed struct {
	Theta        float64 `json:"theta"`        // estimated shift, ln(head/base)
	Low          float64 `json:"low"`          // lower bound
	High         float64 `json:"high"`         // upper bound
	BaseWaitedNS float64 `json:"baseWaitedNs"` // of a launch, mean over processes
	HeadWaitedNS float64 `json:"headWaitedNs"` //
	ExcessWait   float64 `json:"excessWait"`   // what head waits beyond base, over base's elapsed time: 0.16 is 16 %
}

// Suspect are processes of one side that are far slower than all others of the case: code that is slow only sometimes, or bad luck.
type Suspect struct {
	Side      Side    `json:"side"`
	Processes int     `json:"processes"` // that are
	Of        int     `json:"of"`        // processes of that side
	Shift     float64 `json:"shift"`     // of the farthest against the median of all, round levels taken out: 0.58 is 58 % slower
}
