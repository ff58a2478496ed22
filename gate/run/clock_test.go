package run

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// A kernel that takes four times as long and has the clocks of its process say that nothing changed, with the code under test in
// the sandbox and without it.
func TestChangedClockIsNotBelieved(t *testing.T) {
	kernelstest.Live(t)
	for _, box := range []result.SandboxMode{result.SandboxOff, result.SandboxOn} {
		t.Run(string(box), func(t *testing.T) {
			if box == result.SandboxOn {
				kernelstest.NeedLandlock(t, 3)
			}
			opt := attacked(t, "changes_clock.cc")
			opt.Device.Sandbox = box
			opt.Trusted.Config.Gate.Tolerance = 0.9
			res := runIt(t, opt)
			c := res.Cases[0]
			if res.Conclusion.Exit != result.ExitFailed || c.Verdict != result.Error || c.ErrorSide != result.SideHead || !strings.Contains(result.MessageOf(c.Reason), "clock") {
				t.Errorf("exit %d, %s of %q: %s", res.Conclusion.Exit, c.Verdict, c.ErrorSide, everyWord(res))
			}
		})
	}
}
