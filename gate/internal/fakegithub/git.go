package fakegithub

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// bare is a bare repository, used through git itself.
type bare struct{ dir string }

// run runs git, which only reads, and returns what it prints, without the line end.
func (b bare) run(args ...string) (string, error) {
	if b.dir == "" {
		return "", errors.New("this fake has no git repository: set Options.GitDir")
	}
	cmd := exec.Command("git", append([]string{"--git-dir", b.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// known is what git said of objects, which never changes. Servers share it: most repositories of tests are copies of each other.
var known sync.Map

// read asks what depends on nothing but objects, once in a test run where they have their full names and lie in this repository.
func (b bare) read(objects []string, args ...string) (string, error) {
	key := strings.Join(args, "\x00")
	if slices.ContainsFunc(objects, func(name string) bool { return !b.holds(name) }) {
		return b.run(args...)
	}
	if said, ok := known.Load(key); ok {
		return said.(string), nil
	}
	said, err := b.run(args...)
	if err == nil {
		known.Store(key, said)
	}
	return said, err
}

// holds says whether an object of that full name lies in a file of its own, and its history is not cut off.
func (b bare) holds(name string) bool {
	if len(name) != len(noCommit) || strings.Trim(name, "0123456789abcdef") != "" {
		return false
	}
	_, lacks := os.Stat(path.Join(b.dir, "objects", name[:2], name[2:]))
	_, whole := os.Stat(path.Join(b.dir, "shallow"))
	return lacks == nil && whole != nil
}

// refs are the files that say which commits a repository is at, with what they say.
func (b bare) refs() (string, error) {
	var all strings.Builder
	for _, name := range []string{"HEAD", "packed-refs", "shallow", "config", "refs"} {
		err := filepath.WalkDir(filepath.Join(b.dir, name), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && entry.IsDir() {
				return nil
			}
			text, readErr := os.ReadFile(path)
			fmt.Fprintf(&all, "%s %q\n", strings.TrimPrefix(path, b.dir), text)
			return errors.Join(err, readErr)
		})
		if err != nil {
			return "", err
		}
	}
	return all.String(), nil
}

func (s *Server) apiURL(format string, args ...any) string {
	return "https://api.github.example/repos/" + s.fullName() + fmt.Sprintf(format, args...)
}

// commits asks git once, whatever their number: a process for each takes a busy machine minutes.
func (s *Server) commits(shas ...string) ([]map[string]any, error) {
	if len(shas) == 0 {
		return nil, nil
	}
	out, err := s.git.read(shas, append([]string{"show", "-s", "--format=%H%n%T%n%P%n%an%n%ae%n%aI%n%B%x00"}, shas...)...)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for text := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		lines := strings.SplitN(strings.TrimPrefix(text, "\n"), "\n", 7)
		parents := []map[string]any{}
		for _, p := range strings.Fields(lines[2]) {
			parents = append(parents, map[string]any{"sha": p, "url": s.apiURL("/git/commits/%s", p), "html_url": s.apiURL("/commit/%s", p)})
		}
		who := map[string]any{"name": lines[3], "email": lines[4], "date": lines[5]}
		all = append(all, map[string]any{"sha": lines[0], "url": s.apiURL("/git/commits/%s", lines[0]), "author": who, "committer": who,
			"message": strings.TrimRight(lines[6], "\n"),
			"tree":    map[string]any{"sha": lines[1], "url": s.apiURL("/git/trees/%s", lines[1])}, "parents": parents})
	}
	return all, nil
}
