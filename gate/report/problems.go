package report

import (
	"cmp"
	"regexp"
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

func failed(b *result.Build) bool { return b != nil && b.Failed }

func buildText(k result.Kernel, what string, b *result.Build) Text {
	t := Text{code(k.Name), words(": " + what)}
	if line := cmp.Or(firstError(b.Output), k.Reason); line != "" {
		t = append(t, words(": "), code(line))
	}
	return t
}

// Lines of a compiler's output. A linker names what is missing without the word error, and the summary after it, by itself or
// by the compiler that called it, has that word and tells nothing. "error::" is a name in C++.
var (
	faultLine   = regexp.MustCompile(`(?i)(error|fatal) *:([^:]|$)|undefined (reference|symbol)|multiple definition of|\bcannot find -l`)
	summaryLine = regexp.MustCompile(`collect2: error: |\bld returned|linker command failed|final link failed`)
)

// firstError is the line of a compiler's output that says what is wrong: the first with a fault, else the first that sums
// none up, else the first.
func firstError(output string) string {
	first, summary := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case summaryLine.MatchString(line):
			summary = cmp.Or(summary, line)
		case faultLine.MatchString(line):
			return line
		default:
			first = cmp.Or(first, line)
		}
	}
	return cmp.Or(first, summary)
}
