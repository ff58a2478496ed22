package kernels

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// calling is an adapter that calls void f() of a source.
const calling = "#include \"perfgate.h\"\nvoid f();\nextern \"C\" int pg_spec(const pg_case*, pg_tensor*, int) { return 0; }\nextern \"C\" int pg_launch(const pg_case*, void* const*, void*, void*) { f(); return 0; }\n"

func faultOf(t *testing.T, err error) *BuildError {
	t.Helper()
	var fault *BuildError
	if !errors.As(err, &fault) {
		t.Fatalf("%v is no fault of the code", err)
	}
	return fault
}

// A build is the adapter's fault only if nothing else is wrong: what fails in the adapter and in a source alike is not. The file at fault is named, and
// the compiler's words are kept.
func TestBuildBlamesTheAdapterOnlyIfAlone(t *testing.T) {
	r := newRig(t)
	const good, broken = "void f() {}\n", "#include \"broken.h\"\n"
	for name, c := range map[string]struct {
		adapter, source, header string
		flags                   []string
		cause                   result.BuildCause
		says, words             string
	}{
		"flag":              {calling, good, "", []string{"-fno-such-flag"}, result.CauseSources, "f.cc does not compile", ""},
		"missing header":    {broken + calling, broken + good, "", nil, result.CauseSources, "f.cc does not compile", ""},
		"broken header":     {broken + calling, broken + good, "int x\n", nil, result.CauseSources, "f.cc does not compile", ""},
		"both":              {"#error ours\n", "#error theirs\n", "", nil, result.CauseSources, "f.cc does not compile", ""},
		"adapter":           {calling + "int x\n", good, "", nil, result.CauseAdapter, "k.pg.cc does not compile", ""},
		"adapter's header":  {broken + calling, good, "", nil, result.CauseAdapter, "k.pg.cc does not compile", ""},
		"changed signature": {calling, "void f(int) {}\n", "", nil, result.CauseAdapter, "the library does not link", "f()"},
		"a source":          {calling, "void f() { this is wrong }\n", "", nil, result.CauseSources, "f.cc does not compile", "f.cc"},
		"a source's header": {calling, broken + good, "", nil, result.CauseSources, "f.cc does not compile", "broken.h"},
		"no source":         {calling, "", "", nil, result.CauseSources, "the source f.cc is not there", ""},
		"nothing":           {calling, good, "", nil, "", "", ""},
	} {
		files := map[string]string{"bench/k.pg.cc": c.adapter, "f.cc": c.source, "bench/broken.h": c.header}
		maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
		_, err := r.buildOf(BuildSpec{Adapter: "bench/k.pg.cc", Sources: []string{"f.cc"}, Flags: c.flags}, files, false)
		if c.cause == "" {
			must(t, err)
			continue
		}
		fault := faultOf(t, err)
		if fault.Cause != c.cause || fault.Unlinked != strings.Contains(c.says, "link") || !strings.Contains(fault.Error(), c.says) || !strings.Contains(fault.Output, c.words) {
			t.Errorf("%s: %q, %v, want %q, %q and %q in\n%s", name, fault.Cause, fault, c.cause, c.says, c.words, fault.Output)
		}
	}
}

// A header that lies where headers usually do is found by the flag that the error names.
func TestAMissingHeaderNamesItsFlag(t *testing.T) {
	r := newRig(t)
	for file, want := range map[string]string{"h.h": "flags: [-I.]", "include/h.h": "flags: [-Iinclude]", "lib/h.h": "flags: [-Ilib]", "other/h.h": ""} {
		spec := BuildSpec{Adapter: "bench/k.pg.cc", Sources: []string{"lib/f.cc"}}
		files := map[string]string{"bench/k.pg.cc": "#include \"h.h\"\n" + calling, "lib/f.cc": "void f() {}\n", file: ""}
		_, err := r.buildOf(spec, files, false)
		if said := faultOf(t, err).Error(); !strings.Contains(said, want) || strings.Contains(said, "flags:") != (want != "") {
			t.Errorf("%s: %s, want %q", file, said, want)
		}
		if want == "" {
			continue
		}
		spec.Flags = []string{strings.Trim(strings.TrimPrefix(want, "flags: "), "[]")}
		if _, err := r.buildOf(spec, files, false); err != nil {
			t.Errorf("%s with %s: %v", file, spec.Flags, err)
		}
	}
}

// The same with nvcc, which a script that refuses everything stands for.
func TestBuildBlamesTheAdapterOnlyIfAloneCUDA(t *testing.T) {
	refuse := filepath.Join(t.TempDir(), "nvcc")
	script := "#!/bin/sh\necho 'nvcc fatal   : Unknown option' >&2\nexit 1\n"
	must(t, kernelstest.WriteProgram(refuse, []byte(script)))
	r := &rig{t: t, builder: &Builder{
		Compiler: Compiler{Path: refuse, Host: "/bin/false"}, Target: Target{Device: result.DeviceCUDA, Arch: "sm_90"}, Cache: t.TempDir(), Scratch: t.TempDir(),
	}}
	_, err := r.buildOf(BuildSpec{Adapter: "k.pg.cu", Sources: []string{"f.cu"}}, map[string]string{"k.pg.cu": "", "f.cu": ""}, false)
	if fault := faultOf(t, err); fault.Cause != result.CauseSources || !strings.Contains(fault.Error(), "f.cu does not compile") {
		t.Errorf("%q, %v, want the source's fault", fault.Cause, fault)
	}
}

