package run

import (
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// The first run is of the cases that the configuration picks, where the format can ask for these. Where a program has none of them when it is asked
// so, it is run whole.
func TestFirstRunIsOfTheCasesThatArePicked(t *testing.T) {
	t.Parallel()
	const one = `echo kernel,case,ns; echo k,a,$((1000 + $$ % 100)); `
	for name, run := range map[string]string{
		"obeys":               one + `[ "$PERFGATE_BENCH_CASES" = k/a ] || exit 9`,
		"fails when asked":    `[ -e "$PERFGATE_BENCH_OUT.x" ] || [ -z "$PERFGATE_BENCH_CASES" ] || [ -n "$(ls seen 2>/dev/null)" ] || { touch seen; exit 9; }; ` + one,
		"has none when asked": `if [ -n "$PERFGATE_BENCH_CASES" ] && ! [ -e seen ]; then touch seen; echo kernel,ns; echo other,5; exit; fi; ` + one,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "    bench: {command: sh run.sh, format: csv}\n    cases: [k/a]\ngate: {tolerance: 20%}\n"
			opt := benchSides(t, repo.TrustWorktree, yaml, map[string]string{"run.sh": run}, map[string]string{"run.sh": run})
			res := benchRun(t, opt)
			if len(res.Cases) != 1 || res.Cases[0].Verdict != result.Same || res.Conclusion.Exit != result.ExitPassed {
				t.Errorf("exit %d, %+v, %+v", res.Conclusion.Exit, res.Conclusion.Findings, res.Kernels[0].Reason)
			}
		})
	}
}
