package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Touched is the report on what a change touches, which nothing was run for.
func Touched(t *result.Touched) Document {
	d := parts{Document: Document{Kind: "precheck", Verdict: "PRECHECK", Headline: Say(touchedHeadline(t))}}
	switch {
	case t.Verdict == result.RunPassed && t.Measure: // nothing was compared yet
	case t.Verdict == result.RunPassed:
		d.Tone = Good
	case t.Verdict == result.RunFailed:
		d.Verdict, d.Tone = "FAIL", Bad
	default:
		d.Verdict, d.Tone = "ERROR", Warn
	}
	for _, k := range t.Kernels {
		d.also = append(d.also, touchedKernel(k)...)
		if len(k.Failed) > 0 {
			f := failedBuild{kernels: []string{k.Name}, sides: k.Failed, output: strings.TrimPrefix(k.Output, k.Name+": ")}
			d.problems = append(d.problems, f.problem())
		}
	}
	for _, note := range t.Notes {
		d.noted = append(d.noted, Say(note))
	}
	d.Blocks = searchBlocks(d)
	return d.Document
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
	switch {
	case len(no) > 0:
		return "head does not build, or breaks a resource limit: " + strings.Join(no, ", ")
	case len(unknown) > 0:
		return "cannot be judged: " + strings.Join(unknown, ", ")
	case len(measured) > 0:
		return fmt.Sprintf("%d of %s to be measured: %s; nothing was run here", len(measured), Count(len(t.Kernels), "kernel"), strings.Join(measured, ", "))
	}
	return fmt.Sprintf("nothing to measure: nothing differs that a kernel is built of or asks for (%s)", Count(len(t.Kernels), "kernel"))
}

// touchWords say what a change touches.
var touchWords = map[result.TouchKind]string{
	result.TouchDevice: "device code", result.TouchHost: "host code", result.TouchAdapter: "adapter", result.TouchConfig: "configuration",
	result.TouchPython: "Python that it may import", result.TouchFiles: "files that it may read", result.TouchAsked: "what base asks for", result.TouchCode: "code", result.TouchNew: "new",
}

func touchedKernel(k result.TouchedKernel) []Text {
	t := Text{code(k.Name), words(": ")}
	for i, touch := range k.Touches {
		if i > 0 {
			t = append(t, words(", "))
		}
		t = append(t, words(touchWords[touch.Kind]))
		if len(touch.Files) > 0 {
			t = append(t, words(" ("), code(strings.Join(touch.Files, ", ")), words(")"))
		}
	}
	if reason := Reason(k.Reason); reason != "" {
		if len(k.Touches) > 0 {
			reason = "; " + reason
		}
		t = append(t, words(reason))
	}
	var out []Text
	if len(t) > 2 { // nothing is known of one that does not build
		out = append(out, t)
	}
	for _, f := range k.Code.Functions {
		if change := functionChange(f); change != nil {
			out = append(out, append(Text{code(k.Name), words(": ")}, change...))
		}
	}
	for _, over := range k.Limits {
		out = append(out, append(Text{code(k.Name), words(" breaks a resource limit: ")}, words(LimitPhrase(result.Finding{Kernel: k.Name, Over: &over}))))
	}
	if k.Unchecked != nil {
		out = append(out, Text{code(k.Name), words(": " + Reason(k.Unchecked))})
	}
	if k.Gap != nil {
		out = append(out, append(Text{code(k.Name), words(": ")}, gap(*k.Gap)...))
	}
	return out
}
