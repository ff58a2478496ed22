package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// A variable names one program: with arguments it says what to do instead, and a blank in a path is no argument.
func TestProgramThatAVariableNames(t *testing.T) {
	program := filepath.Join(t.TempDir(), "my tools", "g++")
	must(t, os.Mkdir(filepath.Dir(program), 0o755))
	must(t, kernelstest.WriteProgram(program, []byte("#!/bin/sh\n")))
	t.Setenv("CXX", program)
	if path, err := compilerPath(); err != nil || path != program {
		t.Errorf("%s: %q, %v", program, path, err)
	}
	for value, want := range map[string]string{
		"true --fast":     "must be one program without arguments: put them into a script",
		"no-such-program": `names "no-such-program", which cannot be run`,
	} {
		t.Setenv("CXX", value)
		t.Setenv("NVCC", value)
		_, cxx := compilerPath()
		_, nvcc := nvccPath()
		for variable, err := range map[string]error{"CXX": cxx, "NVCC": nvcc} {
			var named *NamedError
			if !errors.As(err, &named) || named.Variable != variable || !strings.Contains(err.Error(), want) {
				t.Errorf("%s=%s: %v", variable, value, err)
			}
		}
	}
}
