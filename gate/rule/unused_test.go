package rule_test

import (
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// What nobody asked for on any machine is a note; a file that one machine's build used was compared there.
func TestUncomparedOfNoKernel(t *testing.T) {
	t.Parallel()
	one := result.Uncompared{Reason: result.Reason{Kind: result.ReasonUnused, Names: []string{"fast.cu"}, Count: 1}}
	for name, tt := range map[string]struct {
		machines [][]result.Uncompared
		notes    int
	}{
		"one machine":          {[][]result.Uncompared{{one}}, 1},
		"two machines":         {[][]result.Uncompared{{one}, {one}}, 1},
		"used on one of them":  {[][]result.Uncompared{{one}, nil}, 0},
		"another file on each": {[][]result.Uncompared{{one}, {{Reason: result.Reason{Kind: result.ReasonUnused, Names: []string{"b.cu"}, Count: 1}}}}, 0},
	} {
		var inputs []rule.MergeInput
		for i, own := range tt.machines {
			r := shardOf(t, 1, 1, "NVIDIA L4", nil)
			r.Machine.Key, r.Machine.Model = string(rune('a'+i)), string(rune('A'+i))
			r.Uncompared = own
			r.Conclusion = rule.ConcludePart(rule.Part{Kernels: r.Kernels, Cases: r.Cases, Uncompared: own}, r.Policy)
			inputs = append(inputs, rule.MergeInput{Name: name, Result: r})
		}
		merged, err := rule.Merge(inputs, rule.MergeOptions{Machines: len(inputs)})
		if err != nil {
			t.Fatal(err)
		}
		notes := 0
		for _, f := range merged.Conclusion.Findings {
			if f.Kind == result.FindingNotCompared {
				notes++
			}
		}
		if notes != tt.notes || len(merged.Uncompared) != tt.notes || merged.Conclusion.Exit != result.ExitPassed {
			t.Errorf("%s: %d notes, exit %d: %+v", name, notes, merged.Conclusion.Exit, merged.Conclusion.Findings)
		}
	}
}
