package trial

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/kernels/kernelstest"
)

// repository is a new one with files in its index.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), kernelstest.WriteProgram(filepath.Join(dir, name), []byte(text))))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// What may build a program is told by files of build systems, in the folder and in the program's.
func TestBuildCommandsThatAreTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ files, program, want string }{
		{"Makefile", "build/b", "make build/b; make"}, {"Makefile", "b", "make b; make"}, {"x/Makefile", "x/b", "cd x && make b; cd x && make"},
		{"CMakeLists.txt", "out/b", "cmake -S . -B out -DCMAKE_BUILD_TYPE=Release -DWITH_BENCHMARKS=ON && cmake --build out"}, {"CMakeLists.txt", "b", ""},
		{"meson.build", "o/b", "meson setup o --buildtype=release && meson compile -C o"}, {"build.sh", "b", "sh build.sh; bash build.sh"}, {"README", "b", ""},
		{"CMakePresets.json", "b", ""},
	} {
		if got := strings.Join(candidates(fstest.MapFS{tt.files: {Data: []byte("option(WITH_TESTS \"tests\")\n  option(WITH_BENCHMARKS \"benchmarks\" OFF)")}}, tt.program), "; "); got != tt.want {
			t.Errorf("%s for %s: %q, want %q", tt.files, tt.program, got, tt.want)
		}
	}
}

