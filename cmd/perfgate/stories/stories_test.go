package stories

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/org/perfgate/cmd/perfgate/usertest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run()) // nothing is run
	}
	os.Exit(withProgram(m))
}

// withProgram puts perfgate first on the PATH, alone in a folder, and gives all scripts one cache of builds.
func withProgram(m *testing.M) int {
	cache, remove, err := kernelstest.Cache()
	if err != nil {
		panic(err)
	}
	defer remove()
	bin := filepath.Join(cache, "bin")
	if err := usertest.Build(filepath.Join("..", "..", ".."), filepath.Join(bin, "perfgate")); err != nil {
		panic(err)
	}
	os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	os.Setenv("PERFGATE_BIN", bin)
	os.Setenv("PERFGATE_CACHE", cache)
	return m.Run()
}

// Each script is a story that a user lives through. After every one of them nothing may be left behind: no process and
// no file in the folder for temporary ones.
func TestScripts(t *testing.T) {
	kernelstest.Live(t)
	if err := errors.Join(usertest.LookAtSources(filepath.Join("..", "..", "..")), usertest.Harness()); err != nil { // TestMain's looks are not noted
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			if why := kernelstest.TooBusy(t); why != "" && os.Getenv("PERFGATE_CI") == "" {
				e.T().Skip(why)
			}
			root, err := filepath.Abs(filepath.Join("..", "..", ".."))
			if err != nil {
				return err
			}
			e.Setenv("README", filepath.Join(root, "README.md"))
			e.Setenv("EXAMPLES", filepath.Join(root, "kernels", "examples"))
			e.Setenv("ATTACKS", filepath.Join(root, "testdata", "attacks"))
			e.Vars = append(e.Vars, usertest.Env(e.WorkDir)...)
			e.Setenv("PERFGATE_BIN", os.Getenv("PERFGATE_BIN"))
			lock, err := os.MkdirTemp(os.Getenv("PERFGATE_CACHE"), "lock-") // its own: the numbers of scripts do not count
			if err != nil {
				return err
			}
			e.Setenv("PERFGATE_LOCK_DIR", lock)
			tmp := e.Getenv("TMPDIR")
			e.Defer(func() {
				for _, left := range usertest.LeftBehind(tmp) {
					t.Errorf("%s: left behind: %s", e.T().(interface{ Name() string }).Name(), left)
				}
			})
			return usertest.WriteGitConfig(e.WorkDir)
		},
		Condition: func(what string) (bool, error) {
			if what != "unshare" { // a file system mounted in a namespace of one's own
				return false, fmt.Errorf("unknown condition %q", what)
			}
			return exec.Command("unshare", "-rm", "true").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": usertest.Exits, "repeat": repeat, "valid": valid, "like": like, "small": small},
	})
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
	usertest.Exits(ts, false, []string{args[0], "sh", "-c", line})
}

// small takes what costs time out of configurations that perfgate init wrote: small FILE…
func small(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := ts.ReadFile(file)
		for old, small := range usertest.Small {
			if !strings.Contains(text, old) {
				ts.Fatalf("%s does not hold %q", file, old)
			}
			text = strings.Replace(text, old, small, 1)
		}
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
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

// like wants that the last command printed what a page shows as a sample, as far as no number or name of a case is
// concerned: every label at the start of a line, in this order. like FILE
func like(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: like FILE")
	}
	_, rest, _ := strings.Cut(ts.ReadFile(args[0]), "\n```text\n")
	shown, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		ts.Fatalf("%s shows no sample", args[0])
	}
	printed := strings.Split(ts.ReadFile("stdout"), "\n")
	for _, line := range strings.Split(shown, "\n") {
		label, _, _ := strings.Cut(line, "  ")
		if label == "" || strings.Contains(label, "/") { // an empty line, one that goes on, or a case: the story has others
			continue
		}
		at := slices.IndexFunc(printed, func(p string) bool { return p == label || strings.HasPrefix(p, label+"  ") })
		if at < 0 {
			ts.Fatalf("%s shows a line %q, which is not printed at that place", args[0], label)
		}
		printed = printed[at+1:]
	}
}
