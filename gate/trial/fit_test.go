package trial

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// fakeRun is a benchmark of Go's whose process takes a time by what its command ends with; one that fails prints nothing.
func fakeRun(took map[string]time.Duration, rows string) benchmark.Trial {
	return func(_ context.Context, _ benchmark.Format, spec benchmark.Spec) (benchmark.Output, error) {
		for end, lived := range took {
			if !strings.HasSuffix(spec.Command, end) {
				continue
			}
			if lived == 0 {
				return benchmark.Output{}, &kernels.RunnerError{Code: result.CodeHung, Message: "it did not end"}
			}
			return benchmark.Output{Folder: fstest.MapFS{}, Stdout: rows, Lived: lived}, nil
		}
		return benchmark.Output{}, errors.New("it knows no such option")
	}
}

const goRows = "BenchmarkA 10 5 ns/op\nBenchmarkB 10 5 ns/op\n"

// An option of the format is written where a process takes too long for the budget, the same cases come out, and it gets clearly shorter by it.
func TestProcessesAreShortened(t *testing.T) {
	t.Parallel()
	const option = " -test.benchtime=100ms"
	for name, tt := range map[string]struct {
		command, rows string
		lived         time.Duration // of the first process
		again, with   time.Duration // of later ones
		want          string
	}{
		"too long for the budget":    {"./b", goRows, 20 * time.Second, 20 * time.Second, 2 * time.Second, "./b" + option},
		"the first compiled":         {"./b", goRows, time.Minute, 5 * time.Second, time.Second, "./b"},
		"it fits":                    {"./b", goRows, 9 * time.Second, 0, time.Second, "./b"},
		"hardly shorter":             {"./b", goRows, 20 * time.Second, 20 * time.Second, 16 * time.Second, "./b"},
		"a case less":                {"./b", "BenchmarkA 10 5 ns/op\n", 20 * time.Second, 20 * time.Second, time.Second, "./b"},
		"another case":               {"./b", strings.ReplaceAll(goRows, "B 10", "C 10"), 20 * time.Second, 20 * time.Second, time.Second, "./b"},
		"a case that fails with it":  {"./b", goRows + "--- FAIL: BenchmarkB\n", 20 * time.Second, 20 * time.Second, time.Second, "./b"},
		"the command has its own":    {"./b -test.benchtime=3s", goRows, 20 * time.Second, 20 * time.Second, time.Second, "./b -test.benchtime=3s"},
		"go test has its own":        {"go test -bench . -benchtime 3s", goRows, 20 * time.Second, 20 * time.Second, time.Second, "go test -bench . -benchtime 3s"},
		"the program does not do it": {"./b", goRows, 20 * time.Second, 20 * time.Second, 0, "./b"},
	} {
		var said []string
		one := &trial{Benchmark: Benchmark{Command: tt.command, Found: func(line string) { said = append(said, line) }, Progress: io.Discard}}
		format, _ := benchmark.Named("go")
		found := benchmark.Recognised{Format: format, Spec: benchmark.Spec{Command: tt.command}, Lived: tt.lived}
		found.Set, _ = benchmark.Read(format, found.Spec, benchmark.Output{Folder: fstest.MapFS{}, Stdout: goRows})
		must(t, one.fit(t.Context(), &found, fakeRun(map[string]time.Duration{option: tt.with, tt.command: tt.again}, tt.rows)))
		kept := tt.want != tt.command
		lived := cmp.Or(tt.again, tt.lived)
		if kept {
			lived = tt.with
		}
		if found.Spec.Command != tt.want || found.Lived != lived || kept != (len(said) == 1) {
			t.Errorf("%s: %q, %s, %q", name, found.Spec.Command, found.Lived, said)
		}
		if kept && !strings.Contains(said[0], option+" is added: a process takes 2s and not 20s") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// Options are tried one after the other, until a process is short enough; one that is refused is left out.
func TestShorteningsFollowEachOther(t *testing.T) {
	t.Parallel()
	const first, second = " --warm-up-time 0.5 --measurement-time 1", " -- --warm-up-time 0.5 --measurement-time 1"
	for name, tt := range map[string]struct {
		took map[string]time.Duration
		want string
	}{
		"the first is enough":    {map[string]time.Duration{"bench" + first: time.Second}, "cargo bench" + first},
		"cargo's own go before":  {map[string]time.Duration{"bench" + second: time.Second}, "cargo bench" + second},
		"and fewer samples":      {map[string]time.Duration{"bench" + second: 30 * time.Second, second + " --sample-size 10": 3 * time.Second}, "cargo bench" + second + " --sample-size 10"},
		"fewer samples are none": {map[string]time.Duration{"bench" + first: 30 * time.Second, first + " --sample-size 10": 29 * time.Second}, "cargo bench" + first},
	} {
		one := &trial{Benchmark: Benchmark{Found: func(string) {}, Progress: io.Discard}}
		criterion, _ := benchmark.Named("criterion")
		found := benchmark.Recognised{Format: printing{criterion}, Spec: benchmark.Spec{Command: "cargo bench"}, Lived: time.Minute}
		found.Set, _ = found.Format.Read(found.Spec, benchmark.Output{})
		must(t, one.fit(t.Context(), &found, fakeRun(tt.took, "")))
		if found.Spec.Command != tt.want {
			t.Errorf("%s: %q, want %q", name, found.Spec.Command, tt.want)
		}
	}
}

// printing is a format whose answers are all of one case.
type printing struct{ benchmark.Format }

func (printing) Read(benchmark.Spec, benchmark.Output) (benchmark.Set, error) {
	return benchmark.Set{Cases: []benchmark.Case{{Name: "a"}}}, nil
}

// A benchmark that does not end within a trial's limit is tried with what shortens it, before it is refused.
func TestBenchmarkThatIsTooLongForATrial(t *testing.T) {
	t.Parallel()
	const option = " -test.benchtime=100ms"
	for name, tt := range map[string]struct {
		command string
		took    map[string]time.Duration
		want    string // "": refused
	}{
		"with the option it ends":     {"./b.test -test.bench .", map[string]time.Duration{".": 0, option: time.Second}, "./b.test -test.bench ." + option},
		"with it neither":             {"./b.test -test.bench .", map[string]time.Duration{".": 0, option: 0}, ""},
		"it has the option":           {"./b.test -test.bench . -test.benchtime 1h", map[string]time.Duration{"1h": 0, option: time.Second}, ""},
		"it ends without":             {"./b.test -test.bench .", map[string]time.Duration{".": time.Second, option: time.Second}, "./b.test -test.bench ."},
		"it is something else's fail": {"./b.test -test.bench .", map[string]time.Duration{option: time.Second}, ""},
	} {
		said := ""
		one := &trial{Benchmark: Benchmark{Command: tt.command, Found: func(line string) { said += line }, Progress: io.Discard}, dir: t.TempDir(), added: map[string]string{}}
		found, err := one.recognise(t.Context(), fakeRun(tt.took, goRows))
		if found.Spec.Command != tt.want && err == nil || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v", name, found.Spec.Command, err)
		}
		if added := strings.HasSuffix(tt.want, option); added != strings.Contains(said, option+" is added, without which a process takes longer than 2m0s") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// The tools themselves take the options, and do not refuse one that stands beside others.
func TestShorteningsOfRealTools(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks of other tools")
	}
	t.Parallel()
	made, _ := exec.Command("go", "env", "GOCACHE").Output() // the standard library is not compiled once more
	for _, tt := range []struct{ format, needs, missing, command, file, text string }{
		{"pytest-benchmark", "/usr/bin/python3 -c 'import pytest_benchmark'", "python3-pytest-benchmark", "/usr/bin/python3 -m pytest -q test_a.py", "test_a.py",
			"def test_a(benchmark):\n    benchmark(lambda: 1)\n"},
		{"hyperfine", "command -v hyperfine", "hyperfine", "hyperfine -N true", "a", ""},
		{"go", "go version", "Go", "GOCACHE=" + strings.TrimSpace(string(made)) + " go test -vet=off -bench .", "a_test.go", "package a\nimport \"testing\"\nfunc BenchmarkA(b *testing.B) { for range b.N {} }\n"},
	} {
		t.Run(tt.format, func(t *testing.T) {
			t.Parallel()
			if err := exec.Command("sh", "-c", tt.needs).Run(); err != nil {
				kernelstest.Missing(t, "it needs "+tt.missing)
			}
			dir := t.TempDir()
			must(t, errors.Join(os.WriteFile(dir+"/"+tt.file, []byte(tt.text), 0o644), os.WriteFile(dir+"/go.mod", []byte("module a\n\ngo 1.22\n"), 0o644)))
			one := &trial{Benchmark: Benchmark{Command: tt.command, Progress: io.Discard}, scratch: t.TempDir(), dir: dir}
			format, _ := benchmark.Named(tt.format)
			spec := benchmark.Spec{Command: tt.command}
			for _, option := range format.Traits().Shorter {
				spec, _ = shortened(spec, option)
			}
			out, err := one.run(t.Context(), format, spec)
			must(t, err)
			set, err := benchmark.Read(format, spec, out)
			if runs, _ := sortedCases(set); err != nil || len(runs) != 1 {
				t.Errorf("%q: %q, %v", spec.Command, runs, err)
			}
		})
	}
}