// The compiler reads a copy of the adapter; who reads its words has the adapter itself.
func TestBuildNamesTheAdapterAsConfigured(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct{ adapter, says string }{
		"preprocessing":   {"#error stop\n", "bench/k.pg.cc:1:2: error: "},
		"compiling":       {"\nint x\n", "bench/k.pg.cc:2:6: error: "},
		"in a header":     {"#include \"h.h\"\n", "In file included from bench/k.pg.cc:1:"},
		"around perfgate": {"#define PG_ABI_VERSION 0\n#include \"perfgate.h\"\nint x\n", "\nperfgate.h:"},
		"somebody's text": {"#error /tmp/adapter/k.pg.cc k.pg.cc /x/bench/k.pg.cc\n", "#error /tmp/adapter/k.pg.cc k.pg.cc /x/bench/k.pg.cc"},
	} {
		for _, inSandbox := range []bool{false, true} {
			_, err := r.buildOf(BuildSpec{Adapter: "bench/k.pg.cc"}, map[string]string{"bench/k.pg.cc": c.adapter, "bench/h.h": "#error here\n"}, inSandbox)
			output := faultOf(t, err).Output
			if !strings.Contains("\n"+output, c.says) || strings.Contains(output, r.builder.Scratch) {
				t.Errorf("%s, sandbox %t: no %q, or %s, in\n%s", name, inSandbox, c.says, r.builder.Scratch, output)
			}
		}
	}
}

// A build command gets the adapter that the run was given, also on a side that has none or another one.
func TestBuildCommandCompilesTheGivenAdapter(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	side, given := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(given, "bench", "k.pg.cc"): "#include \"perfgate.h\"\n#include \"size.h\"\nint pg_spec(const pg_case *, pg_tensor *t, int) { t[0] = PG_TENSOR(\"y\", PG_F32, PG_OUT, SIZE); return 1; }\n" +
			"int pg_launch(const pg_case *, void *const *, void *, void *) { return 0; }\n",
		filepath.Join(side, "bench", "size.h"): "#define SIZE 4\n",
		filepath.Join(side, "k.pg.cc"):         "#error the adapter of the side\n",
	} {
		write(t, path, text)
	}
	spec := BuildSpec{Kernel: "k", Tree: side, AdapterTree: given, Adapter: "bench/k.pg.cc", Output: "k.so", Command: `"$CXX" -shared -fPIC -I"$PERFGATE_INCLUDE" -iquote bench "$PERFGATE_ADAPTER" -o k.so`}
	if _, err := r.builder.Build(context.Background(), spec); err != nil {
		t.Error(err)
	}
}

// A library among the flags is found, though linkers leave out those that nothing before them needs.
func TestLibrariesAmongTheFlags(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dir := t.TempDir()
	source := "#include \"perfgate.h\"\nextern \"C\" int omp_get_max_threads();\nint pg_spec(const pg_case*, pg_tensor*, int) { return 0; }\n" +
		"int pg_launch(const pg_case*, void* const*, void*, void*) { return omp_get_max_threads(); }\n"
	must(t, os.WriteFile(filepath.Join(dir, "a.pg.cc"), []byte(source), 0o600))
	if _, err := r.builder.Build(t.Context(), BuildSpec{Kernel: "k", Tree: dir, AdapterTree: dir, Adapter: "a.pg.cc", Flags: []string{"-Wl,--as-needed", "-lgomp"}}); err != nil {
		t.Error(err)
	}
}

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

// What a process imports ahead is installed, and what PyTorch imports when a problem's reference asks for something is imported with it.
func TestImportsAhead(t *testing.T) {
	t.Parallel()
	packages := map[string]string{"torch": "2.11.0", "numpy": "2.3.0", "helper": "1.0"}
	for name, c := range map[string]struct {
		configures bool
		text       string
		want       []string
	}{
		"packages":              {false, "import torch", []string{"numpy", "torch"}},
		"deterministic":         {false, "torch.use_deterministic_algorithms(True)", []string{"numpy", "torch", "torch._inductor.config"}},
		"variables are changed": {true, "torch.use_deterministic_algorithms(True)", nil},
	} {
		i := &Imports{Packages: packages, Configures: c.configures}
		if got := i.first([]byte(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A library of which the end is missing is a full disk, and no fault of the code.
func TestPartOfALibraryIsAFullDisk(t *testing.T) {
	t.Parallel()
	all, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	path := filepath.Join(t.TempDir(), libraryName)
	for _, c := range []struct {
		bytes int
		full  bool
	}{{0, true}, {8, true}, {len(all) / 2, true}, {len(all), false}} {
		must(t, os.WriteFile(path, all[:c.bytes], 0o755))
		if err := whole(path); errors.Is(err, syscall.ENOSPC) != c.full || !c.full && err != nil {
			t.Errorf("%d of %d bytes: %v", c.bytes, len(all), err)
		}
	}
}

// Builds that run at once compile no more files at a time than one alone does: all wait for the same slots.
func TestBuildsShareTheirSlots(t *testing.T) {
	t.Parallel()
	b := &Builder{}
	first, second := b.slots(), b.slots()
	if first != second || cap(first) != runtime.NumCPU() {
		t.Fatalf("slots of two builds: %p and %p, for %d", first, second, cap(first))
	}
	inUse := 0
	units := make([]unit, 3)
	if err := eachUnit(make(chan struct{}, 1), units, func(int) error { inUse++; return nil }); err != nil || inUse != len(units) {
		t.Errorf("%d of %d units: %v", inUse, len(units), err)
	}
}
