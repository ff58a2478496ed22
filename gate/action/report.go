package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Report publishes what was measured and ends the job with the gate's exit code. Its error is an *result.ExitError.
func Report(ctx context.Context, j Job) error {
	return j.run(func(s *step) error { return s.report(ctx) })
}

func (s *step) report(ctx context.Context) error {
	defer func() { os.RemoveAll(s.scratch) }()
	v, err := s.does.verdict(s, ctx)
	if err != nil {
		return err
	}
	return s.publish(ctx, v)
}

// verdict is what a run came to, after the word of what measured was checked.
type verdict struct {
	result   *result.Result // nil where there is none to trust
	config   *config.Config // that the run was judged by, from the repository; nil where it cannot be known
	change   change         // that it is about; zero for a record
	document report.Document
	exit     result.ExitCode
	problems []rule.Problem // as fail-on names them
	recorded bool
	planned  *result.Precheck                                        // of mode precheck alone
	quiet    bool                                                    // there is none yet, or another run's counts: nothing is said of the commit
	advisory string                                                  // why it does not bind; "" if it does
	issue    func(context.Context, *publication, github.Issue) error // what the issue of the machine says of it; nil: nothing
	failed   error                                                   // why the job fails whatever the verdict
}

// unmeasured is the verdict of a run that has no result.
func unmeasured(exit result.ExitCode, message string) verdict {
	return verdict{document: failure(message), exit: exit, problems: []rule.Problem{rule.ProblemError}}
}

// unusable is the verdict of a result that cannot be trusted.
func unusable(err error) verdict {
	return unmeasured(result.ExitNotMeasurable, "the result cannot be used: "+err.Error())
}

// road is what differs between the ways that results come to one verdict: this job measured, other jobs of the run did, or another run did. All other
// steps are the same.
type road struct {
	collect func(context.Context) ([]part, error) // the results, one of each shard and machine
	shards  int                                   // that are expected; 0: the plan is in one piece
	on      int                                   // machines that are expected; 0: there is one
	// approval is that of head by a user with write access, nil where there is none: regressions that its commits ask to accept pass.
	approval func() *github.Approval
	ownRules func() bool // head's configuration and adapters may count in the place of base's
	measured bool        // by this job: what only the job that measured can know is known
}

// decide is the verdict of results: none where the base is stale, else by the policy of the repository. The jobs that left them ran foreign code, so
// they are read strictly and decided again.
func (s *step) decide(ctx context.Context, c change, w road) verdict {
	if why, err := c.staleBase(ctx, s.in); err != nil || why != "" {
		return unmeasured(result.ExitNotMeasurable, cmp.Or(why, fmt.Sprint(err)))
	}
	rules, err := readRules(ctx, s.in, c, w)
	if err != nil {
		return unmeasured(result.ExitCodeOf(err), err.Error())
	}
	all, err := w.collect(ctx)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	parts, notes := answered(all)
	if len(parts) == 0 {
		return unmeasured(result.ExitNotMeasurable, "the measuring job left no result\n"+strings.Join(notes, "\n"))
	}
	judged, err := rules.judge(ctx, parts)
	if err != nil {
		return unusable(err)
	}
	res := judged.result
	s.accept(ctx, res, c, w.approval)
	for _, f := range res.Conclusion.Findings {
		if f.Waiver != nil {
			s.Log.Warning(report.Sentence(f)) // the report has it, too
		}
	}
	ownCommands(res, c, s.in, rules.baseError != nil || rules.baseConfig != nil && rules.config != rules.baseConfig)
	for _, u := range judged.unproven {
		notes = append(notes, report.Unproven(u))
	}
	return verdictOf(res, rules.config, c, notes)
}

// verdictOf words a result; notes are for its details.
func verdictOf(res *result.Result, cfg *config.Config, c change, notes []string) verdict {
	v := verdict{result: res, config: cfg, change: c, document: report.New(res), exit: res.Conclusion.Exit, problems: rule.Problems(res.Conclusion)}
	for _, note := range notes {
		v.document.Note(note)
	}
	return v
}

// work is the folder that the steps of this run share, and out what is kept of it.
func (s *step) work() string { return s.Env("PERFGATE_WORK") }
func (s *step) out() string  { return filepath.Join(s.work(), outFolder) }

// tidy leaves nothing in the folder of results that is not a plain file.
func (s *step) tidy() {
	if err := prune(s.out()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.warn("the folder of results could not be tidied: %v", err)
	}
}
