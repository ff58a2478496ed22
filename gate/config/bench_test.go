package config

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
)

// kernelOf is a configuration with one kernel, given by its lines.
func kernelOf(lines string) []byte {
	return []byte("version: 1\nkernels:\n  - name: k\n" + "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ") + "\n")
}

func TestBench(t *testing.T) {
	c, err := Parse("p", kernelOf("build: {command: make bench}\nbench: {command: ./b, format: nvbench}\nfiles: [bench/**]\ncases: [\"sum/*\"]"))
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kernels[0]
	if k.HasAdapter() || k.Build != nil || k.Bench.Build != "make bench" || k.Bench.Time != "cold" || k.Bench.Command != "./b" || len(k.Files) != 1 {
		t.Errorf("%+v, %+v", k, k.Bench)
	}
	c, err = Parse("p", kernelOf("adapter: k.pg.cc\nsources: [k.cc]\nparams: {n: {fuzz: {min: 1, max: 9}}}\nbench: {command: ./b, format: csv}\nbuild: {command: make all, output: k.so}"))
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Kernels[0]; !k.HasAdapter() || k.Build == nil || k.Bench.Build != "" {
		t.Errorf("%+v", k)
	}
}

func TestBenchScript(t *testing.T) {
	c, err := Parse("p", kernelOf("bench: {script: bench/softmax.py, args: [--quick, --quick], format: triton, competitors: [torch]}\npython: .venv/bin/python"))
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kernels[0]
	if !k.NeedsPython() || k.Bench.Script != "bench/softmax.py" || len(k.Bench.Args) != 2 || k.Bench.Competitors[0] != "torch" || k.Python != ".venv/bin/python" {
		t.Errorf("%+v, %+v", k, k.Bench)
	}
}

func TestBenchErrorsNameThePlace(t *testing.T) {
	for lines, want := range map[string]string{
		"bench: ./b":                                                     `4:12: bench must be a mapping`,
		"bench: {command: ./b}":                                          `bench lacks the key "format"`,
		"bench: {format: csv}":                                           `bench lacks the key "command"`,
		"bench: {command: ./b, format: js}":                              `format is "js"`,
		"bench: {command: ./b, format: nvbench, time: hot}":              `time is "hot"`,
		"bench: {command: ./b, format: csv, time: cold}":                 "csv has one time",
		"bench: {command: ./b, format: csv, filter: x}":                  `unknown key "filter" in bench`,
		"bench: {command: ./b, format: csv}\npython: python3":            "python does not apply to bench.command",
		"bench: {command: ./b, format: csv}\nmeasure: [{n: 1}]":          "measure has no effect beside bench",
		"bench: {command: ./b, format: csv}\ncache: hot":                 "cache has no effect beside bench",
		"bench: {command: ./b, format: csv}\nparams: {n: {values: [1]}}": "params needs an adapter",
		"bench: {command: ./b, format: csv}\nparity: {cases: 5}":         "parity needs an adapter",
		"bench: {command: ./b, format: csv}\nsources: [k.cc]":            "sources needs an adapter",
		"bench: {command: ./b, format: csv}\ncases: [\"a[\"]":            "has a bracket or a brace that is not closed",
		"bench: {command: ./b, format: csv}\nfiles: [../x]":              "leaves the folder",
		"adapter: k.pg.cc\nfiles: [x]":                                   "files has no effect without bench",
		"adapter: k.pg.cc\ncases: [x]":                                   "cases has no effect without bench",
		"build: {command: make}":                                         `build lacks the key "output"`,
		"sources: [k.cc]":                                                "or a benchmark (bench)",
		"bench: {format: triton}":                                        `bench lacks the key "script"`,
		"bench: {script: x.py, format: triton, command: x}":              "command has no effect with format triton, which takes a script",
		"bench: {command: ./b, format: csv, script: x.py}":               "script has no effect with format csv, which takes a command",
		"bench: {command: ./b, format: csv, competitors: [torch]}":       "competitors has no effect with format csv",
		"bench: {script: ../x.py, format: triton}":                       "leaves the folder",
		"bench: {script: x.py, format: triton, time: cold}":              "triton has one time",
		"bench: {script: x.py, format: triton, competitors: [\"a[\"]}":   "has a bracket or a brace that is not closed",
	} {
		_, err := Parse("p", kernelOf(lines))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p:") {
			t.Errorf("%s:\n%v\nwant %q", lines, err, want)
		}
	}
}

