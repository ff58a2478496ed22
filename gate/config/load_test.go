package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/config"
)

// Nothing is quoted that is not a file of the tree: a link could lead to whatever the user may read.
func TestNoErrorQuotesWhatIsNotOfTheTree(t *testing.T) {
	outside, tree := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(outside, "secret"): "hunter2: [\n", filepath.Join(tree, ".git", "config"): "hunter2: [\n", filepath.Join(tree, "vendored", ".git", "config"): "hunter2\n",
		filepath.Join(tree, "plain.yaml"): "hunter2: [\n", filepath.Join(tree, "sub", "x"): "",
	} {
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	for link, to := range map[string]string{
		"out.yaml": filepath.Join(outside, "secret"), "relative.yaml": "../" + filepath.Base(outside) + "/secret", "twice.yaml": "out.yaml", "folder": outside, "git.yaml": ".git/config",
		"deep.yaml": "vendored/.git/config", "gits": ".git", "endless.yaml": "/dev/zero", "loop.yaml": "loop.yaml", "gone.yaml": "nowhere", "inside.yaml": "plain.yaml", "sub/up.yaml": "../plain.yaml",
	} {
		must(t, os.Symlink(to, filepath.Join(tree, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(tree, "pipe.yaml"), 0o644))
	for path, want := range map[string]string{
		"out.yaml": "leaves the repository", "relative.yaml": "leaves the repository", "twice.yaml": "leaves the repository", "folder/secret": "leaves the repository", "../" + filepath.Base(outside) + "/secret": "leaves the repository",
		"git.yaml": "what git keeps", "deep.yaml": "what git keeps", "gits/config": "what git keeps", ".git/config": "what git keeps", "endless.yaml": "leaves the repository", "pipe.yaml": "not a regular file",
		"sub": "not a regular file", "loop.yaml": "symbolic links", "gone.yaml": "no configuration at",
	} {
		loads := map[string]func() (*config.Config, error){"of a side": func() (*config.Config, error) { return config.LoadIn(tree, path) }}
		if !strings.HasPrefix(path, "../") { // which is another tree's
			loads["here"] = func() (*config.Config, error) { return config.Load(filepath.Join(tree, path)) }
		}
		for how, load := range loads {
			_, err := load()
			var quotes config.Errors
			if err == nil || errors.As(err, &quotes) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v", path, how, err)
			}
			if errors.Is(err, fs.ErrNotExist) != (path == "gone.yaml") {
				t.Errorf("%s, %s: is it there? %v", path, how, err)
			}
		}
	}
	for _, path := range []string{"inside.yaml", "plain.yaml", "sub/up.yaml"} {
		var quotes config.Errors
		if _, err := config.LoadIn(tree, path); !errors.As(err, &quotes) || !strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := config.Load(filepath.Join(tree, path)); !errors.As(err, &quotes) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
