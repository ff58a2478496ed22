package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// twoKernels has cases enough to choose from.
const twoKernels = `version: 1
kernels:
  - {name: a, adapter: a.pg.cc, params: {n: {values: [1, 2, 3, 4]}}}
  - {name: b, adapter: b.pg.cc, params: {n: {values: [1, 2, 3, 4]}}}
`

// twoCommits makes the current folder a repository with two commits.
func twoCommits(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	commit := func(text string) {
		for name, content := range map[string]string{"perfgate.yaml": twoKernels, "a.pg.cc": "// " + text, "b.pg.cc": "// " + text} {
			must(t, os.WriteFile(name, []byte(content), 0o600))
		}
		for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", text}} {
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
	}
	commit("one")
	commit("two")
}

// planned is what a run takes up: its sides, the cases of its plan and of its shard in order, the seed, and what is timed.
func planned(t *testing.T, f runFlags) (as string, opt run.Options) {
	t.Helper()
	opt, err := f.options(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("%+v: %v", f.Run, err)
	}
	p, err := plan.New(opt.Trusted.Config, opt.Only)
	if err == nil && len(opt.Cases) > 0 {
		p, err = p.Cases(opt.Cases, nil)
	}
	if err == nil && opt.Shard != nil {
		p, err = p.Shard(*opt.Shard)
	}
	must(t, err)
	var cases []string
	for _, k := range p.Kernels {
		for _, c := range k.Measured {
			cases = append(cases, c.Name())
		}
	}
	if len(cases) == 0 {
		t.Fatal("no case is planned")
	}
	return fmt.Sprint(opt.Base.Info.Revision, opt.Base.Info.Flags, opt.Head.Info.Revision, opt.Head.Info.Flags, opt.Seed, opt.NoSkip, opt.Competitors, p.K, cases), opt
}

// typed is what a verb makes of a line.
func typed(t *testing.T, line string, flags any) []string {
	t.Helper()
	words := report.CommandWords(line)
	verb := words[1 : 2+strings.Count(words[1], "baseline")] // baseline record
	set := pflag.NewFlagSet(words[1], pflag.ContinueOnError)
	define(set, verb[len(verb)-1], request.TargetsOf(flags))
	if err := set.Parse(words[1+len(verb):]); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return set.Args()
}

// The line that repeats a run makes the same plan: of the same sides, the same cases in the same shard, with the same seed. Those of run, parity, tune,
// versus, bisect and drift, of the record and the drift check of a job, of the run that a demo is, and what rerun makes of a result.
func TestRepeatLineMakesTheSamePlan(t *testing.T) {
	twoCommits(t)
	for _, line := range []string{
		"perfgate run --base 'HEAD~1' --head HEAD", "perfgate run --base 'HEAD~1' --head HEAD --kernel b", "perfgate run --base 'HEAD~1' --head HEAD --case 'a/n=2' --case 'b/n=*' --time-identical",
		"perfgate run --base 'HEAD~1' --head HEAD --shard 2/3 --seed 7", "perfgate run --base 'HEAD~1' --head HEAD --head-flags '-DX=\"1 2\"' --manual-competitors --seed 9",
	} {
		var first, again runFlags
		typed(t, line, &first)
		want, opt := planned(t, first)
		typed(t, opt.Repro, &again)
		if got, _ := planned(t, again); got != want {
			t.Errorf("%s\nis repeated by\n%s\nwhich plans\n%s\nnot\n%s", line, opt.Repro, got, want)
		}
		checkRerun(t, opt, want)
	}
	for verb, flags := range map[string]func() (all any, of *runFlags){
		"parity --base 'HEAD~1' --head HEAD --kernel a --seed 5":                func() (any, *runFlags) { f := &parityFlags{}; return f, &f.runFlags },
		"tune --kernel b --case 'b/n=3' --seed 5 --head HEAD":                   func() (any, *runFlags) { f := &tuneFlags{}; return f, &f.runFlags },
		"bisect 'HEAD~1' HEAD --case 'a/**'":                                    func() (any, *runFlags) { f := &bisectFlags{}; return f, &f.runFlags },
		"versus a.pg.cc b.pg.cc --kernel a --case 'a/n=1' --head HEAD --seed 5": func() (any, *runFlags) { f := &versusFlags{}; return f, &f.runFlags },
		"drift HEAD --kernel a":                                                 func() (any, *runFlags) { f := &driftFlags{}; return f, &f.runFlags },
	} {
		name := strings.Fields(verb)[0]
		first, of := flags()
		args := typed(t, "perfgate "+verb, first)
		line := commandLine(name, first, args...)
		second, again := flags()
		if rest := typed(t, line, second); !slices.Equal(rest, args) {
			t.Errorf("%s: arguments %q, want %q", line, rest, args)
		}
		for _, f := range []*runFlags{of, again} { // as these verbs set them
			f.Shard, f.Base, f.Head, f.Seed, f.Trust = "", "HEAD~1", "HEAD", "5", repo.TrustWorktree
		}
		want, _ := planned(t, *of)
		if got, _ := planned(t, *again); got != want {
			t.Errorf("perfgate %s\nis repeated by\n%s\nwhich plans\n%s\nnot\n%s", verb, line, got, want)
		}
	}
	checkRequestLines(t)
	demo, err := onCPU.flags(filepath.Join(t.TempDir(), "demo"))
	must(t, err)
	demo.Seed = "11"
	want, _ := planned(t, demo)
	var again runFlags
	typed(t, demo.line("run", 11), &again)
	if got, _ := planned(t, again); got != want {
		t.Errorf("the demo's line plans\n%s\nnot\n%s", got, want)
	}
}

