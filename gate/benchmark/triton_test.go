package benchmark

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

func TestTritonAnswer(t *testing.T) {
	set, err := Read(named(t, "triton"), Spec{Competitors: []string{"torch", "*N=9,*"}}, left(`{"version":1,"notes":["spread"],"others":["b"],"error":"","cases":[
		{"name":"s/N=8,p=triton","params":[{"name":"N","value":"8"}],"provider":"triton","offered":"do_bench","config":"k: BLOCK=64","notes":["a loop"],
		 "method":{"clock":"event","how":"graph","launches":100,"pool":1,"samples":3,"cache":"hot","launchNs":2000,"quantumNs":32,"limitNs":1e9},
		 "samples":[2000,2100.5,2050],"waitedNs":12,"planned":3,"stopped":"","spentNs":9e5},
		{"name":"s/N=8,p=torch","provider":"torch","failed":"ValueError: no"},{"name":"s/N=9,p=triton","skipped":true,"notes":["in C++"]}]}`))
	must(t, err)
	first, torch, skipped := set.Cases[0], set.Cases[1], set.Cases[2]
	if first.Chosen != "k: BLOCK=64" || first.Launches != 100 || first.QuantumNS != 32 || first.TotalNS != 615050 || first.Method.How != "graph" || first.Competitor || first.Processes[0].WaitedNS != 12 {
		t.Errorf("%+v", first)
	}
	if !torch.Competitor || torch.Failed != "ValueError: no" || !skipped.Competitor || !skipped.Skipped || skipped.Failed != "in C++" {
		t.Errorf("%+v\n%+v", torch, skipped)
	}
	if want := []string{"spread", "s/N=8,p=triton: a loop", "s/N=9,p=triton: in C++"}; !slices.Equal(set.Notes, want) {
		t.Errorf("%q, want %q", set.Notes, want)
	}
}

func TestTritonAnswersThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "wrote no result",
		"{":                                    "not JSON",
		`{"version":2,"cases":[{"name":"a"}]}`: "version 2, want 1",
		`{"version":1}`:                        "times nothing that perfgate can take over",
		`{"version":1,"cases":[{"name":"a"}],"error":"it called sys.exit(3)"}`:       "the script failed: it called sys.exit(3)",
		`{"version":1,"cases":[{"name":"a","samples":[1,-2]}]}`:                      `case "a": -2 is not a latency`,
		`{"version":1,"cases":[{"name":"a","samples":["1"]}]}`:                       "want float64",
		`{"version":1,"cases":[{"name":"a","samples":[1],"method":{"launches":0}}]}`: "a method of 0 launches",
	} {
		if _, err := Read(named(t, "triton"), Spec{}, left(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The script's own words reach it as they are.
func TestTritonCommand(t *testing.T) {
	c := named(t, "triton").Command(Spec{Script: "bench/a b.py", Args: []string{"$(reboot)"}, Python: "/opt/it's/python"},
		Ask{Mode: List, Wanted: []string{"a*"}, Out: "/out", Support: "/support"})
	if c.Line != `'/opt/it'\''s/python' -m perfgate.bench` || !slices.Equal(c.Args, []string{"bench/a b.py", "$(reboot)"}) {
		t.Errorf("%q %q", c.Line, c.Args)
	}
	for _, want := range []string{
		`PERFGATE_BENCH_ASK={"version":1,"mode":"list","wanted":["a*"],"seed":0}`, "PERFGATE_BENCH_OUT=/out/bench.json", "PYTHONPATH=/support",
	} {
		if !slices.Contains(c.Env, want) {
			t.Errorf("no %s in %q", want, c.Env)
		}
	}
}

// A process that waits imports what is installed alone: what a tree calls like a package does not run before the question comes, and not without one.
func TestTritonAheadRunsNothingOfTheTree(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	tree, f := t.TempDir(), named(t, "triton")
	for _, name := range []string{"numpy.py", "statistics.py", "json.py"} {
		write(t, filepath.Join(tree, name), "open('ran', 'w')\n")
	}
	write(t, filepath.Join(tree, "b.py"), "open('asked', 'w')\n")
	a := Ask{Mode: List, Support: filepath.Join(t.TempDir(), "support"), Out: t.TempDir()}
	must(t, os.CopyFS(a.Support, f.(Filed).Files()))
	s := Spec{Script: "b.py", Python: kernelstest.PythonWith(t, "numpy")}
	c := f.(Ahead).Ahead(s, a, []string{"numpy", "nothing"})
	for _, question := range []string{"", f.(Ahead).Question(s, a)} {
		cmd := exec.Command("sh", append([]string{"-c", c.Line + ` "$@"`, "sh"}, c.Args...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = tree, append(os.Environ(), c.Env...), strings.NewReader(question)
		out, err := cmd.CombinedOutput()
		_, ran := os.Stat(filepath.Join(tree, "ran"))
		_, asked := os.Stat(filepath.Join(tree, "asked"))
		if ran == nil || (asked == nil) != (question != "") || (err == nil) != (question != "") {
			t.Errorf("%q: %v, ran %v, asked %v\n%s", question, err, ran == nil, asked == nil, out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// script runs a process of a benchmark script as a gate does, with the package as it is embedded, and reads its answer.
func runScript(t *testing.T, tree string, s Spec, a Ask) Set {
	t.Helper()
	f := named(t, "triton")
	a.Support, a.Out = filepath.Join(t.TempDir(), "support"), t.TempDir()
	must(t, os.CopyFS(a.Support, f.(Filed).Files()))
	c := f.Command(s, a)
	process := exec.Command("/bin/sh", append([]string{"-c", c.Line + ` "$@"`, "sh"}, c.Args...)...)
	process.Dir, process.Env = tree, append(c.Env, "PATH="+os.Getenv("PATH"))
	if out, err := process.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", a.Mode, err, out)
	}
	set, err := Read(f, s, Output{Folder: os.DirFS(a.Out)})
	must(t, err)
	return set
}

// The whole way, with the simulated GPU of the package's own tests: cases, methods on both sides, times that are what the kernel
// takes, and no case that was not asked for.
func TestTritonScript(t *testing.T) {
	t.Parallel()
	fakes, err := filepath.Abs("../../kernels/python/tests_bench/fakes")
	must(t, err)
	tree := t.TempDir()
	text := `import sys
sys.path.insert(0, ` + "'" + fakes + "'" + `)
import triton, torch
from perfgate import bench_cuda
bench_cuda.Cuda.now = staticmethod(torch.cuda.gpu.tick)
configs = [triton.Config({"BLOCK": b}) for b in (2, 1)]
kernel = triton.autotune(configs, key=["n"])(lambda n, BLOCK: torch.cuda.launch(n // BLOCK))
@triton.testing.perf_report(triton.testing.Benchmark(["N"], [3000 * i for i in range(1, 40)], "provider", ["triton", "torch"], ["A", "B"], "softmax", {}))
def bench(N, provider):
    return triton.testing.do_bench(lambda: kernel.run(N) if provider == "triton" else torch.cuda.launch(N))
bench.run()
`
	must(t, os.WriteFile(filepath.Join(tree, "bench.py"), []byte(text), 0o644))
	spec := Spec{Script: "bench.py", Python: kernelstest.PythonWith(t), Competitors: []string{"torch"}}
	listed := runScript(t, tree, spec, Ask{Mode: List})
	if len(listed.Cases) != 24 || !slices.Contains(listed.Notes, "softmax: 12 of its 39 points, spread evenly; `cases` names others") {
		t.Errorf("%d cases, %q", len(listed.Cases), listed.Notes)
	}
	wanted := runScript(t, tree, spec, Ask{Mode: List, Wanted: []string{"*N=3000,*", "*N=117000,provider=triton"}})
	var names []string
	for _, c := range wanted.Cases {
		names = append(names, c.Name)
	}
	if want := []string{"softmax/N=3000,provider=triton", "softmax/N=3000,provider=torch", "softmax/N=117000,provider=triton", "softmax/N=117000,provider=torch"}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	if beside := Beside(Match(wanted, wanted), wanted.Cases[2]); len(beside) != 1 || beside["torch"].Name != names[3] {
		t.Errorf("beside %s: %+v", names[2], beside)
	}
	methods := map[string]result.Method{}
	for range 2 { // base, then head, which is given what base chose
		for _, c := range runScript(t, tree, spec, Ask{Mode: Calibrate, Cases: names, Methods: methods}).Cases {
			methods[c.Name] = *c.Method
		}
	}
	if short, long := methods[names[0]], methods[names[2]]; short.How != "graph" || short.Cache != "hot" || long.How != "single" || long.Cache != "cold" {
		t.Errorf("%+v\n%+v", short, long)
	}
	for i, c := range runScript(t, tree, spec, Ask{Mode: Measure, Cases: names, Methods: methods}).Cases {
		want := []float64{3000, 3000, 117000, 117000}[i]
		if c.Name == names[0] || c.Name == names[2] {
			want /= 2
			if c.Chosen != "<lambda>: BLOCK=2, num_warps=4, num_stages=3" {
				t.Errorf("%s: chose %q", c.Name, c.Chosen)
			}
		}
		value, err := c.Processes[0].Value()
		if err != nil || value < want*0.98 || value > want*1.05 || c.Competitor != (i%2 == 1) {
			t.Errorf("%s: %v ns, want about %v; competitor %v, %v", c.Name, value, want, c.Competitor, err)
		}
	}
}
