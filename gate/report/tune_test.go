package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A run that was cut short asks for little more than it needs, by what it did until then.
func TestUntuned(t *testing.T) {
	for needed, want := range map[float64]string{0: "no configuration could be measured", 11: "--budget 14s", 80: "--budget 1m40s"} {
		f := result.Finding{Kind: result.FindingNothingMeasured, Effect: result.EffectUnmeasured, Kernel: "k", BudgetNeededS: needed}
		if got := Untuned(&result.Result{Kind: result.KindTune, Conclusion: result.Conclusion{Findings: []result.Finding{f}}}); !strings.Contains(got, want) {
			t.Errorf("%v s: %s", needed, got)
		}
	}
}
