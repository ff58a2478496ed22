// Package usertest is a user of the command for the tests of several packages: the program, an environment, and what runs must not
// leave behind.
package usertest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/org/perfgate/kernels"
)

// Build makes perfgate at a path, from the sources in the folder root. It takes few samples of a process, since the faults that tests inject are large.
func Build(root, path string) error {
	if err := LookAtSources(root); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-tags", "perfgate_rehearsal", "-o", path, "./cmd/perfgate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build perfgate: %w\n%s", err, out)
	}
	return nil
}

// LookAtSources asks about every file that the program is built from. go test repeats a saved pass as long as the files
// that the test itself asked about are unchanged, and the program is built by another process.
func LookAtSources(root string) error {
	for _, folder := range []string{"cmd", "gate", "kernels", "stats", "testdata"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Small has what is replaced in the configuration that perfgate init writes where a test's numbers do not count: most of a process's time goes into making,
// checking and flushing its data, and more than half of a compiler's into optimizing.
var Small = map[string]string{
	"- {n: 1000000, dtype: f32}\n": "- {n: 20000, dtype: f32}\n    cache: hot\n",
	"parity: {cases: 50}":          "parity: {cases: 5}",
	"flags: [-O3]":                 "flags: [-O0]",
}

// Harness compiles the harness into the cache that PERFGATE_CACHE names, once, before tests that start together all do so.
var Harness = sync.OnceValue(func() error {
	scratch, err := os.MkdirTemp("", "perfgate-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	compiler, err := kernels.FindCompiler(context.Background())
	if err != nil {
		return err
	}
	_, err = kernels.BuildHarness(context.Background(), compiler, kernels.CPU, os.Getenv("PERFGATE_CACHE"), scratch, nil)
	return err
})

// Env is the environment of a user who lives in dir: the settings of the developer who runs the tests stay out of them.
func Env(dir string) []string {
	env := []string{
		"HOME=" + dir + "/.home",
		"PERFGATE_CACHE=" + os.Getenv("PERFGATE_CACHE"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TEMPLATE_DIR=", // no samples of hooks
		"GIT_CEILING_DIRECTORIES=" + dir, // dir may lie within a repository: no test is meant to find that one
		"GIT_AUTHOR_DATE=2024-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z",
	}
	for _, name := range []string{"CXX", "PERFGATE_LOCK_DIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

const gitConfig = `[user]
	name = A Developer
	email = developer@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[maintenance]
	auto = false
`

// WriteGitConfig gives the user who lives in dir a name.
func WriteGitConfig(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, ".home"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".home", ".gitconfig"), []byte(gitConfig), 0o644)
}
