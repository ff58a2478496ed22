package kernels

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A variable that perfgate has no value for stays as the user has it, or not set: an empty CXX hides make's own.
func TestVariablesWithoutAValueAreNotSet(t *testing.T) {
	names := []string{"CXX", "NVCC", "CUDACXX", "CUDAHOSTCXX", "PERFGATE_ARCH", "PERFGATE_ADAPTER", "PERFGATE_INCLUDE"}
	builder := Builder{Scratch: t.TempDir(), Target: Target{Device: result.DeviceCUDA}}
	env := func() []string {
		return builder.commandEnv(BuildSpec{Kernel: "k"}, filepath.Join(builder.Scratch, "adapter", "k"))
	}
	for _, name := range names {
		t.Setenv(name, "the user's")
	}
	for _, name := range names {
		if !slices.Contains(env(), name+"=the user's") {
			t.Errorf("%s of the user is gone", name)
		}
		must(t, os.Unsetenv(name))
	}
	for _, entry := range env() {
		if name, value, _ := strings.Cut(entry, "="); slices.Contains(names, name) {
			t.Errorf("%s is set to %q", name, value)
		}
	}
}

func TestInstalledProgram(t *testing.T) {
	for line, want := range map[string]string{
		"/opt/venv/bin/python3 -m pytest": "/opt/venv/bin/python3", "A='x y' PYTHONPATH=src /opt/v/bin/pytest bench | tee out": "/opt/v/bin/pytest",
		"python3 /opt/bench.py": "", "./bench": "", "/opt/$V/bin/python3 x": "", "": "",
	} {
		if got := installedProgram(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// What a line starts is told only where it is one command that names a file of its folder.
func TestStartedFile(t *testing.T) {
	for line, want := range map[string]string{
		"./build/bench -x": "build/bench", "A=1 B='x y' ./b": "b", "build/b": "build/b", "b": "", "/usr/bin/b": "", "../b": "", "./b; ./c": "", "cd x && ./b": "",
		"taskset -c 0 ./b": "", "$DIR/b": "", "'./b'": "", "": "", "./b > out": "b",
	} {
		if got := StartedFile(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
