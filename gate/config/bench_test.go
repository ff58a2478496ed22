package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
)

func TestTakes(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"": true, "sum/*": true, "sum/T=F32,n=2": true, "*": true, "*n=2": true, "sum": false, "copy/*": false, "sum/T=F32,n=?": true, "sum/T=F[36]*": true,
	} {
		if got := (Kernel{Cases: strings.Fields(pattern)}).Takes("sum/T=F32,n=2"); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if !(Kernel{Cases: []string{"test_a[1]"}}).Takes("test_a[1]") || !(Kernel{Cases: []string{"BM/*"}}).Takes("BM/1/2") {
		t.Error("not taken")
	}
}

// A starter says that a script needs no GPU where it was seen to run without one: its format asks for one otherwise. It lists no file that both sides
// would share: whether it defines what is timed cannot be told. It suggests them.
func TestBenchStarter(t *testing.T) {
	t.Parallel()
	script := Bench{Format: "triton", Spec: benchmark.Spec{Script: "b.py"}}
	beside := script
	beside.Competitors = []string{"torch"}
	command := Bench{Format: "google-benchmark", Spec: benchmark.Spec{Command: "./b", Time: "cpu"}}
	own := Bench{Format: "csv", Spec: benchmark.Spec{Command: "./b", Table: &benchmark.Mapping{
		Case: `{kernel}/"{n}"`, Values: []benchmark.Metric{{Name: "time_ms"}, {Name: "GB/s", Better: "higher"}}, Separator: "bar",
	}}}
	for _, test := range []struct {
		starter BenchStarter
		holds   func(c *Config, text string) bool
	}{
		{BenchStarter{Kernel: "k", Bench: script, Device: DeviceCPU, Paths: []string{"src/**", "*"}}, func(c *Config, _ string) bool { return c.Device == DeviceCPU && len(c.Watch) == 2 }},
		{BenchStarter{Kernel: "k", Bench: own}, func(c *Config, _ string) bool { return reflect.DeepEqual(c.Kernels[0].Bench.Table, own.Table) }},
		{BenchStarter{Kernel: "k", Bench: beside}, func(c *Config, _ string) bool {
			return slices.Equal(c.Kernels[0].Bench.Competitors, beside.Competitors)
		}},
		{BenchStarter{Kernel: "k", Bench: script}, func(c *Config, _ string) bool { return c.Device == DeviceAuto }},
		{BenchStarter{Kernel: "k", Bench: script, Build: "make"}, func(c *Config, _ string) bool { return c.Kernels[0].Bench.Build == "make" }},
		{BenchStarter{Kernel: "k", Bench: command, Build: "make 'b'", Files: []string{"bench.py"}}, func(c *Config, text string) bool {
			k := c.Kernels[0]
			return len(k.Files) == 0 && k.Bench.Build == "make 'b'" && k.Bench.Time == "cpu" && strings.Contains(text, `# files: ["bench.py"]`)
		}},
	} {
		text, err := test.starter.Text()
		if err != nil || !test.holds(parsed(t, string(text)), string(text)) {
			t.Errorf("%+v: %v\n%s", test.starter, err, text)
		}
	}
}
