package result

import "slices"

// Comparison is what the processes of a case say about one variant, Of, against another, To: what it was decided by, what came of it, and the numbers.
// Theta and all bounds are in log units, positive is slower; Ratio and its bounds are of/to; MDE is relative. One without Ratio has no numbers: Reason
// says why.
type Comparison struct {
	Of Variant `json:"of,omitzero"`
	To Variant `json:"to,omitzero"`
	// Tolerance, or MinSpeedup, is what was asked. Neither: nothing is decided by it.
	Tolerance  float64 `json:"tolerance,omitempty"`  // relative slowdown that passes: 0.015 is 1.5 %
	MinSpeedup float64 `json:"minSpeedup,omitempty"` // head has to be so many times as fast: 1.2
	Alpha      float64 `json:"alpha,omitempty"`      // chance of error of each bound: confidence is shared by cases, looks and questions
	Verdict    Verdict `json:"verdict,omitempty"`
	Reason     *Reason `json:"reason,omitempty"`     // why it could not be measured
	BudgetGone bool    `json:"budgetGone,omitempty"` // the budget ended it

	Rounds       int      `json:"rounds,omitempty"`       // complete rounds (pairs of processes in a paired, processes of the smaller side in an unpaired comparison)
	Look         int      `json:"look,omitempty"`         // which look this is, from 1
	Theta        float64  `json:"theta,omitempty"`        // estimated shift
	Low          float64  `json:"low,omitempty"`          // lower bound: the wider of the two below, less Tick
	High         float64  `json:"high,omitempty"`         // upper bound: the wider of the two below, plus Tick
	PassHigh     float64  `json:"passHigh,omitempty"`     // upper bound for same and slower, which a green run needs of every case: at most High
	TLow         float64  `json:"tLow,omitempty"`         // Student's bounds
	THigh        float64  `json:"tHigh,omitempty"`        //
	BootLow      float64  `json:"bootLow,omitempty"`      // bootstrap bounds
	BootHigh     float64  `json:"bootHigh,omitempty"`     //
	Ratio        float64  `json:"ratio,omitempty"`        // e^Theta
	RatioLow     float64  `json:"ratioLow,omitempty"`     // e^Low
	RatioHigh    float64  `json:"ratioHigh,omitempty"`    // e^High
	Boot95Low    float64  `json:"boot95Low,omitempty"`    // the bootstrap's 95 % interval of the ratio, of this case and look alone: nothing is decided by it
	Boot95High   float64  `json:"boot95High,omitempty"`   //
	S            float64  `json:"s,omitempty"`            // scatter of one process
	SE           float64  `json:"se,omitempty"`           // standard error of Theta
	Delta        float64  `json:"delta,omitempty"`        // Cliff's delta of process values, round levels taken out
	DeltaLow     float64  `json:"deltaLow,omitempty"`     //
	DeltaHigh    float64  `json:"deltaHigh,omitempty"`    //
	MDE          float64  `json:"mde,omitempty"`          // upper limit of the smallest shift that is told from 0 with 90 % power: 0.012 is 1.2 %
	RoundsNeeded int      `json:"roundsNeeded,omitempty"` // rounds that would tell this estimate from the tolerance; 0 if beyond reach
	Tick         float64  `json:"tick,omitempty"`         // what the timer's step may hide for good; next to nothing in batched samples
	Floored      bool     `json:"floored,omitempty"`      // S is the timer's floor, not the observed scatter
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

// Comparison compares two variants; nil where they were not to be compared.
func (c Case) Comparison(of, to Variant) *Comparison {
	i := slices.IndexFunc(c.Comparisons, func(q Comparison) bool { return q.Of == of && q.To == to })
	if i < 0 {
		return nil
	}
	return &c.Comparisons[i]
}

// To compares head with the variant that has a role, of which a case has one at most.
func (c Case) To(role Role) *Comparison {
	i := slices.IndexFunc(c.Comparisons, func(q Comparison) bool { return q.Of == VariantHead && q.To.Role == role })
	if i < 0 {
		return nil
	}
	return &c.Comparisons[i]
}

// Compared is the comparison that the case's verdict comes from: with base, or with records where these have decided it. nil without one.
func (c Case) Compared() *Comparison {
	if c.Reason.Is(ReasonByRecords) && c.To(RoleBase) == nil {
		return c.To(RoleRecord)
	}
	return c.To(RoleBase)
}

// SetComparison gives a case its comparison of two variants, in place of the one that it had. nil takes that away.
func (c *Case) SetComparison(of, to Variant, q *Comparison) {
	i := slices.IndexFunc(c.Comparisons, func(q Comparison) bool { return q.Of == of && q.To == to })
	c.Comparisons = slices.Clone(c.Comparisons)
	switch {
	case q == nil && i >= 0:
		c.Comparisons = slices.Delete(c.Comparisons, i, i+1)
	case q != nil && i >= 0:
		c.Comparisons[i] = q.Between(of, to)
	case q != nil:
		c.Comparisons = append(c.Comparisons, q.Between(of, to))
	}
}

// Between is a comparison of those two.
func (q Comparison) Between(of, to Variant) Comparison {
	q.Of, q.To = of, to
	return q
}

// HasNumbers says whether there was anything to compare.
func (q *Comparison) HasNumbers() bool { return q != nil && q.Ratio > 0 }

// IsOfFastest says whether it is that of the fastest of several variants, which the others are compared with, and itself.
func (q *Comparison) IsOfFastest() bool { return q.HasNumbers() && q.Of == q.To }

// Fastest is the variant that the others of standings (see rule.Survivors) are compared with; false where none was measured.
func Fastest(standings []Comparison) (v Variant, ok bool) {
	for _, q := range standings {
		if q.IsOfFastest() {
			return q.Of, true
		}
	}
	return v, false
}

// Standing is the comparison of a variant with the fastest; nil without one.
func Standing(standings []Comparison, v Variant) *Comparison {
	if i := slices.IndexFunc(standings, func(q Comparison) bool { return q.Of == v }); i >= 0 {
		return &standings[i]
	}
	return nil
}

// HeadToBase are the comparisons of a case that has none but this; none of nil.
func HeadToBase(q *Comparison) []Comparison {
	if q == nil {
		return nil
	}
	return []Comparison{q.Between(VariantHead, VariantBase)}
}
