package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// publication is what differs between publishing for the run of this job, whose exit code is the verdict, and for another run, whose commit gets a
// status: that page is what people see, and this job fails only if the status could not be set.
type publication struct {
	status   bool
	advisory string // why the verdict of another run does not bind; "" if it does
}

// publish says what was found wherever it may. Nothing that goes wrong here changes the verdict.
func (s *step) publish(ctx context.Context, v verdict, to publication) error {
	exit := s.in.FailOn.Exit(v.exit, v.problems)
	meta := github.Meta{Key: s.in.Name, ReportURL: s.runURL(), SHA: s.target.Head, Advisory: to.advisory}
	if exit != v.exit && to.advisory == "" {
		meta.Advisory = "fail-on lets it pass: " + strings.Join(result.Words(v.problems), ", ")
	}
	if compares(s.mode) && v.spoken() {
		if earlier := s.earlierAttempts(ctx); len(earlier) > 0 {
			v.document.Note(report.EarlierAttempts(earlier))
		}
	}
	artifact := ""
	if !to.status { // files of another run stay where they are
		artifact = s.keep(v)
	}
	shown := s.keepPage(v)
	if line := s.rerunLine(v, artifact); line != "" {
		v.document.Repeat(line)
	}
	meta.PageURL, meta.Warnings = s.pageURL(shown), s.warnings
	url := ""
	if compares(s.mode) && v.spoken() {
		if why := s.newerHead(ctx); why != "" {
			s.warn("%s: the comment is left to that run", why)
		} else {
			url = s.comment(ctx, v, meta)
		}
		s.check(ctx, v, meta, exit)
	}
	var unset error
	if to.status {
		unset = s.setStatus(ctx, s.status(v, exit, to.advisory != ""))
	}
	meta.Warnings = s.warnings
	s.tell(v.document, meta)
	if err := s.setOutputs(s.outputs(v, url, artifact, shown)); err != nil || to.status {
		return cmp.Or(err, unset)
	}
	if v.exit != result.ExitPassed {
		s.annotate(exit, v.document)
	}
	if exit != result.ExitPassed {
		return &result.ExitError{Code: exit}
	}
	return nil
}

// rerunLine fetches the result and repeats it locally; "" of what cannot be repeated so: results of several machines or parts, and
// folders.
func (s *step) rerunLine(v verdict, artifact string) string {
	r := v.result
	if artifact == "" || r == nil || len(r.Merged) > 0 || r.Base.Kind != result.KindRevision || r.Head.Kind != result.KindRevision {
		return ""
	}
	line := fmt.Sprintf("gh run download %d -n %s -D %s && perfgate rerun %s", s.event.RunID, artifact, artifact, artifact)
	if s.event.PR != nil {
		line = fmt.Sprintf("git fetch origin pull/%d/head && %s", s.event.PR.Number, line)
	}
	return line
}

// pageURL is where a page that is shown will be: among the artifacts of the run, one click from there. Its own address is known only once it is uploaded,
// when the comment is written.
func (s *step) pageURL(shown string) string {
	if shown == "" {
		return ""
	}
	return s.runURL() + "#artifacts"
}

// newerHead is superseded for the job of a pull request: a run of a newer head has the word there.
func (s *step) newerHead(ctx context.Context) string {
	if s.in.Comment == CommentNever || s.mode == ModeReport { // which has asked before it published anything
		return ""
	}
	return s.superseded(ctx)
}

// annotate puts the answer among the run's annotations.
func (s *step) annotate(exit result.ExitCode, d report.Document) {
	text := d.Verdict + ": " + report.PlainText(d.Headline)
	if exit == result.ExitPassed {
		s.Log.Warning(text)
		return
	}
	s.Log.Error(text)
}

// comment writes or edits the comment and returns its address, "" if there is none.
func (s *step) comment(ctx context.Context, v verdict, m github.Meta) string {
	if s.event.PR == nil || s.in.Comment == CommentNever {
		return ""
	}
	create := s.in.Comment == CommentAlways || v.notable()
	url, err := s.client.UpsertComment(ctx, github.Comment{
		PR: s.event.PR.Number, Key: s.in.Name, Author: s.in.CommentAuthor, Body: github.RenderComment(v.document, m), Create: create,
	})
	if err != nil {
		s.warn("there is no comment: %v", err)
		return ""
	}
	return url
}

// notable says whether a verdict is worth a comment that is not there yet.
func (v verdict) notable() bool {
	switch {
	case v.planned != nil:
		return v.exit != result.ExitPassed
	case v.result != nil:
		return github.Notable(v.result)
	}
	return true
}

// CheckName is the check run of a key. The required check is the job perfgate, so this must never be its name.
func CheckName(key string) string { return "perfgate report (" + key + ")" }

func (s *step) check(ctx context.Context, v verdict, m github.Meta, exit result.ExitCode) {
	conclusion := wordsOf(v.exit).check
	if v.exit != result.ExitPassed && exit == result.ExitPassed {
		conclusion = github.CheckNeutral
	}
	out := github.RenderCheck(v.document, m)
	out.Annotations = s.annotations(ctx, v)
	err := s.client.PublishCheck(ctx, github.Check{
		SHA: s.target.Head, Name: CheckName(s.in.Name), ExternalID: s.attempt(),
		Conclusion: conclusion, DetailsURL: m.ReportURL, Output: out,
	})
	if err != nil {
		s.warn("there is no check run with annotations: %v", err)
	}
}

