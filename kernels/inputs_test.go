package kernels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
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
		write(t, filepath.Join(dir, name), text)
	}
	return BuildSpec{Kernel: "k", Tree: dir, AdapterTree: dir, Adapter: "k.pg.cc", Flags: flags}
}

func (r *rig) inputs(s BuildSpec) string {
	r.t.Helper()
	known, err := r.builder.Inputs(context.Background(), s)
	must(r.t, err)
	return known.Inputs
}

func (r *rig) build(s BuildSpec) Library {
	r.t.Helper()
	lib, err := r.builder.Build(context.Background(), s)
	must(r.t, err)
	return lib
}

// Equal inputs are equal wherever they lie; other files or flags are others; and a build has the name of its inputs, by which it is found.
func TestInputsNameABuild(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	const header = "static int work() { return 1; }\n"
	first := side(t, header)
	if name := r.inputs(first); name != "" {
		t.Errorf("what was never built has inputs %q", name)
	}
	lib := r.build(first)
	name := lib.Inputs
	if name == "" || lib.Cached || r.builder.Built(name) || r.inputs(first) != name {
		t.Fatalf("%+v, found again as %q, and nothing is to be kept of what need not be", lib, r.inputs(first))
	}
	first.Keep = true
	if lib := r.build(first); lib.Inputs != name || lib.Cached || !r.builder.Built(name) {
		t.Errorf("%+v, want inputs %s, and the build kept", lib, name)
	}
	other := newRig(t) // another scratch folder
	other.builder.Cache = r.builder.Cache
	again := side(t, header)
	again.Keep = true
	if got := other.inputs(again); got != name {
		t.Error("the same files elsewhere have other inputs")
	}
	kept := other.build(again)
	if !kept.Cached || kept.Fingerprint != lib.Fingerprint || !slices.ContainsFunc(kept.Asked.Paths, func(a observe.Access) bool { return a.Path == filepath.Join(again.Tree, "work.h") }) {
		t.Errorf("%+v, want the build that was kept, and what it asked for", kept)
	}
	file, flag, adapter := side(t, header+"// more\n"), again, again
	flag.Flags, adapter.Adapter = []string{"-O3"}, "other.pg.cc"
	write(t, filepath.Join(adapter.Tree, "other.pg.cc"), inputsAdapter+"// another\n")
	for what, s := range map[string]BuildSpec{"a file": file, "a flag": flag, "the adapter": adapter} {
		if r.inputs(s) != "" || r.build(s).Inputs == name {
			t.Errorf("%s changed and the inputs did not", what)
		}
	}
	command := first
	command.Command, command.Output = "true", "x.so"
	if got := r.inputs(command); got != "" || r.builder.Built("") {
		t.Errorf("a build command has inputs %q", got)
	}
}

