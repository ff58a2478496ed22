package action

import (
	"testing"

	"github.com/org/perfgate/gate/report"
)

// A record in the checkout, or on a machine that is thrown away, is not called recorded.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome     Outcome
		environment string
		want        string
	}{
		"for another job":            {Outcome{Recorded: true}, "github-hosted", "RECORDED"},
		"in a folder of the machine": {Outcome{Stored: true}, "self-hosted", "RECORDED"},
		"in the checkout":            {Outcome{Stored: true, Wiped: true}, "self-hosted", "NOT KEPT"},
		"on a machine of GitHub's":   {Outcome{Stored: true}, "github-hosted", "NOT KEPT"},
	} {
		r := &step{Job: Job{Env: func(string) string { return c.environment }}}
		var d report.Document
		if r.recorded(&d, c.outcome, "m"); d.Verdict != c.want {
			t.Errorf("%s: %s, want %s", name, d.Verdict, c.want)
		}
	}
}
