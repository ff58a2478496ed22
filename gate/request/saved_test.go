package request

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// changeHistory is a repository in which a change left main at its second commit, and main went on.
func changeHistory(t *testing.T) (dir string, commit func(revision string) string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commits := func(tags ...string) {
		for _, at := range tags {
			git("commit", "-q", "--allow-empty", "-m", at)
			git("tag", at)
		}
	}
	git("init", "-q", "-b", "main")
	commits("one", "two")
	git("checkout", "-q", "-b", "change")
	commits("lax", "head")
	git("checkout", "-q", "main")
	commits("three")
	return dir, func(revision string) string { return git("rev-parse", revision) }
}

// A result's own word does not choose whose policy counts: base is where head left the default branch, or one before a head that is on it, or what
// the command line names.
func TestBaseOfAResult(t *testing.T) {
	dir, commit := changeHistory(t)
	t.Chdir(dir)
	for _, c := range []struct {
		base, head, named, trust string
		refused                  bool
	}{
		{base: "two", head: "head"},
		{base: "lax", head: "head", refused: true}, // the change's own
		{base: "one", head: "head", refused: true}, // an old one, before the policy was tightened
		{base: "three", head: "head", refused: true},
		{base: "one", head: "three"}, {base: "two", head: "three"},
		{base: "lax", head: "two", refused: true},
		{base: "one", head: "head", named: "one"},
		{base: "one", head: "head", named: "two", refused: true}, // another than the result's
		{base: "lax", head: "head", trust: repo.TrustWorktree},   // head's policy was asked for
	} {
		r := &result.Result{Base: result.Version{Kind: result.KindRevision, Revision: commit(c.base)}, Head: result.Version{Kind: result.KindRevision, Revision: commit(c.head)}, Seed: "7"}
		f, err := (Run{Base: c.named, Trust: c.trust}).Repeat(r)
		must(t, err)
		err = f.CheckBase(t.Context(), r, c.named != "")
		if (err != nil) != c.refused || err != nil && result.ExitCodeOf(err) != result.ExitUsage {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// hostileResult is a result that asks for all that it may not have.
func hostileResult() *result.Result {
	commit := strings.Repeat("a", 40)
	return &result.Result{
		Seed: "7", BudgetS: 1e6, Repro: "touch x", Policy: result.Policy{Tolerance: 0.9, Confidence: 0.5, OnInconclusive: result.OnInconclusivePass},
		Config:  result.Config{File: "perfgate.yaml", Path: "perfgate.yaml", Trust: repo.TrustWorktree, SHA256: commit},
		Sandbox: &result.Sandbox{Mode: result.SandboxOff},
		Base:    result.Version{Kind: result.KindRevision, Revision: commit, Label: "--sandbox=off"}, Head: result.Version{Kind: result.KindRevision, Revision: commit, Label: "x; y"},
	}
}

// Of a result come two commits, a seed and a part of the plan: every other field of a run's flags is what it is without the result.
func TestRerunTakesNoPolicyFromAResult(t *testing.T) {
	t.Chdir(t.TempDir())
	commit := strings.Repeat("a", 40)
	f, err := (Run{}).Repeat(hostileResult())
	must(t, err)
	if want := (Run{Config: "perfgate.yaml", Base: commit, Head: commit, Trust: repo.TrustBase, Seed: "7", External: true}); !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, want %+v", f, want)
	}
	if f, err := (Run{Trust: repo.TrustWorktree}).Repeat(hostileResult()); err != nil || f.External {
		t.Errorf("head's policy was asked for: external %t, %v", f.External, err)
	}
	sharded := hostileResult()
	sharded.Shard = &result.Shard{Index: 2, Of: 3, Seed: "9"}
	if f, err := (Run{}).Repeat(sharded); err != nil || f.Shard != "2/3" || f.Seed != "9" {
		t.Errorf("a part of the plan: %+v, %v", f, err)
	}
	for name, c := range map[string]struct {
		flags Run
		spoil func(*result.Result)
		exit  int // 0: it is taken
		says  string
	}{
		"another configuration":      {spoil: func(r *result.Result) { r.Config.Path = "testdata/lax.yaml" }, exit: 2},
		"one of another folder":      {spoil: func(r *result.Result) { r.Config.Path = "testdata/perfgate.yaml" }, exit: 2},
		"one outside":                {spoil: func(r *result.Result) { r.Config.Path = "../perfgate.yaml" }, exit: 2},
		"one by its whole path":      {spoil: func(r *result.Result) { r.Config.Path = "/tmp/perfgate.yaml" }, exit: 2},
		"one of the command line":    {flags: Run{Config: "testdata/lax.yaml"}, spoil: func(r *result.Result) { r.Config.Path = "/tmp/x" }},
		"a plugin of base":           {spoil: func(r *result.Result) { r.Base.Flags = []string{"-fplugin=/tmp/x.so"} }, exit: 2},
		"a plugin of head":           {spoil: func(r *result.Result) { r.Head.Flags = []string{"-fplugin=/tmp/x.so"} }, exit: 2},
		"flags that were not given":  {flags: Run{HeadFlags: "-O1"}, spoil: func(r *result.Result) { r.Head.Flags = []string{"-O2"} }, exit: 2},
		"flags of the command line":  {flags: Run{HeadFlags: "-O2"}, spoil: func(r *result.Result) { r.Head.Flags = []string{"-O2"} }},
		"a side that is the desk's":  {spoil: func(r *result.Result) { r.Head.Kind = result.KindWorktree }, exit: 2},
		"a revision with an option":  {spoil: func(r *result.Result) { r.Base.Revision = "--output=x" }, exit: 2},
		"another option":             {spoil: func(r *result.Result) { r.Head.Revision = "--upload-pack=touch x" }, exit: 2, says: `its head has the revision "--upload-pack=touch x", which is no id of a commit`},
		"a branch":                   {spoil: func(r *result.Result) { r.Base.Revision = "main" }, exit: 2, says: `its base has the revision "main"`},
		"a side that is a folder":    {spoil: func(r *result.Result) { r.Head.Kind = result.KindDirectory }, exit: 2, says: "its head was no revision but directory"},
		"no base":                    {spoil: func(r *result.Result) { r.Base = result.Version{} }, exit: 2, says: "its base was no revision"},
		"several results":            {spoil: func(r *result.Result) { r.Merged = []result.Part{{}} }, exit: 2, says: "it was merged"},
		"a result of tune":           {spoil: func(r *result.Result) { r.Kind = result.KindTune }, exit: 2, says: "a result of perfgate tune"},
		"a seed with an option":      {spoil: func(r *result.Result) { r.Seed = "7 --trust=worktree" }, exit: 2, says: "its seed"},
		"a part's seed with options": {spoil: func(r *result.Result) { r.Shard = &result.Shard{Index: 1, Of: 2, Seed: "7 --x"} }, exit: 2},
	} {
		r := hostileResult()
		c.spoil(r)
		f, err := c.flags.Repeat(r)
		if code := 0; err != nil {
			code = int(result.ExitCodeOf(err))
			if code != c.exit || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		} else if c.exit != 0 {
			t.Errorf("%s: %+v", name, f)
		}
		if err == nil && f.Trust != repo.TrustBase {
			t.Errorf("%s: --trust=%s", name, f.Trust)
		}
	}
}

// The configuration of the folder that the user stands in may be the result's, too.
func TestConfigurationOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	must(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755))
	t.Chdir(filepath.Join(dir, "a"))
	for says, taken := range map[string]bool{"": true, "perfgate.yaml": true, "a/perfgate.yaml": true, "a/b/perfgate.yaml": false, "b/perfgate.yaml": false, "a/lax.yaml": false} {
		if got, err := ownConfig(says); (err == nil) != taken || taken && got != says {
			t.Errorf("%q: %q, %v", says, got, err)
		}
	}
}

