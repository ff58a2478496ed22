package report

import (
	"fmt"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/text"
)

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
