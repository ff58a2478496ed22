package rule_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

const sixCases = 6

// shardOf is shard index of of a plan of six cases of one kernel, measured on a machine, case i with the shift of shifts[i].
func shardOf(t *testing.T, index, of int, machine string, shifts map[int]float64) *result.Result {
	t.Helper()
	p := rule.Default()
	p.Cases = sixCases
	r := &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "perfgate", Version: "v1.0.0"}, Started: time.Date(2026, 3, 14, 9, index, 0, 0, time.UTC),
		Seed: fmt.Sprint("seed of shard ", index), Policy: p, Config: result.Config{File: "perfgate.yaml", SHA256: "abc", Trust: "base"},
		Base:    result.Version{Kind: result.KindRevision, Label: "main", Revision: "b453"},
		Head:    result.Version{Kind: result.KindRevision, Label: "pr", Revision: "4ead"},
		Machine: result.Machine{Key: "key-" + machine, Model: machine},
		Shard:   &result.Shard{Index: index, Of: of, Seed: "42"},
		Kernels: []result.Kernel{{
			Name: "k", Status: result.KernelCompared, Base: &result.Build{Fingerprint: "1"}, Head: &result.Build{Fingerprint: "2"},
			Parity: result.Parity{Status: result.ParityPassed, Run: 10, Planned: 10},
		}},
		Timings: result.Timings{TotalS: 10},
	}
	if of == 1 {
		r.Shard, r.Seed = nil, "42"
	}
	for i := range sixCases {
		if i%of == index-1 {
			c := measured(t, i, shifts[i], p)
			r.Cases = append(r.Cases, c)
		}
	}
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, p)
	must(t, result.Write(io.Discard, r))
	return r
}

// measured is a case as rounds leave it.
func measured(t *testing.T, i int, shift float64, p result.Policy) result.Case {
	t.Helper()
	c, err := ruletest.Measured(fmt.Sprint(i), rand.New(rand.NewPCG(uint64(i), 7)), 0.002, shift, p)
	must(t, err)
	return c
}

func inputs(results ...*result.Result) []rule.MergeInput {
	var in []rule.MergeInput
	for i, r := range results {
		in = append(in, rule.MergeInput{fmt.Sprintf("part-%d/result.json", i), r})
	}
	return in
}

func mustMerge(t *testing.T, opt rule.MergeOptions, results ...*result.Result) *result.Result {
	t.Helper()
	merged, err := rule.Merge(inputs(results...), opt)
	must(t, err)
	if err := result.Write(io.Discard, merged); err != nil {
		t.Fatalf("the merged result is none: %v", err)
	}
	return merged
}

func TestSeveralMachines(t *testing.T) {
	l4, h100 := shardOf(t, 1, 1, "NVIDIA L4", nil), shardOf(t, 1, 1, "NVIDIA H100", map[int]float64{2: 0.2})
	m := mustMerge(t, rule.MergeOptions{Machines: 2}, l4, h100)
	if m.Conclusion.Exit != result.ExitFailed || len(m.Cases) != 2*sixCases || !strings.Contains(report.Sentences(m.Conclusion.Findings)[0], "k/n=2 on NVIDIA H100") {
		t.Errorf("exit %d %q, %d cases", m.Conclusion.Exit, report.Sentences(m.Conclusion.Findings), len(m.Cases))
	}
	for _, c := range m.Cases {
		if c.Machine == "" {
			t.Errorf("%s does not say on which machine", c.Name)
		}
	}
	if !strings.Contains(strings.Join(m.Notes, "\n"), "at least 98 % sure") {
		t.Errorf("nobody says what two machines do to the confidence: %q", m.Notes)
	}
	m = mustMerge(t, rule.MergeOptions{Machines: 3}, l4, h100)
	if !strings.Contains(strings.Join(report.Sentences(m.Conclusion.Findings), "\n"), "missing from 1 of 3 machines") {
		t.Errorf("%q", report.Sentences(m.Conclusion.Findings))
	}
	short := shardOf(t, 1, 1, "NVIDIA H100", nil)
	short.Cases = short.Cases[2:]
	m = mustMerge(t, rule.MergeOptions{Machines: 2}, l4, short)
	if m.Conclusion.Exit != result.ExitNotMeasurable || !strings.Contains(report.Sentences(m.Conclusion.Findings)[0], "2 of the plan's 12 cases are in no part") {
		t.Errorf("a machine lacks cases: exit %d %q", m.Conclusion.Exit, report.Sentences(m.Conclusion.Findings))
	}
	// Two of one model that differ otherwise, as in their cores.
	large := shardOf(t, 1, 1, "NVIDIA L4", map[int]float64{2: 0.2})
	large.Machine.Key = "key-large"
	m = mustMerge(t, rule.MergeOptions{Machines: 2}, l4, large)
	if found := report.Sentences(m.Conclusion.Findings); m.Conclusion.Exit != result.ExitFailed || !strings.Contains(found[0], "k/n=2 on NVIDIA L4 (key-large)") {
		t.Errorf("machines of one model: exit %d %q", m.Conclusion.Exit, found)
	}
	// Parts of one plan may run wherever they like.
	m = mustMerge(t, rule.MergeOptions{}, shardOf(t, 1, 2, "EPYC", nil), shardOf(t, 2, 2, "Xeon", nil))
	if m.Conclusion.Exit != result.ExitPassed {
		t.Errorf("%+v", m.Conclusion)
	}
}

