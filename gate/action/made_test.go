package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/request"
)

// What an adapter or a benchmark is made of is policy, as a tolerance is: where it has changed on the base branch, the branch is to be updated.
// What is under test is none.
func TestPartsOfAdaptersAndBenchmarksMoveOn(t *testing.T) {
	t.Parallel()
	const compiled = "  - name: k\n    adapter: bench/k.pg.cc\n    sources: [csrc/k.cc]\n    flags: [-Iinclude, -isystem, third, '@opts/flags.rsp', '-Wl,--version-script=k.map', -include, bench/forced.h]\n    params: {n: {values: [1]}}\n"
	const python = "  - name: k\n    adapter: bench/k.pg.py\n    params: {n: {values: [1]}}\n"
	const pytest = "  - name: k\n    bench: {command: python3 -m pytest bench/speed, format: pytest-benchmark}\n    files: ['bench/**/test_*.py']\n"
	const cmake = "  - name: k\n    build: {command: cmake -S . -B build && cmake --build build}\n    bench: {command: ./build/b, format: csv}\n    files: ['bench/b.cc']\n"
	const own = "  - name: k\n    bench: {command: python3 tools/bench.py, format: csv}\n"
	files := map[string]string{
		"bench/k.pg.cc": "#include \"ref.h\"\n  #  include <deep/one.h>\n#include \"../csrc/k.h\"\n#include <vector>\n", "bench/ref.h": "#include \"more.inc\"\n", "bench/more.inc": "",
		"include/deep/one.h": "#include \"two.h\"\n", "include/deep/two.h": "", "third/lib.h": "", "csrc/k.h": "#include \"detail.h\"\n", "csrc/detail.h": "",
		"csrc/k.cc": "#include \"k.h\"\n", "opts/flags.rsp": "", "k.map": "", "bench/forced.h": "", "bench/other.h": "", "bench/k.pg.py": "import mykernels\n",
		"mykernels/__init__.py": "", "bench/speed/test_a.py": "", "bench/speed/helper.py": "", "bench/b.cc": "", "tools/bench.py": "", "docs/conf.py": "",
	}
	for _, c := range []struct {
		name, kernel, file string
		want               string // "": nothing moves
	}{
		{"a header", compiled, "bench/ref.h", "adapter's bench/ref.h"},
		{"a header of a header", compiled, "bench/more.inc", "adapter's bench/more.inc"},
		{"by a folder of the flags", compiled, "include/deep/one.h", "adapter's include/deep/one.h"},
		{"beside that", compiled, "include/deep/two.h", "adapter's include/deep/two.h"},
		{"one that takes the place of another", compiled, "bench/deep/one.h", "adapter's bench/deep/one.h"},
		{"one that a flag includes", compiled, "bench/forced.h", "adapter's bench/forced.h"},
		{"a response file", compiled, "opts/flags.rsp", "adapter's opts/flags.rsp"},
		{"a linker script", compiled, "k.map", "adapter's k.map"},
		{"a header under test", compiled, "csrc/k.h", ""},
		{"a header of that", compiled, "csrc/detail.h", ""},
		{"a source", compiled, "csrc/k.cc", ""},
		{"a header of nobody", compiled, "bench/other.h", ""},
		{"a library's header that is not included", compiled, "third/lib.h", ""},
		{"a build file of nobody", compiled, "CMakeLists.txt", ""},
		{"a corpus", compiled, "perfgate-corpus.jsonl", "corpus perfgate-corpus.jsonl"},
		{"a corpus of nobody", pytest, "perfgate-corpus.jsonl", ""},
		{"a package under test", python, "mykernels/__init__.py", ""},
		{"a document", compiled, "README.md", ""},
		{"a file of a benchmark", pytest, "bench/speed/test_a.py", "benchmark bench/speed/test_a.py"},
		{"a new file of a benchmark", pytest, "bench/test_b.py", "benchmark bench/test_b.py"},
		{"beside a benchmark", pytest, "bench/speed/helper.py", ""},
		{"conftest.py", pytest, "bench/speed/conftest.py", "configuration bench/speed/conftest.py"},
		{"conftest.py above", pytest, "conftest.py", "configuration conftest.py"},
		{"pytest.ini", pytest, "pytest.ini", "configuration pytest.ini"},
		{"pyproject.toml", pytest, "pyproject.toml", "configuration pyproject.toml"},
		{"tox.ini", pytest, "tox.ini", "configuration tox.ini"},
		{"setup.cfg", pytest, "bench/setup.cfg", "configuration bench/setup.cfg"},
		{"conftest.py elsewhere", pytest, "tests/unit/conftest.py", ""},
		{"cmake's configuration of another kernel", pytest, "CMakeLists.txt", ""},
		{"CMakeLists.txt", cmake, "CMakeLists.txt", "configuration CMakeLists.txt"},
		{"CMakePresets.json", cmake, "CMakePresets.json", "configuration CMakePresets.json"},
		{"CMakeLists.txt of the benchmark", cmake, "bench/CMakeLists.txt", "configuration bench/CMakeLists.txt"},
		{"a helper of CMake", cmake, "cmake/flags.cmake", "configuration cmake/flags.cmake"},
		{"CMakeLists.txt of the sources", cmake, "csrc/CMakeLists.txt", ""},
		{"pytest's configuration of another kernel", cmake, "conftest.py", ""},
		{"a benchmark that is each side's own", own, "tools/bench.py", ""},
	} {
		tip := maps.Clone(files)
		tip[c.file] = tip[c.file] + "// changed\n"
		both := commits{"base": files, "tip": tip}
		cfg, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels:\n"+c.kernel))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for folder, dir := range map[string]string{"": "perfgate.yaml", "sub/": "sub/perfgate.yaml"} {
			moved := commits{}
			for commit, has := range both {
				moved[commit] = map[string]string{}
				for file, text := range has {
					moved[commit][folder+file] = text
				}
			}
			want := ""
			if c.want != "" {
				what, file, _ := strings.Cut(c.want, " ")
				want = what + " " + folder + file + ": changed"
			}
			got, err := change{objects: moved, base: "base", tip: "tip"}.movedParts(context.Background(), Inputs{Run: request.Run{Config: dir}}, cfg)
			if err != nil || strings.Join(got, "; ") != want {
				t.Errorf("%s, in %q: %q, %v; want %q", c.name, folder, got, err, want)
			}
			if got, err := (change{objects: moved, base: "base", tip: "tip"}).movedParts(context.Background(), Inputs{Run: request.Run{Config: dir, Kernels: []string{"other"}}}, cfg); err != nil || len(got) > 0 {
				t.Errorf("%s, of a kernel that is not measured: %q, %v", c.name, got, err)
			}
		}
	}
}

