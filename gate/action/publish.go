package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// publication is a verdict on its way to its sinks, with what became of it there.
type publication struct {
	verdict
	meta     github.Meta
	ends     result.ExitCode // as fail-on has it
	artifact string          // name of the folder's, "" where there is nothing to keep
	page     string          // file, "" where there is none to show
	comment  string          // address
}

// sink is a place where a verdict is said.
type sink struct {
	ofCommit bool   // not said where a verdict is not of the commit, or not yet
	without  string // what is missing where it cannot be said, which is a warning and does not change the verdict; "": the job fails
	say      func(*step, context.Context, *publication) error
}

// All sinks, and what is found out on the way. What each needs of the token is in package github, whose errors say it.
var (
	addEarlier   = sink{ofCommit: true, without: "earlier attempts at this head are not known", say: (*step).addEarlier}
	toArtifact   = sink{without: "what was published could not be saved", say: (*step).keep}
	toPage       = sink{without: "there is no page", say: (*step).keepPage}
	toComment    = sink{ofCommit: true, without: "there is no comment", say: (*step).comment}
	toCheck      = sink{ofCommit: true, without: "there is no check run with annotations", say: (*step).check}
	toStatus     = sink{ofCommit: true, say: (*step).setStatus}
	toIssue      = sink{without: "the issue of this machine is not kept", say: (*step).toldByIssue}
	toSummary    = sink{say: func(s *step, _ context.Context, p *publication) error { s.tell(p.document, p.meta); return nil }}
	toOutputs    = sink{say: func(s *step, _ context.Context, p *publication) error { return s.setOutputs(s.outputs(p)) }}
	toAnnotation = sink{say: (*step).annotate}
)

// publish says what was found wherever a mode says it.
func (s *step) publish(ctx context.Context, v verdict) error {
	p := &publication{verdict: v, ends: v.exit}
	if len(v.problems) > 0 {
		p.ends = s.in.FailOn.Exit(v.exit, v.problems)
	}
	p.meta = github.Meta{Key: s.in.Name, ReportURL: s.runURL(), SHA: s.target.Head, Advisory: v.advisory}
	if p.ends != v.exit && v.advisory == "" {
		p.meta.Advisory = "fail-on lets it pass: " + strings.Join(result.Words(v.problems), ", ")
	}
	for _, to := range s.does.sinks {
		if to.ofCommit && v.quiet {
			continue
		}
		p.meta.Warnings = s.warnings
		if err := to.say(s, ctx, p); err != nil && to.without != "" {
			s.warn("%s: %v", to.without, err)
		} else if err != nil {
			if p.failed != nil { // what failed before is logged already, and an exit code hides what comes after
				s.Log.Error(err.Error())
			}
			p.failed = errors.Join(p.failed, err)
		}
	}
	if p.failed == nil && s.does.binds && p.ends != result.ExitPassed {
		return &result.ExitError{Code: p.ends}
	}
	return p.failed
}

// annotate puts the answer among the run's annotations.
func (s *step) annotate(_ context.Context, p *publication) error {
	switch {
	case p.exit == result.ExitPassed:
	case p.ends == result.ExitPassed:
		s.Log.Warning(p.said())
	default:
		s.Log.Error(p.said())
	}
	return nil
}

// said is the answer in a line.
func (v verdict) said() string { return github.Describe(v.document) }

