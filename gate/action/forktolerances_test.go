package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// The tolerance of a case is that of base's configuration, whatever head's says: a loss within it passes, and what was decided by other tolerances
// is refused.
func TestForkOfCasesWithTheirOwnTolerance(t *testing.T) {
	t.Parallel()
	const own = "tolerances: [{cases: k/n=2, tolerance: 30%}]\nbaseline: {cumulative-tolerance: 30%}\n"
	withOwn, err1 := config.Parse("perfgate.yaml", []byte(forkConfiguration+own))
	without, err2 := config.Parse("perfgate.yaml", []byte(forkConfiguration))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for name, c := range map[string]struct {
		base, head string
		measured   *config.Config // by which the job says that it decided
		forge      func(*result.Result)
		want       string
	}{
		"base has it":            {own, own, withOwn, nil, "perfgate/verdict success: "},
		"head takes it away":     {own, "", withOwn, nil, "perfgate/verdict success: "},
		"head adds it":           {"", own, without, nil, "perfgate/verdict failure: "},
		"head's, and it says so": {"", own, withOwn, nil, "perfgate/verdict error: "},
		"head's, said to be base's": {"", own, withOwn, func(r *result.Result) {
			r.Config.SHA256 = without.SHA256
		}, "perfgate/verdict error: "},
		"base's left out": {own, own, withOwn, func(r *result.Result) { r.Policy.Tolerances = nil }, "perfgate/verdict error: "},
	} {
		r := newForkRun(t)
		at := func(parent, text, message string) string {
			r.repo.git("checkout", "--quiet", "--detach", parent)
			return r.files(message, map[string]string{"perfgate.yaml": forkConfiguration + text, "k.cc": message + "\n"})
		}
		base := at(r.base, c.base, "policy")
		r.aimed(base, at(base, c.head, "change"))
		res := r.measuredUnder(c.measured, 0.1, 0, 0)
		if c.forge != nil {
			c.forge(res)
		}
		r.keep("perfgate", res)
		r.report()
		if got := r.status(r.head); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: status %q, want %q\n%s", name, got, c.want, r.log.String())
		}
	}
}

// Shards are decided by the tolerances of base's configuration, too.
func TestMergedShardsHaveTheirTolerances(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	cfg, err := config.Parse("perfgate.yaml", []byte(forkConfiguration+"tolerances: [{cases: k/n=2, tolerance: 30%}]\nbaseline: {cumulative-tolerance: 30%}\n"))
	r.must(err)
	parts := []rule.MergeInput{{Name: "a", Result: r.measuredUnder(cfg, 0.1, 1, 2)}, {Name: "b", Result: r.measuredUnder(cfg, 0.1, 2, 2)}}
	trusted := parts[0].Result.Policy
	merged, err := rule.Merge(parts, rule.MergeOptions{Policy: &trusted})
	if err != nil || merged.Conclusion.Exit != result.ExitPassed {
		t.Errorf("%v, %+v", err, merged)
	}
	trusted.Tolerances = nil
	if _, err := rule.Merge(parts, rule.MergeOptions{Policy: &trusted}); err == nil || !strings.Contains(err.Error(), "the configuration that counts") {
		t.Errorf("by another policy: %v", err)
	}
}
