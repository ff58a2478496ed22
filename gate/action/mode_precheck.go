package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// precheckVerdict is that of mode precheck: what was compiled has to be of the commits of this run and of all its kernels, and what follows from it is
// concluded here.
func (s *step) precheckVerdict(ctx context.Context, o Outcome) verdict {
	c, err := s.checkedOut(ctx)
	if err != nil {
		return unusable(err)
	}
	rules, err := readRules(ctx, s.in, c, road{ownRules: func() bool { return s.trust(ctx) != repo.TrustBase }})
	if err != nil {
		return unusable(err)
	}
	return told[result.Precheck]{PrecheckFile, result.PrecheckDocument, func(_ *step, ctx context.Context, t *result.Precheck) error {
		return s.aboutPrecheck(ctx, t, cmp.Or(rules.baseConfig, rules.headConfig), c)
	}, func(_ *step, t *result.Precheck) verdict {
		return verdict{document: report.Precheck(t), exit: t.Conclusion.Exit, problems: rule.Problems(t.Conclusion), planned: t, quiet: !settled(t), change: c}
	}}.own(s, ctx, o)
}

// aboutPrecheck says whether what was compiled is this run's, and all of it.
func (s *step) aboutPrecheck(ctx context.Context, t *result.Precheck, cfg *config.Config, c change) error {
	rule.ConcludePrecheck(t)
	for side, is := range map[string][2]string{"head": {t.Head.Revision, s.target.Head}, "base": {t.Base.Revision, s.target.Base}} {
		if is[0] != is[1] {
			return fmt.Errorf("it is about %s %.12q, the event about %.12s", side, is[0], is[1])
		}
	}
	if t.Config.SHA256 != cfg.SHA256 && s.trust(ctx) == repo.TrustBase {
		return errors.New("it was made with another configuration than base's, and that is not approved")
	}
	if t.Nothing != nil {
		if files := c.watched(cfg, pathOf(s.in)); len(files) > 0 {
			return fmt.Errorf("it says that there was nothing to compile, and head changes %.80q", files[0])
		}
		return nil
	}
	for _, k := range cfg.Kernels {
		asked := len(s.in.Kernels) == 0 || slices.Contains(s.in.Kernels, k.Name)
		if asked && !slices.ContainsFunc(t.Kernels, func(found result.PrecheckKernel) bool { return found.Name == k.Name }) {
			return fmt.Errorf("it does not say what the change does to %.60q", k.Name)
		}
	}
	return nil
}

// settled says whether the precheck has decided: nothing differs that kernels are built of or ask for, or head does not pass. Where it could not
// compile, the machine that measures is asked.
func settled(t *result.Precheck) bool {
	return t.Conclusion.Verdict == result.RunFailed || t.Conclusion.Verdict == result.RunPassed && !t.Measure
}
