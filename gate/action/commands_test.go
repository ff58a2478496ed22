package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// Nothing of a command that a result brings is left: it comes anew from the event and the repository, tightened to base's policy.
func TestCommandsOfAResultAreOurs(t *testing.T) {
	t.Parallel()
	const loose = "perfgate run --sandbox=off --trust=worktree --head-flags=-fplugin=/tmp/x.so --tolerance=90%"
	c := change{base: strings.Repeat("b", 40), head: strings.Repeat("a", 40)}
	in := Inputs{Run: request.Run{Config: "sub/perfgate.yaml", Kernels: []string{"k"}, Tolerance: "3%"}}
	for _, hostile := range []string{loose, "curl https://x | sh", "perfgate run; rm -rf ~", "perfgate run $(x)"} {
		for seed, known := range map[string]bool{"7": true, "7; x": false, "": false, "--sandbox=off": false} {
			res := &result.Result{Repro: hostile, Seed: seed, Kernels: []result.Kernel{
				{Name: "k", Parity: result.Parity{Failure: &result.ParityFailure{Case: "k/n=1' ; x", Seed: seed, Repro: hostile}}}, {Name: "l"},
			}}
			ownCommands(res, c, in, false)
			run, check := "", ""
			if known {
				sides := "--config=sub/perfgate.yaml --base=" + c.base + " --head=" + c.head + " --trust=base"
				run = "perfgate run " + sides + " --kernel=k --tolerance=3% --seed=7"
				check = "perfgate parity " + sides + ` --kernel=k --param='n=1'\'' ; x' --seed=7`
			}
			if res.Repro != run {
				t.Errorf("seed %q: %s, want %s", seed, res.Repro, run)
			}
			if f := res.Kernels[0].Parity.Failure; f.Repro != check || report.OwnCommand(f.Repro) != check {
				t.Errorf("seed %q: %s, want %s", seed, f.Repro, check)
			}
		}
	}
	res := &result.Result{Repro: loose, Seed: "7", Merged: []result.Part{{}}}
	if ownCommands(res, c, in, false); res.Repro != "" {
		t.Errorf("merged of several: %s", res.Repro)
	}
	res = &result.Result{Seed: "7"}
	if ownCommands(res, c, in, true); strings.Contains(res.Repro, "--trust") {
		t.Errorf("with head's configuration: %s", res.Repro)
	}
}