// What a build reads is found out by seeing it read: a file that no flag and no text names, one that was looked for and was not there, one outside of
// the tree. A change of any is another build; a change of what was not asked for is none.
func TestInputsAreWhatABuildAsksFor(t *testing.T) {
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	outside := t.TempDir()
	far := filepath.Join(outside, "include", "far.h")
	write(t, far, "static int far() { return 1; }\n")
	lay := func(change map[string]string, links map[string]string) BuildSpec {
		files := map[string]string{
			"k.pg.cc": calling + "#include <near.h>\n#include <far.h>\nasm(\".section .rodata\\n.incbin \\\"table.bin\\\"\\n.previous\");\nvoid f() { volatile int x = far() + NEAR; (void)x; }\n",
			"opt.rsp": "-DA @more.rsp", "more.rsp": "-DB", "late/near.h": "#define NEAR 1\n", "early/README": "", "lib/libk.a": "INPUT(inner.ld)", "lib/inner.ld": "k = 1;", "README": "",
		}
		if links == nil {
			files["table.bin"] = "one"
		}
		maps.Copy(files, change)
		s := BuildSpec{Adapter: "k.pg.cc", Flags: []string{"@opt.rsp", "-Iearly", "-Ilate", "-I" + filepath.Dir(far), "-Llib", "-lk"}}
		r.lay(&s, files, links)
		return s
	}
	name := r.build(lay(nil, nil)).Inputs
	for what, change := range map[string]map[string]string{"nothing": nil, "a file that nothing reads": {"README": "changed"}, "a file that is new": {"docs/new.md": "new"}} {
		if got := r.inputs(lay(change, nil)); got != name || name == "" {
			t.Errorf("inputs %q, and with a change of %s %q", name, what, got)
		}
	}
	for what, change := range map[string]map[string]string{
		".incbin": {"table.bin": "two"}, "a response file": {"opt.rsp": "-DC @more.rsp"}, "a response file of a response file": {"more.rsp": "-DD"},
		"what a linker script names": {"lib/inner.ld": "k = 2;"}, "a library that comes first": {"lib/libk.so": "INPUT(inner.ld)"},
		"a header": {"late/near.h": "#define NEAR 3\n"}, "a header that comes first": {"early/near.h": "#define NEAR 2\n"}, "the adapter": {"k.pg.cc": calling},
	} {
		if r.inputs(lay(change, nil)) != "" {
			t.Errorf("%s changed and the inputs did not", what)
		}
	}
	if r.inputs(lay(map[string]string{"other.bin": "one"}, map[string]string{"table.bin": "other.bin"})) != "" {
		t.Error("a link in the place of a file is the same input")
	}
	s := lay(nil, nil)
	for what, change := range map[string]func() (back func()){
		"a mode": func() func() {
			table := filepath.Join(s.Tree, "table.bin")
			_ = os.Chmod(table, 0o755)
			return func() { _ = os.Chmod(table, 0o644) }
		},
		"a header outside": func() func() {
			write(t, far, "static int far() { return 2; }\n")
			return func() { write(t, far, "static int far() { return 1; }\n") }
		},
		"CPATH":                      func() func() { t.Setenv("CPATH", outside); return func() { os.Unsetenv("CPATH") } },
		"a variable that nvcc reads": func() func() { t.Setenv("NVCC_APPEND_FLAGS", "-G"); return func() { os.Unsetenv("NVCC_APPEND_FLAGS") } },
	} {
		back := change()
		if r.inputs(s) != "" {
			t.Errorf("%s changed and the inputs did not", what)
		}
		if back(); r.inputs(s) != name {
			t.Errorf("%s is as it was, and the inputs are not", what)
		}
	}
}

// A compiler that is another one under the same path is seen, like any file.
func TestInputsOfAnotherCompiler(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	s := side(t, "static int work() { return 1; }\n")
	script := filepath.Join(t.TempDir(), "cxx")
	program := func(more string) {
		must(t, kernelstest.WriteProgram(script, []byte("#!/bin/sh\nexec "+r.builder.Compiler.Path+" \"$@\""+more+"\n")))
	}
	program("")
	r.builder.Compiler.Path = script
	if name := r.build(s).Inputs; name == "" || r.inputs(s) != name {
		t.Fatalf("inputs %q, then %q", name, r.inputs(s))
	}
	if program(" -O3"); r.inputs(s) != "" {
		t.Error("another compiler under the same path has the same inputs")
	}
}

// byName is a compiler with a cache of one file's objects that goes by its name.
const byName = `#!/bin/sh
for word do case "$word" in *.cc) source=${word##*/} ;; *.o) object=$word ;; esac; done
test "$source" = %[2]s || exec %[3]s "$@"
test -f %[1]s || %[3]s "$@" && { test -f %[1]s || cp "$object" %[1]s; } && cp %[1]s "$object"
`

// Where a cache stands for a file that is to be compiled, the library may be of any code: of the other side, of a competitor or of an earlier run.
func TestCompilersThatReadNothing(t *testing.T) {
	t.Parallel()
	for _, stale := range []string{"k.pg.cc", "helper.cc"} {
		r := newRig(t)
		s := side(t, "static int work() { return 1; }\n", "-DNEEDS_HELPER")
		write(t, filepath.Join(s.Tree, "helper.cc"), "extern \"C\" int helper() { return 0; }\n")
		s.Sources = []string{"helper.cc"}
		script := filepath.Join(t.TempDir(), "cxx")
		must(t, kernelstest.WriteProgram(script, fmt.Appendf(nil, byName, filepath.Join(t.TempDir(), "kept"), stale, r.builder.Compiler.Path)))
		r.builder.Compiler.Path = script
		r.build(s)
		_, err := r.builder.Build(context.Background(), s)
		var fault *BuildError
		if err == nil || errors.As(err, &fault) || !strings.Contains(err.Error(), "did not read "+stale) {
			t.Errorf("%s comes out of a cache: %v", stale, err)
		}
	}
}

