package report

import (
	"strings"

	"github.com/org/perfgate/gate/result"
)

// problems are builds that failed and cases that could not be measured, each with its messages.
func problems(r *result.Result) []Problem {
	var out []Problem
	for _, k := range r.Kernels {
		out = append(out, buildProblem(k, result.SideBase, k.Base)...)
		out = append(out, buildProblem(k, result.SideHead, k.Head)...)
	}
	for _, c := range sorted(r.Cases) {
		if c.Verdict == result.Error && strings.Contains(strings.TrimSpace(c.Reason), "\n") {
			out = append(out, caseProblem(c))
		}
	}
	return out
}

func buildProblem(k result.Kernel, side result.Side, b *result.Build) []Problem {
	if !failed(b) {
		return nil
	}
	tone := Bad
	if side == result.SideBase {
		tone = Warn
	}
	return []Problem{{
		Title:   Text{code(k.Name), words(": " + string(side) + " does not build")},
		Command: strings.Join(b.Command, " "),
		Output:  lines(b.Output),
		Tone:    tone,
	}}
}

func caseProblem(c result.Case) Problem {
	tone := Warn
	if c.ErrorSide == result.SideHead {
		tone = Bad
	}
	title := Text{code(c.Name)}
	if c.ErrorSide != "" {
		title = append(title, words(", "+string(c.ErrorSide)))
	}
	return Problem{Title: title, Output: lines(c.Reason), Tone: tone}
}

// lines splits output into lines without their ends and without blank lines around them.
func lines(output string) []string {
	output = strings.Trim(strings.ReplaceAll(output, "\r\n", "\n"), "\n")
	if strings.TrimSpace(output) == "" {
		return nil
	}
	return strings.Split(output, "\n")
}
