package benchmark

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func treeOf(names ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, name := range names {
		text := "text"
		if strings.HasSuffix(name, "/b") {
			text = "\x7fELF\x00"
		}
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// The program of a command is the first file of the tree in it, whatever starts that.
func TestProgramOfACommand(t *testing.T) {
	tree := treeOf("build/b", "bench.py", "bench.bash", "a b.sh")
	for line, want := range map[string]string{
		"A=1 ./build/bench -x": "./build/bench", "python3 a.py": "a.py", "": "", "'./b'": "./b", "A=1 bash bench/run.sh": "bench/run.sh",
		"taskset -c 0 ./build/b --x": "./build/b", "timeout 60 sh bench.bash": "bench.bash", "A=1 python3 -u bench.py other.py": "bench.py",
		".venv/bin/python -O bench.py": "bench.py", "hyperfine -N './build/b'": "./build/b",
		"hyperfine -N './out/new -x bench.py'": "./out/new", "out/new bench.py": "out/new", "taskset -c 0 numactl": "taskset",
	} {
		if got := ProgramOf(tree, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// What a benchmark measures is none of its own files: with it among them both sides would run the same code.
func TestFilesThatAreTheBenchmarks(t *testing.T) {
	tree := treeOf("build/b", "kernel.py", "bench.py", "run", "kernel.sh", "bench.sh", "benchmarks/test_a.py", "benchmarks/data.py",
		"pkg/__init__.py", "pkg/kernel.py", "pkg/tests/test_k.py", "pkg/conftest.py", "only/x_test.py")
	for _, tt := range []struct{ format, line, want string }{
		{"google-benchmark", "./build/b --x", ""}, {"google-benchmark", "taskset -c 0 ./run", "run"},
		{"csv", "python3 bench.py kernel.py", "bench.py"}, {"csv", "timeout 9 sh bench.sh", "bench.sh"}, {"csv", "make bench", ""},
		{"hyperfine", "hyperfine -N ./kernel.sh 'sh kernel.sh'", ""}, {"hyperfine", "sh bench.sh", "bench.sh"},
		{"pytest-benchmark", "pytest -q benchmarks", "benchmarks/**"}, {"pytest-benchmark", "pytest benchmarks/test_a.py::test_a benchmarks/test_a.py::test_b", "benchmarks/test_a.py"},
		{"pytest-benchmark", "python3 -m pytest pkg/ only", "pkg/**/test_*.py pkg/**/conftest.py only/**"}, {"pytest-benchmark", "pytest .", ""}, {"pytest-benchmark", "sh bench.sh", "bench.sh"},
	} {
		if got := OwnFiles(tree, named(t, tt.format), tt.line); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}
