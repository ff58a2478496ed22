package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// TestStranger ends the hour of .ci/stranger, whose folder PERFGATE_STRANGER names: the workflows that its repository got from init --github,
// unedited, with perfgate built by them from its source. A slower kernel is red, a comment in it is green.
func TestStranger(t *testing.T) {
	folder := os.Getenv("PERFGATE_STRANGER")
	if folder == "" {
		t.Skip("PERFGATE_STRANGER names no folder of .ci/stranger, which .ci/run makes")
	}
	s := strangersSite(t, folder)
	for branch, w := range map[string]want{
		"slow":   {exit: "1", says: "slower", comment: true, calls: spoken},
		"remark": {exit: "0", says: "build to identical code", calls: silent},
	} {
		c := newCell(t, s)
		c.pullRequest(branch, "main")
		for _, name := range []string{"GOCACHE", "GOMODCACHE"} { // what a runner has kept since its first build
			out, err := output(folder, nil, "go", "env", name)
			c.must(err)
			c.env = with(c.env, name, strings.TrimSpace(out))
		}
		c.start()
		c.gated(w)
	}
}

// strangersSite is the stranger's repository and their clone of perfgate.
func strangersSite(t *testing.T, folder string) *site {
	t.Helper()
	act := os.Getenv("PERFGATE_ACT")
	if act == "" {
		act, _ = exec.LookPath("act")
	}
	if act == "" {
		kernelstest.Missing(t, "the workflow engine act is not on PATH, nor named by PERFGATE_ACT")
	}
	dir := t.TempDir()
	s := &site{act: act, dir: dir, action: filepath.Join(folder, "perfgate"), cache: filepath.Join(dir, "act"), builds: filepath.Join(dir, "builds"), commits: map[string]string{}}
	s.origin = filepath.Join(dir, "origin.git")
	if err := s.git(dir, "clone", "--quiet", "--bare", filepath.Join(folder, "own"), s.origin); err != nil {
		t.Fatal(err)
	}
	for _, branch := range []string{"main", "slow", "remark"} {
		sha, err := output(s.origin, s.env(), "git", "rev-parse", branch)
		if err != nil {
			t.Fatal(err)
		}
		s.commits[branch] = strings.TrimSpace(sha)
	}
	return s
}

func with(env map[string]string, name, value string) map[string]string {
	if env == nil {
		env = map[string]string{}
	}
	env[name] = value
	return env
}
