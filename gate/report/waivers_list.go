package report

import (
	"fmt"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// SetWaiver is a waiver of a configuration, and when it was set; the zero time if that is not known.
type SetWaiver struct {
	result.Waiver
	Set time.Time
}

// Waivers lists those of a configuration and the accepted changes of all records (nearest first), with what they cost.
func Waivers(set []SetWaiver, found baseline.History, now time.Time, machine, store string) Document {
	var rows [][]string
	past := history.Of(machine, found, nil)
	for _, w := range set {
		holds := "until " + w.Until
		if w.Until < result.Day(now) {
			holds = "ended on " + w.Until
		}
		if w.Tolerance > 0 {
			holds = "up to " + text.Limit(w.Tolerance) + ", " + holds
		}
		rows = append(rows, []string{w.Cases, "waiver", w.Owner, age(w.Set, now), holds, costOf(past, w.Cases), w.Reason})
	}
	past = history.Of(machine, found.WithoutAcceptances(), nil)
	for _, f := range found.Found {
		for _, a := range f.Record.Accepted {
			if a.Revoked == nil {
				rows = append(rows, []string{a.Pattern, "accepted in " + result.ShortID(a.Commit), a.By, age(a.Time, now), "for good", costOf(past, a.Pattern), a.Reason})
			}
		}
	}
	if len(rows) == 0 {
		return sayLines(fmt.Sprintf("the configuration has no waivers, and no change was accepted in %s of %s", text.Count(len(found.Found), "record"), store))
	}
	d := listOf("waivers", []string{"cases", "kind", "by", "age", "holds", "over best-known now", "reason"}, rows)
	return d.then("skipped", SkippedRecords(found)...)
}

// age is how long ago something was, in days.
func age(then, now time.Time) string {
	if then.IsZero() {
		return "unknown"
	}
	return text.Count(max(0, int(now.Sub(then).Hours()/24)), "day")
}

// costOf is the loss against the best-known level of the case that has lost most, of those that a pattern names.
func costOf(past history.History, pattern string) string {
	var worst *history.Case
	for i := range past.Cases {
		if c := &past.Cases[i]; result.CaseMatches(pattern, c.Kernel, c.Name) && (worst == nil || c.OverBest > worst.OverBest) {
			worst = c
		}
	}
	if worst == nil {
		return "no record"
	}
	if _, known := worst.Best(); !known {
		return "no best-known level"
	}
	return text.Change(worst.OverBest, 1) + " (" + worst.Name + ")"
}
