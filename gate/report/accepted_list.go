package report

import (
	"fmt"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Acceptances are those in all records, newest first, and then those that commits only ask for.
func Acceptances(found baseline.History, requested []history.Acceptance, store string) Document {
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
