package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
)

// TestForkOfSomeCases: the input case narrows what is planned here as it does where cases are measured; a result of fewer is not whole.
func TestForkOfSomeCases(t *testing.T) {
	t.Parallel()
	for cases, want := range map[string]string{"k/n=1": "perfgate/verdict success: ", "k/n=1,k/n=2": "perfgate/verdict error: ", "k/none": "perfgate/verdict error: "} {
		r := newForkRun(t)
		r.env["INPUT_CASE"] = cases
		cfg, err := config.Parse("perfgate.yaml", []byte(forkConfiguration))
		r.must(err)
		res := r.measured(0, 0, 0)
		res.Policy = run.Policy(cfg, &plan.Plan{K: 1}, 0, false)
		res.Cases = []result.Case{r.timed(0, 0, res.Policy)}
		res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
		r.keep("perfgate", res)
		r.report()
		if got := r.status(r.head); !strings.HasPrefix(got, want) {
			t.Errorf("%s: status %q, want %q\n%s", cases, got, want, r.log.String())
		}
	}
}
