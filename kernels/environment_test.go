package kernels

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/kernels/sandbox"
)

// The configuration of installers may hold the password of an index, and code of a pull request runs in what makes an environment.
func TestEnvironmentCommandsReadNoConfigurationOfInstallers(t *testing.T) {
	t.Parallel()
	for _, p := range []sandbox.Policy{platformFiles, sandbox.Network(), sandbox.Accounts()} {
		for _, open := range p.Read {
			for _, file := range []string{"/etc/pip.conf", "/etc/xdg/pip/pip.conf", "/etc/uv/uv.toml", "/etc/xdg/uv/uv.toml", "/etc/netrc"} {
				if strings.HasPrefix(file+"/", strings.TrimSuffix(open, "/")+"/") {
					t.Errorf("%s opens %s", open, file)
				}
			}
		}
	}
}

// What failed or was killed leaves nothing behind, and what another run is making stays.
func TestEnvironmentsThatFailAreRemoved(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "list.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b := &Builder{Scratch: t.TempDir(), Cache: t.TempDir()}
	kept := EnvironmentFolders(b.Cache)[0]
	spec := EnvironmentSpec{Kernel: "k", Side: "head", Build: "mkdir $PERFGATE_ENV && chmod 0 $PERFGATE_ENV && exit 3", Tree: tree, Inputs: []string{"list.txt"}}
	if _, err := b.Environment(t.Context(), spec); err == nil {
		t.Fatal("it was made")
	}
	if left := cacheEntries(kept); len(left) > 0 {
		t.Errorf("a failed build left %+v", left)
	}
	for _, name := range []string{"killed", "busy"} {
		e := &Environment{Folder: filepath.Join(kept, name)}
		if err := os.MkdirAll(e.Path(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := e.openLock(); err != nil {
			t.Fatal(err)
		}
		defer e.lock.Close()
		if name == "busy" {
			if err := syscall.Flock(int(e.lock.Fd()), exclusive|syscall.LOCK_NB); err != nil {
				t.Fatal(err)
			}
		}
	}
	spec.Build = "mkdir $PERFGATE_ENV"
	made, err := b.Environment(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer made.lock.Close()
	var left []string
	for _, e := range cacheEntries(kept) {
		left = append(left, filepath.Base(e.path))
	}
	slices.Sort(left)
	if want := slices.Sorted(slices.Values([]string{made.Key, made.Key + ".lock", made.Key + ".seal", "busy", "busy.lock"})); !slices.Equal(left, want) {
		t.Errorf("%q, want %q", left, want)
	}
}

// A lock that was removed while a run waited for it is none: another run would take the new one.
func TestEnvironmentLockThatWasRemoved(t *testing.T) {
	t.Parallel()
	e := &Environment{Folder: filepath.Join(t.TempDir(), "e")}
	if err := e.openLock(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(e.lockName()); err != nil {
		t.Fatal(err)
	}
	if err := e.hold(t.Context(), exclusive); err != nil || !e.isLock() {
		t.Errorf("%v", err)
	}
	e.lock.Close()
}
