package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// ownVerdict is that of modes gate, plan, record, watch and bisect: of what this job itself measured. Whatever cannot be believed is an error of the run,
// never a pass.
func (s *step) ownVerdict(ctx context.Context) verdict {
	s.tidy()
	o, err := readOutcome(s.work())
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	cfg, err := s.ruling(ctx)
	if err != nil {
		s.warn("the configuration cannot be read here: %v", err)
	}
	if o.Error != "" {
		return unmeasured(result.ExitCode(max(o.Exit, 1)), o.Error)
	}
	switch {
	case s.mode == ModeDrift:
		return s.driftVerdict(o)
	case s.mode == ModeBisect:
		return s.searchVerdict(ctx, o)
	case s.mode == ModePrecheck:
		return s.planVerdict(ctx, o, cfg)
	case s.mode == ModeRecord && !o.Recorded && !o.Stored:
		return s.unrecorded(o)
	}
	v, err := s.believe(ctx, o, cfg)
	if err != nil {
		return unusable(err)
	}
	return v
}

// ruling is the configuration that the run had to go by: base's, or head's where base has none.
func (s *step) ruling(ctx context.Context) (*config.Config, error) {
	cfg, err := configAt(ctx, s.git(), s.target.Base, s.in)
	if cfg != nil || err != nil {
		return cfg, err
	}
	return configAt(ctx, s.git(), s.target.Head, s.in)
}

// believe takes a result as this run's, and says what of the rules head changes and what of it is accepted.
func (s *step) believe(ctx context.Context, o Outcome, cfg *config.Config) (verdict, error) {
	res, err := s.readResult(ctx, o, cfg)
	if err != nil {
		return verdict{}, err
	}
	var c change
	if cfg != nil {
		res.Cost = result.NewCost(cfg.Cost.GPUHour, res.Timings)
	}
	if s.mode == ModeGate {
		if c, err = s.checkedOut(ctx); err != nil {
			return verdict{}, err
		}
		if cfg != nil {
			rules, err := readRules(ctx, s.in, c)
			if err != nil {
				return verdict{}, err
			}
			res.Config.Changed = rules.changed()
		}
		s.accept(ctx, res, c, func() *github.Approval { return s.vouched(ctx) })
		ownCommands(res, c, s.in, cfg != nil && res.Config.SHA256 != cfg.SHA256) // else byTheRules has refused it
	}
	v := verdictOf(res, cfg, c, o.Notes)
	v.recorded = o.Recorded
	if s.mode == ModeRecord {
		s.recorded(&v.document, o, res.Machine.Key)
	}
	for _, warning := range o.Warnings {
		s.warn("%s", warning)
	}
	return v, nil
}

// readResult reads the result as a stranger's: the schema strictly, and then whether it is about this run.
func (s *step) readResult(ctx context.Context, o Outcome, cfg *config.Config) (*result.Result, error) {
	data, err := readRegular(filepath.Join(s.out(), resultFile), result.MaxArtifact)
	if err != nil {
		return nil, err
	}
	res, err := result.Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := s.isOfTheEvent(ctx, res, cfg); err != nil {
		return nil, err
	}
	if int(res.Conclusion.Exit) != o.Exit {
		return nil, fmt.Errorf("the step ended with exit code %d, the result has %d", o.Exit, res.Conclusion.Exit)
	}
	return res, nil
}

// isOfTheEvent says whether a result is of the commits of the event and of a configuration that may rule.
func (s *step) isOfTheEvent(ctx context.Context, res *result.Result, cfg *config.Config) error {
	if res.Head.Revision != s.target.Head {
		return fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, s.target.Head)
	}
	if s.mode == ModeGate && res.Base.Revision != s.target.Base { // a record is of head alone
		return fmt.Errorf("it is about base %.12q, the event about %.12s", res.Base.Revision, s.target.Base)
	}
	if s.mode == ModeRecord || cfg == nil {
		return nil
	}
	return s.byTheRules(ctx, res.Config, cfg)
}

// byTheRules says whether what a job made went by a configuration that may rule.
func (s *step) byTheRules(ctx context.Context, used result.Config, cfg *config.Config) error {
	if used.SHA256 != cfg.SHA256 && s.trust(ctx) == repo.TrustBase {
		return errors.New("it was made with another configuration than base's, and that is not approved")
	}
	return nil
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

// pageFolder holds the page alone, under a name that tells the gates of a run apart: an artifact that is no archive has its file's.
const pageFolder = "page"

// keepPage lays the page of what was believed beside the folder of results, and says where; "" if there is none to show. One that code under test may
// have written is not kept anywhere: browsers would open it.
func (s *step) keepPage(v verdict) string {
	dir := filepath.Join(s.work(), pageFolder)
	if err := os.RemoveAll(dir); err != nil {
		s.warn("there is no page: %v", err)
		return ""
	}
	if v.result == nil {
		os.Remove(filepath.Join(s.out(), page.PageName))
		return ""
	}
	if !s.in.UploadArtifact {
		return ""
	}
	path := filepath.Join(dir, s.in.Name+"-"+page.PageName)
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = saved.Replace(path, func(w io.Writer) error { return page.Write(w, v.result, v.document, s.pageOptions()) })
	}
	if err != nil {
		s.warn("there is no page: %v", err)
		return ""
	}
	return path
}

func (s *step) pageOptions() page.Options {
	return page.Options{Repository: s.event.ServerURL + "/" + s.event.Repo.FullName()}
}

// keep writes the report anew from what was believed and names the folder's artifact, "" if there is nothing to keep.
func (s *step) keep(v verdict) string {
	if v.result != nil {
		err := errors.Join(
			result.WriteFile(filepath.Join(s.out(), resultFile), v.result),
			page.WriteFiles(s.out(), v.result, v.document, s.pageOptions()))
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
