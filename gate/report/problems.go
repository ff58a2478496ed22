package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// problems are builds that failed, and kernels and cases that could not be measured, each with its messages.
func problems(r *result.Result) []Block {
	var out []Block
	add := func(title Text, tone Tone, command, output string) {
		out = append(out, logOf(fmt.Sprintf("problem-%d", len(out)+1), title, tone, command, Lines(output)))
	}
	for _, f := range failedBuilds(r.Kernels) {
		out = append(out, f.block(len(out)+1))
	}
	for _, k := range r.Kernels {
		ofCase := func(c result.Case) bool { return c.Kernel == k.Name && Reason(c.Reason) == Reason(k.Reason) }
		if hasLines(k.Reason) && !slices.ContainsFunc(r.Cases, ofCase) {
			add(say("`%s`[, %s]", k.Name, k.Reason.Side), Warn, "", Reason(k.Reason))
		}
		for _, c := range k.Competitors {
			if failed(c.Build) {
				add(say("`%s`: competitor `%s` does not build", k.Name, c.Name), Warn, strings.Join(c.Build.Command, " "), strings.TrimPrefix(c.Build.Output, k.Name+": "))
			}
		}
	}
	type key struct {
		kernel string
		side   result.Side
		reason string
	}
	said := slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool { return c.Verdict != result.Error || !hasLines(c.Reason) })
	for _, alike := range grouped(said, func(c result.Case) key { return key{c.Kernel, c.ErrorSide, Reason(c.Reason)} }) {
		first := alike[0]
		title := say("`%s`[ and %s][, %s]", first.Name, some(len(alike)-1, "more case"), first.ErrorSide)
		add(title, either(first.ErrorSide == result.SideHead, Bad, Warn), "", Reason(first.Reason))
	}
	return out
}

// hasLines says whether a reason is more than the line that is shown of it elsewhere.
func hasLines(why *result.Reason) bool { return strings.Contains(strings.TrimSpace(Reason(why)), "\n") }

// failedBuild is one log, and all that ended with it: a line that several kernels share breaks all of them, on one side or both.
type failedBuild struct {
	kernels         []string
	sides           []result.Side
	command, output string
}

func failedBuilds(kernels []result.Kernel) []failedBuild {
	var all []failedBuild
	for _, k := range kernels {
		for i, b := range []*result.Build{k.Base, k.Head} {
			if failed(b) {
				side := []result.Side{result.SideBase, result.SideHead}[i]
				all = append(all, failedBuild{[]string{k.Name}, []result.Side{side}, strings.Join(b.Command, " "), strings.TrimPrefix(b.Output, k.Name+": ")})
			}
		}
	}
	type key struct{ of, command, output string }
	merged := func(all []failedBuild, by func(failedBuild) string, add func(to *failedBuild, from failedBuild)) (out []failedBuild) {
		for _, alike := range grouped(all, func(f failedBuild) key { return key{by(f), f.command, f.output} }) {
			for _, f := range alike[1:] {
				add(&alike[0], f)
			}
			out = append(out, alike[0])
		}
		return out
	}
	all = merged(all, func(f failedBuild) string { return f.kernels[0] }, func(to *failedBuild, from failedBuild) { to.sides = append(to.sides, from.sides...) })
	return merged(all, func(f failedBuild) string { return fmt.Sprint(f.sides) }, func(to *failedBuild, from failedBuild) { to.kernels = append(to.kernels, from.kernels...) })
}

// mostNamed are the kernels that a title names.
const mostNamed = 3

func (f failedBuild) block(n int) Block {
	tone := either(len(f.sides) == 1 && f.sides[0] == result.SideBase, Warn, Bad)
	title := say("%v[ and %d more]: %s %s not build", codes(f.kernels[:min(len(f.kernels), mostNamed)]), max(0, len(f.kernels)-mostNamed),
		strings.Join(result.Words(f.sides), " and "), either(len(f.sides) > 1, "do", "does"))
	return logOf(fmt.Sprintf("problem-%d", n), title, tone, f.command, Lines(f.output))
}

// Lines splits output into lines without their ends and without blank lines around them.
func Lines(output string) []string {
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

// Excerpt is what matters of a long log, in about most lines: what follows its first error, and its end, where a build system says what it
// stopped at.
func Excerpt(lines []string, most int) []string {
	if len(lines) <= most+1 { // a line saying "1 more line" is no shorter than the line
		return lines
	}
	first := slices.IndexFunc(lines, result.IsFaultLine)
	from, to := 0, 0
	if first >= 0 {
		from = max(0, first-1) // which often says where it is
		to = min(len(lines), from+max(2, most/2))
		if from == 1 { // as long as a line that stands for it
			from = 0
		}
	}
	end := max(to, len(lines)-max(1, most-(to-from)))
	out := append(moreLines(from), lines[from:to]...)
	return append(append(out, moreLines(end-to)...), lines[end:]...)
}

// moreLines is a line that stands for others.
func moreLines(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("… %s in result.json", text.Count(n, "more line"))}
}
