package report

import (
	"regexp"
	"strings"

	"github.com/org/perfgate/gate/result"
)

func failed(b *result.Build) bool { return b != nil && b.Failed }

func buildText(k result.Kernel, what string, b *result.Build) Text {
	t := Text{code(k.Name), words(": " + what)}
	if line := orElse(firstError(b.Output), k.Reason); line != "" {
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
			summary = orElse(summary, line)
		case faultLine.MatchString(line):
			return line
		default:
			first = orElse(first, line)
		}
	}
	return orElse(first, summary)
}
