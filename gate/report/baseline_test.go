package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestBaselineFact looks for both comparisons, their time, the warnings and what was passed over.
func TestBaselineFact(t *testing.T) {
	r := passSample(t)
	r.Baseline = &result.Baseline{
		Store: "git:perf", Mode: "auto", Records: 12, Commit: strings.Repeat("ab", 20), Distance: 3, Screened: 2, Settled: 1,
		Identical: 1, ScreenS: 61, RoundsS: 130, Warnings: []string{"attention crept"}, PassedOver: []string{"m/x.json.gz: corrupt record"},
	}
	r.Cases[0].Stored = &result.Stored{Reason: "the machine has changed"}
	var out bytes.Buffer
	if err := Markdown(&out, New(r)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`abababababab`, 3 commits from base", "12 records in `git:perf`", "2 cases screened on head alone", "1 settled", "rounds side by side took", "crept", "corrupt record", "1 case side by side: the machine has changed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, out.String())
		}
	}
}
