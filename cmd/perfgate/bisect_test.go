package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/search"
)

// TestBisect finds a slow commit with the real harness, over one that does not build and one that touches nothing, from another folder,
// and goes on where it was interrupted.
func TestBisect(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures two steps")
	}
	t.Parallel()
	needHarness(t)
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("good")
	good, quick := p.sha(), p.read("bench/scale_add.cc")
	slow := strings.ReplaceAll(quick, "y[i] += a * x[i];", "{ y[i] += a * x[i]; for (volatile int k = 0; k < 5; ++k) {} }")
	var ids []string
	for _, c := range []struct{ message, file, code string }{
		{"broken", "bench/scale_add.cc", "this is no C++\n" + quick}, {"a note", "NOTES.txt", "x"}, {"a comment", "bench/scale_add.cc", "// one\n" + quick},
		{"slower", "bench/scale_add.cc", slow},
	} {
		p.write(c.file, c.code)
		p.commit(c.message)
		ids = append(ids, p.sha())
	}
	first := ids[3]
	elsewhere := []string{"bisect", good, "HEAD", "--case", "scale_add", "--out", t.TempDir(), "--repo-dir", p.dir}
	r := p.start("perfgate", elsewhere...)
	r.waitFor(`^step 2`)
	send(t, r.cmd.Process.Pid, syscall.SIGINT)
	if code, text := r.wait(); code != 3 || !strings.Contains(text, "goes on from there") {
		t.Fatalf("interrupted: exit %d\n%s", code, text)
	}
	p.clean()
	text := p.mustRun("perfgate", append(elsewhere, "--format", "json")...)
	_, printed, _ := strings.Cut(text, "\n{") // behind its progress
	var found search.Bisection
	must(t, json.Unmarshal([]byte("{"+printed), &found))
	if !strings.Contains(text, "going on with 1 step") || found.First != first || found.Parent != ids[2] || found.Kind != search.Found {
		t.Errorf("%s %s beside %s, want %s:\n%s", found.Kind, found.First, found.Parent, first, text)
	}
	if found.Line != 4 || found.Candidates != 3 || found.Narrowing != search.ByReads || found.Commits[first].Subject != "slower" {
		t.Errorf("%d candidates of %d by %s, %+v", found.Candidates, found.Line, found.Narrowing, found.Commits)
	}
	if s := found.Steps; len(s) != 4 || s[1].Answer != search.StepSkipped || s[1].Head != ids[0] || s[2].Answer != search.StepGood || s[2].Head != ids[2] {
		t.Errorf("steps %+v", s)
	}
	p.expect(1, "no regression between", "perfgate", "bisect", good, "HEAD~1", "--out", "other")
	p.clean()
}
