package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A run that had nothing to do says so once: in the headline, and not again as a note. A run that checked a kernel has it as a note.
func TestNothingToDoIsSaidOnce(t *testing.T) {
	t.Parallel()
	checked := []result.Kernel{{Name: "k", Parity: result.Parity{Status: result.ParityPassed, Run: 9}}}
	for name, c := range map[string]struct {
		kernels []result.Kernel
		inNotes bool
	}{"idle": {}, "checked": {checked, true}} {
		r := &result.Result{Kernels: c.kernels, Conclusion: result.Conclusion{Verdict: result.RunPassed, Findings: []result.Finding{
			{Kind: result.FindingNothingToDo, Effect: result.EffectNote, Reason: &result.Reason{Kind: result.ReasonNoChange}},
		}}}
		const sentence = "head changes nothing"
		headline, _ := answer(r)
		inNotes := 0
		for _, note := range notes(r) {
			inNotes += strings.Count(PlainText(note), sentence)
		}
		if strings.Contains(PlainText(headline), sentence) == c.inNotes || inNotes != map[bool]int{true: 1}[c.inNotes] {
			t.Errorf("%s: headline %q, %d times in the notes", name, PlainText(headline), inNotes)
		}
	}
}
