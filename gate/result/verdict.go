package result

import "slices"

// Verdict is what is known about one case, or by one comparison.
type Verdict string

const (
	Same         Verdict = "same"         // no change seen, and a change above the tolerance is excluded
	Slower       Verdict = "slower"       // significantly slower, and significantly within the tolerance
	Regression   Verdict = "regression"   // significantly slower than the tolerance allows
	Faster       Verdict = "faster"       // significantly faster
	Improvement  Verdict = "improvement"  // significantly faster, by more than the improvement threshold
	Inconclusive Verdict = "inconclusive" // still undecided after the last look
	Error        Verdict = "error"        // could not be measured
	New          Verdict = "new"          // head has it, base does not
	Undecided    Verdict = "undecided"    // another look is wanted, or measuring ended early
	Skipped      Verdict = "skipped"      // not timed, for a reason that its kernel's outcome gives
)

// Verdicts of a comparison with a competitor alone, beside Undecided and Inconclusive.
const (
	Met        Verdict = "met"        // head is significantly above its minimum speedup
	Missed     Verdict = "missed"     // head is significantly below it
	Unmeasured Verdict = "unmeasured" // the competitor could not be measured in this case
)

// Verdicts lists all verdicts, worst news first: the order of reports.
var Verdicts = []Verdict{
	Regression, Error, Inconclusive, Undecided, Slower, Skipped, New, Same, Faster, Improvement,
}

// ofComparisons are the words of cases and comparisons.
var ofComparisons = append(slices.Clone(Verdicts), Met, Missed, Unmeasured)

// Decided reports whether no further look can change the verdict.
func (v Verdict) Decided() bool { return v != Undecided }
