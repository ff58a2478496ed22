package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// The test binary is perfgate as well: started under that name, it runs the command. It takes few samples of a process, since what
// is planted here is large, or as many as PERFGATE_TEST_SAMPLES says; 0 leaves it to measuring.
func TestMain(m *testing.M) {
	testscript.Main(withCache{m}, map[string]func(){"perfgate": func() {
		maxSamples = 5
		if samples, err := strconv.Atoi(os.Getenv("PERFGATE_TEST_SAMPLES")); err == nil {
			maxSamples = samples
		}
		os.Exit(start())
	}})
}

// withCache gives the tests of this package one cache of their own, so that the harness is compiled once.
type withCache struct{ m *testing.M }

func (c withCache) Run() int {
	dir, remove, err := kernelstest.Cache()
	if err != nil {
		panic(err)
	}
	defer remove()
	os.Setenv("PERFGATE_CACHE", dir)
	if os.Getenv("PERFGATE_LOCK_DIR") == "" {
		os.Setenv("PERFGATE_LOCK_DIR", dir) // take turns with each other, and do not wait for other packages
	}
	return c.m.Run()
}

// compileHarness fills the cache before the first test that needs it, so that tests that start together do not all
// compile it.
var compileHarness = sync.OnceValue(func() error {
	scratch, err := os.MkdirTemp("", "perfgate-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	compiler, err := kernels.FindCompiler(context.Background())
	if err != nil {
		return err
	}
	_, err = kernels.BuildHarness(context.Background(), compiler, kernels.CPU, os.Getenv("PERFGATE_CACHE"), scratch)
	return err
})

func needHarness(t *testing.T) {
	t.Helper()
	if err := compileHarness(); err != nil {
		t.Fatal(err)
	}
}

// Each script is a story that a user lives through. After every one of them nothing may be left behind: no process and
// no file in the folder for temporary ones.
func TestScripts(t *testing.T) {
	t.Parallel()
	needHarness(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			e.Setenv("README", filepath.Join(root, "README.md"))
			e.Setenv("EXAMPLES", filepath.Join(root, "kernels", "examples"))
			e.Vars = append(e.Vars, userEnv(e.WorkDir)...)
			e.Setenv("PERFGATE_BIN", filepath.Dir(perfgatePath()))
			lock, err := os.MkdirTemp(os.Getenv("PERFGATE_CACHE"), "lock-") // its own: the numbers of scripts do not count
			if err != nil {
				return err
			}
			e.Setenv("PERFGATE_LOCK_DIR", lock)
			tmp := e.Getenv("TMPDIR")
			e.Defer(func() {
				for _, left := range leftBehind(tmp) {
					t.Errorf("%s: left behind: %s", e.T().(interface{ Name() string }).Name(), left)
				}
			})
			return writeGitConfig(e.WorkDir)
		},
		Condition: func(what string) (bool, error) {
			if what != "unshare" { // a file system mounted in a namespace of one's own
				return false, fmt.Errorf("unknown condition %q", what)
			}
			return exec.Command("unshare", "-rm", "true").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "repeat": repeat, "valid": valid, "like": like},
	})
}

// perfgatePath is where the command was put: first on the PATH.
func perfgatePath() string {
	path, err := exec.LookPath("perfgate")
	if err != nil {
		panic(err)
	}
	return path
}

// exits runs a command and wants its exit code: exits CODE COMMAND ARGUMENTS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGUMENTS…")
	}
	expectExit(ts, args[0], ts.Exec(args[1], args[2:]...))
}

// repeat runs a command line that the last command printed: repeat CODE PATTERN FLAGS…, whose first group is the line.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: repeat CODE PATTERN FLAGS…")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	found := pattern.FindStringSubmatch(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	if len(found) != 2 {
		ts.Fatalf("the last command printed no %q", args[1])
	}
	line := strings.Join(append(found[1:], args[2:]...), " ")
	ts.Logf("$ %s", line)
	expectExit(ts, args[0], ts.Exec("sh", "-c", line))
}

func expectExit(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// valid wants files that are results of the schema: valid FILE…
func valid(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		if _, err := result.ReadFile(ts.MkAbs(file)); (err != nil) != neg {
			ts.Fatalf("%s: %v", file, err)
		}
	}
}

// userEnv is the environment of a user who lives in dir: the settings of the developer who runs the tests stay out of them.
func userEnv(dir string) []string {
	env := []string{
		"HOME=" + dir + "/.home",
		"PERFGATE_CACHE=" + os.Getenv("PERFGATE_CACHE"),
		"GIT_CONFIG_NOSYSTEM=1",
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
`

func writeGitConfig(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, ".home"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".home", ".gitconfig"), []byte(gitConfig), 0o644)
}