// checkRequestLines compares what the record and the drift check of a job plan with what their lines plan. merge plans nothing: its line names the same
// results again (TestRepeatLineAsksForTheSame), and judge, compare and explain print none.
func checkRequestLines(t *testing.T) {
	t.Helper()
	p := action.JobRequest{Mode: action.ModeRecord, Run: request.Run{
		Base: "HEAD~1", Head: "HEAD~1", Kernels: []string{"b"}, Trust: repo.TrustWorktree, Seed: "5", Store: "git:elsewhere", Sandbox: result.SandboxOn, GPU: "1", Budget: 90 * time.Second,
	}}
	asked := requestFlags(p, "out")
	want, _ := planned(t, asked)
	var record recordFlags
	args := typed(t, commandLine("baseline record", &asked, p.Head), &record)
	record.Base, record.Head, record.Trust, record.TimeIdentical, record.Seed = p.Head, p.Head, p.Trust, true, p.Seed
	got, _ := planned(t, record.runFlags)
	if got != want || !slices.Equal(args, []string{p.Head}) || record.Store != p.Store || record.GPU != p.GPU || record.Budget != 90*time.Second || record.Sandbox != p.Sandbox {
		t.Errorf("the record of a job plans\n%s\nand its line\n%s", want, got)
	}
	var drift driftFlags
	args = typed(t, commandLine("drift", &asked, p.Head), &drift)
	if !slices.Equal(args, []string{p.Head}) || drift.Store != p.Store || !slices.Equal(drift.Kernels, p.Kernels) || drift.GPU != "1" || drift.Budget != 90*time.Second || drift.Sandbox != p.Sandbox {
		t.Errorf("the drift check of a job is repeated as %+v of %q", drift, args)
	}
}

// checkRerun makes of a result the run that rerun does, and compares its plan. Flags of a side are refused, and not left out.
func checkRerun(t *testing.T, opt run.Options, want string) {
	t.Helper()
	saved := &result.Result{Base: opt.Base.Info, Head: opt.Head.Info, Repro: opt.Repro, Seed: fmt.Sprint(opt.Seed)}
	if s := opt.Shard; s != nil {
		saved.Shard = &result.Shard{Index: s.Index, Of: s.Of, Seed: fmt.Sprint(s.Seed)}
	}
	f := runFlags{Run: request.Run{Base: "HEAD~1"}}
	var err error
	f.Run, err = f.Repeat(saved)
	if refused := len(opt.Head.Info.Flags) > 0; refused || err != nil {
		if !refused || result.ExitCodeOf(err) != result.ExitUsage {
			t.Errorf("rerun of %s: %v", opt.Repro, err)
		}
		return
	}
	if _, err := f.repeat(saved.Repro); err != nil {
		t.Fatal(err)
	}
	if got, _ := planned(t, f); got != want {
		t.Errorf("rerun plans\n%s\nnot\n%s", got, want)
	}
}
