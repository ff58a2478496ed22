package action

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// The job that merges in its own run takes the folders of the same names.
func TestMergeMachines(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	results := t.TempDir()
	for _, machine := range []string{"l4", "h100"} {
		dir := filepath.Join(results, artifactName("perfgate", machine, 0))
		r.must(os.Mkdir(dir, 0o755))
		r.must(result.WriteFile(filepath.Join(dir, resultFile), r.measuredOn(machine, 0.1, 0, 0)))
	}
	in, err := readInputs(environment("INPUT_MODE=merge", "INPUT_MACHINE_LABELS=l4,h100", "INPUT_ARTIFACTS_DIR="+results))
	r.must(err)
	log := github.NewLog(&r.log, func(string) string { return "" })
	job := &step{Job: Job{Dir: r.repo.dir, Log: log}, in: in, does: modeOf(ModeMerge), target: Target{Head: r.head, Base: r.base}}
	f, _ := job.merge(t.Context())
	if f.result == nil || f.exit != 1 || len(f.result.Cases) != 2*forkCases {
		t.Errorf("%+v", f)
	}
}

// The artifact that is alone is laid out without a folder of its name, and counts as the part that it says it is.
func TestMergeOfALonePart(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	for name, c := range map[string]struct {
		part     string
		machines string
		cases    int // 0: no result
	}{
		"the only one":        {"perfgate-on-l4", "l4", forkCases},
		"the other was lost":  {"perfgate-on-l4", "l4,h100", forkCases},
		"of no such machine":  {"perfgate-on-a100", "l4,h100", 0},
		"of another workflow": {"", "l4", 0},
	} {
		results := t.TempDir()
		r.must(result.WriteFile(filepath.Join(results, resultFile), r.measuredOn("l4", 0.1, 0, 0)))
		r.must(outcomeDocument.Write(filepath.Join(results, outcomeFile), &Outcome{Schema: outcomeDocument.Schema, Part: c.part}))
		in, err := readInputs(environment("INPUT_MODE=merge", "INPUT_MACHINE_LABELS="+c.machines, "INPUT_ARTIFACTS_DIR="+results))
		r.must(err)
		log := github.NewLog(&r.log, func(string) string { return "" })
		job := &step{Job: Job{Dir: r.repo.dir, Log: log}, in: in, does: modeOf(ModeMerge), target: Target{Head: r.head, Base: r.base}}
		v, _ := job.merge(t.Context())
		if (v.result != nil) != (c.cases > 0) || v.result != nil && len(v.result.Cases) != c.cases || v.exit == result.ExitPassed {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Shards are decided by the tolerances of base's configuration, too.
func TestMergedShardsHaveTheirTolerances(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	cfg := r.parsed(forkConfiguration + "tolerances: [{cases: k/n=2, tolerance: 30%}]\nbaseline: {cumulative-tolerance: 30%}\n")
	parts := []rule.MergeInput{{Name: "a", Result: r.measuredUnder(cfg, 0.1, 1, 2)}, {Name: "b", Result: r.measuredUnder(cfg, 0.1, 2, 2)}}
	trusted := parts[0].Result.Policy
	merged, err := rule.Merge(parts, rule.MergeOptions{Policy: &trusted})
	if err != nil || merged.Conclusion.Exit != result.ExitPassed {
		t.Errorf("%v, %+v", err, merged)
	}
	trusted.Tolerances = nil
	if _, err := rule.Merge(parts, rule.MergeOptions{Policy: &trusted}); err == nil || !strings.Contains(err.Error(), "the configuration that counts") {
		t.Errorf("by another policy: %v", err)
	}
}
