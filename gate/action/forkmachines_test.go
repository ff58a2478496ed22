package action

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// measuredOn is the result of a machine: of the whole plan, or of a part.
func (r *forkRun) measuredOn(machine string, shift float64, index, of int) *result.Result {
	res := r.measured(shift, index, of)
	res.Machine = result.Machine{Key: "key of " + machine, Model: "NVIDIA " + strings.ToUpper(machine)}
	return res
}

// GPU models side by side: every machine measures the whole plan, a row for each, and the worst counts.
func TestForkMachines(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		shards int
		leave  func(*forkRun)
		status string
		says   []string
	}{
		"pass": {0, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0, "h100": 0}, 0) }, "success: advisory, PASS", []string{"NVIDIA L4", "NVIDIA H100"}},
		"regression on one": {0, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0, "h100": 0.1}, 0) }, "failure: advisory, FAIL",
			[]string{"k/n=2", "NVIDIA L4", "NVIDIA H100"}},
		"one missing": {0, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0}, 0) }, "error",
			[]string{"missing from 1 of 2 machines", "perfgate-on-h100"}},
		"one missing, and a regression": {0, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0.1}, 0) }, "failure", []string{"missing from 1 of 2 machines"}},
		"none":                          {0, func(*forkRun) {}, "error", []string{"left no result", "perfgate-on-l4", "perfgate-on-h100"}},
		"one twice": {0, func(r *forkRun) {
			r.keep("perfgate-on-l4", r.measuredOn("l4", 0, 0, 0))
			r.keep("perfgate-on-h100", r.measuredOn("l4", 0, 0, 0))
		}, "error", []string{"overlap"}},
		"a case left out on one": {0, func(r *forkRun) {
			r.keep("perfgate-on-l4", r.measuredOn("l4", 0, 0, 0))
			res := r.measuredOn("h100", 0, 0, 0)
			res.Cases = append(res.Cases[:1], res.Cases[2:]...)
			r.keep("perfgate-on-h100", res)
		}, "error", []string{"what was planned is not in the result: k/n=2 on h100"}},
		"new on one": {0, func(r *forkRun) {
			r.keep("perfgate-on-l4", r.measuredOn("l4", 0, 0, 0))
			res := r.measuredOn("h100", 0.1, 0, 0)
			allNew(res)
			r.keep("perfgate-on-h100", res)
		}, "error", []string{"base has k.cc"}},
		"no parity on one": {0, func(r *forkRun) {
			r.keep("perfgate-on-l4", r.measuredOn("l4", 0, 0, 0))
			res := r.measuredOn("h100", 0, 0, 0)
			res.Kernels[0].Parity.Run = 0
			r.keep("perfgate-on-h100", res)
		}, "error", []string{"not one case of it was checked"}},
		"in parts":            {3, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0, "h100": 0}, 3) }, "success: advisory, PASS", []string{"NVIDIA L4", "NVIDIA H100"}},
		"in parts, regressed": {3, func(r *forkRun) { r.onMachines(map[string]float64{"l4": 0.1, "h100": 0}, 3) }, "failure", []string{"k/n=2"}},
		"in parts, one of one missing": {3, func(r *forkRun) {
			r.onMachines(map[string]float64{"l4": 0}, 3)
			for part := 1; part <= 2; part++ {
				r.keep(artifactName("perfgate", "h100", part), r.measuredOn("h100", 0, part, 3))
			}
		}, "error", []string{"shard 3/3", "k/n=3 on h100"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_MACHINE_LABELS"], r.env["INPUT_COMMENT"] = "l4, h100", CommentAlways
			if c.shards > 0 {
				r.env["INPUT_SHARDS"] = "3"
			}
			c.leave(r)
			r.report()
			if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict "+c.status) {
				t.Errorf("status %q, want %s\n%s", got, c.status, r.log.String())
			}
			for _, want := range c.says {
				if text := unescaped(r.comment()); !strings.Contains(text, want) {
					t.Errorf("the comment does not say %q:\n%s", want, text)
				}
			}
		})
	}
}

// onMachines keeps what each machine measured, in parts if of is not 0.
func (r *forkRun) onMachines(shifts map[string]float64, of int) {
	r.Helper()
	for machine, shift := range shifts {
		if of == 0 {
			r.keep(artifactName("perfgate", machine, 0), r.measuredOn(machine, shift, 0, 0))
		}
		for part := 1; part <= of; part++ {
			r.keep(artifactName("perfgate", machine, part), r.measuredOn(machine, shift, part, of))
		}
	}
}

// A regression on one of several machines is accepted as one on a single machine is.
func TestForkMachinesAccepted(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.env["INPUT_MACHINE_LABELS"] = "l4,h100"
	r.head = r.files("accurate\n\nPerfgate-Accept: k/** needed for accuracy", nil)
	r.github.Push(1, r.head, false)
	r.about("head_sha", r.head)
	r.github.Label(1, "perfgate-accept", "ada")
	r.onMachines(map[string]float64{"l4": 0, "h100": 0.1}, 0)
	r.report()
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict success: PASS") {
		t.Errorf("status %q\n%s", got, r.log.String())
	}
	if text := unescaped(r.comment()); !strings.Contains(text, "k/n=2 on NVIDIA H100") || !strings.Contains(text, "needed for accuracy") {
		t.Errorf("the comment does not say what was accepted, and where:\n%s", text)
	}
}

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
