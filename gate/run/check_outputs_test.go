package run

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// That nobody compares outputs can be a choice, which the report has in place of a lack.
func TestOutputsThatAreNotCheckedByChoice(t *testing.T) {
	t.Parallel()
	files := map[string]string{"run.sh": "echo kernel,ns; echo k,$((1000000 + $$ % 100))"}
	res := benchRun(t, benchSides(t, repo.TrustWorktree, "    bench: {command: sh run.sh, format: csv, check: off}\ngate: {tolerance: 90%}\n", files, files))
	if k := res.Kernels[0]; k.Parity.Status != result.ParityOff || !res.Conclusion.Has(result.FindingParityOff) || res.Conclusion.Has(result.FindingParityUnavailable) {
		t.Errorf("%+v, %+v", k.Parity, res.Conclusion.Findings)
	}
}

// A benchmark whose outputs a command writes is checked: head's are compared with base's, from seeds that are the run's. What is no evidence is an error.
func TestOutputsOfABenchmark(t *testing.T) {
	t.Parallel()
	const yaml = "    bench: {command: sh run.sh, format: csv, check: {command: sh check.sh}}\ngate: {tolerance: 90%}\n"
	const right = `printf 'u8 4\n%04d' $((PERFGATE_CHECK_SEED % 9973)) > $PERFGATE_CHECK_OUT/o.raw`
	const small = `printf 'f32 1\n%03d4' $((PERFGATE_CHECK_SEED % 997)) > $PERFGATE_CHECK_OUT/o.raw` // about 2e-7
	exits := map[result.ParityStatus]result.ExitCode{result.ParityFailed: result.ExitFailed, result.ParityError: result.ExitNotMeasurable}
	for name, tt := range map[string]struct {
		base, head string
		status     result.ParityStatus
		says       string
	}{
		"right":                    {right, right + " # the same", result.ParityPassed, ""},
		"wrong":                    {right, strings.Replace(right, "% 9973", "% 9967", 1), result.ParityFailed, "elements differ from base's"},
		"nothing":                  {right, "exit 0", result.ParityFailed, "it wrote no file"},
		"ends badly":               {right, "exit 3", result.ParityFailed, "exit status 3"},
		"a link to another file":   {right, "ln -s /etc/passwd $PERFGATE_CHECK_OUT/o.raw", result.ParityFailed, "cannot be read"},
		"constant on base":         {`printf 'u8 1\n1' > $PERFGATE_CHECK_OUT/o.raw`, right, result.ParityError, "the same whatever PERFGATE_CHECK_SEED is"},
		"zeros for small outputs":  {small, `printf 'f32 1\n\000\000\000\000' > $PERFGATE_CHECK_OUT/o.raw`, result.ParityFailed, "elements differ from base's"},
		"random on base":           {`printf 'u8 9\n%09d' $(($$ % 100000000)) > $PERFGATE_CHECK_OUT/o.raw`, right, result.ParityError, "two runs with one seed differ"},
		"base's does not end well": {"exit 3", right, result.ParityError, "exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := func(check string) map[string]string {
				return map[string]string{"run.sh": "echo kernel,ns; echo k,$((1000000 + $$ % 100))", "check.sh": check}
			}
			opt := benchSides(t, repo.TrustWorktree, yaml, files(tt.base), files(tt.head))
			opt.Parity.Whole = "perfgate run --base=a --head=b --seed=3"
			res := benchRun(t, opt)
			p := res.Kernels[0].Parity
			said := ""
			if p.Failure != nil && p.Failure.Repro != opt.Parity.Whole {
				t.Errorf("repeated with %q", p.Failure.Repro)
			}
			if p.Reason != nil {
				said += p.Reason.Message
			}
			if p.Failure != nil {
				said += p.Failure.Message
			}
			if p.Status != tt.status || !strings.Contains(said, tt.says) {
				t.Errorf("%+v: %s, want %q", p, said, tt.says)
			}
			if want, fails := exits[tt.status]; fails && res.Conclusion.Exit != want || !fails && p.Run != checkSeeds {
				t.Errorf("exit %d, want %d: %+v", res.Conclusion.Exit, want, p)
			}
		})
	}
}
