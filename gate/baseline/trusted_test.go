package baseline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
)

// Where base's rules count, a store that head can put records into is refused or left alone, whichever way leads there.
func TestTrustedFolder(t *testing.T) {
	t.Parallel()
	repo, outside := sourceRepository(t), t.TempDir()
	link := func(to string) string {
		path := filepath.Join(t.TempDir(), "link")
		must(t, os.Symlink(to, path))
		return path
	}
	checkout := link(repo) // as the runner may call it
	for spec, refused := range map[string]bool{
		"dir:.perfgate":                                                      true,
		"dir:../records":                                                     true,
		"dir:" + repo:                                                        true,
		"dir:" + filepath.Join(repo, "records"):                              true,
		"dir:" + filepath.Join(repo, ".git", "r"):                            true,
		"dir:" + filepath.Dir(repo):                                          true,
		"dir:" + link(repo) + "/a/../b":                                      true,
		"dir:" + link(filepath.Join(repo, "not-yet")):                        true,
		"dir:" + filepath.Join(link(link(repo)), "not", "yet"):               true,
		"dir:" + filepath.Join(outside, "..", filepath.Base(outside), "r"):   false,
		"dir:" + outside:                                                     false,
		"dir:" + filepath.Join(outside, "not", "yet"):                        false,
		"dir:" + filepath.Join(link(outside), "not-yet"):                     false,
		"dir:" + filepath.Join(filepath.Dir(repo), filepath.Base(repo)+"-2"): false,
	} {
		s, why, err := Trusted{Spec: spec, Repo: repo, Base: "HEAD", Roots: []string{checkout}}.Open(t.Context())
		if errors.Is(err, ErrInCheckout) != refused || (err != nil) != refused || (s == nil) != refused || why != "" {
			t.Errorf("%s: store %v, %q, %v; want it refused: %v", spec, s, why, err, refused)
		}
	}
	if s, why, err := (Trusted{Repo: repo, Roots: []string{repo}}).Open(t.Context()); s != nil || err != nil || !strings.Contains(why, "git:perfgate-baseline") {
		t.Errorf("no store is named: %v, %q, %v", s, why, err)
	}
}

// A checkout of a pull request can leave a local branch that is called as the branch of records is.
func TestTrustedBranch(t *testing.T) {
	t.Parallel()
	const key = "m/0123456789abcdef0123456789abcdef01234567.json.gz"
	records := func(t *testing.T, dir, branch string) {
		t.Helper()
		must(t, (&Store{git: repo.Git{Dir: dir}, branch: branch}).Put(t.Context(), key, []byte("x")))
	}
	for name, c := range map[string]struct {
		play   func(t *testing.T, dir string)
		origin bool
		why    string // "": the records are read
		none   bool   // and there are none
	}{
		"a branch of its own": {play: func(t *testing.T, dir string) { records(t, dir, "records") }},
		"checked out": {play: func(t *testing.T, dir string) {
			records(t, dir, "records")
			git(t, dir, "checkout", "-q", "records")
		}, why: "checked out"},
		"of the code": {play: func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "-b", "records")
			commitFile(t, dir, key)
			git(t, dir, "checkout", "-q", "main")
		}, why: "history of the code"},
		"not there": {play: func(*testing.T, string) {}, none: true},
		"origin's": {play: func(t *testing.T, dir string) {
			records(t, dir, "theirs")
			git(t, dir, "update-ref", "refs/remotes/origin/records", "theirs")
		}, origin: true},
		"local alone, and origin's counts": {play: func(t *testing.T, dir string) { records(t, dir, "records") }, origin: true, none: true},
		"a tag of that name": {play: func(t *testing.T, dir string) {
			records(t, dir, "theirs")
			git(t, dir, "tag", "records", "theirs")
		}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sourceRepository(t)
			git(t, dir, "branch", "base")
			c.play(t, dir)
			s, why, err := Trusted{Spec: "git:records", Repo: dir, Base: "base", Roots: []string{dir}, Origin: c.origin}.Open(t.Context())
			if err != nil || !strings.Contains(why, c.why) || (s == nil) != (c.why != "") {
				t.Fatalf("store %v, %q, %v; want %q", s, why, err, c.why)
			}
			if s == nil {
				return
			}
			if keys, err := s.List(t.Context(), "m/"); err != nil || (len(keys) == 0) != c.none {
				t.Errorf("records %v, %v", keys, err)
			}
			if err := s.Put(t.Context(), key, []byte("y")); c.origin && err == nil {
				t.Error("what was fetched of origin was written")
			}
		})
	}
}
