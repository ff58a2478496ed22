package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/drift"
)

// TestWatchAtADesk: the first run of a machine has nothing to compare with, says so, does not pass, and leaves a record.
func TestWatchAtADesk(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures a session")
	}
	t.Parallel()
	needHarness(t)
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("first")
	p.expect(3, "nothing was compared", "perfgate", "drift", "--shard", "auto/7")
	f, err := os.Open(filepath.Join(p.dir, "perfgate-drift", "drift.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := drift.Document.Read(f)
	if err != nil || r.Commit != p.sha() || len(r.Cases) != 1 || r.Part != (drift.Part{Index: 1, Of: 1}) || !r.Recorded || r.Sessions != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	p.expect(0, p.sha()[:12], "perfgate", "baseline", "list")
	p.clean()
	p.expect(2, "--shard", "perfgate", "drift", "--shard", "auto/0")
	p.expect(2, "v9", "perfgate", "drift", "v9")
	p.expect(2, "need a separate branch", "perfgate", "drift", "--store", "git:main")
}
