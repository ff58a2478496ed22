package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Precheck is the report on what a change touches, which nothing was run for.
func Precheck(t *result.Precheck) Document {
	r := &result.Result{Conclusion: t.Conclusion}
	var touched []Text
	for _, k := range t.Kernels {
		r.Kernels = append(r.Kernels, k.Kernel)
		touched = append(touched, touchedKernel(k)...)
	}
	words, headline := verdictWords[t.Conclusion.Verdict], Say(measuredHeadline(t))
	if t.Measure && t.Conclusion.Verdict == result.RunPassed { // nothing was compared yet
		words.words, words.tone = "PRECHECK", Plain
	}
	if against := texts(points(r)); len(against) > 0 {
		headline, touched = against[0], append(against[1:], touched...)
	}
	d := Document{Verdict: words.words, Tone: words.tone, Headline: headline}
	d.Blocks = filled(slices.Concat([]Block{pointsOf("against", Always, d.Tone, touched)}, problems(r), []Block{notesOf(plainNotes(t.Notes))})...)
	return d
}

// measuredHeadline is what is left to be measured.
func measuredHeadline(t *result.Precheck) string {
	if t.Nothing != nil {
		return Reason(t.Nothing)
	}
	var measured []string
	for _, k := range t.Kernels {
		if k.Measure {
			measured = append(measured, k.Name)
		}
	}
	all := text.Count(len(t.Kernels), "kernel")
	if len(measured) == 0 {
		return fmt.Sprintf("nothing to measure: nothing differs that a kernel is built of or asks for (%s)", all)
	}
	return fmt.Sprintf("%d of %s to be measured: %s; nothing was run here", len(measured), all, strings.Join(measured, ", "))
}

// touchWords say what a change touches.
var touchWords = map[result.TouchKind]string{
	result.TouchDevice: "device code", result.TouchHost: "host code", result.TouchAdapter: "adapter", result.TouchConfig: "configuration",
	result.TouchPython: "Python that it may import", result.TouchFiles: "files that it may read", result.TouchAsked: "what base asks for", result.TouchCode: "code", result.TouchNew: "new",
}

func touchedKernel(k result.PrecheckKernel) []Text {
	var touches, parts, out phrases
	for _, touch := range k.Touches {
		touches.say("%s[ (`%s`)]", touchWords[touch.Kind], strings.Join(touch.Files, ", "))
	}
	parts.when(len(touches) > 0, "%v", touches.joined(", "))
	parts.when(Reason(k.Identity) != "", "%s", Reason(k.Identity))
	out.when(len(parts) > 0, "`%s`: %v", k.Name, parts.joined("; ")) // nothing is known of one that does not build
	for _, f := range k.Code.Functions {
		change := functionChange(f)
		out.when(change != nil, "`%s`: %v", k.Name, change)
	}
	if k.Gap != nil {
		out.say("`%s`: %v", k.Name, gap(*k.Gap))
	}
	return out
}
