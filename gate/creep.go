package gate

import "math"

// Creep is what rounds say of head against the build of a case's best-known level: many changes may each stay within the
// tolerance and lose a lot together.
type Creep struct {
	Limit      float64     // what may be lost against the best-known level: 0.05 is 5 %
	Verdict    Verdict     // of those rounds, under Policy.ForCreep; Regression is more than the limit for sure
	Comparison *Comparison // nil where no round was complete
}

// ForCreep is the policy of rounds against the best-known level: its tolerance is what may be lost since then. They are a
// family of tests of their own, with the same confidence again.
func (p Policy) ForCreep(limit float64) Policy {
	const least = 1e-9 // nothing may be lost: a tolerance has to be above 0
	p.Tolerance = max(least, min(limit, math.Nextafter(1, 0)))
	return p
}

// MayFailForCreep says whether a case could fail for what was lost since its best-known level: only a change that is slower
// itself answers for what others lost before it.
func (c CaseOutcome) MayFailForCreep() bool { return c.Verdict == Slower }

// crept fails a case that is slower itself and is surely beyond the limit.
func (v *findings) crept(c CaseOutcome) {
	if c.Creep == nil || !c.MayFailForCreep() || c.Creep.Verdict != Regression {
		return
	}
	v.fail("%s: slower%s, and now more than the %s that may be lost against its best-known level, measured side by side%s",
		c.Name, shift(c.Comparison), percent(c.Creep.Limit), shift(c.Creep.Comparison))
}
