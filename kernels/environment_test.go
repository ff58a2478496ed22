package kernels

import (
	"os"
	"os/exec"
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
	must(t, os.WriteFile(filepath.Join(tree, "list.txt"), nil, 0o644))
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
		must(t, os.MkdirAll(e.Path(), 0o755))
		must(t, e.openLock())
		defer e.lock.Close()
		if name == "busy" {
			must(t, syscall.Flock(int(e.lock.Fd()), exclusive|syscall.LOCK_NB))
		}
	}
	spec.Build = "mkdir $PERFGATE_ENV"
	made, err := b.Environment(t.Context(), spec)
	must(t, err)
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
	must(t, e.openLock())
	must(t, os.Remove(e.lockName()))
	if err := e.hold(t.Context(), exclusive); err != nil || !e.isLock() {
		t.Errorf("%v", err)
	}
	e.lock.Close()
}

// A package that is built again from the same sources is the same, although its libraries name where and when they were built.
func TestPackagesThatAreBuiltAgain(t *testing.T) {
	t.Parallel()
	build := func(code string) *Environment {
		e := &Environment{Folder: t.TempDir()}
		site := filepath.Join(e.Path(), "lib", "python3.11", "site-packages")
		for name, text := range map[string]string{"source/fast.cc": code, "fast/__init__.py": "", "fast-1.0.dist-info/METADATA": ""} {
			write(t, filepath.Join(site, name), text)
		}
		compile := exec.Command("c++", "-g", "-shared", "-fPIC", "-Wl,--build-id,-rpath,"+filepath.Join(e.Path(), "lib"), "-o", filepath.Join(site, "fast", "fast.so"), "fast.cc")
		compile.Dir = filepath.Join(site, "source")
		output(t, compile)
		sum, err := hashFile(filepath.Join(site, "fast", "fast.so"))
		must(t, err)
		record := "fast/__init__.py,sha256=x,0\nfast/fast.so,sha256=" + sum + ",1\nfast-1.0.dist-info/METADATA,,\n"
		must(t, os.WriteFile(filepath.Join(site, "fast-1.0.dist-info", "RECORD"), []byte(record), 0o644))
		return e
	}
	base, again, other := build("int f() { return 1; }"), build("int f() { return 1; }"), build("int f() { return 2; }")
	if base.packages()["fast"].Content == again.packages()["fast"].Content {
		t.Error("the libraries are equal, and the test tests nothing")
	}
	if changes := PackageChanges(base, again); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
	if changes := PackageChanges(base, other); len(changes) != 1 || changes[0].Base != changes[0].Head {
		t.Errorf("%+v", changes)
	}
}
