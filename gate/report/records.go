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
		past := all.Case(c.Name) // the record is one of those
		median, variation := medianAndVariation(c)
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

// medianAndVariation are of the processes of a record's case.
func medianAndVariation(c baseline.Case) (median, variation float64) {
	median, _ = stats.Median(c.ValuesNS) // a record has at least four
	return median, stat.StdDev(baseline.NewSession(c).Values, nil)
}
