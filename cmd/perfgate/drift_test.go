package main

import (
	"os"
	"path/filepath"
	"strings"
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
	text, code := p.run(perfgatePath(), "drift", "--shard", "auto/7")
	if code != 3 || !strings.Contains(text, "nothing was compared") {
		t.Errorf("exit %d:\n%s", code, text)
	}
	f, err := os.Open(filepath.Join(p.dir, "perfgate-drift", "drift.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := drift.Document.Read(f)
	if err != nil || r.Commit != p.sha() || len(r.Cases) != 1 || r.Part != (drift.Part{Index: 1, Of: 1}) || !r.Recorded || r.Sessions != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if text := p.mustRun(perfgatePath(), "baseline", "list"); !strings.Contains(text, p.sha()[:12]) {
		t.Errorf("no record:\n%s", text)
	}
	p.clean()
	for _, c := range []struct{ args, want string }{
		{"drift --shard auto/0", "--shard"}, {"drift v9", "v9"}, {"drift --store git:main", "need a separate branch"},
	} {
		if text, code := p.run(perfgatePath(), strings.Fields(c.args)...); code != 2 || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, want 2 with %q:\n%s", c.args, code, c.want, text)
		}
	}
}