// Two variants of one key are both found: what a build asks for differs with what it finds.
func TestTwoObservationsOfOneKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	one, two := side(t, "static int work() { return 1; }\n"), side(t, "#include \"more.h\"\nstatic int work() { return MORE; }\n")
	write(t, filepath.Join(two.Tree, "more.h"), "#define MORE 1\n")
	one.Keep, two.Keep = true, true
	first, second := r.build(one), r.build(two)
	if first.Inputs == second.Inputs || r.inputs(one) != first.Inputs || r.inputs(two) != second.Inputs {
		t.Errorf("%q and %q are found as %q and %q", first.Inputs, second.Inputs, r.inputs(one), r.inputs(two))
	}
	if keys, _ := os.ReadDir(filepath.Join(r.builder.Cache, observedFolder)); len(keys) != 1 {
		t.Errorf("%v, want one key", keys)
	}
	if a, b := r.build(one), r.build(two); !a.Cached || !b.Cached {
		t.Error("a variant was built again")
	}
}

// asNVCC takes nvcc's options off a command line of its host compiler, and says of each unit what ptxas would.
const asNVCC = `#!/bin/sh
for word do
	shift
	case "$before$word" in
	-ccbin*|-gencode*|-Xptxas*|-Xlinker*|-Xcompiler|-forward-unknown-to-host-compiler|-no-compress) ;;
	*) set -- "$@" "$word" ;;
	esac
	case "$word" in -ccbin|-gencode|-Xptxas|-Xlinker) before=$word ;; *) before= ;; esac
	case "$word" in *.cc) echo "ptxas info    : Compiling entry function '${word##*/}' for 'sm_90'
ptxas info    : Used 8 registers" ;; esac
done
exec c++ "$@"
`

// What a compiler said of GPU code is known of a build from the cache as well: it cannot be read off the library.
func TestResourcesAreKeptWithABuild(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	nvcc := filepath.Join(t.TempDir(), "nvcc")
	must(t, kernelstest.WriteProgram(nvcc, []byte(asNVCC)))
	r.builder.Cache, r.builder.Target = t.TempDir(), Target{Device: result.DeviceCUDA, Arch: "sm_90"}
	r.builder.Compiler = Compiler{Path: nvcc, Host: r.builder.Compiler.Path}
	s := side(t, "static int work() { return 1; }\n", "-DNEEDS_HELPER")
	write(t, filepath.Join(s.Tree, "helper.cc"), "extern \"C\" int helper() { return 0; }\n")
	s.Sources, s.Keep = []string{"helper.cc"}, true
	want := []Resource{
		{Function: "k.pg.cc", Arch: "sm_90", Registers: 8, SpillsKnown: true, Adapter: true}, {Function: "helper.cc", Arch: "sm_90", Registers: 8, SpillsKnown: true},
	}
	for _, cached := range []bool{false, true} {
		if lib := r.build(s); lib.Cached != cached || !slices.Equal(lib.Resources, want) {
			t.Errorf("cached %v, want %v; resources %+v", lib.Cached, cached, lib.Resources)
		}
	}
}

// What need not be all that a build asked for, or what it found, is not kept: then base is built each time.
func TestIncompleteObservationsAreNotKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	changing := func(command string) BuildSpec {
		s := side(t, "static int work() { return 1; }\n")
		write(t, filepath.Join(s.Tree, "note"), "")
		s.Keep = true
		path, err := exec.LookPath("c++")
		must(t, err)
		r.builder.Compiler.Path = filepath.Join(t.TempDir(), "c++")
		must(t, kernelstest.WriteProgram(r.builder.Compiler.Path, []byte("#!/bin/sh\n"+command+"\nexec "+path+" \"$@\"\n")))
		return s
	}
	for what, command := range map[string]string{
		"it writes what was there": "echo >> note", "it moves what was there": "mv note other; mv other note", "a file it reads is written meanwhile": "touch work.h",
	} {
		s := changing(command)
		if lib := r.build(s); lib.Inputs != "" || r.builder.Built(lib.Inputs) || r.inputs(s) != "" {
			t.Errorf("%s: %q", what, lib.Inputs)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(r.builder.Cache, adaptersFolder)); len(entries) != 0 {
		t.Errorf("kept %v", entries)
	}
	var o observation
	lib := Library{Asked: observe.Unobserved("not here")}
	if _, known := r.builder.observed(places{}, lib, time.Now()); known {
		t.Errorf("a build that was not observed is known as %v", o)
	}
}

