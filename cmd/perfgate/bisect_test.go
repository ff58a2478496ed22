package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/bisect"
)

// TestBisect finds a slow commit with the real harness, over one that does not build, and goes on where it was interrupted.
func TestBisect(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures two steps")
	}
	t.Parallel()
	needHarness(t)
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("good")
	good, quick := strings.TrimSpace(p.mustRun("git", "rev-parse", "HEAD")), read(t, p, "bench/scale_add.cc")
	slow := strings.ReplaceAll(quick, "y[i] += a * x[i];", "{ y[i] += a * x[i]; for (volatile int k = 0; k < 5; ++k) {} }")
	var first string
	for _, c := range []struct{ message, code string }{
		{"broken", "this is no C++\n" + quick}, {"a comment", "// one\n" + quick}, {"slower", slow},
	} {
		p.write("bench/scale_add.cc", c.code)
		p.commit(c.message)
		first = strings.TrimSpace(p.mustRun("git", "rev-parse", "HEAD"))
	}
	text, code := p.run(perfgatePath(), "bisect", good, "HEAD", "--case", "scale_add")
	if t.Log("\n" + text); code != 0 || !strings.Contains(text, first[:12]+" is the first slower commit") {
		t.Fatalf("exit %d, want the commit %.12s", code, first)
	}
	var before kept
	if err := json.Unmarshal([]byte(read(t, p, "perfgate-bisect/bisect.json")), &before); err != nil || len(before.Steps) != 4 {
		t.Fatalf("%v, %d steps kept", err, len(before.Steps))
	}
	var again bisect.Outcome
	if err := json.Unmarshal([]byte(p.mustRun(perfgatePath(), "bisect", good, "HEAD", "--case", "scale_add", "--format", "json")), &again); err == nil && again.First != first {
		t.Errorf("from the steps that are kept: %q, %v", again.First, err)
	}
	if before.Steps[1].Answer != bisect.Skip || before.Steps[2].Answer != bisect.Good {
		t.Errorf("the broken commit is %q, the comment %q", before.Steps[1].Answer, before.Steps[2].Answer)
	}
	if text, code := p.run(perfgatePath(), "bisect", good, "HEAD~1", "--out", "other"); code != 1 || !strings.Contains(text, "no regression between") {
		t.Errorf("ends that are alike: exit %d\n%s", code, text)
	}
	p.clean()
}

func read(t *testing.T, p *project, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBisectRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("base")
	if err := os.Mkdir(filepath.Join(p.dir, "perfgate-bisect"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("perfgate-bisect/bisect.json", "not ours")
	p.mustRun("git", "commit", "-q", "--allow-empty", "-m", "next")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"HEAD~1"}, "two arguments"},
		{[]string{"HEAD~1", "v9"}, `no revision "v9"`},
		{[]string{"HEAD", "HEAD"}, "are one commit"},
		{[]string{"HEAD", "HEAD~1"}, "no ancestor"},
		{[]string{"HEAD~1", "HEAD", "--case", "gemm/**", "--out", "new"}, "no timed case matches"},
		{[]string{"HEAD~1", "HEAD", "--run-in", "nowhere"}, "--run-in"},
		{[]string{"HEAD~1", "HEAD"}, "holds no steps of a search"},
	} {
		text, code := p.run(perfgatePath(), append([]string{"bisect"}, c.args...)...)
		if code != 2 || !strings.Contains(text, c.want) {
			t.Errorf("%q: exit %d, want 2 with %q:\n%s", c.args, code, c.want, text)
		}
	}
}
