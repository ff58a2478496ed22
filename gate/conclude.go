package gate

import (
	"fmt"
	"math"
)

// Conclude sums up a run. Anything that the gate says no to fails it (exit 1), and wins over anything that could not
// be measured (exit 3). A run passes only if every case was settled and at least one was measured: a run without
// cases is the caller's to explain before it asks.
func Conclude(cases []CaseOutcome, kernels []KernelOutcome, p Policy) Conclusion {
	v := &findings{policy: p}
	for _, k := range kernels {
		v.kernel(k)
	}
	counts := map[Verdict]int{}
	for _, c := range cases {
		counts[c.Verdict]++
		v.timed(c)
	}
	v.compared(cases, kernels)
	if len(v.failures) == 0 && len(v.errors) == 0 {
		v.errors = append(v.errors, v.skipped...)
		if len(v.errors) == 0 && v.measured == 0 {
			v.errors = append(v.errors, "nothing was measured: no case has a verdict")
		}
	}
	c := Conclusion{Verdict: RunPassed, Exit: ExitPassed, Notes: v.notes, Counts: counts}
	c.Reasons = append(append([]string{}, v.failures...), v.errors...)
	switch {
	case len(v.failures) > 0:
		c.Verdict, c.Exit = RunFailed, ExitFailed
	case len(v.errors) > 0:
		c.Verdict, c.Exit = RunError, ExitNotMeasurable
	}
	return c
}

// compared holds a run of new cases alone against a policy that wants a base.
func (v *findings) compared(cases []CaseOutcome, kernels []KernelOutcome) {
	fresh := 0
	for _, c := range cases {
		if c.Verdict == New {
			fresh++
		}
	}
	if !v.policy.NeedsBase || fresh == 0 || fresh < len(cases) {
		return
	}
	why := ""
	for _, k := range kernels {
		if why == "" && k.Base == BuildAbsent {
			why = because(k.Reason)
		}
	}
	v.cannot("nothing could be compared with the base that was asked for%s; name one that has the kernels", why)
}

// findings gathers what speaks against a run while its parts are gone through.
type findings struct {
	policy   Policy
	failures []string // the gate says no
	errors   []string // could not be measured
	skipped  []string // not timed; an error only if nothing else explains it
	notes    []string
	measured int // cases settled by a measurement or by identical code
}

func (v *findings) fail(format string, args ...any) {
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
}

func (v *findings) cannot(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}

func (v *findings) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// blame files an error under the side that it belongs to: head's own error is head's failure, any other leaves
// nothing to compare with.
func (v *findings) blame(side Side, format string, args ...any) {
	if side == SideHead {
		v.fail(format, args...)
		return
	}
	v.cannot(format, args...)
}

func (v *findings) kernel(k KernelOutcome) {
	v.builds(k)
	for _, limit := range k.Limits {
		v.fail("%s: resource limit: %s", k.Name, limit)
	}
	switch k.Parity {
	case ParityFailed:
		v.fail("%s: parity failed%s", k.Name, because(k.Reason))
	case ParityError:
		v.blame(k.ParitySide, "%s: parity could not be checked%s", k.Name, because(k.Reason))
	case ParitySkipped:
		v.cannot("%s: parity was skipped, so nothing shows that head computes the right thing (parity: off does without)%s", k.Name, because(k.Reason))
	case ParityOff:
		v.note("%s: parity is switched off by the configuration", k.Name)
	}
}

func (v *findings) builds(k KernelOutcome) {
	switch {
	case k.Base == BuildFailed && (k.Head == BuildFailed || k.Head == BuildUnfit):
		v.cannot("%s: neither base nor head builds%s", k.Name, because(k.Reason))
	case k.Base == BuildFailed:
		v.cannot("%s: base does not build%s", k.Name, because(k.Reason))
	case k.Head == BuildFailed:
		v.fail("%s: head does not build%s", k.Name, because(k.Reason))
	case k.Head == BuildUnfit:
		v.fail("%s: %s", k.Name, unfit(k))
	case k.Base == BuildAbsent && k.Head == BuildAbsent:
		v.cannot("%s: neither base nor head has this kernel%s", k.Name, because(k.Reason))
	case k.Head == BuildAbsent:
		v.fail("%s: head no longer has this kernel%s", k.Name, because(k.Reason))
	}
}

