// Package kernelstest is what the tests of several packages need in order to build and run kernels.
package kernelstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Cache makes a build cache for one test binary, and removes it again. Adapters in it are its own; the harness, which takes
// longest to compile, is shared with all other test binaries of the user: it is kept by its sources, compiler and flags.
func Cache() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "perfgate-test-cache-"); err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	home, err := os.UserCacheDir()
	if err != nil {
		return dir, remove, nil // each compiles its own
	}
	harness := filepath.Join(home, "perfgate-test", "harness")
	if err = os.MkdirAll(harness, 0o755); err == nil {
		err = os.Symlink(harness, filepath.Join(dir, "harness"))
	}
	if err != nil {
		remove()
	}
	return dir, remove, err
}

// CacheOf makes such a cache for one test.
func CacheOf(t testing.TB) string {
	t.Helper()
	dir, remove, err := Cache()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return dir
}

// Live is for tests whose point is the clock, or that compile and run much: go test -short leaves them out.
func Live(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("measures live: left out by -short")
	}
}

// Tool skips a test whose program is not installed and that the README does not ask for. Where PERFGATE_CI is set, as .ci/run
// does, it has to be there.
func Tool(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		Missing(t, program+" is not installed")
	}
}

// Missing skips a test for the reason given, and fails it where PERFGATE_CI is set.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PERFGATE_CI") != "" {
		t.Fatal(why + ", and PERFGATE_CI says that it has to be")
	}
	t.Skip(why)
}
