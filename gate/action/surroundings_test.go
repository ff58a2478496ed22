package action

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	ways "github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Steps that have a token run no git of the checkout, nor one that loads a library from there or is told by its configuration, which names programs.
func TestGitOfTheCheckoutInAJob(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	linked := filepath.Join(outside, "linked")
	must(t, os.Symlink(dir, linked))
	for _, folder := range []string{dir, outside} {
		must(t, kernelstest.WriteProgram(filepath.Join(folder, "git"), []byte("#!/bin/sh\n")))
	}
	for _, c := range []struct {
		path, variable, value string
		refused               bool
	}{
		{outside, "X", "", false}, {dir, "X", "", true}, {dir + ":" + outside, "X", "", true}, {outside + ":" + dir, "X", "", false},
		{outside, "LD_LIBRARY_PATH", filepath.Join(dir, "lib"), true}, {outside, "LD_LIBRARY_PATH", "/usr/lib:", true}, {outside, "GIT_EXEC_PATH", dir, true},
		{outside, "HOME", dir, true}, {outside, "PYTHONPATH", dir, false}, {outside, "XDG_CONFIG_HOME", filepath.Join(linked, "below"), true},
		{outside, "GIT_CONFIG_GLOBAL", dir, true}, {outside, "GIT_CONFIG_SYSTEM", dir, true}, {outside, "GIT_CONFIG_SYSTEM", outside, false}, {outside, "GIT_CONFIG_GLOBAL", "/dev/null", false},
	} {
		t.Setenv("PATH", c.path)
		env := map[string]string{"HOME": "/", "PATH": c.path, c.variable: c.value}
		err := Job{Dir: dir, Env: func(name string) string { return env[name] }}.ownGit()
		var lead *ways.Lead
		if errors.As(err, &lead) != c.refused || c.refused && (result.ExitCodeOf(err) != result.ExitNotMeasurable || c.variable != "X" && !strings.Contains(err.Error(), c.variable)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