// damaged has a file that cannot be read.
type damaged struct{ commits }

func (d damaged) Blob(ctx context.Context, object string) ([]byte, error) {
	if object == "damaged" {
		return nil, errors.New("no such object")
	}
	return d.commits.Blob(ctx, object)
}

// An adapter that includes more than is looked through, or what cannot be read, may be made of any header.
func TestAdapterOfUnknownFiles(t *testing.T) {
	t.Parallel()
	many := map[string]string{"k.pg.cc": "#include \"h0.h\"\n"}
	for i := range mostRead + 10 {
		many[fmt.Sprintf("h%d.h", i)] = fmt.Sprintf("#include \"h%d.h\"\n", i+1)
	}
	for name, base := range map[string]map[string]string{"many": many, "damaged": {"k.pg.cc": "#include \"h.h\"\n", "h.h": "damaged"}} {
		base["k.cc"], base["far.h"] = "", ""
		tip := maps.Clone(base)
		tip["far.h"], tip["k.cc"] = "changed", "changed"
		cfg, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - name: k\n    adapter: k.pg.cc\n    sources: [k.cc]\n    params: {n: {values: [1]}}\n"))
		must(t, err)
		got, err := change{objects: damaged{commits{"base": base, "tip": tip}}, base: "base", tip: "tip"}.movedParts(t.Context(), Inputs{Run: request.Run{Config: "perfgate.yaml"}}, cfg)
		if err != nil || !slices.Equal(got, []string{"adapter's far.h: changed"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
