package action

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	ways "github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Steps that have a token run no git of the checkout, nor one that loads a library from there.
func TestGitOfTheCheckoutInAJob(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, folder := range []string{dir, outside} {
		must(t, kernelstest.WriteProgram(filepath.Join(folder, "git"), []byte("#!/bin/sh\n")))
	}
	for _, c := range []struct {
		path, variable, value string
		refused               bool
	}{
		{outside, "X", "", false}, {dir, "X", "", true}, {dir + ":" + outside, "X", "", true}, {outside + ":" + dir, "X", "", false},
		{outside, "LD_LIBRARY_PATH", filepath.Join(dir, "lib"), true}, {outside, "LD_LIBRARY_PATH", "/usr/lib:", true}, {outside, "GIT_EXEC_PATH", dir, true},
		{outside, "HOME", dir, true}, {outside, "PYTHONPATH", dir, false},
	} {
		t.Setenv("HOME", "/")
		for _, name := range []string{"LD_LIBRARY_PATH", "GIT_EXEC_PATH"} {
			os.Unsetenv(name)
		}
		t.Setenv(c.variable, c.value)
		t.Setenv("PATH", c.path)
		err := Job{Dir: dir, Env: os.Getenv}.ownGit()
		var lead *ways.Lead
		if errors.As(err, &lead) != c.refused || c.refused && result.ExitCodeOf(err) != result.ExitNotMeasurable {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
