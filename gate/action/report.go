package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// finding is what a run came to, after measure's word was checked.
type finding struct {
	result   *result.Result // nil where there is none to believe
	config   *config.Config // that the run was judged by, from the repository; nil where nobody can tell
	document report.Document
	exit     result.ExitCode
	problems []gate.Problem // as fail-on names them
	recorded bool
}

// Report publishes what measure left and ends the job with the gate's exit code. Its error is an *ExitError.
func Report(ctx context.Context, j Job) error {
	in, e, err := j.open()
	if err != nil {
		return j.stop(err)
	}
	mode, why, err := Mode(in.Mode, e)
	if err != nil {
		return j.stop(err)
	}
	switch mode {
	case ModeNothing:
		j.tell(nothing(why), github.Meta{})
		return j.finish(map[string]string{outVerdict: result.RunPassed, outExit: "0"})
	case ModeStore:
		return j.store(ctx, e, in)
	case ModeReport:
		return j.reportOf(ctx, e, in)
	}
	target, err := Resolve(ctx, j.Dir, mode, e, in)
	if err != nil {
		return j.stop(err)
	}
	client, err := j.client(in, e)
	if err != nil {
		return j.stop(err)
	}
	r := reporter{Job: j, in: in, event: e, mode: mode, target: target, client: client, work: j.Env("PERFGATE_WORK")}
	switch mode {
	case ModeMeasure:
		return r.handOver()
	case ModeMerge:
		return r.publish(ctx, r.findParts(ctx))
	}
	return r.publish(ctx, r.find(ctx))
}

// reporter is one call of Report.
type reporter struct {
	Job
	in       Inputs
	event    github.Event
	mode     string
	target   Target
	client   *github.Client
	work     string
	warnings []string
	messages []string // of head's commits, where there is no checkout to ask
	patch    string   // what head changes, likewise
}

func (r *reporter) out() string { return filepath.Join(r.work, outFolder) }

// warn says something that is not the verdict, in the log and under the report.
func (r *reporter) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.warnings = append(r.warnings, text)
	r.Log.Warning(text)
}

// find reads what measure left. Whatever cannot be believed is an error of the run, never a pass.
func (r *reporter) find(ctx context.Context) finding {
	if err := prune(r.out()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.warn("the folder of results could not be tidied: %v", err)
	}
	o, err := readOutcome(r.work)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	cfg, err := r.ruling(ctx)
	if err != nil {
		r.warn("the configuration cannot be read here: %v", err)
	}
	if o.Error != "" {
		return unmeasured(result.ExitCode(max(o.Exit, 1)), o.Error)
	}
	if r.mode == ModeRecord && !o.Recorded && !o.Stored {
		return r.unrecorded(o)
	}
	f, err := r.believe(ctx, o, cfg)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, "the result cannot be used: "+err.Error())
	}
	return f
}

func unmeasured(exit result.ExitCode, message string) finding {
	return finding{document: failure(message), exit: exit, problems: []gate.Problem{gate.ProblemError}}
}

// unrecorded is a run of mode record that made no record: with the exit code 0 there was nothing to add, or no store to add it to,
// which is a warning.
func (r *reporter) unrecorded(o Outcome) finding {
	message := "nothing was recorded"
	if len(o.Notes) > 0 {
		message += ": " + o.Notes[0]
	}
	if o.Exit != int(result.ExitPassed) {
		return unmeasured(result.ExitCode(o.Exit), message)
	}
	if len(o.Warnings) > 0 {
		message += ": " + o.Warnings[0]
		r.warn("%s", message)
		return finding{document: report.Document{Verdict: "NOT RECORDED", Tone: report.Warn, Headline: report.Text{{Text: message}}}}
	}
	return finding{document: nothing(message)}
}

// ruling is the configuration that the run had to go by: base's, or head's where base has none.
func (r *reporter) ruling(ctx context.Context) (*config.Config, error) {
	cfg, err := trustedConfig(ctx, r.Dir, r.target.Base, r.in.Config)
	if cfg != nil || err != nil {
		return cfg, err
	}
	return trustedConfig(ctx, r.Dir, r.target.Head, r.in.Config)
}

