package github

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

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

// notice is how a kind of finding is annotated.
type notice struct {
	level string
	title func(kernel string, found []result.Finding) string
	text  func(r *result.Result, k result.Kernel, found []result.Finding) string
}

// notices has the kinds that are annotated, the worst first: a kernel gets one annotation, of the first kind that it has.
// What is missing here is in unannotated, with the reason.
var notices = []struct {
	kinds []result.FindingKind
	notice
}{
	{[]result.FindingKind{result.FindingBuild, result.FindingAdapter}, notice{LevelFailure, titled("does not build"), compilerOutput}},
	{[]result.FindingKind{result.FindingKernelRemoved}, notice{LevelFailure, titled("is gone from head"), sentences}},
	{[]result.FindingKind{result.FindingWrongOutput}, notice{LevelFailure, titled("computes something else"), parityFailure}},
	{[]result.FindingKind{result.FindingParityError}, notice{LevelFailure, titled("fails in the parity check"), parityFailure}},
	{[]result.FindingKind{result.FindingResource}, notice{LevelFailure, titled("needs more than is allowed"), limits}},
	{[]result.FindingKind{result.FindingRegression}, notice{LevelFailure, slowerTitle, shifts}},
	{[]result.FindingKind{result.FindingElapsed}, notice{LevelFailure, titled("is slower in elapsed time"), sentences}},
	{[]result.FindingKind{result.FindingCumulativeRegression}, notice{LevelFailure, titled("has lost too much since its best-known level"), sentences}},
	{[]result.FindingKind{result.FindingSpeedupMissed, result.FindingSpeedupInconclusiveFailed}, notice{LevelFailure, titled("is not as fast beside a competitor as it has to be"), sentences}},
	{[]result.FindingKind{result.FindingCaseError}, notice{LevelFailure, titled("cannot be measured"), sentences}},
	{[]result.FindingKind{
		result.FindingEstimateOver, result.FindingInconclusiveFailed, result.FindingEstimateWithin, result.FindingInconclusivePassed, result.FindingUnfinished,
		result.FindingTooNoisy,
	}, notice{LevelWarning, openTitle, shifts}},
}

// unannotated are the kinds that no line of head's sources answers for.
var unannotated = map[result.FindingKind]string{
	result.FindingParitySkipped:             "the configuration's or the oracle's",
	result.FindingParityOff:                 "the configuration's",
	result.FindingParityUnavailable:         "the configuration's",
	result.FindingSelfTimed:                 "the configuration's",
	result.FindingKernelUnmeasured:          "the machine's",
	result.FindingNotTimed:                  "the run's",
	result.FindingTooFewRounds:              "the budget's: there is no number yet",
	result.FindingUnknownVerdict:            "the program's",
	result.FindingNothingMeasured:           "the run's",
	result.FindingNothingCompared:           "the command line's",
	result.FindingNotCompared:               "the run's",
	result.FindingNoKernel:                  "the configuration's",
	result.FindingMissing:                   "the workflow's",
	result.FindingInteraction:               "the machine's",
	result.FindingSpeedupInconclusivePassed: "passed by policy",
	result.FindingSpeedupUnmeasured:         "the competitor's or the budget's",
	result.FindingCompetitorUnmeasured:      "the competitor's",
	result.FindingNothingToDo:               "nothing is wrong",
}

// charge is what a run has against head's side of a kernel. bad is false if that is nothing.
func charge(r *result.Result, k result.Kernel) (note Annotation, bad bool) {
	for _, n := range notices {
		var found []result.Finding
		for _, f := range r.Conclusion.Findings {
			if f.Kernel == k.Name && slices.Contains(n.kinds, f.Kind) && (f.Side == result.SideHead || f.Side == result.SideBoth && k.Head != nil && k.Head.Failed || n.level == LevelWarning) {
				found = append(found, f)
			}
		}
		if len(found) == 0 {
			continue
		}
		slices.SortStableFunc(found, worseFirst)
		note = Annotation{Level: n.level, Title: n.title(k.Name, found), Message: n.text(r, k, found)}
		return note.visible(), true
	}
	return Annotation{}, false
}

func worseFirst(a, b result.Finding) int {
	if a.Shift == nil || b.Shift == nil {
		return 0
	}
	return cmp.Compare(b.Shift.Ratio, a.Shift.Ratio)
}

func titled(what string) func(string, []result.Finding) string {
	return func(kernel string, _ []result.Finding) string { return kernel + " " + what }
}

func slowerTitle(kernel string, found []result.Finding) string {
	return fmt.Sprintf("%s is slower in %s%s", kernel, report.Count(len(found), "case"), upTo(found[0]))
}

func upTo(f result.Finding) string {
	if f.Shift == nil {
		return ""
	}
	return ", by up to " + report.Change(f.Shift.Ratio-1, 1)
}

func openTitle(kernel string, found []result.Finding) string {
	return fmt.Sprintf("%s may be slower: no verdict for %s", kernel, report.Count(len(found), "case"))
}

func compilerOutput(_ *result.Result, k result.Kernel, found []result.Finding) string {
	if k.Head == nil {
		return report.Reason(found[0].Reason)
	}
	return strings.Join(report.Excerpt(report.Lines(k.Head.Output), 20), "\n")
}

func parityFailure(_ *result.Result, k result.Kernel, found []result.Finding) string {
	if f := k.Parity.Failure; f != nil {
		return f.Case + ": " + f.Message + "\n" + f.Repro
	}
	return report.Reason(found[0].Reason)
}

func limits(_ *result.Result, _ result.Kernel, found []result.Finding) string {
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = report.LimitPhrase(f)
	}
	return strings.Join(lines, "\n")
}

func sentences(_ *result.Result, _ result.Kernel, found []result.Finding) string {
	return listed(found, report.Sentence)
}

func shifts(r *result.Result, _ result.Kernel, found []result.Finding) string {
	return listed(found, func(f result.Finding) string {
		if f.Shift == nil {
			return report.Sentence(f)
		}
		return fmt.Sprintf("%s: %s (%.4g %% interval %s to %s)", f.Case, report.Change(f.Shift.Ratio-1, 1), 100*r.Policy.Confidence,
			report.Change(f.Shift.Low-1, 1), report.Change(f.Shift.High-1, 1))
	})
}

// listed words the first findings, a line each, and counts the others.
func listed(found []result.Finding, word func(result.Finding) string) string {
	var lines []string
	for _, f := range found[:min(len(found), mostNamed)] {
		lines = append(lines, word(f))
	}
	if more := len(found) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", report.Count(more, "case")))
	}
	return strings.Join(lines, "\n")
}

// visible is an annotation in which nothing hides or acts. GitHub shows both texts as they are, without Markdown.
func (a Annotation) visible() Annotation {
	a.Title, a.Message = report.Visible(a.Title), visibleLines(a.Message)
	if strings.TrimSpace(a.Message) == "" {
		a.Message = a.Title // an empty message is refused
	}
	return a
}
