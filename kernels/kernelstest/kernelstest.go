// Package kernelstest is what the tests of several packages need in order to build and run kernels.
package kernelstest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/sandbox"
)

// Shared is a build cache for all test binaries of the user, or a new one where the user has no folder for caches. What it holds is
// kept by its content, compiler and flags, and written beside its place and renamed: tests may use it at the same time, and find
// nothing stale.
func Shared() (dir string, err error) {
	home, err := os.UserCacheDir()
	if err != nil {
		return os.MkdirTemp("", "perfgate-test-cache-")
	}
	dir = filepath.Join(home, "perfgate-test")
	return dir, os.MkdirAll(filepath.Join(dir, "harness"), 0o755)
}

// TreeID is ContentID for a test that needs it.
func TreeID(t testing.TB, folder string) string {
	t.Helper()
	id, err := ContentID(folder)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ContentID stands for git's name of a folder whose files are content: with it a build is kept in a cache.
func ContentID(folder string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s\n", path[len(folder):], len(content), content)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// Program is Kept for a test that needs it.
func Program(t testing.TB, name string, parts []string, build func(path string) error) string {
	t.Helper()
	path, err := Kept(name, parts, build)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var keeping sync.Map // a lock for each program, so that tests that run at once make it once

// Kept returns a program or library of the shared cache that is made of parts alone: sources, compiler, flags. build makes it at a path where there is none
// yet; its error is returned as it is.
func Kept(name string, parts []string, build func(path string) error) (path string, err error) {
	shared, err := Shared()
	if err != nil {
		return "", err
	}
	path = filepath.Join(shared, name, fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprintf("%q", parts)))))
	one, _ := keeping.LoadOrStore(path, new(sync.Mutex))
	one.(*sync.Mutex).Lock()
	defer one.(*sync.Mutex).Unlock()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	partial := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(partial) // after a rename there is nothing to remove
	if err := build(partial); err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}

// Cache makes a build cache for one test binary, and removes it again. Adapters in it are its own, so that tests can see what was
// built; the harness, which takes longest to compile, is that of Shared.
func Cache() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "perfgate-test-cache-"); err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	shared, err := Shared()
	if err == nil {
		err = os.Symlink(filepath.Join(shared, "harness"), filepath.Join(dir, "harness"))
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

// WriteProgram writes a program that the test starts afterwards. No child of another test starts meanwhile: it would hold the file
// open for writing until it is itself replaced, and Linux starts no file that is open so ("text file busy").
func WriteProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
}

// Live is for tests whose point is the clock, or that compile and run much: go test -short leaves them out, and so does a machine that is too busy.
func Live(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("measures live: left out by -short")
	}
	NeedTime(t)
}

// NeedTime is for tests that start programs of ours: they are left out where the machine is too busy.
func NeedTime(t testing.TB) {
	t.Helper()
	if why := TooBusy(t); why != "" {
		Missing(t, why)
	}
}

// leastLeft is more than any test takes on a busy machine.
const leastLeft = 2 * time.Minute

// TooBusy says that the tests of a package come near to go test's limit of ten minutes, which would end all of them; "" where they do not.
func TooBusy(t testing.TB) string {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return ""
	}
	if ends, ok := limited.Deadline(); !ok || time.Until(ends) > leastLeft {
		return ""
	}
	return "this machine is too busy: hardly any of the time is left that go test -timeout gives"
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

// NeedLandlock skips a test that needs Landlock, or what came with one of its versions, where the Linux kernel lacks it.
func NeedLandlock(t testing.TB, version int) {
	t.Helper()
	if got := sandbox.LandlockABI(); got < version {
		t.Skipf("this Linux kernel has version %d of Landlock, and the test needs version %d", got, version)
	}
}

var pythons sync.Map // by the modules asked for: to ask a version manager's shim takes a hundred processes

// PythonWith is an interpreter that has modules, without which the test is skipped: the one on the PATH, or the system's. It is the
// program itself, never the shim of a version manager that starts it.
func PythonWith(t testing.TB, modules ...string) string {
	t.Helper()
	key := strings.Join(modules, " ")
	if known, ok := pythons.Load(key); ok {
		return known.(string)
	}
	const lacking = "import importlib.util as u, sys; print(sys.executable); sys.exit(any(u.find_spec(m) is None for m in sys.argv[1:]))"
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if out, err := exec.Command(python, append([]string{"-c", lacking}, modules...)...).Output(); err == nil {
			path := strings.TrimSpace(string(out))
			pythons.Store(key, path)
			return path
		}
	}
	Missing(t, "no python3 has "+strings.Join(modules, " and "))
	return ""
}
