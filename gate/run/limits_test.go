package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

const spilly = "_Z6spillyPf"

// What ptxas said about two kernels; kernels/resources_test.go holds its text.
var compiled = []kernels.Resource{
	{Function: spilly, Arch: "sm_89", Registers: 32, SpillStoreBytes: 116, SpillLoadBytes: 140, SharedBytes: 4096, SpillsKnown: true},
	{Function: "_Z5plainv", Arch: "sm_89", Registers: 8, SpillsKnown: true},
}

func most(n int64) *int64 { return &n }

func TestOverLimits(t *testing.T) {
	dumped := []kernels.Resource{{Function: "_Z5saxpyPf", Arch: "sm_90", Registers: 16, SharedBytes: 1024}}
	for name, c := range map[string]struct {
		want     config.Resources
		reported []kernels.Resource
		over     []result.OverLimit
		unknown  result.ReasonKind
	}{
		"no limits":       {config.Resources{}, nil, nil, ""},
		"kept, to a byte": {config.Resources{Registers: most(32), SpillBytes: most(140), SharedBytes: most(4096)}, compiled, nil, ""},
		"registers":       {config.Resources{Registers: most(31)}, compiled, []result.OverLimit{{Key: "registers", Function: spilly, Needs: 32, Limit: 31, Over: 1}}, ""},
		"two kernels":     {config.Resources{Registers: most(7)}, compiled, []result.OverLimit{{Key: "registers", Function: spilly, Needs: 32, Limit: 7, Over: 2}}, ""},
		"all three": {config.Resources{Registers: most(31), SpillBytes: most(0), SharedBytes: most(0)}, compiled, []result.OverLimit{
			{Key: "registers", Function: spilly, Needs: 32, Limit: 31, Over: 1},
			{Key: "spill-bytes", Function: spilly, Needs: 140, Limit: 0, Over: 1},
			{Key: "shared-bytes", Function: spilly, Needs: 4096, Limit: 0, Over: 1},
		}, ""},
		"nothing reported":             {config.Resources{Registers: most(255)}, nil, nil, result.ReasonNoReport},
		"spills of a finished library": {config.Resources{SpillBytes: most(0), Registers: most(15)}, dumped, []result.OverLimit{{Key: "registers", Function: "_Z5saxpyPf", Needs: 16, Limit: 15, Over: 1}}, result.ReasonNoSpills},
	} {
		over, unknown := overLimits(c.want, c.reported)
		if !slices.Equal(over, c.over) || (unknown == nil) != (c.unknown == "") || unknown != nil && unknown.Kind != c.unknown {
			t.Errorf("%s: %+v, %+v", name, over, unknown)
		}
	}
}

// Whatever becomes of a kernel otherwise, a limit that it exceeds fails the run, and one that cannot be checked is no pass.
func TestLimitsFailTheGate(t *testing.T) {
	target := kernels.Target{Device: result.DeviceCUDA, Arch: "sm_89"}
	exe, err := os.Executable() // a library that needs no GPU
	must(t, err)
	run := func(status result.KernelStatus, want config.Resources, head []kernels.Resource) result.Conclusion {
		base := &result.Build{}
		if status == result.KernelNew {
			base = nil
		}
		k := Kernel{
			Plan: plan.KernelPlan{Kernel: config.Kernel{Name: "k", Resources: want}, Measured: []plan.Case{{Kernel: "k"}}},
			Base: Build{Record: base}, Head: Build{Record: &result.Build{}, Library: kernels.Library{Path: exe, Resources: head}}, Parity: result.Parity{Status: result.ParityPassed},
		}
		v := Values{Asked: Asked{Plan: &plan.Plan{Kernels: []plan.KernelPlan{k.Plan}, K: 1}, Frame: result.Result{Policy: Policy(&config.Config{Gate: config.GateSettings{Confidence: 0.99}}, &plan.Plan{K: 1}, 0, false)}}}
		checked, err := through(Kernels{On: []Kernel{k}}, withinLimits(target))
		must(t, err)
		v.Measured.Kernels, err = through(checked, func(k Kernel) (Kernel, *result.Kernel, error) {
			return k, k.end(map[bool]result.KernelStatus{true: result.KernelNew, false: result.KernelIdentical}[k.isNew()], nil), nil
		})
		must(t, err)
		return v.Assemble().Conclusion
	}
	for _, status := range []result.KernelStatus{result.KernelIdentical, result.KernelNew} {
		if c := run(status, config.Resources{Registers: most(31)}, compiled); c.Exit != result.ExitFailed || !slices.ContainsFunc(c.Findings, func(f result.Finding) bool {
			return f.Kind == result.FindingResource && f.Kernel == "k" && f.Over.Key == "registers" && strings.Contains(f.Over.Function, "spilly") && f.Over.Needs == 32
		}) {
			t.Errorf("status %q, over the limit: %+v", status, c)
		}
		if c := run(status, config.Resources{Registers: most(32)}, compiled); c.Exit != result.ExitPassed {
			t.Errorf("status %q, within the limit: %+v", status, c)
		}
		if c := run(status, config.Resources{Registers: most(32)}, nil); c.Exit != result.ExitNotMeasurable || !slices.ContainsFunc(c.Findings, func(f result.Finding) bool { return f.Reason.Is(result.ReasonNoReport) }) {
			t.Errorf("status %q, nothing reported: %+v", status, c)
		}
	}
}

