package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
			must(c, err)
			c.env = with(c.env, name, strings.TrimSpace(out))
		}
		c.start()
		c.gated(w)
	}
}

// strangersSite is the stranger's repository and their clone of perfgate.
func strangersSite(t *testing.T, folder string) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{act: engine(t), dir: dir, action: filepath.Join(folder, "perfgate"), cache: filepath.Join(dir, "act"), builds: filepath.Join(dir, "builds")}
	s.origin = filepath.Join(dir, "origin.git")
	must(t, s.git(dir, "clone", "--quiet", "--bare", filepath.Join(folder, "own"), s.origin))
	s.tips(t, "main", "slow", "remark")
	return s
}

func with(env map[string]string, name, value string) map[string]string {
	if env == nil {
		env = map[string]string{}
	}
	env[name] = value
	return env
}
