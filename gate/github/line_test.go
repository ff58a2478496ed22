package github

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

// history is a bare repository in which main and topic have parted; commits are made by fast-import.
func history(t *testing.T, commits int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "repo.git")
	var in strings.Builder
	commit := func(branch, from, message, change string) {
		fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter m <m@example.com> 1700000000 +0000\ndata %d\n%s\n", branch, len(message), message)
		if from != "" {
			fmt.Fprintf(&in, "from refs/heads/%s\n", from)
		}
		in.WriteString(change + "\n")
	}
	text := func(name, content string) string {
		return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
	}
	commit("main", "", "first", text("a.cu", "one\ntwo\nthree\n")+text("old.txt", "old\n"))
	commit("topic", "main", "topic 0", text("a.cu", "one\nTWO\nthree\n")+"D old.txt\n")
	for i := 1; i < commits; i++ {
		commit("topic", "", fmt.Sprint("topic ", i), "")
	}
	commit("main", "", "second", text("b.cu", "b\n"))
	for _, args := range [][]string{{"init", "-q", "--bare", dir}, {"--git-dir", dir, "fast-import", "--quiet"}} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if args[0] != "init" {
			cmd.Stdin = strings.NewReader(in.String())
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func comparing(t *testing.T, commits int) (*Client, func(revision string) string, *fakegithub.Server) {
	t.Helper()
	dir := history(t, commits)
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r", GitDir: dir})
	must(t, err)
	server.AddToken(token, fakegithub.Identity{Login: bot, Grants: everything})
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		web.Close()
		for _, problem := range server.Problems() {
			t.Errorf("not as GitHub describes it: %s", problem)
		}
	})
	return newClient(t, web.URL, token), func(revision string) string {
		out, err := exec.Command("git", "--git-dir", dir, "rev-parse", revision).Output()
		must(t, err)
		return strings.TrimSpace(string(out))
	}, server
}

func TestLine(t *testing.T) {
	c, sha, server := comparing(t, 250)
	line, err := c.Line(t.Context(), sha("main"), sha("topic"))
	if err != nil || line.MergeBase != sha("main~1") {
		t.Fatalf("merge base %s, %v", line.MergeBase, err)
	}
	if n := len(line.Messages); n != 250 || strings.TrimSpace(line.Messages[249]) != "topic 249" || len(server.Log()) != 3 {
		t.Errorf("%d messages in %d calls", n, len(server.Log()))
	}
	if _, err := c.Line(t.Context(), sha("main"), shaA); !errors.Is(err, ErrNotFound) {
		t.Errorf("a commit that is not there: %v", err)
	}
}
