package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const inputsAdapter = `#include "perfgate.h"
#include "work.h"
#ifdef NEEDS_HELPER
extern "C" int helper();
#else
static int helper() { return 0; }
#endif
extern "C" int pg_spec(const pg_case *, pg_tensor *, int) { return 0; }
extern "C" int pg_launch(const pg_case *, void *const *, void *, void *) { return work() + helper(); }
`

// side writes a small kernel and returns what it is built from.
func side(t *testing.T, header string, flags ...string) BuildSpec {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"k.pg.cc": inputsAdapter, "work.h": header} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return BuildSpec{Kernel: "k", Tree: dir, AdapterTree: dir, Adapter: "k.pg.cc", Flags: flags}
}

func (r *rig) inputs(s BuildSpec) string {
	r.t.Helper()
	inputs, err := r.builder.Inputs(context.Background(), s)
	if err != nil {
		r.t.Fatal(err)
	}
	return inputs
}

func (r *rig) build(s BuildSpec) Library {
	r.t.Helper()
	lib, err := r.builder.Build(context.Background(), s)
	if err != nil {
		r.t.Fatal(err)
	}
	return lib
}

// Equal inputs are equal wherever they lie; other files or flags are others; and a build has the name of its inputs.
func TestInputsNameABuild(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	const header = "static int work() { return 1; }\n"
	first := side(t, header)
	first.TreeID = "one"
	name := r.inputs(first)
	if name == "" || r.builder.Built(name) {
		t.Fatalf("inputs %q, built %v before building", name, r.builder.Built(name))
	}
	if lib := r.build(first); lib.Inputs != name || lib.Cached || r.builder.Built(name) {
		t.Errorf("%+v, want inputs %s, and nothing kept of what need not be", lib, name)
	}
	first.Keep = true
	if lib := r.build(first); lib.Inputs != name || lib.Cached || !r.builder.Built(name) {
		t.Errorf("%+v, want inputs %s, and the build kept", lib, name)
	}
	other := newRig(t) // another scratch folder
	again := side(t, header)
	again.TreeID, again.Keep = "one", true
	if got := other.inputs(again); got != name {
		t.Error("the same files elsewhere have other inputs")
	}
	other.builder.Cache = r.builder.Cache
	if lib := other.build(again); !lib.Cached || lib.Fingerprint != r.build(first).Fingerprint {
		t.Errorf("%+v, want the build that was kept", lib)
	}
	tree, flag, adapter := again, again, again
	tree.TreeID, flag.Flags, adapter.Adapter = "two", []string{"-O3"}, "other.pg.cc"
	write(t, filepath.Join(adapter.Tree, "other.pg.cc"), inputsAdapter+"// another\n")
	for what, s := range map[string]BuildSpec{"the tree": tree, "a flag": flag, "the adapter": adapter} {
		if r.inputs(s) == name {
			t.Errorf("%s changed and the inputs did not", what)
		}
	}
	command := first
	command.Command, command.Output = "true", "x.so"
	if got := r.inputs(command); got != "" || r.builder.Built("") {
		t.Errorf("a build command has inputs %q", got)
	}
	if got := r.inputs(side(t, header)); got != "" {
		t.Errorf("a folder of which nobody knows what it holds has inputs %q", got)
	}
	var fault *BuildError
	broken := side(t, "#error no\n")
	broken.TreeID = "three"
	if _, err := r.builder.Inputs(context.Background(), broken); !errors.As(err, &fault) {
		t.Errorf("%v, want the code's fault", err)
	}
}

// What a build reads outside of its tree counts too: headers by their content, libraries and the compiler by size and time.
func TestInputsOutsideOfTheTree(t *testing.T) {
	r := newRig(t)
	outside := t.TempDir()
	header, library := filepath.Join(outside, "include", "far.h"), filepath.Join(outside, "lib", "libfar.a")
	write(t, header, "static int far() { return 1; }\n")
	write(t, library, "!<arch>\n")
	s := side(t, "#include <far.h>\nstatic int work() { return far(); }\n", "-I"+filepath.Dir(header), "-L"+filepath.Dir(library))
	s.TreeID = "one"
	name := r.inputs(s)
	if name == "" || r.inputs(s) != name {
		t.Fatalf("inputs %q, then %q", name, r.inputs(s))
	}
	for what, change := range map[string]func(){
		"a header":                   func() { write(t, header, "static int far() { return 2; }\n") },
		"a library":                  func() { write(t, library, "!<arch>\nlonger\n") },
		"CPATH":                      func() { t.Setenv("CPATH", outside) },
		"a variable that nvcc reads": func() { t.Setenv("NVCC_APPEND_FLAGS", "-lineinfo") },
	} {
		change()
		now := r.inputs(s)
		if now == name {
			t.Errorf("%s changed and the inputs did not", what)
		}
		name = now
	}
	c := r.builder.Compiler
	script := filepath.Join(outside, "cxx")
	write(t, script, "#!/bin/sh\nexec "+c.Path+" \"$@\"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	r.builder.Compiler.Path = script
	name = r.inputs(s)
	write(t, script, "#!/bin/sh\nexec "+c.Path+" \"$@\" -O3\n")
	if r.inputs(s) == name {
		t.Error("another compiler under the same path has the same inputs")
	}
}

// All that is loaded counts: code, constants, data. A build id does not.
func TestFingerprintOfAllThatIsLoaded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	print := func(header string, flags ...string) string { return r.build(side(t, header, flags...)).Fingerprint }
	const text = "extern \"C\" const char name[] = \"%s\"; extern \"C\" int state = %d; static int work() { return %d; }\n"
	plain := print(fmt.Sprintf(text, "a", 1, 1), "-Wl,--build-id=0x1111")
	if got := print(fmt.Sprintf(text, "a", 1, 1), "-Wl,--build-id=0x2222"); got != plain {
		t.Error("another build id is other code")
	}
	for what, header := range map[string]string{
		"a constant": fmt.Sprintf(text, "b", 1, 1), "data": fmt.Sprintf(text, "a", 2, 1), "code": fmt.Sprintf(text, "a", 1, 2),
	} {
		if print(header, "-Wl,--build-id=0x1111") == plain {
			t.Errorf("%s changed and the fingerprint did not", what)
		}
	}
}

// A library that a kernel needs is part of it: replaced, the same file is other code.
func TestFingerprintOfNeededLibraries(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	helper := func(value int) {
		source := filepath.Join(dir, "helper.c")
		if err := os.WriteFile(source, fmt.Appendf(nil, "int helper(void) { return %d; }\n", value), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(r.builder.Compiler.Path, "-x", "c", "-shared", "-fPIC", "-o", filepath.Join(dir, "libpghelper.so"), source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	prints := func(path string) (code, libraries string) {
		code, err := Fingerprint(path)
		if err != nil {
			t.Fatal(err)
		}
		if libraries, err = LibrariesFingerprint(path); err != nil {
			t.Fatal(err)
		}
		return code, libraries
	}
	helper(1)
	lib := r.build(side(t, "static int work() { return 1; }\n", "-DNEEDS_HELPER", "-L"+dir, "-Wl,-rpath,"+dir, "-Wl,--no-as-needed", "-lpghelper"))
	code, libraries := prints(lib.Path)
	if again, same := prints(lib.Path); again != code || same != libraries || code != lib.Fingerprint {
		t.Error("the fingerprint of one file is not one")
	}
	helper(2)
	if again, now := prints(lib.Path); again == code || now == libraries {
		t.Errorf("the needed library was replaced: fingerprint %v, libraries %v", again != code, now != libraries)
	}
}
