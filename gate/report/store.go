package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/stats"
)

// RecordList is the first records of a machine, nearest first.
func RecordList(h baseline.History, most int, machine, store string) Document {
	var rows [][]string
	for _, found := range h.Found[:min(most, len(h.Found))] {
		r := found.Record
		rows = append(rows, []string{result.ShortID(r.Commit), strconv.Itoa(found.Distance), r.Time.Format(time.DateTime), strconv.Itoa(len(r.Cases)), r.Tool.Version})
	}
	d := listOf("records", []string{"commit", "behind", "time", "cases", "version"}, rows)
	return d.then("store", fmt.Sprintf("%s of %s in %s", text.Count(h.Keys, "record"), machine, store)).then("skipped", SkippedRecords(h)...)
}

// NoRecords says which machines there are instead: a changed key is the usual reason for an empty list.
func NoRecords(machine, store string, others map[string]int) Document {
	d := sayLines(fmt.Sprintf("%s has no record of %s", store, machine))
	for _, m := range slices.Sorted(maps.Keys(others)) {
		d = d.then(m, fmt.Sprintf("  %s has %d (--machine %s)", m, others[m], m))
	}
	return d
}

// SkippedRecords are those that cannot be used, and why.
func SkippedRecords(h baseline.History) (lines []string) {
	for _, p := range h.Problems {
		lines = append(lines, "skipped: "+p.String())
	}
	return lines
}

// ShownRecord is the nearest record of a history, and where its cases stand.
func ShownRecord(h baseline.History) Document {
	found := h.Found[0]
	r := found.Record
	all := history.Of(r.Machine.Key, h, nil)
	var rows [][]string
	var sessions []string
	for _, c := range r.Cases {
		between := "unknown"
		if b, _ := h.Base(baseline.Now{State: r, Case: c.Name, ConfigHash: c.ConfigHash, Fingerprint: c.Fingerprint}); b != nil {
			between = b.Learnt.String()
		}
		past := all.Case(c.Name)              // the record is one of those
		median, _ := stats.Median(c.ValuesNS) // a record has at least four
		variation := stat.StdDev(baseline.NewSession(c).Values, nil)
		rows = append(rows, []string{c.Name, text.Duration(median), strconv.Itoa(len(c.ValuesNS)), text.Percent(variation), strconv.Itoa(len(past.Points)), levelsOf(past)})
		sessions = append(sessions, fmt.Sprintf("%s: variation between sessions: %s", c.Name, between))
	}
	d := sayLines(fmt.Sprintf("%s, %s behind", r.Commit, text.Count(found.Distance, "commit")),
		fmt.Sprintf("measured %s on %s (%s), perfgate %s", r.Time.Format(time.DateTime), r.Machine.Model, r.Machine.Key, r.Tool.Version))
	d.Blocks = append(d.Blocks, listOf("cases", []string{"case", "median", "processes", "variation", "records", "levels"}, rows).Blocks...)
	return d.then("sessions", sessions...).then("skipped", SkippedRecords(h)...)
}

// levelsOf writes the levels of a case relative to the first, such as "100 → 97.2 → 99".
func levelsOf(c *history.Case) string {
	var parts []string
	for _, l := range c.Levels {
		parts = append(parts, fmt.Sprintf("%.3g", 100*l.NS/c.Levels[0].NS))
	}
	return strings.Join(parts, " → ")
}

// RecordKept says what was recorded, and before it why.
func RecordKept(why string, rec *baseline.Record, store string) Document {
	var lines []string
	if why != "" {
		lines = append(lines, why)
	}
	if rec != nil {
		lines = append(lines, fmt.Sprintf("recorded %.12s on %s: %s, in %s", rec.Commit, rec.Machine.Key, text.Count(len(rec.Cases), "case"), store))
	}
	return sayLines(lines...)
}

// Accepted says what was accepted, or taken back.
func Accepted(commit string, taken, accepted int, rec *baseline.Record, store string) Document {
	if taken > 0 {
		return sayLines(fmt.Sprintf("took back %s of %.12s in %s", text.Count(taken, "acceptance"), commit, store))
	}
	return sayLines(fmt.Sprintf("accepted %s of %.12s, in the record of %.12s in %s", text.Count(accepted, "request"), commit, rec.Commit, store))
}

// Pruned names records that need not stay, and says whether they were removed.
func Pruned(found []baseline.Problem, of int, applied bool) Document {
	var lines []string
	for _, p := range found {
		lines = append(lines, p.String())
	}
	if applied {
		return sayLines(append(lines, fmt.Sprintf("%d of %s removed", len(found), text.Count(of, "record")))...)
	}
	return sayLines(append(lines, fmt.Sprintf("%d of %s would be removed (--apply removes them)", len(found), text.Count(of, "record")))...)
}

// Imported says how many records a store took of those of a file.
func Imported(stored, of int, store string) Document {
	lines := []string{fmt.Sprintf("imported %s into %s", text.Count(stored, "record"), store)}
	if known := of - stored; known > 0 {
		lines = append(lines, fmt.Sprintf("%s already there and left as it was (--replace takes those of the file)", text.Count(known, "record")))
	}
	return sayLines(lines...)
}

// Acceptances are those in all records, newest first, and then those that commits only ask for.
func Acceptances(found baseline.History, requested []baseline.Acceptance, store string) Document {
	type request struct{ commit, pattern string }
	seen := map[request]bool{}
	var rows [][]string
	for _, r := range found.Found {
		for _, a := range r.Record.Accepted {
			state := "counts"
			if a.Revoked != nil {
				state = "taken back by " + a.Revoked.By
			}
			seen[request{a.Commit, a.Pattern}] = true
			rows = append(rows, []string{result.ShortID(a.Commit), a.Pattern, state, a.By, a.Time.Format(time.DateOnly), a.Reason})
		}
	}
	for _, a := range requested {
		if !seen[request{a.Commit, a.Pattern}] {
			rows = append(rows, []string{result.ShortID(a.Commit), a.Pattern, "asked for", "", "", a.Reason})
		}
	}
	if len(rows) == 0 {
		return sayLines(fmt.Sprintf("no regression was accepted in %s of %s", text.Count(len(found.Found), "record"), store))
	}
	return listOf("acceptances", []string{"commit", "cases", "state", "by", "when", "reason"}, rows)
}

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
