package action

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// planVerdict is that of mode plan. What the step left that compiled head is a stranger's: it is read strictly, has to be of the commits of this
// run and of all its kernels, and what follows from it is concluded here.
func (s *step) planVerdict(ctx context.Context, o Outcome, cfg *config.Config) verdict {
	t, err := readStranger(filepath.Join(s.out(), TouchedFile), result.ReadTouched)
	if err == nil {
		err = s.aboutPlan(t, o, cfg)
	}
	if err != nil {
		return unusable(err)
	}
	v := verdict{document: report.Touched(t), exit: t.Exit, problems: rule.TouchedProblems(t), planned: t}
	if v.change, err = s.checkedOut(ctx); err != nil {
		return unusable(err)
	}
	s.believed(&v, o, TouchedFile, t.Write)
	return v
}

// aboutPlan says whether what was compiled is this run's.
func (s *step) aboutPlan(t *result.Touched, o Outcome, cfg *config.Config) error {
	rule.ConcludeTouched(t)
	for side, is := range map[string][2]string{"head": {t.Head.Revision, s.target.Head}, "base": {t.Base.Revision, s.target.Base}} {
		if is[0] != is[1] {
			return fmt.Errorf("it is about %s %.12q, the event about %.12s", side, is[0], is[1])
		}
	}
	if int(t.Exit) != o.Exit {
		return fmt.Errorf("the step ended with exit code %d, what it found makes %d", o.Exit, t.Exit)
	}
	if cfg == nil || t.Nothing != "" {
		return nil
	}
	for _, k := range cfg.Kernels {
		asked := len(s.in.Kernels) == 0 || slices.Contains(s.in.Kernels, k.Name)
		if asked && !slices.ContainsFunc(t.Kernels, func(found result.TouchedKernel) bool { return found.Name == k.Name }) {
			return fmt.Errorf("it does not say what the change does to %.60q", k.Name)
		}
	}
	return nil
}

// settled says whether compiling alone has answered: what the change builds to is what base builds to, or does not pass. Where it could not
// compile, the machine that measures is asked.
func settled(t *result.Touched) bool {
	return t.Verdict == result.RunFailed || t.Verdict == result.RunPassed && !t.Measure
}

// spoken says whether a verdict is one to publish beside a pull request: what is yet to be measured has no verdict.
func (v verdict) spoken() bool { return v.planned == nil || settled(v.planned) }
