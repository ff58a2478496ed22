package result

import "slices"

// Comparison is what the processes of a case say about one variant, Of, against another, To: what it was decided by, what came of it, and the numbers.
// Theta and all bounds are in log units, positive is slower; Ratio and its bounds are of/to; MDE is relative. One without Ratio has no numbers: Reason
// says why, or measuring ended before the first look. Bounds hold with the confidence of the policy for the whole run; those to record and to best-known
// are families of their own. The verdict of a case is that of head to base, or of head to record where its reason is by-records. Of tune, each variant is
// compared with the one that was fastest at its last look, and the fastest with itself.
type Comparison struct {
	Of         Variant `json:"of,omitzero"`          // the variant that is compared
	To         Variant `json:"to,omitzero"`          // the variant that it is compared with
	Tolerance  float64 `json:"tolerance,omitempty"`  // slowdown that passes; missing where that was not asked (fraction)
	MinSpeedup float64 `json:"minSpeedup,omitempty"` // how many times as fast as the other the first variant has to be (times)
	Alpha      float64 `json:"alpha,omitempty"`      // error rate of each bound: the confidence is shared by cases, looks and questions (fraction)
	// as of a case; with a competitor met, missed (both significantly), inconclusive (after the last look), undecided
	// (measuring ended early) or unmeasured; missing where nothing is decided by it
	Verdict    Verdict `json:"verdict,omitempty"`
	Reason     *Reason `json:"reason,omitempty"`     // why it could not be measured, or has no numbers
	BudgetGone bool    `json:"budgetGone,omitempty"` // the budget ended the measuring of a competitor

	// complete rounds (pairs of processes in a paired, processes of the smaller side in an unpaired comparison)
	Rounds int     `json:"rounds,omitempty"`
	Look   int     `json:"look,omitempty"`  // which look this is, from 1
	Theta  float64 `json:"theta,omitempty"` // estimated shift of head against base (log)
	Low    float64 `json:"low,omitempty"`   // lower bound: the wider of the two below, less tick (log)
	High   float64 `json:"high,omitempty"`  // upper bound: the wider of the two below, plus tick (log)
	// upper bound by which the case passes (same, slower), at the error rate of this case only, plus tick (log)
	PassHigh  float64 `json:"passHigh,omitempty"`
	TLow      float64 `json:"tLow,omitempty"`      // Student's lower bound (log)
	THigh     float64 `json:"tHigh,omitempty"`     // and upper bound (log)
	BootLow   float64 `json:"bootLow,omitempty"`   // the bootstrap's lower bound (log)
	BootHigh  float64 `json:"bootHigh,omitempty"`  // and upper bound (log)
	Ratio     float64 `json:"ratio,omitempty"`     // head over base: e to the theta (fraction)
	RatioLow  float64 `json:"ratioLow,omitempty"`  // e to the low (fraction)
	RatioHigh float64 `json:"ratioHigh,omitempty"` // e to the high (fraction)
	// lower end of the bootstrap's 95 % interval of the ratio, for this case and look only; nothing is decided by it
	// (fraction)
	Boot95Low  float64 `json:"boot95Low,omitempty"`
	Boot95High float64 `json:"boot95High,omitempty"` // and its upper end (fraction)
	S          float64 `json:"s,omitempty"`          // standard deviation of one process (log)
	SE         float64 `json:"se,omitempty"`         // standard error of theta (log)
	Delta      float64 `json:"delta,omitempty"`      // Cliff's δ of process values without the levels of rounds: P(head > base) - P(head < base) (fraction)
	DeltaLow   float64 `json:"deltaLow,omitempty"`   // lower bound (fraction)
	DeltaHigh  float64 `json:"deltaHigh,omitempty"`  // upper bound (fraction)
	// minimum detectable effect: upper limit of the smallest change distinguished from none with 90 % power (fraction)
	MDE          float64  `json:"mde,omitempty"`
	RoundsNeeded int      `json:"roundsNeeded,omitempty"` // that would distinguish this estimate from the tolerance; 0 if beyond reach
	Tick         float64  `json:"tick,omitempty"`         // what the timer resolution may hide; next to nothing where launches are batched (log)
	Floored      bool     `json:"floored,omitempty"`      // s is the timer's resolution, since less variation was seen
	Suspect      *Suspect `json:"suspect,omitempty"`      // processes of one side far slower than all others
	Elapsed      *Elapsed `json:"elapsed,omitempty"`      // elapsed times (docs/statistics.md), compared in addition; missing where processes report none
}

// Elapsed compares the elapsed time of all launches (Process.ElapsedNS), waits included and nothing trimmed, at a share of alpha.
type Elapsed struct {
	Theta        float64 `json:"theta"`        // estimated shift, ln(head/base) (log)
	Low          float64 `json:"low"`          // lower bound (log)
	High         float64 `json:"high"`         // upper bound (log)
	BaseWaitedNS float64 `json:"baseWaitedNs"` // what a launch of base waited, mean over processes
	HeadWaitedNS float64 `json:"headWaitedNs"` // what a launch of head waited, mean over processes
	ExcessWait   float64 `json:"excessWait"`   // what head waits beyond base, over base's elapsed time (fraction)
}

// Suspect are processes of one side that are far slower than all others of the case: code that is slow only sometimes, or chance.
type Suspect struct {
	Side      Side    `json:"side"`      // base or head
	Processes int     `json:"processes"` // processes that are far slower
	Of        int     `json:"of"`        // processes of that side in all
	Shift     float64 `json:"shift"`     // of the slowest, against the median of all with levels of rounds taken out (fraction)
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
