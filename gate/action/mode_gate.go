package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// ownVerdict is that of what this job itself measured, in mode gate, precheck, record, drift or bisect. Whatever cannot be trusted is an error of the
// run, never a pass.
func (s *step) ownVerdict(ctx context.Context) verdict {
	s.tidy()
	o, err := readOutcome(s.work())
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	if o.Error != "" {
		return unmeasured(result.ExitCode(max(o.Exit, 1)), o.Error)
	}
	switch s.mode {
	case ModeDrift:
		return s.driftVerdict(o)
	case ModeBisect:
		return s.searchVerdict(ctx, o)
	case ModePrecheck:
		return s.precheckVerdict(ctx, o)
	case ModeRecord:
		return s.recordVerdict(ctx, o)
	}
	c, err := s.checkedOut(ctx)
	if err != nil {
		return unusable(err)
	}
	v := s.decide(ctx, c, road{
		collect:  func(context.Context) ([]part, error) { return s.ownPart(o) },
		approval: func() *github.Approval { return s.approved(ctx) },
		ownRules: func() bool { return s.trust(ctx) != repo.TrustBase },
		measured: true,
	})
	s.takeNotes(&v, o)
	return v
}

// ownPart is the result of this job, if it has the exit code that the measuring step ended with.
func (s *step) ownPart(o Outcome) ([]part, error) {
	p, err := part{name: s.in.Name}.readFolder(s.out())
	if err == nil && p.result != nil && int(p.result.Conclusion.Exit) != o.Exit {
		err = fmt.Errorf("the step ended with exit code %d, the result has %d", o.Exit, p.result.Conclusion.Exit)
	}
	if err != nil {
		return nil, fmt.Errorf("the result cannot be used: %w", err)
	}
	return []part{p}, nil
}

// takeNotes takes over what measuring had to say in addition to its result.
func (s *step) takeNotes(v *verdict, o Outcome) {
	for _, warning := range o.Warnings {
		s.warn("%s", warning)
	}
	for _, note := range o.Notes {
		v.document.Note(note)
	}
}

// recordVerdict is that of mode record: a result of head only, of which nothing is decided.
func (s *step) recordVerdict(ctx context.Context, o Outcome) verdict {
	if !o.Recorded && !o.Stored {
		return s.unrecorded(o)
	}
	parts, err := s.ownPart(o)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	res := parts[0].result
	switch {
	case res == nil:
		return unusable(errors.New("there is none"))
	case res.Head.Revision != s.target.Head:
		return unusable(fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, s.target.Head))
	}
	cfg, err := configAt(ctx, s.git(), s.target.Head, s.in)
	if err != nil {
		s.warn("the configuration cannot be read here: %v", err)
	}
	if cfg != nil {
		res.Cost = result.NewCost(cfg.Cost.GPUHour, res.Timings)
	}
	v := verdictOf(res, cfg, change{}, nil)
	v.recorded = o.Recorded
	s.takeNotes(&v, o)
	s.recorded(&v.document, o, res.Machine.Key)
	return v
}

// unrecorded is a run of mode record that made no record: with the exit code 0 there was nothing to add, or no store to add it to,
// which is a warning.
func (s *step) unrecorded(o Outcome) verdict {
	message := "nothing was recorded"
	if len(o.Notes) > 0 {
		message += ": " + o.Notes[0]
	}
	if o.Exit != int(result.ExitPassed) {
		return unmeasured(result.ExitCode(o.Exit), message)
	}
	if len(o.Warnings) > 0 {
		message += ": " + o.Warnings[0]
		s.warn("%s", message)
		return verdict{document: headline("NOT RECORDED", report.Warn, message)}
	}
	return verdict{document: headline("PASS", report.Good, message)}
}

// recorded words what became of a record. One in the checkout, or on a machine that is thrown away, is not kept.
func (s *step) recorded(d *report.Document, o Outcome, machine string) {
	what := fmt.Sprintf("%.12s on %s", s.target.Head, machine)
	if !o.Stored || !o.Wiped && s.Env("RUNNER_ENVIRONMENT") != "github-hosted" {
		d.Verdict, d.Headline = "RECORDED", report.Text{{Text: what}}
		return
	}
	where := "in the checkout, which the next job cleans"
	if !o.Wiped {
		where = "on a machine that is thrown away after this job"
	}
	d.Verdict, d.Tone = "NOT KEPT", report.Warn
	d.Headline = report.Text{{Text: what + ": its record lies " + where + "; the input store " +
		"keeps it in a branch (git:perfgate-baseline), or in a folder outside of the checkout on a machine that stays (dir:/var/lib/perfgate)"}}
}

// pageFolder holds only the page, under a name that tells the gates of a run apart: an artifact that is not an archive has its file's.
const pageFolder = "page"

// keepPage writes the page of what was trusted next to the folder of results, and says where; "" if there is none to show. One that code under test may
// have written is not kept anywhere: browsers would open it.
func (s *step) keepPage(v verdict) string {
	dir := filepath.Join(s.work(), pageFolder)
	if err := os.RemoveAll(dir); err != nil {
		s.warn("there is no page: %v", err)
		return ""
	}
	if v.result == nil {
		os.Remove(filepath.Join(s.out(), render.HTMLName))
		return ""
	}
	if !s.in.UploadArtifact {
		return ""
	}
	path := filepath.Join(dir, s.in.Name+"-"+render.HTMLName)
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		d := v.document
		d.LinkCommits(v.result, s.repository())
		err = saved.Replace(path, func(w io.Writer) error { return render.HTML(w, d) })
	}
	if err != nil {
		s.warn("there is no page: %v", err)
		return ""
	}
	return path
}

// keep writes the report again from what was trusted and names the folder's artifact, "" if there is nothing to keep.
func (s *step) keep(v verdict) string {
	if v.result != nil {
		err := errors.Join(
			result.WriteFile(filepath.Join(s.out(), resultFile), v.result),
			render.WriteFiles(s.out(), v.result, v.document, s.repository()))
		if err != nil {
			s.warn("what was published could not be saved: %v", err)
		}
	}
	entries, err := os.ReadDir(s.out())
	if err != nil || len(entries) == 0 || !s.in.UploadArtifact {
		return ""
	}
	switch s.mode {
	case ModeRecord, ModeDrift:
		return s.in.Name + "-record"
	case ModePrecheck: // the job that measures has the other name
		return s.in.Name + "-precheck"
	}
	return s.in.Name
}