// comment writes or edits the comment. A run of a newer head has the word there; mode report has asked for one before.
func (s *step) comment(ctx context.Context, p *publication) (err error) {
	if s.event.PR == nil || s.in.Comment == CommentNever {
		return nil
	}
	if s.does.binds {
		if why := s.superseded(ctx); why != "" {
			s.warn("%s: the comment is left to that run", why)
			return nil
		}
	}
	p.comment, err = s.client.UpsertComment(ctx, github.Comment{
		PR: s.event.PR.Number, Key: s.in.Name, Author: s.in.CommentAuthor, Body: github.RenderComment(p.document, p.meta),
		Create: s.in.Comment == CommentAlways || p.notable(),
	})
	return err
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

func (s *step) check(ctx context.Context, p *publication) error {
	conclusion := wordsOf(p.exit).check
	if p.exit != result.ExitPassed && p.ends == result.ExitPassed {
		conclusion = github.CheckNeutral
	}
	out := github.RenderCheck(p.document, p.meta)
	out.Annotations = s.annotations(ctx, p.verdict)
	return s.client.PublishCheck(ctx, github.Check{
		SHA: s.target.Head, Name: CheckName(s.in.Name), ExternalID: s.attempt(),
		Conclusion: conclusion, DetailsURL: p.meta.ReportURL, Output: out,
	})
}

// setStatus gives the commit a status, which is all that counts of another run. An advisory verdict can be held back until the label; what could not
// be judged needs more than that, and is an error at once.
func (s *step) setStatus(ctx context.Context, p *publication) error {
	status := github.Status{
		SHA: s.target.Head, Context: statusContext(s.in.Name), State: wordsOf(p.ends).status, Description: p.said(), TargetURL: s.runURL(),
	}
	if p.advisory != "" {
		status.Description = "advisory, " + status.Description
	}
	if p.advisory != "" && s.in.ForkStatus == ForkStatusPending && status.State != github.StatusError {
		status.State, status.Description = github.StatusPending, fmt.Sprintf("waits for the label %s; %s", s.in.AcceptLabel, status.Description)
	}
	if err := s.client.SetStatus(ctx, status); err != nil {
		s.Log.Error(fmt.Sprintf("the commit status could not be set: %v", err))
		return &result.ExitError{Code: result.ExitNotMeasurable}
	}
	s.Log.Print(fmt.Sprintf("%s is %s on %.12s\n", status.Context, status.State, status.SHA))
	return nil
}

// attempt tells this attempt's check run from those of others.
func (s *step) attempt() string { return fmt.Sprintf("%d-%d", s.event.RunID, s.event.RunAttempt) }

// addEarlier notes the verdicts of earlier runs of this gate at this head, so that one that was repeated until it passed is seen. What the token may
// not read, the check says as well.
func (s *step) addEarlier(ctx context.Context, p *publication) error {
	conclusions, err := s.client.EarlierConclusions(ctx, s.target.Head, CheckName(s.in.Name), s.attempt(), s.in.CommentAuthor)
	if _, refused := github.IsPermission(err); refused {
		err = nil
	}
	var earlier []result.RunVerdict
	for _, conclusion := range conclusions {
		verdict, ours := result.RunVerdict(""), conclusion == github.CheckNeutral // which fail-on let pass
		for _, exit := range []result.ExitCode{result.ExitPassed, result.ExitFailed, result.ExitNotMeasurable} {
			if words := wordsOf(exit); words.check == conclusion {
				verdict, ours = words.verdict, true
			}
		}
		if ours { // a run that was cancelled has not said anything
			earlier = append(earlier, verdict)
		}
	}
	if len(earlier) > 0 {
		p.document.Note(report.EarlierAttempts(earlier))
	}
	return err
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
func (s *step) outputs(p *publication) map[string]string {
	out := map[string]string{outVerdict: string(wordsOf(p.exit).verdict), outExit: strconv.Itoa(int(p.exit))}
	if s.does.name == ModeNothing || s.does.saves {
		return out
	}
	out[outArtifact], out[outRecorded], out["comment-url"], out["report-html"] = p.artifact, strconv.FormatBool(p.recorded), p.comment, p.page
	if p.planned != nil {
		out["needs-gpu"] = strconv.FormatBool(p.quiet)
	}
	here := s.does.name != ModeReport // the files of another run are not on this machine
	if here {
		out[outResults] = s.out()
	}
	if p.result == nil {
		return out
	}
	count := map[result.Verdict]int{}
	for _, c := range p.result.Cases {
		count[c.Verdict]++
	}
	out["cases"] = strconv.Itoa(len(p.result.Cases))
	out["regressions"] = strconv.Itoa(count[result.Regression])
	out["improvements"] = strconv.Itoa(count[result.Improvement])
	out["inconclusive"] = strconv.Itoa(count[result.Inconclusive] + count[result.Undecided])
	out["unmeasured"] = strconv.Itoa(count[result.Error])
	if here {
		out["result-json"], out["report-markdown"] = filepath.Join(s.out(), resultFile), filepath.Join(s.out(), reportFile)
	}
	if timed := slices.DeleteFunc(slices.Clone(p.result.Cases), func(c result.Case) bool { return c.Compared() == nil }); len(timed) > 0 {
		worst := slices.MaxFunc(timed, func(a, b result.Case) int { return cmp.Compare(a.Compared().Ratio, b.Compared().Ratio) })
		out["worst-case"], out["worst-ratio"] = worst.Name, strconv.FormatFloat(worst.Compared().Ratio, 'f', 4, 64)
	}
	return out
}