// Two machines of one model look the same to a merge: who set them up is told which two, of which model, and what to do.
func TestTwoMachinesOfOneModel(t *testing.T) {
	for _, of := range []int{1, 2} {
		var all []rule.MergeInput
		for _, name := range []string{"perfgate-on-left", "perfgate-on-right"} {
			for index := 1; index <= of; index++ {
				all = append(all, rule.MergeInput{Name: name, Result: shardOf(t, index, of, "NVIDIA L4", nil)})
			}
		}
		_, err := rule.Merge(all, rule.MergeOptions{Machines: 2})
		if err == nil {
			t.Fatal("merged")
		}
		part := map[int]string{1: "the whole plan", 2: "shard 1/2"}[of]
		for _, want := range []string{"perfgate-on-left and perfgate-on-right overlap", part, "NVIDIA L4", "have to be of different models", "--shards"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nlacks %q", err, want)
			}
		}
	}
}

func TestWhatDoesNotBelongTogether(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*result.Result)
		words  string
	}{
		"configuration": {func(r *result.Result) { r.Config.SHA256 = "other" }, "configuration"},
		"trust":         {func(r *result.Result) { r.Config.Trust = "worktree" }, "whose configuration"},
		"base":          {func(r *result.Result) { r.Base.Revision = "other" }, "base"},
		"head":          {func(r *result.Result) { r.Head.Revision = "other" }, "head"},
		"flags":         {func(r *result.Result) { r.Head.Flags = []string{"-DFAST"} }, "head"},
		"version":       {func(r *result.Result) { r.Tool.Version = "v0.1.0" }, "version"},
		"seed":          {func(r *result.Result) { r.Shard.Seed = "43" }, "seed"},
		"tolerance":     {func(r *result.Result) { r.Policy.Tolerance = 0.9 }, "policy"},
		"shards":        {func(r *result.Result) { r.Shard.Of = 3 }, "number of shards"},
		"twice":         {func(r *result.Result) { *r = *shardOf(t, 1, 2, "L4", nil) }, "overlap"},
		"case twice": {func(r *result.Result) {
			r.Cases = append(r.Cases, shardOf(t, 1, 2, "L4", nil).Cases[0])
		}, "overlap"},
		"impossible":  {func(r *result.Result) { r.Shard.Index = 7 }, "no shard 7/2"},
		"of tune":     {func(r *result.Result) { r.Kind = result.KindTune }, "only runs of the gate"},
		"merged":      {func(r *result.Result) { r.Merged = []result.Part{{}} }, "merged already"},
		"same on two": {func(r *result.Result) { *r = *shardOf(t, 1, 2, "H100", nil) }, "is there 2 times"},
	} {
		t.Run(name, func(t *testing.T) {
			other := shardOf(t, 2, 2, "L4", nil)
			c.change(other)
			_, err := rule.Merge(inputs(shardOf(t, 1, 2, "L4", nil), other), rule.MergeOptions{})
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("err = %v, want %q", err, c.words)
			}
		})
	}
}

// A note is said once, with the parts that have it where not all do.
func TestNotesOfParts(t *testing.T) {
	parts := []*result.Result{shardOf(t, 1, 3, "L4", nil), shardOf(t, 2, 3, "L4", nil), shardOf(t, 3, 3, "L4", nil)}
	for _, p := range parts {
		p.Notes = []string{"of all"}
	}
	parts[0].Notes, parts[2].Notes = append(parts[0].Notes, "of some"), append(parts[2].Notes, "of some", "of one")
	m := mustMerge(t, rule.MergeOptions{}, parts...)
	if want := []string{"of all", "shard 1/3, shard 3/3: of some", "shard 3/3: of one"}; !slices.Equal(m.Notes, want) {
		t.Errorf("%q, want %q", m.Notes, want)
	}
}