func unfit(k KernelOutcome) string {
	if k.Reason != "" {
		return k.Reason
	}
	return "head needs an adapter change"
}

func (v *findings) timed(c CaseOutcome) {
	switch c.Verdict {
	case Same, Slower, Faster, Improvement, New:
		v.measured++
		v.crept(c)
	case Regression:
		v.measured++
		v.fail("%s: regression%s", c.Name, shift(c.Comparison))
	case Error:
		v.blame(c.ErrorSide, "%s: %s%s", c.Name, errorPhrase(c.ErrorSide), because(c.Reason))
	case Skipped:
		v.skipped = append(v.skipped, fmt.Sprintf("%s: was not timed%s", c.Name, because(c.Reason)))
	case Inconclusive, Undecided:
		v.open(c)
	default:
		v.cannot("%s: no such verdict: %q", c.Name, string(c.Verdict))
	}
}

// open judges a case that its looks left open. The policy speaks only after all planned looks; before that the case
// was not measured to the end.
func (v *findings) open(c CaseOutcome) {
	if c.Comparison == nil || c.Comparison.Rounds < MinRounds {
		v.cannot("%s: could not be measured: fewer than %d complete rounds, which a first look needs%s", c.Name, MinRounds, budget(c))
		return
	}
	if c.LooksDone < v.policy.looks() || c.Verdict == Undecided {
		v.cannot("%s: could not be measured to the end: still open after %d rounds (look %d of %d)%s%s",
			c.Name, c.Comparison.Rounds, c.LooksDone, v.policy.looks(), shift(c.Comparison), budget(c))
		return
	}
	switch v.policy.OnInconclusive {
	case OnInconclusivePass:
		v.measured++
		v.note("%s: inconclusive, passed by policy%s", c.Name, shift(c.Comparison))
	case OnInconclusiveFail:
		v.measured++
		v.fail("%s: inconclusive, failed by policy%s", c.Name, shift(c.Comparison))
	default:
		v.estimate(c)
	}
}

// estimate lets the point estimate speak for an open case, if the runner could have seen twice the tolerance.
func (v *findings) estimate(c CaseOutcome) {
	tolerance := v.policy.Tolerance
	switch {
	case !(c.Comparison.MDE <= 2*tolerance):
		v.cannot("%s: this runner is too noisy for a tolerance of %s: the smallest effect that it can see here is %s; "+
			"quieten it, raise the tolerance or measure a larger case%s",
			c.Name, percent(tolerance), percent(c.Comparison.MDE), shift(c.Comparison))
	case c.Comparison.Theta > v.policy.toleranceLog():
		v.measured++
		v.fail("%s: inconclusive, and the estimate is over the tolerance of %s%s",
			c.Name, percent(tolerance), shift(c.Comparison))
	default:
		v.measured++
		v.note("%s: inconclusive, the estimate is within the tolerance of %s%s",
			c.Name, percent(tolerance), shift(c.Comparison))
	}
}

func errorPhrase(side Side) string {
	switch side {
	case SideBase:
		return "base could not be measured"
	case SideHead:
		return "head could not be measured"
	case SideBoth:
		return "neither side could be measured"
	}
	return "could not be measured"
}

func budget(c CaseOutcome) string {
	switch {
	case c.BudgetGone && c.BudgetNeeded > 0:
		return "; the budget is spent, all looks would need about " + minutes(c.BudgetNeeded)
	case c.BudgetGone:
		return "; the budget is spent, give it more"
	case c.BudgetNeeded > 0:
		return "; all looks would need about " + minutes(c.BudgetNeeded)
	}
	return ""
}

// minutes words seconds as a budget that can be pasted into a configuration, rounded up: 45s, 3m, 12m30s.
func minutes(seconds float64) string {
	s := int(math.Ceil(seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s%60 == 0:
		return fmt.Sprintf("%dm", s/60)
	}
	return fmt.Sprintf("%dm%ds", s/60, s%60)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// shift words the estimate with its bounds, as in " (+3.1 %, between +2.0 % and +4.2 %)".
func shift(c *Comparison) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)",
		signed(math.Expm1(c.Theta)), signed(math.Expm1(c.Low)), signed(math.Expm1(c.High)))
}

func signed(x float64) string  { return fmt.Sprintf("%+.2f %%", 100*x) }
func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }
