package benchmark

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// The clock of the CPU is chosen where it shows what the wall clock shows: not where it stands still, and not of what waits or has threads.
func TestClockOfTheCPU(t *testing.T) {
	for cpu, want := range map[string]bool{"5": true, "4.9": true, "2": false, "0": false} {
		try := func(context.Context, Format, Spec) (Output, error) {
			out := left(`{"benchmarks": [{"name": "a", "real_time": 5, "cpu_time": 5}, {"name": "b", "real_time": 5, "cpu_time": ` + cpu + `}]}`)
			out.Lived = time.Second
			return out, nil
		}
		got, err := Recognise(t.Context(), "./b", []byte("benchmark_filter"), try)
		if err != nil || got.OnCPU() != want || got.Spec.Time != "real" || got.Lived != time.Second {
			t.Errorf("%s: %v, %+v", cpu, err, got)
		}
	}
	if (Recognised{}).OnCPU() {
		t.Error("a format with one clock has none to choose")
	}
}

// What no option of a format can be the reason of is tried once, and what comes of several formats alike is said once.
func TestTrialsThatEndAlike(t *testing.T) {
	for _, code := range []result.Code{result.CodeNotStarted, result.CodeHung, result.CodeFlooded, result.CodeFilled, result.CodeExited} {
		tries := 0
		_, err := Recognise(t.Context(), "./b", nil, func(context.Context, Format, Spec) (Output, error) {
			tries++
			return Output{}, &kernels.RunnerError{Code: code, Message: "it failed"}
		})
		if once := code != result.CodeExited; err == nil || strings.Count(err.Error(), "it failed") != 1 || (tries == 1) != once {
			t.Errorf("%s: %d tries, %v", code, tries, err)
		}
	}
}
