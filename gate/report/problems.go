package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// problems are builds that failed, and kernels and cases that could not be measured, each with its messages.
func problems(r *result.Result) []Problem {
	var out []Problem
	for _, f := range failedBuilds(r.Kernels) {
		out = append(out, f.problem())
	}
	for _, k := range r.Kernels {
		ofCase := func(c result.Case) bool { return c.Kernel == k.Name && Reason(c.Reason) == Reason(k.Reason) }
		if hasLines(Reason(k.Reason)) && !slices.ContainsFunc(r.Cases, ofCase) {
			out = append(out, kernelProblem(k))
		}
		for _, competitor := range k.Competitors {
			if failed(competitor.Build) {
				out = append(out, competitorProblem(k, competitor))
			}
		}
	}
	return append(out, caseProblems(sorted(r.Cases))...)
}

// hasLines says whether a reason is more than the line that is shown of it elsewhere.
func hasLines(reason string) bool { return strings.Contains(strings.TrimSpace(reason), "\n") }

// failedBuild is one log, and all that ended with it: a line that several kernels share breaks all of them, on one side or both.
type failedBuild struct {
	kernels         []string
	sides           []result.Side
	command, output string
}

func failedBuilds(kernels []result.Kernel) []failedBuild {
	var out []failedBuild
	for _, k := range kernels {
		for _, f := range failedBuildsOf(k) {
			same := slices.IndexFunc(out, func(o failedBuild) bool { return f.log(o) && slices.Equal(f.sides, o.sides) })
			if same < 0 {
				out = append(out, f)
				continue
			}
			out[same].kernels = append(out[same].kernels, f.kernels...)
		}
	}
	return out
}

func failedBuildsOf(k result.Kernel) []failedBuild {
	var out []failedBuild
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		b := k.Base
		if side == result.SideHead {
			b = k.Head
		}
		if !failed(b) {
			continue
		}
		f := failedBuild{[]string{k.Name}, []result.Side{side}, strings.Join(b.Command, " "), strings.TrimPrefix(b.Output, k.Name+": ")}
		if len(out) > 0 && f.log(out[0]) {
			out[0].sides = append(out[0].sides, side)
			continue
		}
		out = append(out, f)
	}
	return out
}

// log says whether two builds ended with the same words.
func (f failedBuild) log(other failedBuild) bool {
	return f.command == other.command && f.output == other.output
}

// mostNamed are the kernels that a title names.
const mostNamed = 3

func (f failedBuild) problem() Problem {
	var title Text
	for i, name := range f.kernels[:min(len(f.kernels), mostNamed)] {
		if i > 0 {
			title = append(title, words(", "))
		}
		title = append(title, code(name))
	}
	if more := len(f.kernels) - mostNamed; more > 0 {
		title = append(title, words(fmt.Sprintf(" and %d more", more)))
	}
	tone, verb := Bad, " does not build"
	if len(f.sides) > 1 {
		verb = " do not build"
	} else if f.sides[0] == result.SideBase {
		tone = Warn
	}
	return Problem{
		Title: append(title, words(": "+strings.Join(result.Words(f.sides), " and ")+verb)), Command: f.command, Output: lines(f.output), Tone: tone,
	}
}

func competitorProblem(k result.Kernel, r result.Competitor) Problem {
	title := Text{code(k.Name), words(": competitor "), code(r.Name), words(" does not build")}
	return Problem{Title: title, Command: strings.Join(r.Build.Command, " "), Output: lines(strings.TrimPrefix(r.Build.Output, k.Name+": ")), Tone: Warn}
}

func kernelProblem(k result.Kernel) Problem {
	p := Problem{Title: Text{code(k.Name)}, Output: lines(Reason(k.Reason)), Tone: Warn}
	if k.Reason != nil && k.Reason.Side != "" {
		p.Title = append(p.Title, words(", "+string(k.Reason.Side)))
	}
	return p
}

// caseProblems are cases that could not be measured, those of a kernel with the same messages once.
func caseProblems(cases []result.Case) []Problem {
	var out []Problem
	for len(cases) > 0 {
		first := cases[0]
		same := func(c result.Case) bool {
			return c.Kernel == first.Kernel && c.Verdict == first.Verdict && c.ErrorSide == first.ErrorSide && Reason(c.Reason) == Reason(first.Reason)
		}
		all := len(cases)
		cases = slices.DeleteFunc(slices.Clone(cases), same)
		if first.Verdict == result.Error && hasLines(Reason(first.Reason)) {
			out = append(out, caseProblem(first, all-len(cases)-1))
		}
	}
	return out
}

// caseProblem is that of a case and of so many more.
func caseProblem(c result.Case, more int) Problem {
	tone := Warn
	if c.ErrorSide == result.SideHead {
		tone = Bad
	}
	title := Text{code(c.Name)}
	if more > 0 {
		title = append(title, words(" and "+Count(more, "more case", "more cases")))
	}
	if c.ErrorSide != "" {
		title = append(title, words(", "+string(c.ErrorSide)))
	}
	return Problem{Title: title, Output: lines(Reason(c.Reason)), Tone: tone}
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

// firstError is the line of a compiler's output that says what is wrong: the first with a fault, else the first that sums
// none up, else the first. An exception's frame comes after it.
func firstError(output string) string {
	first, summary := "", ""
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case result.IsSummaryLine(line):
			summary = cmp.Or(summary, line)
		case result.IsFaultLine(line) && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "at "):
			return line + " " + strings.TrimSpace(lines[i+1])
		case result.IsFaultLine(line):
			return line
		default:
			first = cmp.Or(first, line)
		}
	}
	return cmp.Or(first, summary)
}