// believe reads the result as a stranger's: the schema strictly, and then whether it is about this run.
func (r *reporter) believe(ctx context.Context, o Outcome, cfg *config.Config) (finding, error) {
	data, err := readRegular(filepath.Join(r.out(), resultFile), result.MaxBytes)
	if err != nil {
		return finding{}, err
	}
	res, err := result.Read(bytes.NewReader(data))
	if err != nil {
		return finding{}, err
	}
	if err := r.about(ctx, res, cfg); err != nil {
		return finding{}, err
	}
	if int(res.Conclusion.Exit) != o.Exit {
		return finding{}, fmt.Errorf("the step ended with exit code %d, the result has %d", o.Exit, res.Conclusion.Exit)
	}
	if cfg != nil {
		res.Cost = result.NewCost(cfg.Cost.GPUHour, res.Timings)
	}
	if r.mode == ModeGate && cfg != nil {
		rules, err := r.rulesHere(ctx)
		if err != nil {
			return finding{}, err
		}
		res.Config.Changed = rules.changed()
	}
	if err := r.accept(ctx, res, func() *github.Approval { return r.approval(ctx, r.client, r.event, r.in) }); err != nil {
		r.warn("whether regressions were accepted cannot be found out, so none is: %v", err)
	}
	f := finding{result: res, config: cfg, document: report.New(res), exit: res.Conclusion.Exit, problems: gate.Problems(res.Conclusion), recorded: o.Recorded}
	if r.mode == ModeRecord {
		r.recorded(&f.document, o, res.Machine.Key)
	}
	for _, warning := range o.Warnings {
		r.warn("%s", warning)
	}
	for _, note := range o.Notes {
		f.document.Notes = append(f.document.Notes, report.Text{{Text: note}})
	}
	return f, nil
}

// recorded words what became of a record. One in the checkout, or on a machine that is thrown away, is not kept.
func (r *reporter) recorded(d *report.Document, o Outcome, machine string) {
	what := fmt.Sprintf("%.12s on %s", r.target.Head, machine)
	if !o.Stored || !o.Wiped && r.Env("RUNNER_ENVIRONMENT") != "github-hosted" {
		d.Verdict, d.Headline = "RECORDED", report.Text{{Text: what}}
		return
	}
	where := "in the checkout, which the next job cleans"
	if !o.Wiped {
		where = "on a machine that is thrown away after this job"
	}
	d.Verdict, d.Tone = "NOT KEPT", report.Warn
	d.Headline = report.Text{{Text: what + ": its record lies " + where + "; the input baseline " +
		"keeps it in a branch (git:perfgate-baseline), or in a folder outside of the checkout on a machine that stays (dir:/var/lib/perfgate)"}}
}

// about says whether a result is of the commits of the event and of a configuration that may rule.
func (r *reporter) about(ctx context.Context, res *result.Result, cfg *config.Config) error {
	if res.Head.Revision != r.target.Head {
		return fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, r.target.Head)
	}
	if r.mode == ModeGate && res.Base.Revision != r.target.Base { // a record is of head alone
		return fmt.Errorf("it is about base %.12q, the event about %.12s", res.Base.Revision, r.target.Base)
	}
	if r.mode == ModeRecord || cfg == nil || res.Config.SHA256 == cfg.SHA256 {
		return nil
	}
	if r.trust(ctx, r.client, r.event, r.in) == repo.TrustBase {
		return errors.New("it was made with another configuration than base's, and nobody has approved that")
	}
	return nil
}

// keep writes the report anew from what was believed and names the folder's artifact, "" if there is nothing to keep.
func (r *reporter) keep(f finding) string {
	if f.result != nil {
		if err := errors.Join(writeResult(filepath.Join(r.out(), resultFile), f.result), writeReport(filepath.Join(r.out(), reportFile), f.document)); err != nil {
			r.warn("what was published could not be saved: %v", err)
		}
	}
	entries, err := os.ReadDir(r.out())
	if err != nil || len(entries) == 0 || !r.in.Artifact {
		return ""
	}
	if r.mode == ModeRecord {
		return r.in.Key + "-record"
	}
	return r.in.Key
}

func writeReport(path string, d report.Document) error {
	var md bytes.Buffer
	if err := report.Markdown(&md, d); err != nil {
		return err
	}
	return replace(path, md.Bytes())
}

func writeResult(path string, res *result.Result) error {
	var text bytes.Buffer
	if err := result.Write(&text, res); err != nil {
		return err
	}
	return replace(path, text.Bytes())
}

// replace writes a new file: what lies there may be a second name of something else.
func replace(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
