package run

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
)

// benchSides are two folders with files, and a run of them by the configuration of head, or where base rules of base.
func benchSides(t *testing.T, trust, yaml string, base, head map[string]string) Options {
	t.Helper()
	layOut := func(files map[string]string) Side {
		dir := t.TempDir()
		for name, text := range with(files, map[string]string{"perfgate.yaml": "version: 1\nkernels:\n  - name: k\n" + yaml}) {
			path := filepath.Join(dir, name)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, kernelstest.WriteProgram(path, []byte(text)))
		}
		return Side{Tree: dir, Root: dir, Info: result.Version{Kind: result.KindDirectory, Label: "a folder"}}
	}
	opt := Options{Question: Question{Base: layOut(base), Head: layOut(head), Seed: 3, Scratch: t.TempDir(), Cache: cacheForTests}, Device: DeviceOptions{Sandbox: result.SandboxOff}}
	from := opt.Head
	if trust == repo.TrustBase {
		from = opt.Base
	}
	cfg := configIn(t, from.Tree)
	opt.Trusted = repo.Trusted{Config: cfg, Trust: trust}
	if own, err := config.Load(filepath.Join(opt.Base.Tree, "perfgate.yaml")); err == nil {
		opt.Trusted.Base = own
	}
	return opt
}

// with are files and others, which may take their places.
func with(files, others map[string]string) map[string]string {
	all := maps.Clone(files)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, others)
	return all
}

// changedSides are folders with the same files but for those that head changes, which git names.
func changedSides(t *testing.T, yaml string, files, changed map[string]string) Options {
	t.Helper()
	opt := benchSides(t, repo.TrustWorktree, yaml, files, with(files, changed))
	opt.ChangedFiles, opt.ChangesKnown = slices.Sorted(maps.Keys(changed)), true
	return opt
}

func benchRun(t *testing.T, opt Options) *result.Result {
	t.Helper()
	res := runIt(t, opt)
	if again := rule.Replay(res, res.Policy); again.Err() != nil || again.Conclusion.Exit != res.Conclusion.Exit {
		t.Errorf("decided again: %v, exit %d and not %d", again.Err(), again.Conclusion.Exit, res.Conclusion.Exit)
	}
	return res
}

// prints is a benchmark of one case, whose work is that of code.sh.
const (
	prints = "echo kernel,ns; echo k,$(($(sh code.sh) * WORK + $$ % 100))"
	fast   = "echo 100"
	slow   = "echo 130"
	csv    = "    bench: {command: sh bench/run.sh, format: csv}\n    files: [bench/**]\ngate: {tolerance: 3%}\n"
)

func benchWith(work string) string { return strings.ReplaceAll(prints, "WORK", work) }

// A pull request that shrinks its own benchmark is measured by base's, on both sides. At a desk the working tree's counts, on both sides.
func TestBenchmarkFilesAreOfWhoRules(t *testing.T) {
	t.Parallel()
	for trust, want := range map[string]float64{repo.TrustBase: 1.3e5, repo.TrustWorktree: 1.3e5 / 2} {
		base := map[string]string{"bench/run.sh": benchWith("1000"), "code.sh": fast}
		head := map[string]string{"bench/run.sh": benchWith("500"), "code.sh": slow, "bench/more.sh": "exit 1"}
		opt := benchSides(t, trust, csv, base, head)
		res := benchRun(t, opt)
		c := res.Cases[0]
		if c.Verdict != result.Regression || c.Head.MedianNS < want || c.Head.MedianNS > want+100 || res.Conclusion.Exit != result.ExitFailed {
			t.Errorf("%s: %s, head takes %+v, exit %d", trust, c.Verdict, c.Head, res.Conclusion.Exit)
		}
		if gaps := res.Evidence.Gaps; len(gaps) != 1 || gaps[0].Kind != result.GapNotSupported || gaps[0].Case != c.Name {
			t.Errorf("%s: why it is slower is not known, and that is not said: %+v", trust, gaps)
		}
		if text, _ := os.ReadFile(filepath.Join(opt.Head.Tree, "bench/run.sh")); string(text) != benchWith("500") {
			t.Errorf("%s: head's own folder was changed", trust)
		}
		if text, _ := os.ReadFile(filepath.Join(opt.Base.Tree, "bench/run.sh")); string(text) != benchWith("1000") {
			t.Errorf("%s: base's own folder was changed", trust)
		}
	}
}

// A change of what builds a benchmark is a change of what is measured: at a desk base is built by its own. The command that is run is head's on both.
func TestBenchmarkIsBuiltByEachSidesCommand(t *testing.T) {
	t.Parallel()
	yaml := func(build string) string {
		return "    build: {command: " + build + "}\n    bench: {command: sh run.sh, format: csv}\ngate: {tolerance: 3%}\n"
	}
	files := map[string]string{"run.sh": "echo kernel,ns; echo k,$(($(cat made) * 1000 + $$ % 100))"}
	base := benchSides(t, repo.TrustWorktree, yaml("echo 100 >made"), files, files)
	opt := benchSides(t, repo.TrustWorktree, yaml("echo 130 >made"), files, files)
	opt.Base, opt.Trusted.Base = base.Base, base.Trusted.Base
	if res := benchRun(t, opt); res.Cases[0].Verdict != result.Regression || res.Conclusion.Exit != result.ExitFailed {
		t.Errorf("%s, exit %d: base was built by head's command", res.Cases[0].Verdict, res.Conclusion.Exit)
	}
}

