package rule_test

import (
	"reflect"
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
		must(t, err)
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

// Of what shards say of the change there is left what each of them says, however their lists differ.
func TestUncomparedOfShards(t *testing.T) {
	t.Parallel()
	said := func(kind result.ReasonKind, code string, only bool, names ...string) result.Uncompared {
		return result.Uncompared{Reason: result.Reason{Kind: kind, Name: code, Names: names, Count: len(names)}, Only: only}
	}
	const unbuilt, unread, unused = result.ReasonUnbuilt, result.ReasonUnread, result.ReasonUnused
	cut := said(unread, "", true, "a.c", "b.c")
	cut.Reason.Count = 30
	type list = []result.Uncompared
	for name, tt := range map[string]struct {
		shards [2]list
		want   list
		exit   result.ExitCode
	}{
		"both say so":                 {[2]list{{said(unbuilt, "b.so", true, "k.c")}, {said(unbuilt, "a.so", true, "k.c")}}, list{said(unbuilt, "a.so", true, "k.c")}, result.ExitNotMeasurable},
		"one reads another file":      {[2]list{{said(unbuilt, "a.so", true, "k.c", "l.c")}, {said(unbuilt, "a.so", false, "k.c")}}, list{said(unbuilt, "a.so", false, "k.c")}, 0},
		"one opens no machine code":   {[2]list{{said(unread, "", true, "k.c")}, {said(unbuilt, "a.so", true, "k.c")}}, list{said(unbuilt, "a.so", true, "k.c")}, result.ExitNotMeasurable},
		"neither does":                {[2]list{{said(unread, "", true, "k.c")}, {said(unread, "", true, "k.c")}}, nil, 0},
		"each opens one of another":   {[2]list{{said(unbuilt, "k.so", true, "k.c"), said(unread, "", true, "k.c", "l.py")}, {said(unbuilt, "l.pyc", true, "l.py"), said(unread, "", true, "k.c", "l.py")}}, list{said(unbuilt, "k.so", true, "k.c", "l.py")}, result.ExitNotMeasurable},
		"and one reads a third file":  {[2]list{{said(unbuilt, "k.so", true, "k.c"), said(unread, "", true, "k.c", "l.py")}, {said(unbuilt, "l.pyc", false, "l.py"), said(unread, "", false, "k.c", "l.py")}}, list{said(unbuilt, "k.so", false, "k.c", "l.py")}, 0},
		"and one reads the other's":   {[2]list{{said(unbuilt, "k.so", false, "k.c"), said(unread, "", false, "k.c")}, {said(unbuilt, "l.pyc", true, "l.py"), said(unread, "", true, "k.c", "l.py")}}, list{said(unbuilt, "k.so", false, "k.c")}, 0},
		"of more than are named":      {[2]list{{said(unbuilt, "k.so", true, "z.c"), cut}, {cut}}, list{said(unbuilt, "k.so", true, "z.c")}, result.ExitNotMeasurable},
		"each reads the other's":      {[2]list{{said(unbuilt, "a.so", false, "k.c")}, {said(unbuilt, "a.so", false, "l.c")}}, nil, 0},
		"one knows nothing":           {[2]list{{said(unbuilt, "a.so", true, "k.c")}, nil}, nil, 0},
		"one is of another kind":      {[2]list{{said(unused, "", false, "k.c")}, {said(unbuilt, "a.so", true, "k.c")}}, nil, 0},
		"files that nobody asked for": {[2]list{{said(unused, "", false, "k.c", "m.c")}, {said(unused, "", false, "l.c", "m.c")}}, list{said(unused, "", false, "m.c")}, 0},
	} {
		var inputs []rule.MergeInput
		for i, own := range tt.shards {
			r := shardOf(t, i+1, 2, "NVIDIA L4", nil)
			r.Uncompared = own
			r.Conclusion = rule.ConcludePart(rule.Part{Kernels: r.Kernels, Cases: r.Cases, Uncompared: own, IsShard: true}, r.Policy)
			if r.Conclusion.Exit != result.ExitPassed {
				t.Errorf("%s: shard %d: %+v", name, i+1, r.Conclusion.Findings)
			}
			inputs = append(inputs, rule.MergeInput{Name: name, Result: r})
		}
		merged, err := rule.Merge(inputs, rule.MergeOptions{})
		must(t, err)
		if !reflect.DeepEqual(merged.Uncompared, tt.want) || merged.Conclusion.Exit != tt.exit {
			t.Errorf("%s: %+v, exit %d: %+v", name, merged.Uncompared, merged.Conclusion.Exit, merged.Conclusion.Findings)
		}
	}
}
