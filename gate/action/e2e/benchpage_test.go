package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/kernels/kernelstest"
)

// stub stands for perfgate while the commands of docs/benchmarks.md make their repository: cmd/perfgate runs the page with the real one. What
// init writes is the starter's, and the workflows of the sample repository.
const stub = `#!/bin/sh
case "$1 $2" in
  "init --bench") cp "$STARTER" perfgate.yaml; mkdir -p .github; cp -r "$WORKFLOWS" .github/workflows ;;
  run*) exit 1 ;;
esac
`

// squares is the title of the page's slow commit, with which its story on GitHub begins.
const squares = "Square first"

// benchSite is the site with the repository that the page makes: a benchmark of a team on main, and a branch that makes its kernel slower.
func benchSite(t *testing.T) *site {
	s, work, tools := *newSite(t), t.TempDir(), t.TempDir()
	starter, err := config.BenchStarter{
		Kernel: "bench", Bench: config.Bench{Format: "csv", Spec: benchmark.Spec{Command: "python3 bench.py"}}, Files: []string{"bench.py"}, Tolerance: "40%",
	}.Text()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"perfgate": stub, "starter.yaml": string(starter)} {
		if err := kernelstest.WriteProgram(filepath.Join(tools, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	workflows, err := filepath.Abs(filepath.Join(root, "testdata/consumer/.github/workflows"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands strings.Builder
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(page), -1) {
		commands.WriteString(block[1])
		if strings.Contains(block[1], squares) {
			break
		}
	}
	env := append(s.env(), "PATH="+tools+":"+os.Getenv("PATH"), "STARTER="+filepath.Join(tools, "starter.yaml"), "WORKFLOWS="+workflows)
	if _, err := output(work, env, "sh", "-c", commands.String()); err == nil {
		t.Fatal("the last command of the page's story is a perfgate that fails")
	}
	s.origin = filepath.Join(tools, "origin.git")
	if err := s.git(tools, "clone", "--quiet", "--bare", filepath.Join(work, "sums"), s.origin); err != nil {
		t.Fatal(err)
	}
	if err := s.git(s.origin, "symbolic-ref", "HEAD", "refs/heads/main"); err != nil { // the page leaves the branch checked out
		t.Fatal(err)
	}
	s.tips(t, "main", "squares")
	return &s
}

// The page's story ends in a red pull request: the benchmark that a team has, measured by the workflows that init writes.
func TestBenchmarksPage(t *testing.T) {
	c := newCell(t, benchSite(t))
	c.pullRequest("squares", "main")
	c.start()
	c.gated(want{exit: "1", says: "slower", comment: true, calls: spoken})
	if !strings.Contains(c.summary, "bench/energy/n=20000") || !strings.Contains(c.summary, "hides its tensors") {
		t.Errorf("the summary names no case, or not what was not checked:\n%s", c.summary)
	}
}
