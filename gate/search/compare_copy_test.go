package search_test

import (
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

// Two measurements never agree in every sample. Where a file is compared with itself, or a case was not run again and its old row is in the new file,
// nothing was compared.
func TestCopiedSamplesAreNotCompared(t *testing.T) {
	t.Parallel()
	varying, other, coarse := []float64{101, 102, 103, 104, 105, 106}, []float64{101, 102, 103, 104, 106, 105}, []float64{100, 100, 200, 100, 100, 100}
	of := func(processes ...[]float64) (out []benchmark.Process) {
		for _, samples := range processes {
			out = append(out, benchmark.Process{Samples: samples})
		}
		return out
	}
	single := of([]float64{101}, []float64{102}, []float64{103}, []float64{104}, []float64{105})
	for name, tt := range map[string]struct {
		old, new []benchmark.Process
		copied   bool
	}{
		"one process":              {of(varying), of(varying), true},
		"several":                  {of(varying, other), of(varying, other), true},
		"one sample each":          {single, single, true},
		"in another order":         {of(varying), of(other), false},
		"one process more":         {of(varying), of(varying, other), false},
		"one process less":         {of(varying, other), of(varying), false},
		"the steps of a clock":     {of(coarse), of(coarse), false},
		"one of two measured anew": {of(varying, other), of(varying, varying), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(processes []benchmark.Process) benchmark.Set {
				return benchmark.Set{Cases: []benchmark.Case{{Name: "k/n=1", Processes: processes}}}
			}
			policy := rule.Default()
			policy.Tolerance = 0.5
			d, err := search.CompareSets(set(tt.old), set(tt.new), search.CompareOptions{Policy: policy})
			must(t, err)
			if copied := d.Rows[0].Verdict == result.Error && d.Rows[0].Comparison == nil && d.Rows[0].BaseNS == 0; copied != tt.copied {
				t.Errorf("%+v", d.Rows[0])
			}
			if tt.copied && d.Conclusion.Exit != result.ExitNotMeasurable {
				t.Errorf("exit %d", d.Conclusion.Exit)
			}
		})
	}
}
