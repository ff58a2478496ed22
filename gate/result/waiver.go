package result

import (
	"fmt"
	"slices"
	"time"
)

// MaxWaivers is the most waivers that a policy has, and MaxWaiverDays how far ahead of the day of its run one may end.
const (
	MaxWaivers    = 256
	MaxWaiverDays = 180
)

// WaiverSessions is how many sessions in a row have to do without a waiver before it is called unneeded.
const WaiverSessions = 10

// maxWaiverText is the longest reason, and the longest owner.
const maxWaiverText = 300

// Waiver lets the cases that a pattern names (see CaseMatches) be slower, until a day. It is of their time only: parity, limits and what cannot be
// measured count as always.
type Waiver struct {
	Cases     string  `json:"cases"`               // a pattern of names of cases, or the name of a kernel
	Reason    string  `json:"reason"`              // why
	Owner     string  `json:"owner"`               // who answers for it
	Until     string  `json:"until"`               // the last day that it holds on
	Tolerance float64 `json:"tolerance,omitempty"` // relative slowdown of these cases that passes; missing: they never fail by time (fraction)
}

// Day is the day of a time, as waivers and policies write it: days in UTC, so that no runner's time zone counts. Their order is that of their text.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// LatestDay is the last day that a waiver may name in a run of a day; "" where that is none.
func LatestDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return Day(t.AddDate(0, 0, MaxWaiverDays))
}

// On is the policy of a run on the day of a time. One without waivers has no day.
func (p Policy) On(t time.Time) Policy {
	if len(p.Waivers) > 0 {
		p.Day = Day(t)
	}
	return p
}

// HasLapsed says whether a waiver no longer holds on the day of the run.
func (p Policy) HasLapsed(w Waiver) bool { return w.Until < p.Day }

// WaiverOf is the waiver of a case on the day of the run: the last that names it and has not lapsed; nil where there is none.
func (p Policy) WaiverOf(name string) *Waiver {
	kernel := ParseCaseID(name).Kernel
	for i, w := range slices.Backward(p.Waivers) {
		if !p.HasLapsed(w) && CaseMatches(w.Cases, kernel, name) {
			return &p.Waivers[i]
		}
	}
	return nil
}

// checkWaivers returns an error for every waiver that makes no sense, and for a day without waivers, or none with them.
func (p Policy) checkWaivers() (errs []error) {
	latest := LatestDay(p.Day)
	if len(p.Waivers) > MaxWaivers {
		return []error{fmt.Errorf("%d waivers, must be at most %d", len(p.Waivers), MaxWaivers)}
	}
	if (len(p.Waivers) > 0) != (latest != "") {
		return []error{fmt.Errorf("day is %.60q with %d waivers, must be the day of the run, such as 2027-01-31, where there are any", p.Day, len(p.Waivers))}
	}
	for _, w := range p.Waivers {
		if !IsCasePattern(w.Cases) || w.Cases == "" || len(w.Cases) > maxCasePattern {
			errs = append(errs, fmt.Errorf("waiver: %.60q is not a pattern of cases", w.Cases))
		}
		if min(len(w.Reason), len(w.Owner)) == 0 || max(len(w.Reason), len(w.Owner)) > maxWaiverText {
			errs = append(errs, fmt.Errorf("waiver of %.60q needs a reason and an owner, of at most %d bytes each", w.Cases, maxWaiverText))
		}
		if _, err := time.Parse(time.DateOnly, w.Until); err != nil || w.Until > latest {
			errs = append(errs, fmt.Errorf("waiver of %.60q is until %.60q, must be a day at most %d days ahead: %s", w.Cases, w.Until, MaxWaiverDays, latest))
		}
		if w.Tolerance != 0 && !isTolerance(w.Tolerance) {
			errs = append(errs, fmt.Errorf("tolerance of the waiver of %.60q is %v, must be above 0 and below 1 (100 %%)", w.Cases, w.Tolerance))
		}
	}
	return errs
}
