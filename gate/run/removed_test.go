package run

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// A case that head's benchmark no longer has is missing on both sides, since both run head's: base's own is asked as well. It fails the run unless a
// writer answers for it, and where base's own cannot be asked, that is said.
func TestRemovedCasesOfABenchmark(t *testing.T) {
	t.Parallel()
	row := func(name string) string { return "echo " + name + ",$((100000 + $$ % 100)); " }
	const head = "cat side >/dev/null; echo kernel,ns; "
	both := head + row("sum") + row("max")
	shared := "    bench: {command: sh bench.sh, format: csv}\n    files: [bench.sh]\ngate: {tolerance: 3%}\n"
	byCommand := func(rows string) string {
		return "    bench: {command: 'sh bench.sh " + rows + "', format: csv}\ngate: {tolerance: 3%}\n"
	}
	asked := head + "for row in $*; do " + row("$row") + "done"
	for name, tt := range map[string]struct {
		yaml, baseYAML string
		base, head     string
		trust          string
		change         func(*Options)
		exit           result.ExitCode
		verdicts       map[string]result.Verdict
		kind           result.ReasonKind // of what is said of the kernel
	}{
		"removed": {shared, "", both, head + row("sum"), repo.TrustWorktree, nil, result.ExitFailed,
			map[string]result.Verdict{"k/sum": result.Same, "k/max": result.Error}, result.ReasonBenchmarkFiles},
		"renamed": {shared, "", both, head + row("sum") + row("maximum"), repo.TrustWorktree, nil, result.ExitFailed,
			map[string]result.Verdict{"k/sum": result.Same, "k/maximum": result.Same, "k/max": result.Error}, result.ReasonBenchmarkFiles},
		"with the label": {shared, "", both, head + row("sum"), repo.TrustWorktree, func(o *Options) { o.MayDrop = true }, result.ExitPassed,
			map[string]result.Verdict{"k/sum": result.Same}, result.ReasonCasesRemoved},
		"another was asked for": {shared, "", both, head + row("sum"), repo.TrustWorktree, func(o *Options) { o.Cases = []string{"k/sum"} }, result.ExitPassed,
			map[string]result.Verdict{"k/sum": result.Same}, result.ReasonBenchmarkFiles},
		"base rules": {shared, "", both, head + row("sum"), repo.TrustBase, nil, result.ExitPassed,
			map[string]result.Verdict{"k/sum": result.Same, "k/max": result.Same}, result.ReasonBenchmarkFiles},
		"other rows each time": {shared, "", both + row("r$$"), head + row("sum") + row("max"), repo.TrustWorktree, nil, result.ExitPassed,
			map[string]result.Verdict{"k/sum": result.Same, "k/max": result.Same}, result.ReasonBenchmarkFiles},
		"base's own fails": {shared, "", "exit 1", head + row("sum"), repo.TrustWorktree, nil, result.ExitPassed,
			map[string]result.Verdict{"k/sum": result.Same}, result.ReasonCasesUnknown},
		"left out on base alone": {shared, "", both, head + row("sum") + "grep -q head side && " + row("max") + "true", repo.TrustWorktree, nil, result.ExitNotMeasurable,
			map[string]result.Verdict{"k/sum": result.Same, "k/max": result.Error}, result.ReasonBenchmarkFiles},
		"by the command": {byCommand("sum"), byCommand("sum max"), asked, asked, repo.TrustWorktree, nil, result.ExitFailed,
			map[string]result.Verdict{"k/sum": result.Same, "k/max": result.Error}, result.ReasonConfiguration},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Another file differs as well, so that something is compared.
			opt := benchSides(t, tt.trust, tt.yaml, map[string]string{"bench.sh": tt.base, "side": "base"}, map[string]string{"bench.sh": tt.head, "side": "head"})
			if tt.baseYAML != "" {
				opt.Trusted.Base = benchSides(t, tt.trust, tt.baseYAML, map[string]string{}, map[string]string{}).Trusted.Base
			}
			if tt.change != nil {
				tt.change(&opt)
			}
			res := benchRun(t, opt)
			got := map[string]result.Verdict{}
			for _, c := range res.Cases {
				if got[c.Name] = c.Verdict; c.Verdict == result.Error && c.ErrorSide == result.SideHead && (c.Reason == nil || c.Reason.Kind != result.ReasonCaseRemoved) {
					t.Errorf("%s: %+v", c.Name, c)
				}
			}
			if res.Conclusion.Exit != tt.exit || !maps.Equal(got, tt.verdicts) {
				t.Errorf("exit %d, %v, want %d, %v: %+v", res.Conclusion.Exit, got, tt.exit, tt.verdicts, res.Conclusion.Findings)
			}
			said := slices.ContainsFunc(res.Kernels[0].Uncompared, func(u result.Uncompared) bool { return u.Reason.Kind == tt.kind })
			if tt.kind != "" && !said || tt.kind == "" && len(res.Kernels[0].Uncompared) > 0 {
				t.Errorf("it says %+v", res.Kernels[0].Uncompared)
			}
			if name == "base's own fails" && !strings.Contains(res.Kernels[0].Uncompared[1].Reason.Message, "1") {
				t.Errorf("%+v", res.Kernels[0].Uncompared)
			}
		})
	}
}