// A program that was never built is told from one on the PATH by the folder that its command names.
func TestAProgramThatIsNotBuiltYet(t *testing.T) {
	dir := repository(t, map[string]string{"Makefile": "bench:\n\ttouch bench\n"})
	t.Chdir(dir)
	for command, want := range map[string]string{"./bench": "bench", "taskset -c 0 ./bench -n 3": "bench", "bench": "", "true": ""} {
		if got := builtProgram(t.Context(), dir, command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// The preset of CMake counts whose folder the program is in.
func TestPresetsThatAreTried(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"CMakeLists.txt": {Data: []byte("option(WITH_BENCH)\noption(RUN_BENCH \"x\" OFF)")}, "CMakePresets.json": {Data: []byte(`{"version": 3, "configurePresets": [
		{"name": "base", "hidden": true, "binaryDir": "${sourceDir}/out/debug"}, {"name": "debug", "binaryDir": "${sourceDir}/out/${presetName}"},
		{"name": "elsewhere", "binaryDir": "/tmp/out"}, {"name": "fast one", "binaryDir": "${sourceDir}/rel/"}]}`)}}
	for program, want := range map[string]string{
		"out/debug/b": "cmake --preset debug -DRUN_BENCH=ON && cmake --build out/debug", "rel/x/b": "cmake --preset 'fast one' -DRUN_BENCH=ON && cmake --build rel", "other/b": "",
	} {
		if got := presetCommand(tree, program); got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
}

// Extensions that setup.py builds are built in a copy; where that fails, it is said and the trial goes on.
func TestExtensionsAreBuiltByTrying(t *testing.T) {
	for setup, want := range map[string][2]string{
		"ext_modules = []\nopen('made.so', 'w')\n": {"python3 setup.py build_ext --inplace", "are built by: python3 setup.py build_ext --inplace"},
		"ext_modules = []\nexit('no compiler')\n":  {"", "no compiler): no build was written"},
		"print('none')\n":                          {"", ""},
	} {
		dir := repository(t, map[string]string{"setup.py": setup, "bench.py": ""})
		t.Chdir(dir)
		var said string
		one := &trial{Benchmark: Benchmark{Command: "python3 bench.py", Found: func(line string) { said += line }, Progress: io.Discard}, scratch: t.TempDir(), dir: dir}
		got, err := one.buildCommand(t.Context(), dir)
		if err != nil || got != want[0] || !strings.Contains(said, want[1]) || (want[1] == "") != (said == "") {
			t.Errorf("%q: %q, %q, %v", setup, got, said, err)
		}
		if _, made := os.Stat(filepath.Join(one.dir, "made.so")); (made == nil) != (got != "") {
			t.Errorf("%q: runs in %s", setup, one.dir)
		}
	}
}

// What a program prints becomes a line of mapping that is shown; a library's rows are left out where others remain; what it reads of the tree is paths.
func TestStarterOfAProgramsOwnTable(t *testing.T) {
	t.Chdir(repository(t, map[string]string{
		"Makefile": "out/bench: src/bench.sh\n\tmkdir -p out\n\tcp src/bench.sh out/bench\n", ".gitignore": "out\n", "docs/a.md": "",
		"src/bench.sh": "#!/bin/sh\necho '# op,n,ms,GB/s'; echo warming; echo ours,8,2.5,1; echo cublas,8,1.5,2; echo done\n",
	}))
	var found []string
	got, err := Benchmark{Command: "./out/bench", Found: func(line string) { found = append(found, line) }, Progress: io.Discard}.Starter(t.Context())
	must(t, err)
	if m := got.Bench.Table; got.Build != "make out/bench" || m == nil || m.Case != "{op}/n={n}" || m.Values[0].Name != "ms" || !slices.Equal(got.Cases, []string{"!cublas/n=8"}) {
		t.Errorf("%+v, %+v", got, m)
	}
	if text := strings.Join(found, "\n"); !strings.Contains(text, "ours/n=8: 2.50 ms") || !strings.Contains(text, "left out: GB/s") {
		t.Error(text)
	}
	if got.Paths != nil && !slices.Equal(got.Paths, []string{"src/**", "*"}) { // nil where Linux does not show what is read
		t.Errorf("paths: %q", got.Paths)
	}
}

// What a command of Python imports is its tree's, where it has packages and does not say so itself.
func TestOwnPackages(t *testing.T) {
	t.Parallel()
	src, flat := t.TempDir(), t.TempDir()
	for _, dir := range []string{src + "/src/a", flat + "/a"} {
		must(t, errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/__init__.py", nil, 0o644)))
	}
	for command, want := range map[string][2]string{
		"pytest bench": {"PYTHONPATH=src", "PYTHONPATH=."}, "python3 -m pytest bench": {"PYTHONPATH=src", ""}, "PYTHONPATH=src pytest": {}, "./bench": {},
	} {
		for i, dir := range []string{src, flat} {
			if got := (&trial{Benchmark: Benchmark{Command: command}, dir: dir}).ownPackages(benchmark.Traits{}); got != want[i] {
				t.Errorf("%s in %s: %q", command, dir, got)
			}
		}
	}
}

// A program that git does not keep is built in a copy of what it keeps, or asked for: what is in the working tree alone is in no checkout of base.
func TestBuildIsFoundByTrying(t *testing.T) {
	dir := repository(t, map[string]string{"build.sh": "cp bench.sh made\n", "bench.sh": "#!/bin/sh\n", "made": "#!/bin/sh\n", ".gitignore": "made\n"})
	t.Chdir(dir)
	try := func(command, build string) (string, error) {
		one := &trial{Benchmark: Benchmark{Command: command, Build: build, Found: func(string) {}, Progress: io.Discard}, scratch: t.TempDir(), dir: dir}
		return one.buildCommand(t.Context(), dir)
	}
	for _, tt := range []struct{ command, build, want, fails string }{
		{"./made", "", "sh build.sh", ""}, {"env A=1 ./made", "", "sh build.sh", ""}, {"sh bench.sh", "", "", ""}, {"./made", "cp bench.sh made", "cp bench.sh made", ""},
		{"./made", "true", "", `--build "true" does not make made`}, {"./made", "exit 3", "", "build it: it ended with exit status 3"},
		{"./made", "cp " + dir + "/bench.sh made", "", "it read " + dir + "/bench.sh, and not the copy's own"},
	} {
		got, err := try(tt.command, tt.build)
		if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s, %q: %q, %v", tt.command, tt.build, got, err)
		}
	}
	must(t, os.Remove("build.sh"))
	if _, err := try("./made", ""); err == nil || !strings.Contains(err.Error(), "add --build") {
		t.Errorf("nothing builds it: %v", err)
	}
}

// What a given command builds may be of any command's: of a benchmark of other programs, say. The benchmark is tried where it was built.
func TestGivenBuildOfAProgramThatTheCommandDoesNotName(t *testing.T) {
	dir := repository(t, nil)
	t.Chdir(dir)
	for build, fails := range map[string]string{"touch made": "", "exit 3": "does not end well"} {
		one := &trial{Benchmark: Benchmark{Command: "time ./made", Build: build, Found: func(string) {}, Progress: io.Discard}, scratch: t.TempDir(), dir: dir}
		_, err := one.buildCommand(t.Context(), dir)
		_, missing := os.Stat(filepath.Join(one.dir, "made"))
		if (err == nil) != (fails == "") || err == nil && (missing != nil || one.dir == dir) || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: %v in %s, %v", build, err, one.dir, missing)
		}
	}
}

// A build in a folder of a repository finds what the repository has above it, as it does in a side's tree.
func TestBuildInAFolderOfARepository(t *testing.T) {
	dir := repository(t, map[string]string{"part/build.sh": "mkdir out && cp ../tools/bench.sh out/made\n", "tools/bench.sh": "#!/bin/sh\n", ".gitignore": "out\n"})
	t.Chdir(filepath.Join(dir, "part"))
	said := ""
	one := &trial{Benchmark: Benchmark{Command: "./out/made", Found: func(line string) { said += line }, Progress: io.Discard}, scratch: t.TempDir(), dir: "."}
	got, err := one.buildCommand(t.Context(), filepath.Join(dir, "part"))
	if err != nil || got != "sh build.sh" || filepath.Base(one.dir) != "part" {
		t.Errorf("%q in %s, %v", got, one.dir, err)
	}
	if paths := one.paths(t.Context()); paths != nil || !strings.Contains(said, "outside of this folder") {
		t.Errorf("paths %q, %q", paths, said)
	}
}

// A benchmark that the budget has no time for is refused before it is measured; of one that runs cases alone, some are picked.
func TestBenchmarkBeyondTheBudget(t *testing.T) {
	t.Parallel()
	found := func(format string, cases int, lived time.Duration) benchmark.Recognised {
		f, _ := benchmark.Named(format)
		r := benchmark.Recognised{Format: f, Lived: lived}
		for i := range cases {
			r.Set.Cases = append(r.Set.Cases, benchmark.Case{Name: string(rune('A'+i%26)) + string(rune('a'+i/26))})
		}
		return r
	}
	for _, tt := range []struct {
		format string
		cases  int
		lived  time.Duration
		want   int           // -1: refused
		budget time.Duration // 0: the default
	}{
		{"csv", 5, time.Second, 0, 0}, {"csv", 5, 40 * time.Second, -1, 0}, {"csv", 100, time.Second, 0, 0}, {"google-benchmark", 5, 40 * time.Second, 1, 0},
		{"google-benchmark", 60, 60 * time.Second, 9, 0}, {"google-benchmark", 1, 40 * time.Second, -1, 0}, {"triton", 5, time.Hour, 0, 0},
		{"csv", 5, 2 * time.Second, -1, 20 * time.Second}, {"csv", 5, 40 * time.Second, 0, time.Hour}, {"google-benchmark", 60, 60 * time.Second, 1, time.Minute},
	} {
		names, err := Benchmark{Found: func(string) {}, Budget: tt.budget}.casesThatFit(found(tt.format, tt.cases, tt.lived))
		if (err != nil) != (tt.want < 0) || len(names) != max(0, tt.want) || len(slices.Compact(names)) != len(names) {
			t.Errorf("%s, %d cases in %s: %q, %v", tt.format, tt.cases, tt.lived, names, err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