// An adapter beside a benchmark checks parity. A head that is wrong fails before it is timed.
func TestBenchmarkWithAnAdapter(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	const yaml = "    adapter: k.pg.cc\n    sources: [k.cc]\n    params: {n: {values: [7, 64]}}\n    bench: {command: sh bench.sh, format: csv}\n    parity: {cases: 5}\n"
	const adapter = twiceAdapter + `int pg_reference(const pg_case *c, double *const *data, void *) { for (long i = 0; i < pg_param(c, "n"); i++) data[1][i] = 2 * data[0][i]; return 0; }
`
	bench := "echo kernel,ns; echo k,$((100000 + $$ % 100))"
	for name, tt := range map[string]struct {
		head   string
		status result.ParityStatus
		exit   result.ExitCode
	}{
		"right": {twiceCode + "int other;\n", result.ParityPassed, result.ExitPassed},
		"wrong": {strings.Replace(twiceCode, "2 *", "3 *", 1), result.ParityFailed, result.ExitFailed},
	} {
		files := func(code string) map[string]string {
			return map[string]string{"k.pg.cc": adapter, "k.cc": code, "bench.sh": bench}
		}
		res := benchRun(t, benchSides(t, repo.TrustWorktree, yaml, files(twiceCode), files(tt.head)))
		if k := res.Kernels[0]; k.Parity.Status != tt.status || res.Conclusion.Exit != tt.exit {
			t.Errorf("%s: parity %s (%s), exit %d: %+v", name, k.Parity.Status, result.MessageOf(k.Parity.Reason), res.Conclusion.Exit, res.Conclusion.Findings)
		}
	}
}

// A script that raises is told with the place and what helps: a missing module with the interpreter that was used.
func TestBenchmarkScriptThatRaises(t *testing.T) {
	t.Parallel()
	python := kernelstest.PythonWith(t)
	raises := map[string]string{"b.py": "import no_such_module\n"}
	res := benchRun(t, benchSides(t, repo.TrustWorktree, "    bench: {script: b.py, format: triton}\n    python: "+python+"\ndevice: cpu\n", raises, raises))
	want := regexp.MustCompile(`^the script failed: ModuleNotFoundError: .* at b\.py:1.* this is /.*"python:" in perfgate\.yaml names .* no_such_module$`)
	if k := res.Kernels[0]; k.Reason == nil || k.Reason.Kind != result.ReasonBenchmarkFails || k.Reason.Side != result.SideBase || !want.MatchString(k.Reason.Message) || res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Errorf("exit %d: %+v", res.Conclusion.Exit, k.Reason)
	}
}

// A benchmark is recorded as adapters are: head alone, with its cases.
func TestBenchmarkIsRecorded(t *testing.T) {
	t.Parallel()
	opt := benchSides(t, repo.TrustWorktree, csv, nil, map[string]string{"bench/run.sh": benchWith("1000"), "code.sh": fast})
	out, err := Record(t.Context(), opt, false)
	must(t, err)
	if c := out.Result.Cases; len(c) != 1 || c[0].Verdict != result.New || len(c[0].Processes) == 0 || c[0].Head == nil {
		t.Errorf("%+v", c)
	}
}

// programs are benchmarks by tools that others wrote.
var programs = []struct {
	name, needs, missing string
	yaml                 string
	files                map[string]string
	rows                 []string
}{
	{
		"google-benchmark", "pkg-config --exists benchmark", "libbenchmark-dev",
		"    build: {command: 'c++ -O1 -std=c++17 -o bench.out bench.cc -lbenchmark -lpthread'}\n" +
			"    bench: {command: './bench.out --benchmark_min_time=0.02 --benchmark_repetitions=3', format: google-benchmark, time: cpu}\n",
		map[string]string{"bench.cc": `#include <benchmark/benchmark.h>
#include "code.h"
static void BM_spin(benchmark::State &s) { for (auto _ : s) benchmark::DoNotOptimize(spin(s.range(0))); }
BENCHMARK(BM_spin)->Arg(20000)->Arg(40000);
BENCHMARK_MAIN();
`, "code.h": "inline unsigned spin(long n) { unsigned x = 1; for (long i = 0; i < n; i++) x = x * 1664525u + 1013904223u; return x; }\n"},
		[]string{"BM_spin/20000", "BM_spin/40000"},
	},
	{
		"pytest-benchmark", "/usr/bin/python3 -c 'import pytest_benchmark'", "python3-pytest-benchmark",
		"    bench: {command: '/usr/bin/python3 -m pytest -q --benchmark-min-rounds=5 --benchmark-max-time=0.1 --benchmark-timer=time.process_time test_spin.py', format: pytest-benchmark}\n",
		map[string]string{"test_spin.py": "import pytest\nfrom code_ import spin\n@pytest.mark.parametrize('n', [20000, 40000])\ndef test_spin(benchmark, n):\n    benchmark(spin, n)\n",
			"code_.py": "def spin(n):\n    x = 1\n    for i in range(n):\n        x = x * 5 & 65535\n    return x\n"},
		[]string{"test_spin[20000]", "test_spin[40000]"},
	},
	{
		"hyperfine", "command -v hyperfine", "hyperfine",
		"    bench: {command: 'hyperfine -N --runs 3 -n spin \"sh spin.sh\"', format: hyperfine}\n",
		map[string]string{"spin.sh": "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done\n"},
		[]string{"spin"},
	},
}

