package rule_test

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A part of head's change that both sides shared is a note beside others, and no pass where it is all that differs. One shard that says so is enough.
func TestUncomparedIsNoPass(t *testing.T) {
	shared := func(only, approved bool) []result.Uncompared {
		why := result.Reason{Kind: result.ReasonBenchmarkFiles, Side: result.SideBase, Names: []string{"bench.py"}, Count: 1}
		return []result.Uncompared{{Reason: why, Only: only, Approved: approved}}
	}
	epoch := func(approved bool) []result.Uncompared {
		return []result.Uncompared{{Reason: result.Reason{Kind: result.ReasonEpoch, Name: "1 to 2"}, Approved: approved}}
	}
	for name, tt := range map[string]struct {
		uncompared []result.Uncompared
		shift      float64
		kind       result.FindingKind
		exit       result.ExitCode
	}{
		"other files differ, too":     {shared(false, false), 0, result.FindingNotCompared, result.ExitPassed},
		"nothing else differs":        {shared(true, false), 0, result.FindingNothingCompared, result.ExitNotMeasurable},
		"nothing else, and the label": {shared(true, true), 0, result.FindingNotCompared, result.ExitPassed},
		"a regression is worse":       {shared(true, false), 0.2, result.FindingNothingCompared, result.ExitFailed},
		"two, and one leaves nothing": {append(shared(false, false), shared(true, false)...), 0, result.FindingNothingCompared, result.ExitNotMeasurable},
		"identical code is no excuse": {shared(true, false), 0, result.FindingNothingCompared, result.ExitNotMeasurable},
		"an epoch":                    {epoch(false), 0, result.FindingMeaningChanged, result.ExitNotMeasurable},
		"an epoch, and the label":     {epoch(true), 0, result.FindingMeaningChanged, result.ExitPassed},
		"an epoch is no excuse":       {epoch(true), 0.2, result.FindingMeaningChanged, result.ExitFailed},
		"nothing is shared":           {nil, 0, "", result.ExitPassed},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := shardOf(t, 1, 2, "NVIDIA L4", nil), shardOf(t, 2, 2, "NVIDIA L4", map[int]float64{1: tt.shift})
			two.Kernels[0].Uncompared = tt.uncompared
			if strings.HasPrefix(name, "identical") {
				two.Kernels[0].Status = result.KernelIdentical
			}
			two.Conclusion = rule.ConcludePart(rule.Part{Cases: two.Cases, Kernels: two.Kernels, IsShard: true}, two.Policy)
			merged := mustMerge(t, rule.MergeOptions{}, one, two)
			for what, c := range map[string]result.Conclusion{"alone": two.Conclusion, "merged": merged.Conclusion} {
				if c.Exit != tt.exit {
					t.Errorf("%s: exit %d, want %d: %q", what, c.Exit, tt.exit, report.Sentences(c.Findings))
				}
				if found := kindsOf(c); tt.kind != "" && !strings.Contains(found, string(tt.kind)) {
					t.Errorf("%s: %s, want %s", what, found, tt.kind)
				}
			}
			if got := len(merged.Kernels[0].Uncompared); got != len(tt.uncompared) {
				t.Errorf("the merged kernel has %d, want %d", got, len(tt.uncompared))
			}
			if c := rule.ConcludeParity(two.Kernels); c.Exit != result.ExitPassed {
				t.Errorf("parity compares nothing: %+v", c)
			}
		})
	}
}

func kindsOf(c result.Conclusion) string {
	var kinds []string
	for _, f := range c.Findings {
		kinds = append(kinds, string(f.Kind))
	}
	return strings.Join(kinds, " ")
}
