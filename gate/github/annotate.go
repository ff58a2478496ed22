package github

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

const (
	mostPlaces = 10 // annotated of one kernel
	mostNamed  = 5  // cases in one annotation
)

// Lines are lines of a file as head has it.
type Lines struct {
	Path       string // within the repository
	Start, End int    // from 1, both included
}

// Annotations puts what the run found against a kernel on the changed lines of the kernel's sources: the first ten
// places of each. sources has the files of each kernel, by their paths within the repository. A kernel with nothing against it, or whose sources did not change, gets none; neither does
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
			if !slices.Contains(sources[k.Name], at.Path) {
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

// noticeOf is the level of a kind's annotation, and what annotations that are one have in common. Both are "" of a kind that has no title.
func noticeOf(kind result.FindingKind) (level, about string) {
	title, isDoubt := report.Title("", []result.Finding{{Kind: kind}})
	switch {
	case isDoubt:
		return LevelWarning, "doubt"
	case title != "":
		return LevelFailure, title
	}
	return "", ""
}

// charge is what a run has against head's side of a kernel, or else what was excused of it: the worst, and what has the same notice. bad is false if
// that is nothing.
func charge(r *result.Result, k result.Kernel) (note Annotation, bad bool) {
	for _, excused := range []bool{false, true} {
		found := slices.DeleteFunc(slices.Clone(r.Conclusion.Findings), func(f result.Finding) bool {
			level, _ := noticeOf(f.Kind)
			ofHead := f.Side == result.SideHead || f.Side == result.SideBoth && k.Head != nil && k.Head.Failed || level == LevelWarning
			return f.Kernel != k.Name || f.IsExcused() != excused || level == "" || !ofHead
		})
		if len(found) == 0 {
			continue
		}
		level, worst := noticeOf(slices.MinFunc(found, result.WorseFirst).Kind)
		found = slices.DeleteFunc(found, func(f result.Finding) bool {
			_, about := noticeOf(f.Kind)
			return about != worst
		})
		slices.SortStableFunc(found, largerFirst)
		title, _ := report.Title(k.Name, found)
		note = Annotation{Level: level, Title: title, Message: message(r, k, found)}
		if excused {
			note.Level, note.Title = LevelNotice, note.Title+": "+string(found[0].Effect)
		}
		return note.visible(), true
	}
	return Annotation{}, false
}

func largerFirst(a, b result.Finding) int {
	if a.Shift == nil || b.Shift == nil {
		return 0
	}
	return cmp.Compare(b.Shift.Ratio, a.Shift.Ratio)
}

// message is what was found, a sentence a line. A build has what its compiler said, and a wrong result the command that shows it again.
func message(r *result.Result, k result.Kernel, found []result.Finding) string {
	var lines []string
	for _, f := range found[:min(len(found), mostNamed)] {
		lines = append(lines, report.SentenceOf(r, f))
	}
	if more := len(found) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s", text.Count(more, "more case")))
	}
	if failure := k.Parity.Failure; failure != nil && found[0].Case == "" {
		lines = append(lines, failure.Repro)
	}
	if k.Head != nil && k.Head.Failed {
		lines = append(lines, report.Excerpt(report.Lines(k.Head.Output), 20)...)
	}
	return strings.Join(lines, "\n")
}

// visible is an annotation in which nothing hides or acts. GitHub shows both texts as they are, without Markdown.
func (a Annotation) visible() Annotation {
	a.Title, a.Message = text.Visible(a.Title), visibleLines(a.Message)
	if strings.TrimSpace(a.Message) == "" {
		a.Message = a.Title // an empty message is refused
	}
	return a
}
