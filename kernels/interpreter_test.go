package kernels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// script makes a shell script, with the folders around it.
func script(t *testing.T, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, kernelstest.WriteProgram(path, []byte("#!/bin/sh\n"+text)))
	return path
}

// A python3 of the machine that is a shim works in the sandbox, which hides what the shim needs: the program that it starts is used. What
// it chooses by the folder that it is started in does not come from the checkout.
func TestInterpreterBehindAShim(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	real, err := FindInterpreter(t.Context(), InterpreterSpec{Name: kernelstest.PythonWith(t), Scratch: t.TempDir()})
	must(t, err)
	home, checkout := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PYENV_DIR", checkout)
	t.Setenv("PATH", filepath.Join(checkout, "bin")+":relative:"+os.Getenv("PATH"))
	seen := filepath.Join(home, "seen")
	chooser := script(t, filepath.Join(home, "libexec", "choose"), "echo \"$PWD $PYENV_DIR $PATH\" >"+seen+"\nexec "+real.Path+" \"$@\"\n")
	shim := script(t, filepath.Join(home, "shims", "python3"), "exec "+chooser+" \"$@\"\n")
	got, err := FindInterpreter(t.Context(), InterpreterSpec{Name: shim, Scratch: t.TempDir(), Checkout: []string{checkout}, Sandbox: &Sandbox{}})
	if err != nil || got.Path != real.Path || got.Version != real.Version {
		t.Fatalf("%+v, %v; want %+v", got, err, real)
	}
	linked := filepath.Join(checkout, "python3")
	must(t, os.Symlink(shim, linked))
	_, err = FindInterpreter(t.Context(), InterpreterSpec{Name: linked, Scratch: t.TempDir(), Checkout: []string{checkout}, Sandbox: &Sandbox{}})
	if err == nil || !strings.Contains(err.Error(), "runs only in the sandbox") {
		t.Errorf("a link of the checkout to the shim: %v", err)
	}
	text, err := os.ReadFile(seen)
	if err != nil || !strings.HasPrefix(string(text), "/  ") || strings.Contains(string(text), checkout) || strings.Contains(string(text), "relative") {
		t.Errorf("the shim was started with folder, PYENV_DIR and PATH %q, %v", text, err)
	}
}

// A libpython outside of the interpreter's folders can be read in the sandbox: a loader that cannot read it takes another of that name.
func TestLibraryOfAnInterpreter(t *testing.T) {
	real, err := FindInterpreter(t.Context(), InterpreterSpec{Name: kernelstest.PythonWith(t), Scratch: t.TempDir()})
	must(t, err)
	for _, has := range []bool{false, true} {
		elsewhere, imports := filepath.Join(t.TempDir(), "libpython3.so.1.0"), "pass"
		must(t, os.WriteFile(elsewhere, []byte("no library"), 0o644))
		if has {
			imports = fmt.Sprintf("import mmap; held = mmap.mmap(os.open(%q, os.O_RDONLY), 0, prot=mmap.PROT_READ)", elsewhere)
		}
		started := script(t, filepath.Join(t.TempDir(), "python3"), fmt.Sprintf("exec %s -I -S -c 'import os, sys; %s; exec(sys.argv[1])' \"$4\"\n", real.Path, imports))
		got, err := FindInterpreter(t.Context(), InterpreterSpec{Name: started, Scratch: t.TempDir()})
		if err != nil || slices.Contains(got.Folders, elsewhere) != has {
			t.Errorf("library elsewhere: %v; %+v, %v", has, got, err)
		}
	}
}

// An interpreter of the checkout, or a package of a machine's, may name any folder as its own: none is opened for that.
func TestAnInterpreterThatNamesOthersFolders(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	home, checkout := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	secret := script(t, filepath.Join(home, ".ssh", "python3"), "")
	token := script(t, filepath.Join(checkout, ".git", "bin", "python3"), "")
	must(t, os.Symlink(secret, filepath.Join(checkout, "libpython3.so")))
	for _, path := range []string{secret, token, filepath.Join(checkout, "bin", "python3")} {
		answer := fmt.Sprintf(`{"path": %q, "version": "3.12.0", "recent": true, "implementation": "cpython", "folders": [%q, %q, %q, %q, "/"]}`,
			path, home, checkout, filepath.Dir(secret), filepath.Join(checkout, "libpython3.so"))
		own := script(t, filepath.Join(checkout, "bin", "python3"), "echo '"+answer+"'\n")
		machines := script(t, filepath.Join(t.TempDir(), "python3"), "echo '"+answer+"'\n")
		for _, name := range []string{own, machines} {
			got, err := FindInterpreter(t.Context(), InterpreterSpec{Name: name, Scratch: t.TempDir(), Checkout: []string{checkout}, Sandbox: &Sandbox{}})
			for _, folder := range got.Folders {
				if folder != own {
					t.Errorf("%s that says it is %s opens %s", name, path, folder)
				}
			}
			if err != nil && name == own {
				t.Error(err)
			}
		}
	}
}

// A file of a virtual environment that is no file is not waited for.
func TestCopiedFromNoFile(t *testing.T) {
	root := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(root, "pyvenv.cfg"), 0o644))
	if got := copiedFrom(filepath.Join(root, "bin", "python3")); got != "" {
		t.Error(got)
	}
}

// A shim that fails says why, in one line.
func TestShimWithoutAnInterpreter(t *testing.T) {
	t.Parallel()
	shim := script(t, filepath.Join(t.TempDir(), "python3"), "echo 'pyenv: version 3.99 is not installed' >&2\necho 'see pyenv help' >&2\nexit 127\n")
	_, err := FindInterpreter(t.Context(), InterpreterSpec{Name: shim, Scratch: t.TempDir()})
	var fault *InterpreterError
	if !errors.As(err, &fault) || fault.Reason != "does not run: pyenv: version 3.99 is not installed; see pyenv help" {
		t.Errorf("%v", err)
	}
}