// What others wrote is read as it is: a first run of each side finds its cases and what they take, and one that can choose runs the
// case that it is asked for. What rounds make of such times, and how often, is in docs/measurements/benchmarks.
func TestProgramsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks of other tools")
	}
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if err := exec.Command("sh", "-c", p.needs).Run(); err != nil {
				kernelstest.Missing(t, "it needs "+p.missing)
			}
			testProgram(t, benchSides(t, repo.TrustWorktree, p.yaml, p.files, p.files), p.rows)
		})
	}
}

// askRow asks a process of a benchmark for a row.
func askRow(t *testing.T, p *measure.Program, side result.Side, waits bool, op, row string, methods map[string]result.Method) measure.Reading {
	t.Helper()
	process, err := p.Start(t.Context(), side, waits)
	must(t, err)
	defer process.Close()
	var read map[string]measure.Reading
	err = process.Call(t.Context(), op, "", measure.RowsCommand{Rows: []string{row}, Methods: methods}, &read, 0)
	if err != nil || read[row].Fault != nil {
		t.Fatalf("%s: %v, %v", side, err, read[row].Fault)
	}
	return read[row]
}

func testProgram(t *testing.T, opt Options, rows []string) {
	s, v := foundRun(t, opt)
	if len(v.Builds.On) == 0 {
		t.Fatalf("%+v", v.Builds.Ended)
	}
	k := v.Builds.On[0]
	var found []string
	for _, c := range k.Plan.Measured {
		found = append(found, c.Row)
	}
	if !slices.Equal(found, rows) || v.Asked.Frame.Policy.Cases != len(rows) {
		t.Fatalf("cases %q, K = %d; want %q", found, v.Asked.Frame.Policy.Cases, rows)
	}
	last := rows[len(rows)-1]
	p := newProgram(k, s.runners, opt.Question)
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		if samples := askRow(t, p, side, false, "time", last, nil).Samples; len(samples) == 0 || slices.Min(samples) <= 0 {
			t.Errorf("%s takes %v ns", side, samples)
		}
	}
}

// A benchmark runs in the sandbox: it reads its own side and writes where its answer goes, and nothing of the other side or of the user.
func TestBenchmarkIsConfined(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	write(t, secret, "s")
	probe := "cat code.sh; cat " + secret + " && exit 7; echo x > " + filepath.Join(outside, "made") + " && exit 8; echo x > here && exit 9; " +
		"[ -z \"$PERFGATE_SECRET\" ] || exit 10; echo x > $TMPDIR/mine || exit 11; echo kernel,ns > $PERFGATE_BENCH_OUT; echo k,$((100000 + $$ % 100)) >> $PERFGATE_BENCH_OUT"
	opt := benchSides(t, repo.TrustWorktree, csv, map[string]string{"bench/run.sh": probe, "code.sh": ""}, map[string]string{"bench/run.sh": probe, "code.sh": ""})
	opt.Device.Sandbox = result.SandboxAuto
	t.Setenv("PERFGATE_SECRET", "s")
	res := benchRun(t, opt)
	if res.Conclusion.Exit != result.ExitPassed {
		t.Errorf("exit %d: %+v", res.Conclusion.Exit, res.Conclusion.Findings)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("%d files outside", len(entries))
	}
}

// nvbench needs a GPU and the others run anywhere, beside whatever kernels there are.
func TestDeviceOfBenchmarks(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"    bench: {command: ./b, format: nvbench}\n":                                                                    "timed by nvbench",
		"    bench: {command: ./b, format: nvbench}\ndevice: cpu\n":                                                       "",
		"    bench: {command: ./b, format: csv}\n":                                                                        "",
		"    bench: {command: ./b, format: csv}\n  - name: c\n    adapter: c.pg.cu\n":                                     "c.pg.cu",
		"    bench: {command: ./b, format: csv}\ndevice: cuda\n":                                                          "says device: cuda",
		"    bench: {command: ./b, format: nvbench}\n  - name: c\n    adapter: c.pg.cc\n    params: {n: {values: [1]}}\n": "one run is on one device",
	} {
		c := parsed(t, "  - name: k\n"+yaml)
		why, err := whyGPU(c, planned(t, c).Kernels)
		if err != nil {
			why = err.Error()
		}
		if want == "" && why != "" || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", yaml, why, want)
		}
	}
}
