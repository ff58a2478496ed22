package benchmark

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// names of the formats that are tried, in order.
func tried(line, program string) []string {
	var names []string
	for _, c := range candidates(line, []byte(program)) {
		names = append(names, c.Format.Traits().Name)
	}
	return names
}

func TestTheLikeliestFormatIsTriedFirst(t *testing.T) {
	for _, tt := range []struct{ line, program, first string }{
		{"./build/bench --quick", "\x7fELF…--benchmark_filter=…", "google-benchmark"},
		{"./build/bench", "\x7fELF…libbenchmark.so.1…", "google-benchmark"},
		{"./build/bench", "\x7fELF… nvbench::main…", "nvbench"},
		{"python3 -m pytest bench", "", "pytest-benchmark"},
		{".venv/bin/pytest bench", "", "pytest-benchmark"},
		{"hyperfine ./a ./b", "", "hyperfine"},
		{"python3 bench/softmax.py", "@triton.testing.perf_report(", "triton"},
		{"bench/timer.py --quick", "import torch.utils.benchmark as b", "triton"},
		{"python3 bench/own.py", "import time", "csv"},
		{"python3 bench/softmax.py | tee log", "@triton.testing.perf_report(", "csv"},
		{"./my-pytest-like.sh", "", "csv"},
		{"sh bench/run.sh", "cd bench\nhyperfine './a' \"$@\"", "hyperfine"},
		{"bench/run.sh", "# no pytest here\npython3 -m pytest tests \"$@\"", "pytest-benchmark"},
		{"go test -bench . ./...", "", "go"},
		{"./sum.test -test.bench=.", "", "go"},
		{"./bench", "\x7fELF…test.benchtime…", "go"},
		{"cargo bench", "", "criterion"},
		{"target/release/deps/sum-1a2b --bench", "\x7fELF…CRITERION_HOME…", "criterion"},
		{"python3 b.py", "import cuda.bench as bench", "cuda.bench"},
		{"bench/run.sh", "# hyperfine is too slow\n./bench", "csv"},
	} {
		if got := tried(tt.line, tt.program); got[0] != tt.first || !slices.Contains(got, "csv") {
			t.Errorf("%s: %q, want %s first", tt.line, got, tt.first)
		}
	}
}

func TestAScriptMayTimeThroughALibraryOfItsOwn(t *testing.T) {
	if got := tried("python3 bench/own.py", "import own_timing"); !slices.Equal(got, []string{"csv", "triton", "google-benchmark", "nvbench"}) {
		t.Errorf("%q", got)
	}
}

func TestScriptsKeepTheirInterpreter(t *testing.T) {
	for line, want := range map[string]Spec{
		"python3 a.py":                 {Script: "a.py"},
		".venv/bin/python a.py --n 5":  {Script: "a.py", Args: []string{"--n", "5"}, Python: ".venv/bin/python"},
		"bench/a.py":                   {Script: "bench/a.py"},
		"/usr/bin/python3.12 b/a.py x": {Script: "b/a.py", Args: []string{"x"}, Python: "/usr/bin/python3.12"},
	} {
		c, ok := candidate("triton", line)
		if !ok || c.Spec.Script != want.Script || !slices.Equal(c.Spec.Args, want.Args) || c.Spec.Python != want.Python {
			t.Errorf("%s: %+v, %t", line, c.Spec, ok)
		}
	}
	for _, line := range []string{"", "python3", "python3 -m bench", "./bench a.py", "FAST=1 python3 a.py", "python3 'a b.py'", "python3 a.py > b"} {
		if c, ok := candidate("triton", line); ok {
			t.Errorf("%q: %+v", line, c.Spec)
		}
	}
}

// A command is what the first format that can read its answer says; what failed before is not held against it.
func TestRecognise(t *testing.T) {
	var asked []string
	try := func(_ context.Context, f Format, _ Spec) (Output, error) {
		name := f.Traits().Name
		asked = append(asked, name)
		if name == "google-benchmark" {
			return left(`{"benchmarks":[{"name":"BM_sum","real_time":5,"time_unit":"us"}]}`), nil
		}
		return printed("BM_sum   5 us"), nil
	}
	got, err := Recognise(t.Context(), "./run.sh", nil, try)
	if err != nil || got.Format.Traits().Name != "google-benchmark" || got.Set.Cases[0].Name != "BM_sum" || !slices.Equal(asked, []string{"csv", "google-benchmark"}) {
		t.Errorf("%+v, %v, asked %q", got, err, asked)
	}
}

func TestWhatNoFormatReadsIsSaidOfEach(t *testing.T) {
	try := func(_ context.Context, f Format, _ Spec) (Output, error) {
		if f.Traits().Name == "nvbench" {
			return Output{}, errors.New("it ended with exit status 3")
		}
		return printed(""), nil
	}
	_, err := Recognise(t.Context(), "./run.sh", nil, try)
	for _, want := range []string{`"./run.sh" is no benchmark`, "as csv: it ended well and wrote no result", "as nvbench: it ended with exit status 3", "kernel,case,ns"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("interrupted")
	cancel(gone)
	if _, err := Recognise(ctx, "./run.sh", nil, try); !errors.Is(err, gone) {
		t.Errorf("%v, want that it was interrupted", err)
	}
}

// A command that fails whatever options it gets is no question of a table.
func TestACommandThatFailsIsNoQuestionOfItsFormat(t *testing.T) {
	fails := func(context.Context, Format, Spec) (Output, error) {
		return Output{}, errors.New("it ended with exit status 4")
	}
	_, err := Recognise(t.Context(), "./run.sh", nil, fails)
	if err == nil || !strings.HasPrefix(err.Error(), `"./run.sh" fails here`) || strings.Contains(err.Error(), "kernel,case,ns") {
		t.Errorf("%v, want that it fails, and nothing about tables", err)
	}
}

// Of a command that names its tool, a failure is told as that tool's, and of other formats only what came of a good end.
func TestFailureOfANamedToolIsToldOnce(t *testing.T) {
	for csv, want := range map[error]string{
		errors.New("exit status 5"): "as pytest-benchmark: selected no test",
		nil:                         "as pytest-benchmark: selected no test\n  as csv: it ended well and wrote no result",
	} {
		_, err := Recognise(t.Context(), "pytest -k none", nil, func(_ context.Context, f Format, _ Spec) (Output, error) {
			switch f.Traits().Name {
			case "pytest-benchmark":
				return Output{}, errors.New("selected no test")
			case "csv":
				return printed(""), csv
			}
			return Output{}, errors.New("exit status 5")
		})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "nvbench") || csv != nil && strings.Contains(err.Error(), "csv") {
			t.Errorf("%v, want %q and no more formats", err, want)
		}
	}
}

// What a program prints is any bytes, and none of it ends perfgate or keeps it.
func TestNoSentenceIsMadeOfBytes(t *testing.T) {
	for name, line := range map[string]string{"no UTF-8": "size \xff 128: 0.5 ms\n", "long": strings.Repeat("a ", mostLine/2) + "128: 0.5 ms\n"} {
		if p, found := propose(line + line); found {
			t.Errorf("%s: %q", name, p.Mapping.Line)
		}
	}
}
