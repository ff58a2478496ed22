package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestLaunchFacts: the fault of two blocks is said without any profile, of the cases that changed and of no other.
func TestLaunchFacts(t *testing.T) {
	const name = "_ZN45_GLOBAL__N__9937b407_12_attention_cu_91ca79715naiveE9AttentionPKfPf"
	shape := func(blocks, threads, shared int, waves float64) result.LaunchShape {
		return result.LaunchShape{Function: name, Grid: []int{blocks, 1, 1}, Block: []int{threads, 1, 1}, DynamicSharedBytes: shared, BlocksPerSM: 8, Waves: waves}
	}
	named := func(name string, blocks int) result.LaunchShape {
		return result.LaunchShape{Function: name, Grid: []int{blocks, 1, 1}, Block: []int{256, 1, 1}}
	}
	many, two := shape(16384, 256, 0, 15.5), shape(2, 256, 0, 0.0019)
	for want, c := range map[string]struct {
		base, head []result.LaunchShape
		verdict    result.Verdict
	}{
		"case: (anonymous namespace)::naive is launched as 16384 → 2 blocks, 15.5 → <0.01 waves, 130 of 132 SMs get none": {[]result.LaunchShape{many}, []result.LaunchShape{two}, result.Regression},
		"case: (anonymous namespace)::naive is launched as 2 → 16384 blocks, <0.01 → 15.5 waves":                          {[]result.LaunchShape{two}, []result.LaunchShape{many}, result.Improvement},
		"": {[]result.LaunchShape{named("a", 10), named("b", 2000)}, []result.LaunchShape{named("b", 2000), named("a", 10)}, result.Regression},
		"case: b is launched as 2000 → 20 blocks, 112 of 132 SMs get none": {
			[]result.LaunchShape{named("a", 10), named("b", 2000)}, []result.LaunchShape{named("b", 20), named("c", 10)}, result.Regression},
		"case: c is launched as 10 → 5 blocks, 127 of 132 SMs get none": {[]result.LaunchShape{named("a", 10)}, []result.LaunchShape{named("c", 5)}, result.Slower},
		"case: 1 → 2 kernels launchedcase: b is launched as 2000 → 20 blocks, 112 of 132 SMs get none": {
			[]result.LaunchShape{named("b", 2000)}, []result.LaunchShape{named("fill", 10), named("b", 20)}, result.Regression},
		"case: 1 → 3 kernels launched": {[]result.LaunchShape{many}, []result.LaunchShape{many, two, two}, result.Slower},
		"case: (anonymous namespace)::naive is launched as blocks of 256 → 32 threads, 0 B → 64 KiB of dynamic shared memory a block": {
			[]result.LaunchShape{shape(9, 256, 0, 0)}, []result.LaunchShape{shape(9, 32, 65536, 0)}, result.Regression},
	} {
		r := &result.Result{Machine: result.Machine{GPU: &result.GPU{SMs: 132}}, Evidence: &result.Evidence{}}
		r.Cases = []result.Case{{Name: "case", Kernel: "case", Verdict: c.verdict, Launched: &result.Launched{Base: c.base, Head: c.head}}}
		var got strings.Builder
		for _, text := range staticFacts(r) {
			for _, span := range text {
				got.WriteString(span.Text)
			}
		}
		if flat := strings.ReplaceAll(got.String(), "\u00a0", " "); flat != want {
			t.Errorf("%q, want %q", flat, want)
		}
		for _, verdict := range []result.Verdict{result.Same, result.New, result.Error} {
			if r.Cases[0].Verdict = verdict; len(staticFacts(r)) > 0 {
				t.Errorf("%s: %v", verdict, staticFacts(r))
			}
		}
	}
}
