package report

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

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

// Lines splits output into lines without their ends and without blank lines around them.
func Lines(output string) []string { return lines(output) }

// moreLines is a line that stands for others.
func moreLines(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("… %s in result.json", Count(n, "more line"))}
}
