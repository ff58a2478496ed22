package result

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Lines of a compiler's output. A linker names what is missing without the word error, and the summary after it, by itself or
// by the compiler that called it, has that word and tells nothing. "error::" is a name in C++.
var (
	faultLine   = text.Pattern(`(?i)(error|fatal) *:([^:]|$)|undefined (reference|symbol)|multiple definition of|\bcannot find -l`)
	summaryLine = text.Pattern(`collect2: error: |\bld returned|linker command failed|final link failed|` +
		`subprocess-exited-with-error|CalledProcessError: |error: command '.*' failed|Error compiling objects for extension`) // those of pip, setuptools and torch
)

// IsFaultLine says whether a line of a build's output says what is wrong, for people.
func IsFaultLine(line string) bool {
	return faultLine().MatchString(line) && !summaryLine().MatchString(line)
}

// IsSummaryLine says whether a line says only that something was wrong.
func IsSummaryLine(line string) bool { return summaryLine().MatchString(line) }

// CutLog is a build's output in at most about the given number of bytes: its beginning, the first line that says what is wrong, and its end, which is
// where build systems stop.
func CutLog(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	start, end := text[:most/2], text[len(text)-most/2:]
	if i := strings.LastIndexByte(start, '\n'); i >= 0 {
		start = start[:i]
	}
	if i := strings.IndexByte(end, '\n'); i >= 0 {
		end = end[i+1:]
	}
	middle := text[len(start) : len(text)-len(end)]
	cut := fmt.Sprintf("\n[%d bytes left out]\n", len(middle))
	if fault := firstFault(middle); fault != "" && firstFault(start) == "" {
		cut += fault + "\n[…]\n"
	}
	return strings.ToValidUTF8(start+cut+end, "")
}

// longestLine is how much of a line is kept that is quoted alone, in bytes.
const longestLine = 500

func firstFault(text string) string {
	for line := range strings.Lines(text) {
		if IsFaultLine(line) {
			line = strings.TrimRight(line, "\n")
			return line[:min(len(line), longestLine)]
		}
	}
	return ""
}