// attempt tells this attempt's check run from those of others.
func (s *step) attempt() string { return fmt.Sprintf("%d-%d", s.event.RunID, s.event.RunAttempt) }

// earlierAttempts are the verdicts of earlier runs of this gate at this head, so that one that was repeated until it passed is seen. "" is one that
// fail-on let pass. What the token may not read, the check says as well.
func (s *step) earlierAttempts(ctx context.Context) (out []result.RunVerdict) {
	conclusions, err := s.client.EarlierConclusions(ctx, s.target.Head, CheckName(s.in.Name), s.attempt(), s.in.CommentAuthor)
	var refused *github.ErrPermission
	if err != nil && !errors.As(err, &refused) {
		s.warn("earlier attempts at this head are not known: %v", err)
	}
	for _, conclusion := range conclusions {
		verdict, ours := result.RunVerdict(""), conclusion == github.CheckNeutral
		for _, exit := range []result.ExitCode{result.ExitPassed, result.ExitFailed, result.ExitNotMeasurable} {
			if words := wordsOf(exit); words.check == conclusion {
				verdict, ours = words.verdict, true
			}
		}
		if ours { // a run that was cancelled has not said anything
			out = append(out, verdict)
		}
	}
	return out
}

// exitWords are what an exit code is called: as an output, as the conclusion of a check run, as a commit status.
type exitWords struct {
	verdict       result.RunVerdict
	check, status string
}

func wordsOf(exit result.ExitCode) exitWords {
	switch exit {
	case result.ExitPassed:
		return exitWords{result.RunPassed, github.CheckSuccess, github.StatusSuccess}
	case result.ExitFailed:
		return exitWords{result.RunFailed, github.CheckFailure, github.StatusFailure}
	}
	return exitWords{result.RunError, github.CheckActionRequired, github.StatusError}
}

// annotations puts what was found on the changed lines of the kernels' sources.
func (s *step) annotations(ctx context.Context, v verdict) []github.Annotation {
	if v.result == nil || v.config == nil || v.exit == result.ExitPassed {
		return nil
	}
	dir := path.Dir(pathOf(s.in))
	sources, all := map[string][]string{}, map[string]bool{}
	for _, k := range v.config.Kernels {
		for _, file := range append([]string{k.Adapter}, k.Sources...) {
			file = path.Join(dir, file)
			sources[k.Name], all[file] = append(sources[k.Name], file), true
		}
	}
	var changed []github.Lines
	for _, file := range v.change.files {
		if !all[file] {
			continue
		}
		places, err := v.change.git.ChangedLines(ctx, v.change.base, v.change.head, file)
		if err != nil {
			s.warn("what the change touches cannot be read, so nothing is marked in it: %v", err)
			return nil
		}
		for _, at := range places {
			changed = append(changed, github.Lines{Path: file, Start: at[0], End: at[1]})
		}
	}
	return github.Annotations(v.result, sources, changed)
}

// outputs are the step's outputs. action.yml describes them.
func (s *step) outputs(v verdict, commentURL, artifact, shown string) map[string]string {
	out := map[string]string{
		outVerdict: string(wordsOf(v.exit).verdict), outExit: strconv.Itoa(int(v.exit)), outArtifact: artifact, outRecorded: strconv.FormatBool(v.recorded),
		"comment-url": commentURL, outResults: s.out(), "report-html": shown,
	}
	if v.planned != nil {
		out["needs-gpu"] = strconv.FormatBool(!settled(v.planned))
	}
	if s.mode == ModeReport {
		delete(out, outResults)
	}
	if v.result == nil {
		return out
	}
	count := map[result.Verdict]int{}
	for _, c := range v.result.Cases {
		count[c.Verdict]++
	}
	out["cases"] = strconv.Itoa(len(v.result.Cases))
	out["regressions"] = strconv.Itoa(count[result.Regression])
	out["improvements"] = strconv.Itoa(count[result.Improvement])
	out["inconclusive"] = strconv.Itoa(count[result.Inconclusive] + count[result.Undecided])
	out["unmeasured"] = strconv.Itoa(count[result.Error])
	if s.mode != ModeReport { // else neither is on this machine
		out["result-json"], out["report-markdown"] = filepath.Join(s.out(), resultFile), filepath.Join(s.out(), reportFile)
	}
	if worst := slowest(v.result); worst != nil {
		out["worst-case"], out["worst-ratio"] = worst.Name, strconv.FormatFloat(worst.Compared().Ratio, 'f', 4, 64)
	}
	return out
}

// slowest is the timed case with the largest ratio of head to base, nil if none was timed.
func slowest(res *result.Result) *result.Case {
	var worst *result.Case
	for i, c := range res.Cases {
		if c.Compared() != nil && (worst == nil || c.Compared().Ratio > worst.Compared().Ratio) {
			worst = &res.Cases[i]
		}
	}
	return worst
}