// An observation that is not as it was written is none.
func TestDamagedObservations(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	s := side(t, "static int work() { return 1; }\n")
	name := r.build(s).Inputs
	files, err := filepath.Glob(filepath.Join(r.builder.Cache, observedFolder, "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	for what, damage := range map[string]func() error{
		"cut":         func() error { return os.WriteFile(files[0], text[:len(text)/2], 0o644) },
		"empty":       func() error { return os.WriteFile(files[0], nil, 0o644) },
		"asks less":   func() error { return os.WriteFile(files[0], []byte(`{"schema":"`+inputsScheme+`","asked":[]}`), 0o644) },
		"of no bound": func() error { return os.Truncate(files[0], mostObservation+1) },
		"a pipe":      func() error { return errors.Join(os.Remove(files[0]), syscall.Mkfifo(files[0], 0o644)) },
	} {
		if err := damage(); err != nil || r.inputs(s) != "" {
			t.Errorf("%s: %v, %q", what, err, r.inputs(s))
		}
		if err := errors.Join(os.Remove(files[0]), os.WriteFile(files[0], text, 0o644)); err != nil || r.inputs(s) != name {
			t.Fatalf("%v, then %q", err, r.inputs(s))
		}
	}
}

// The files that a build asked for are those that were there and those that were not, of its own side; where that need not be all, that is said.
func TestAskedFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := BuildSpec{Root: root, Tree: filepath.Join(root, "bench"), Adapter: "k.pg.cc"}
	write(t, filepath.Join(root, "k.h"), "")
	write(t, filepath.Join(root, "bench", "table.bin"), "")
	asking := func(more ...observe.Access) Library {
		return Library{Asked: observe.Report{Paths: append(more, observe.Access{Path: filepath.Join(root, "k.h"), Asked: observe.Opened},
			observe.Access{Path: filepath.Join(root, "bench"), Asked: observe.LookedUp}, observe.Access{Path: filepath.Join(root, "bench", "table.bin"), Asked: observe.Opened},
			observe.Access{Path: filepath.Join(root, "bench", "none.h"), Asked: observe.LookedUp}, observe.Access{Path: "/usr/include/math.h", Asked: observe.Opened})}}
	}
	files, known, err := s.AskedFiles(asking())
	if !known || err != nil || !slices.Equal(files, []string{"k.pg.cc", "../k.h", "table.bin", "none.h"}) {
		t.Errorf("%q, %v, %v", files, known, err)
	}
	unseen := asking()
	unseen.Asked.Incomplete = observe.Unobserved("").Incomplete
	for what, lib := range map[string]Library{"a folder that was listed": asking(observe.Access{Path: root, Asked: observe.Listed}), "not all was seen": unseen} {
		if _, known, err := s.AskedFiles(lib); known || err != nil {
			t.Errorf("%s: known %v, %v", what, known, err)
		}
	}
}

// Of one key the observations that were used last are kept.
func TestOldObservationsGo(t *testing.T) {
	t.Parallel()
	b := &Builder{Cache: t.TempDir()}
	var names []string
	for i := range mostKept + 3 {
		names = append(names, b.keep(places{key: "key"}, observation{Schema: inputsScheme, Asked: []asked{{Path: fmt.Sprint(i), State: absent}}}))
		path := filepath.Join(b.Cache, observedFolder, "key", names[i]+".json")
		must(t, os.Chtimes(path, time.Unix(int64(i), 0), time.Unix(int64(i), 0)))
	}
	kept := newest(filepath.Join(b.Cache, observedFolder, "key"))
	if len(kept) != mostKept || filepath.Base(kept[0]) != names[len(names)-1]+".json" {
		t.Errorf("%d are kept, the last of them %s", len(kept), kept[0])
	}
}