func TestTakes(t *testing.T) {
	for pattern, want := range map[string]bool{
		"sum/*": true, "sum/T=F32,n=2": true, "*": true, "*n=2": true, "sum": false, "copy/*": false, "sum/T=F32,n=?": true, "sum/T=F[36]*": true,
	} {
		if got := (Kernel{Cases: []string{pattern}}).Takes("sum/T=F32,n=2"); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if !(Kernel{}).Takes("a/b") || !(Kernel{Cases: []string{"test_a[1]"}}).Takes("test_a[1]") || !(Kernel{Cases: []string{"BM/*"}}).Takes("BM/1/2") {
		t.Error("not taken")
	}
}

// What gives cases their meaning is in the hash, and what picks some of them is not.
func TestBenchHash(t *testing.T) {
	hash := func(lines string) string {
		c, err := Parse("p", kernelOf(lines))
		if err != nil {
			t.Fatal(err)
		}
		return c.CaseHash("k")
	}
	plain := hash("bench: {command: ./b, format: nvbench}")
	if hash("bench: {command: ./b, format: nvbench}\ncases: [x]") != plain {
		t.Error("cases change it")
	}
	for _, other := range []string{"bench: {command: ./c, format: nvbench}", "bench: {command: ./b, format: nvbench, time: batch}", "bench: {command: ./b, format: csv}",
		"build: {command: make}\nbench: {command: ./b, format: nvbench}"} {
		if hash(other) == plain {
			t.Errorf("%s does not change it", other)
		}
	}
}

// A starter says that a script needs no GPU where it was seen to run without one: its format asks for one otherwise.
func TestBenchStarterOnACPU(t *testing.T) {
	t.Parallel()
	for cpu, want := range map[bool]string{true: DeviceCPU, false: DeviceAuto} {
		text, err := BenchStarter{Kernel: "k", Bench: Bench{Format: "triton", Spec: benchmark.Spec{Script: "b.py"}}, CPU: cpu}.Text()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := Parse(DefaultFile, text); err != nil || c.Device != want {
			t.Errorf("cpu %v: %v\n%s", cpu, err, text)
		}
	}
}

// An interpreter for all kernels does not reach what a command starts, so beside one it is refused.
func TestInterpreterOfAllBesideACommand(t *testing.T) {
	of := func(kernel string) error {
		_, err := Parse("p", []byte("version: 1\npython: python3\nkernels:\n  - name: a\n    adapter: a.pg.py\n    params: {n: {values: [1]}}\n  - name: b\n    "+kernel+"\n"))
		return err
	}
	if err := of("bench: {command: python3 x.py, format: csv}"); err == nil || !strings.Contains(err.Error(), `2:9: python does not apply to bench.command of kernel "b"`) {
		t.Error(err)
	}
	if err := of("bench: {script: x.py, format: triton}"); err != nil {
		t.Error(err)
	}
}

// A starter lists no file that both sides would share: whether it defines what is timed cannot be told. It suggests them.
func TestBenchStarterSharesNoFiles(t *testing.T) {
	t.Parallel()
	spec := benchmark.Spec{Command: "./b", Time: "cpu"}
	text, err := BenchStarter{Kernel: "k", Bench: Bench{Format: "google-benchmark", Spec: spec}, Build: "make 'b'", Files: []string{"bench.py"}}.Text()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(DefaultFile, text)
	if err != nil || len(c.Kernels[0].Files) != 0 || c.Kernels[0].Bench.Build != "make 'b'" || c.Kernels[0].Bench.Time != "cpu" || !strings.Contains(string(text), `# files: ["bench.py"]`) {
		t.Errorf("%v\n%s", err, text)
	}
}