// Only the code that the device runs counts, unless none of it is in the library.
func TestLimitsLookAtTheDevicesOwnCode(t *testing.T) {
	both := []kernels.Resource{{Arch: "sm_80", Registers: 200}, {Arch: "sm_89", Registers: 20}}
	if got := forTarget(both, "sm_89"); len(got) != 1 || got[0].Registers != 20 {
		t.Errorf("for sm_89: %+v", got)
	}
	if got := forTarget(both, "sm_90"); len(got) != 2 {
		t.Errorf("for sm_90: %+v", got)
	}
}

// An adapter's float64 reference may need what it likes.
func TestLimitsLeaveTheReferenceAlone(t *testing.T) {
	reference := kernels.Resource{Function: "_Z9referencev", Registers: 200, Adapter: true, SpillsKnown: true}
	if over, _ := overLimits(config.Resources{Registers: most(100)}, underTest(append([]kernels.Resource{reference}, compiled...))); len(over) != 0 {
		t.Errorf("beside a source: %+v", over)
	}
	if over, _ := overLimits(config.Resources{Registers: most(100)}, underTest([]kernels.Resource{reference})); len(over) != 1 {
		t.Errorf("with nothing else: %+v", over)
	}
}

// What wants several GPUs is refused before anything is compared, by the command that only checks parity as well.
func TestParityRefusesKernelsOfSeveralGPUs(t *testing.T) {
	const text = `version: 1
device: cpu
kernels:
  - name: k
    build:
      command: >-
        echo 'int f() { return 0; }' >n.cc && "$CXX" -shared -fPIC n.cc -Wl,-soname,libnccl.so.2 -o libnccl.so.2 &&
        "$CXX" -std=c++17 -shared -fPIC -I "$PERFGATE_INCLUDE" k.pg.cc -Wl,--no-as-needed libnccl.so.2 -o k.so
      output: k.so
    params:
      n: {fuzz: {min: 64, max: 4000}}
    measure: [{n: 4000}]
    parity: {cases: 4}
`
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	write(t, filepath.Join(opt.Head.Tree, "perfgate.yaml"), text)
	opt.Trusted.Config, opt.Base = configIn(t, opt.Head.Tree), Side{}
	res := parityOf(t, opt)
	k := res.Kernels[0]
	if res.Conclusion.Exit != result.ExitNotMeasurable || k.Parity.Status != result.ParityError || k.Parity.Reason == nil || k.Parity.Reason.Kind != result.ReasonSeveralGPUs || k.Parity.Reason.Name != "libnccl.so.2" {
		t.Errorf("%+v, %+v", res.Conclusion, k)
	}
}

// A configuration beyond a limit of its kernel is not tried, and one within is.
func TestTuneKeepsLimits(t *testing.T) {
	exe, err := os.Executable() // a library that needs no GPU
	must(t, err)
	for registers, want := range map[int64]bool{31: true, 32: false} {
		k := Kernel{Plan: plan.KernelPlan{Kernel: config.Kernel{Name: "k", Adapter: "k.pg.cu", Resources: config.Resources{Registers: most(registers)}}}}
		tuned := &tuning{session: &session{device: &device{target: kernels.Target{Device: result.DeviceCUDA, Arch: "sm_89"}}}, kernel: k}
		over, err := tuned.limited(Build{Record: &result.Build{}, Library: kernels.Library{Path: exe, Resources: compiled}})
		if err != nil || over != want {
			t.Errorf("%d registers: %v, %v", registers, over, err)
		}
	}
}
