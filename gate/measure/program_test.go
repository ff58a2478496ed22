package measure

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// What is seen of a process from outside is what its rows do not account for, of a program that says how long each took.
func TestTimingCheckOfAProcess(t *testing.T) {
	row := func(total, ns float64) benchmark.Case {
		return benchmark.Case{TotalNS: total, Processes: []benchmark.Process{{Samples: []float64{ns, ns}}}}
	}
	failed := benchmark.Case{Failed: "skipped", Processes: []benchmark.Process{{}}}
	for _, c := range []struct {
		format string
		rows   []benchmark.Case
		want   *result.TimingCheck
	}{
		{"google-benchmark", []benchmark.Case{row(3e8, 1e6), row(2e8, 2e6), failed}, &result.TimingCheck{ClaimedNS: 5e8, BeyondNS: 5e8, CPUNS: 9e8, Launches: 400}},
		{"nvbench", []benchmark.Case{row(3e8, 1e6), row(0, 2e6)}, nil},
		{"triton", []benchmark.Case{row(3e8, 1e6)}, nil},
		{"csv", []benchmark.Case{row(2e6, 1e6)}, &result.TimingCheck{ClaimedNS: 2e6, BeyondNS: 9.98e8, CPUNS: 9e8, Launches: 2}},
	} {
		f, _ := benchmark.Named(c.format)
		got := ProgramRun{Set: benchmark.Set{Cases: c.rows}, Lived: time.Second, CPU: 900 * time.Millisecond}.timingCheck(f)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.format, got, c.want)
		}
	}
}

// A benchmark whose work is another each time is base's fault as well, and one that fails later is told by its failure.
func TestRowsThatAreOthersEachTime(t *testing.T) {
	t.Parallel()
	rate := func(bytes float64, failed string) ProgramRun {
		return ProgramRun{Set: benchmark.Set{Cases: []benchmark.Case{{Name: "k", Unit: benchmark.UnitRate, Bytes: bytes, Failed: failed}}}}
	}
	base := rate(600, "").Set.Cases[0]
	for _, tt := range []struct {
		run  ProgramRun
		want string
	}{{rate(600, ""), ""}, {rate(300, "no memory"), ""}, {rate(300, ""), "two runs of base's benchmark differ"}, {ProgramRun{}, "does not have it in every run"}} {
		if got := tt.run.Differs(base); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.run, got, tt.want)
		}
	}
}

// A program that chooses its clock may count the CPU time of all its threads. One that has the wall clock cannot measure for longer than it lives.
func TestMeasuredForLongerThanItLived(t *testing.T) {
	for format, most := range map[string]int{"csv": runtime.NumCPU(), "pytest-benchmark": runtime.NumCPU(), "hyperfine": 1, "google-benchmark": 1} {
		f, _ := benchmark.Named(format)
		p := &Program{Format: f}
		for seconds, believed := range map[float64]bool{float64(most): true, 1.1 * float64(most): false} {
			err := p.believable(benchmark.Set{Cases: []benchmark.Case{{TotalNS: seconds * 1e9}}}, time.Second)
			if (err == nil) != believed {
				t.Errorf("%s, %v s in a second of %d cores: %v", format, seconds, runtime.NumCPU(), err)
			}
		}
	}
}

// In a pipeline the last command ends well whatever became of the one that has no GPU in the sandbox: what it wrote is illegible for a reason that has a name.
func TestPipelineWithoutAGPU(t *testing.T) {
	t.Parallel()
	for _, why := range []error{benchmark.ErrNothing, errors.New("no line has the columns")} {
		if got := illegible(why, kernels.CommandEnd{Hint: "; in the sandbox"}); !strings.HasSuffix(got.(*kernels.RunnerError).Message, "; in the sandbox") {
			t.Errorf("%v: %v", why, got)
		}
	}
}
