package run

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// A clock too coarse for a case is exit 3 whichever side shows it, and a head that is faster than it can see has not failed. Other cases are timed.
func TestClockTooCoarseForACase(t *testing.T) {
	t.Parallel()
	says := func(ns string) string { return "echo kernel,ns; echo k,$((1000 + $$ % 100)); echo short," + ns }
	for name, tt := range map[string][2]string{"head": {"100", "0"}, "base": {"0", "100"}, "both": {"0", "0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := benchSides(t, repo.TrustWorktree, "    bench: {command: sh run.sh, format: csv}\ngate: {tolerance: 20%}\n",
				map[string]string{"run.sh": says(tt[0])}, map[string]string{"run.sh": says(tt[1])})
			res := benchRun(t, opt)
			for _, c := range res.Cases {
				if c.Name != "k/short" && c.Name != "k" && c.Verdict != result.Same {
					t.Errorf("%s: %s", c.Name, c.Verdict)
				}
				if c.Name == "k/short" && (c.Verdict != result.Error || c.ErrorCode != result.CodeCoarseClock || c.ErrorSide != result.SideNone || !strings.Contains(result.MessageOf(c.Reason), "too coarse")) {
					t.Errorf("%+v", c)
				}
			}
			if len(res.Cases) != 2 || res.Conclusion.Exit != result.ExitNotMeasurable {
				t.Errorf("%d cases, exit %d", len(res.Cases), res.Conclusion.Exit)
			}
		})
	}
}