// Red cases come alone, with all cases of kernels that were red as a whole; a run in which none was red is done whole, and so is one in which
// something is wrong that is of no kernel.
func TestRedCasesComeFirst(t *testing.T) {
	t.Parallel()
	r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{
		{Kind: result.FindingRegression, Effect: result.EffectFails, Case: "k/n=1"}, {Kind: result.FindingInconclusivePassed, Effect: result.EffectNote, Case: "k/n=2"},
		{Kind: result.FindingTooNoisy, Effect: result.EffectUnmeasured, Case: "k/n=3"}, {Kind: result.FindingCumulativeRegression, Effect: result.EffectFails, Case: "k/n=1"},
	}}}
	beside := func(f result.Finding) *result.Result {
		f.Effect = result.EffectFails
		return &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{{Effect: result.EffectFails, Kernel: "k", Case: "k/n=1"}, f}}}
	}
	dropped := beside(result.Finding{Kind: result.FindingKernelUnmeasured, Kernel: "gone"})
	dropped.Kernels = []result.Kernel{{Name: "gone", Skipped: true}}
	for _, c := range []struct {
		saved   *result.Result
		kernels []string
		want    Run
	}{
		{dropped, nil, Run{Shard: "2/3"}},
		{r, nil, Run{Cases: []string{"k/n=1", "k/n=3"}}}, // without the shard, which would divide them again
		{r, []string{"other"}, Run{Kernels: []string{"other"}, Shard: "2/3"}},
		{&result.Result{}, nil, Run{Shard: "2/3"}},
		{beside(result.Finding{Kind: result.FindingBuild, Kernel: "b"}), nil, Run{Cases: []string{"k/n=1", "b"}}},
		{beside(result.Finding{Kind: result.FindingRegression, Case: result.SuiteCase}), nil, Run{Shard: "2/3"}},
		{beside(result.Finding{Kind: result.FindingGoalMissed}), nil, Run{Shard: "2/3"}},
	} {
		got := Run{Kernels: c.kernels, Shard: "2/3"}
		if got.TakeFailed(c.saved); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// What was red beside a wrong kernel is asked again, too.
func TestWrongKernelsAreNotAllThatWasRed(t *testing.T) {
	t.Parallel()
	wrong := []result.Kernel{{Name: "k"}}
	for _, c := range []struct {
		kind   result.FindingKind
		kernel string
		effect result.Effect
		want   bool
	}{
		{result.FindingWrongOutput, "k", result.EffectFails, false}, {result.FindingWrongOutput, "other", result.EffectFails, true},
		{result.FindingBuild, "other", result.EffectUnmeasured, true}, {result.FindingRegression, "other", result.EffectFails, true},
		{result.FindingInconclusivePassed, "other", result.EffectNote, false},
	} {
		r := &result.Result{Conclusion: result.Conclusion{Findings: []result.Finding{{Kind: c.kind, Kernel: c.kernel, Effect: c.effect}}}}
		if got := FailsOtherwise(r, wrong); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A folder stands for the results below it, wherever they lie; a file for itself, whatever it is called.
func TestResultPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"result.json", "b/result.json", "b/other.json", "one.json"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	got, err := ResultPaths([]string{filepath.Join(dir, "one.json"), dir})
	if want := []string{filepath.Join(dir, "one.json"), filepath.Join(dir, "b/result.json"), filepath.Join(dir, "result.json")}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := ResultPaths([]string{filepath.Join(dir, "none")}); err == nil {
		t.Errorf("%q", got)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
