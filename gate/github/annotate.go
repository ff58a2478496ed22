package github

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

const (
	mostPlaces = 10 // annotated of one kernel
	mostNamed  = 5  // cases in one annotation
)

// Annotations puts what the run found against a kernel on the changed lines of the kernel's sources: the first ten
// places of each. sources has the files of each kernel: paths within the repository, or patterns with ** as the
// configuration has them. A kernel with nothing against it, or whose sources did not change, gets none; neither does
// one that fails only in what base does. Failures come first.
func Annotations(r *result.Result, sources map[string][]string, changed []Lines) []Annotation {
	var out []Annotation
	for _, k := range r.Kernels {
		note, bad := charge(r, k)
		if !bad {
			continue
		}
		places := 0
		for _, at := range changed {
			if places == mostPlaces {
				break
			}
			if !isSource(sources[k.Name], at.Path) {
				continue
			}
			places++
			note.Path, note.StartLine, note.EndLine = at.Path, at.Start, at.End
			out = append(out, note)
		}
	}
	slices.SortStableFunc(out, func(a, b Annotation) int { return severity(a.Level) - severity(b.Level) })
	return out[:min(len(out), MaxAnnotations)]
}

func severity(level string) int {
	return slices.Index([]string{LevelFailure, LevelWarning, LevelNotice}, level)
}

func isSource(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		fits, _ := doublestar.Match(p, path)
		return fits || p == path
	})
}

// charge is what a run has against a kernel. bad is false if that is nothing.
func charge(r *result.Result, k result.Kernel) (note Annotation, bad bool) {
	note.Level = LevelFailure
	switch {
	case k.Head != nil && k.Head.Failed:
		note.Title, note.Message = k.Name+" does not build", firstLines(k.Head.Output, 20)
	case k.Parity.Status == result.ParityFailed && k.Parity.Failure != nil:
		note.Title, note.Message = k.Name+" computes something else", k.Parity.Failure.Case+": "+k.Parity.Failure.Message+"\n"+k.Parity.Failure.Repro
	case len(k.Limits) > 0:
		note.Title, note.Message = k.Name+" needs more than is allowed", strings.Join(k.Limits, "\n")
	default:
		note, bad = slowdown(r, k.Name)
		return note.visible(), bad
	}
	return note.visible(), true
}

// slowdown sums up the cases of a kernel that regressed, the worst first; if there are none, those that stayed open.
func slowdown(r *result.Result, kernel string) (note Annotation, bad bool) {
	var lost, open []result.Case
	for _, c := range r.Cases {
		switch {
		case c.Kernel != kernel || c.Compared == nil:
		case c.Verdict == gate.Regression:
			lost = append(lost, c)
		case c.Verdict == gate.Inconclusive:
			open = append(open, c)
		}
	}
	worst := func(a, b result.Case) int {
		switch {
		case a.Compared.Ratio > b.Compared.Ratio:
			return -1
		case a.Compared.Ratio < b.Compared.Ratio:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(lost, worst)
	slices.SortStableFunc(open, worst)
	switch {
	case len(lost) > 0:
		title := fmt.Sprintf("%s is slower in %s, by up to %s", kernel, cases(len(lost)), change(lost[0].Compared.Ratio))
		return Annotation{Level: LevelFailure, Title: title, Message: listed(r, lost)}, true
	case len(open) > 0:
		title := fmt.Sprintf("%s may be slower: no verdict for %s", kernel, cases(len(open)))
		return Annotation{Level: LevelWarning, Title: title, Message: listed(r, open)}, true
	}
	return Annotation{}, false
}

func cases(n int) string {
	if n == 1 {
		return "1 case"
	}
	return fmt.Sprintf("%d cases", n)
}

func change(ratio float64) string { return fmt.Sprintf("%+.1f %%", (ratio-1)*100) }

func listed(r *result.Result, all []result.Case) string {
	var lines []string
	for _, c := range all[:min(len(all), mostNamed)] {
		lines = append(lines, fmt.Sprintf("%s: %s (%.4g %% interval %s to %s)", c.Name, change(c.Compared.Ratio), 100*r.Policy.Confidence,
			change(c.Compared.RatioLow), change(c.Compared.RatioHigh)))
	}
	if more := len(all) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", cases(more)))
	}
	return strings.Join(lines, "\n")
}

func firstLines(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[:min(len(lines), most)], "\n")
}

// visible is an annotation in which nothing hides or acts. GitHub shows both texts as they are, without Markdown.
func (a Annotation) visible() Annotation {
	lines := strings.Split(a.Message, "\n")
	for i := range lines {
		lines[i] = report.Visible(lines[i])
	}
	a.Title, a.Message = report.Visible(a.Title), strings.Join(lines, "\n")
	if strings.TrimSpace(a.Message) == "" {
		a.Message = a.Title // an empty message is refused
	}
	return a
}
