package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Touched is the report on what a change touches, which nothing was run for.
func Touched(t *result.Touched) Document {
	d := Document{Verdict: "PRECHECK", Headline: Say(touchedHeadline(t))}
	switch {
	case t.Verdict == result.RunPassed && t.Measure: // nothing was compared yet
	case t.Verdict == result.RunPassed:
		d.Tone = Good
	case t.Verdict == result.RunFailed:
		d.Verdict, d.Tone = "FAIL", Bad
	default:
		d.Verdict, d.Tone = "ERROR", Warn
	}
	var also []Text
	var failed []Block
	for _, k := range t.Kernels {
		also = append(also, touchedKernel(k)...)
		if len(k.Failed) > 0 {
			f := failedBuild{kernels: []string{k.Name}, sides: k.Failed, output: strings.TrimPrefix(k.Output, k.Name+": ")}
			failed = append(failed, f.block(len(failed)+1))
		}
	}
	d.Blocks = filled(slices.Concat([]Block{pointsOf("against", Always, d.Tone, also)}, failed, []Block{notesOf(plainNotes(t.Notes))})...)
	return d
}

func touchedHeadline(t *result.Touched) string {
	if t.Nothing != nil {
		return Reason(t.Nothing)
	}
	var no, unknown, measured []string
	for _, k := range t.Kernels {
		switch {
		case len(k.Limits) > 0 || len(k.Failed) == 1 && k.Failed[0] == result.SideHead:
			no = append(no, k.Name)
		case len(k.Failed) > 0 || k.Unchecked != nil:
			unknown = append(unknown, k.Name)
		case k.Measure:
			measured = append(measured, k.Name)
		}
	}
	switch all := text.Count(len(t.Kernels), "kernel"); {
	case len(no) > 0:
		return "head does not build, or breaks a resource limit: " + strings.Join(no, ", ")
	case len(unknown) > 0:
		return "cannot be judged: " + strings.Join(unknown, ", ")
	case len(measured) > 0:
		return fmt.Sprintf("%d of %s to be measured: %s; nothing was run here", len(measured), all, strings.Join(measured, ", "))
	default:
		return fmt.Sprintf("nothing to measure: nothing differs that a kernel is built of or asks for (%s)", all)
	}
}

// touchWords say what a change touches.
var touchWords = map[result.TouchKind]string{
	result.TouchDevice: "device code", result.TouchHost: "host code", result.TouchAdapter: "adapter", result.TouchConfig: "configuration",
	result.TouchPython: "Python that it may import", result.TouchFiles: "files that it may read", result.TouchAsked: "what base asks for", result.TouchCode: "code", result.TouchNew: "new",
}

func touchedKernel(k result.TouchedKernel) []Text {
	var touches, parts, out phrases
	for _, touch := range k.Touches {
		touches.say("%s[ (`%s`)]", touchWords[touch.Kind], strings.Join(touch.Files, ", "))
	}
	parts.when(len(touches) > 0, "%v", touches.joined(", "))
	parts.when(Reason(k.Reason) != "", "%s", Reason(k.Reason))
	out.when(len(parts) > 0, "`%s`: %v", k.Name, parts.joined("; ")) // nothing is known of one that does not build
	for _, f := range k.Code.Functions {
		change := functionChange(f)
		out.when(change != nil, "`%s`: %v", k.Name, change)
	}
	for _, over := range k.Limits {
		out.say("`%s` breaks a resource limit: %s", k.Name, limitPhrase(result.Finding{Kernel: k.Name, Over: &over}))
	}
	out.when(k.Unchecked != nil, "`%s`: %s", k.Name, Reason(k.Unchecked))
	if k.Gap != nil {
		out.say("`%s`: %v", k.Name, gap(*k.Gap))
	}
	return out
}
