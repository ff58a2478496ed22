package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/bisect"
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
	found := bisected(t, text)
	if !strings.Contains(text, "going on with 1 step") || found.First != first || found.Parent != ids[2] || found.Kind != bisect.Found {
		t.Errorf("%s %s beside %s, want %s:\n%s", found.Kind, found.First, found.Parent, first, text)
	}
	if found.Line != 4 || found.Candidates != 3 || found.Narrowing != bisect.ByReads || found.Commits[first].Subject != "slower" {
		t.Errorf("%d candidates of %d by %s, %+v", found.Candidates, found.Line, found.Narrowing, found.Commits)
	}
	if s := found.Steps; len(s) != 4 || s[1].Answer != bisect.Skip || s[1].Head != ids[0] || s[2].Answer != bisect.Good || s[2].Head != ids[2] {
		t.Errorf("steps %+v", s)
	}
	p.expect(1, "no regression between", "perfgate", "bisect", good, "HEAD~1", "--out", "other")
	p.clean()
}

// bisected is the report in what bisect prints, behind its progress.
func bisected(t *testing.T, text string) (found bisect.Report) {
	t.Helper()
	_, report, _ := strings.Cut(text, "\n{")
	if err := json.Unmarshal([]byte("{"+report), &found); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return found
}

// TestBisectOfBenchmark: a benchmark that times itself is searched alike, by a row whose name would mean others as a pattern, where a build
// command says nothing of what it reads. The commit that is found changes its environment's lock file only.
func TestBisectOfBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a benchmark in a hundred processes")
	}
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", "version: 1\nkernels:\n  - name: k\n    bench: {command: sh bench.sh, format: csv}\n    files: [bench.sh]\n"+
		"    environment: {build: 'mkdir \"$PERFGATE_ENV\" && cp slow.lock \"$PERFGATE_ENV\"', inputs: [slow.lock]}\ngate: {tolerance: 3%}\n")
	p.write("bench.sh", "echo kernel,ns; for k in 'a[1]' a1; do echo \"$k,$(($(sh code.sh $k) * 1000 + $$ % 100))\"; done")
	p.write("slow.lock", "0\n")
	var ids []string
	const reads = "[ \"$1\" = a1 ] && echo 101 || echo $((101 + $(cat \"$PERFGATE_ENV/slow.lock\")))"
	for i, c := range [][2]string{{"code.sh", "echo 100"}, {"code.sh", "echo 101"}, {"code.sh", "exit 1"}, {"code.sh", reads}, {"slow.lock", "30\n"}, {"code.sh", reads + " #"}} {
		p.write(c[0], c[1])
		p.commit(fmt.Sprint("commit ", i))
		ids = append(ids, p.sha())
	}
	text := p.mustRun("perfgate", "bisect", ids[0], "HEAD", "--format", "json", "--sandbox", "off")
	found := bisected(t, text)
	if found.First != ids[4] || found.Kind != bisect.Found || found.Ends.Case != "k/a[1]" || found.Narrowing != bisect.ByWatch || found.Candidates != 5 {
		t.Errorf("%s %s of %s, %d candidates by %s:\n%s", found.Kind, found.First, found.Ends.Case, found.Candidates, found.Narrowing, text)
	}
	for _, s := range found.Steps[1:] {
		if s.Answer != bisect.Skip && s.Case != "k/a[1]" {
			t.Errorf("a step of %s", s.Case)
		}
	}
	p.clean()
}
