package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// A gate that turns red on unchanged code is switched off within a week. Whatever else this machine is doing, a run of
// the same code against itself may end undecided, and never red.
func TestUnchangedCodeIsNeverRed(t *testing.T) {
	kernelstest.Live(t)
	p := newProject(t)
	p.env = append(p.env, "PERFGATE_LOCK_DIR="+os.Getenv("PERFGATE_LOCK_DIR"), "PERFGATE_TEST_SAMPLES=10") // numbers count here: take turns
	looks := 0
	for _, budget := range []string{"8s", "25s", "5m"} { // gate/simulate has thousands of looks, of numbers; a busy machine needs longer for one
		if looks = p.againstItself(budget); looks > 0 {
			break
		}
	}
	if looks == 0 {
		t.Error("no run came to a look, so nothing was tested")
	}
	p.clean()
}

// againstItself runs the gate on the project and itself and returns how often it looked.
func (p *project) againstItself(budget string) (looks int) {
	p.t.Helper()
	out, code := p.run("perfgate", "run", "--base", ".", "--head", ".", "--time-identical", "--budget", budget)
	if code != int(result.ExitPassed) && code != int(result.ExitNotMeasurable) {
		p.t.Fatalf("exit code %d:\n%s", code, out)
	}
	r, err := result.ReadFile(filepath.Join(p.dir, "perfgate-out", "result.json"))
	must(p.t, err)
	for _, c := range r.Cases {
		looks += len(c.Looks)
		p.t.Logf("%s after %d rounds, %.1f s", c.Verdict, len(r.Rounds), r.Timings.TotalS)
	}
	return looks
}
