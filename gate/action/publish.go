package action

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// publish says what was found wherever it may. Nothing that goes wrong here changes the verdict.
func (r *reporter) publish(ctx context.Context, f finding) error {
	exit := r.in.FailOn.Exit(f.exit, f.problems)
	meta := github.Meta{Key: r.in.Key, ReportURL: RunURL(r.event), SHA: r.target.Head}
	if exit != f.exit {
		meta.Advisory = "fail-on lets it pass: " + strings.Join(result.Words(f.problems), ", ")
	}
	artifact := r.keep(f)
	url := ""
	if compares(r.mode) {
		url = r.comment(ctx, f, meta)
		r.check(ctx, f, meta, exit)
	}
	meta.Warnings = r.warnings
	r.tell(f.document, meta)
	if err := github.SetOutputs(r.Env, r.outputs(f, url, artifact)); err != nil {
		return r.stop(err)
	}
	if f.exit != result.ExitPassed {
		r.say(exit, f.document)
	}
	if exit != result.ExitPassed {
		return &ExitError{exit}
	}
	return nil
}

// say puts the answer among the run's annotations.
func (r *reporter) say(exit result.ExitCode, d report.Document) {
	text := ""
	for _, span := range d.Headline {
		text += span.Text
	}
	text = d.Verdict + ": " + text
	if exit == result.ExitPassed {
		r.Log.Warning(text)
		return
	}
	r.Log.Error(text)
}

// comment is upsert for a job that runs beside its pull request: a run of a newer head has the word there.
func (r *reporter) comment(ctx context.Context, f finding, m github.Meta) string {
	if r.target.PR == 0 || r.in.Comment == CommentNever {
		return ""
	}
	if now := r.headNow(ctx, r.client, r.target.PR); now != "" && now != r.target.Head {
		r.warn("%s: the comment is left to that run", superseded(r.event, now))
		return ""
	}
	return r.upsert(ctx, f, m)
}

// CheckName is the check run of a key. The required check is the job perfgate, so this must never be its name.
func CheckName(key string) string { return "perfgate report (" + key + ")" }

func (r *reporter) check(ctx context.Context, f finding, m github.Meta, exit result.ExitCode) {
	title, summary, text := github.RenderCheck(f.document, m)
	_, err := r.client.PublishCheck(ctx, github.Check{
		SHA: r.target.Head, Name: CheckName(r.in.Key), ExternalID: fmt.Sprintf("%d-%d", r.event.RunID, r.event.RunAttempt),
		Title: title, Summary: summary, Text: text, Conclusion: checkConclusion(f.exit, exit), DetailsURL: m.ReportURL, Annotations: r.annotations(ctx, f),
	})
	if err != nil {
		r.warn("there is no check run with annotations: %v", err)
	}
}

func checkConclusion(found, exit result.ExitCode) string {
	switch {
	case found == result.ExitPassed:
		return github.CheckSuccess
	case exit == result.ExitPassed:
		return github.CheckNeutral
	case found == result.ExitFailed:
		return github.CheckFailure
	}
	return github.CheckActionRequired
}

// annotations puts what was found on the changed lines of the kernels' sources.
func (r *reporter) annotations(ctx context.Context, f finding) []github.Annotation {
	if f.result == nil || f.config == nil || f.exit == result.ExitPassed {
		return nil
	}
	diff, err := r.diff(ctx)
	if err != nil {
		r.warn("what the change touches cannot be read, so nothing is marked in it: %v", err)
		return nil
	}
	changed, err := github.ChangedLines(diff)
	if err != nil {
		r.warn("what the change touches cannot be read, so nothing is marked in it: %v", err)
		return nil
	}
	dir := path.Dir(filepath.ToSlash(filepath.Clean(r.in.Config)))
	sources := map[string][]string{}
	for _, k := range f.config.Kernels {
		for _, file := range append([]string{k.Adapter}, k.Sources...) {
			if file != "" {
				sources[k.Name] = append(sources[k.Name], path.Join(dir, file))
			}
		}
	}
	return github.Annotations(f.result, sources, changed)
}

// diff is what head changes.
func (r *reporter) diff(ctx context.Context) (io.Reader, error) {
	if r.mode == ModeReport {
		return strings.NewReader(r.patch), nil
	}
	diff, err := gitIn(r.Dir).Diff(ctx, r.target.Base, r.target.Head)
	return strings.NewReader(diff), err
}

// outputs are the step's outputs. action.yml describes them.
func (r *reporter) outputs(f finding, commentURL, artifact string) map[string]string {
	out := map[string]string{
		outVerdict: verdictOf(f.exit), outExit: strconv.Itoa(int(f.exit)), outArtifact: artifact, outRecorded: strconv.FormatBool(f.recorded),
		"comment-url": commentURL, outResults: r.out(),
	}
	if f.result == nil {
		return out
	}
	count := map[result.Verdict]int{}
	for _, c := range f.result.Cases {
		count[c.Verdict]++
	}
	out["cases"] = strconv.Itoa(len(f.result.Cases))
	out["regressions"] = strconv.Itoa(count[result.Regression])
	out["improvements"] = strconv.Itoa(count[result.Improvement])
	out["inconclusive"] = strconv.Itoa(count[result.Inconclusive] + count[result.Undecided])
	out["errors"] = strconv.Itoa(count[result.Error])
	out["result"], out["report"] = filepath.Join(r.out(), resultFile), filepath.Join(r.out(), reportFile)
	if worst := slowest(f.result); worst != nil {
		out["worst-case"], out["worst-ratio"] = worst.Name, strconv.FormatFloat(worst.Compared.Ratio, 'f', 4, 64)
	}
	return out
}

func verdictOf(exit result.ExitCode) string {
	return cmp.Or(map[result.ExitCode]string{result.ExitPassed: result.RunPassed, result.ExitFailed: result.RunFailed}[exit], result.RunError)
}

// slowest is the timed case with the largest ratio of head to base, nil if none was timed.
func slowest(res *result.Result) *result.Case {
	var worst *result.Case
	for i, c := range res.Cases {
		if c.Compared != nil && (worst == nil || c.Compared.Ratio > worst.Compared.Ratio) {
			worst = &res.Cases[i]
		}
	}
	return worst
}
