package action

import (
	"os"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const mostCalls = 12

func TestForkReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result func(*forkRun) *result.Result
		status string
		check  string
	}{
		"pass":       {func(r *forkRun) *result.Result { return r.measured(0, 0, 0) }, "perfgate/verdict success: advisory, PASS: ", "success"},
		"regression": {func(r *forkRun) *result.Result { return r.measured(0.1, 0, 0) }, "perfgate/verdict failure: advisory, FAIL: ", "failure"},
		"could not measure": {func(r *forkRun) *result.Result {
			res := r.measured(0, 0, 0)
			for i, one := range res.Cases {
				res.Cases[i] = result.Case{Name: one.Name, Kernel: "k", Params: one.Params, Verdict: result.Error, ErrorSide: result.SideBoth, Reason: result.Message("killed")}
			}
			res.Conclusion = result.Conclusion{Verdict: result.RunError, Exit: result.ExitNotMeasurable}
			return res
		}, "perfgate/verdict error: advisory, COULD NOT MEASURE: ", "action_required"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_COMMENT"] = CommentAlways
			r.keep("perfgate", c.result(r))
			if exit := r.report(); exit != result.ExitPassed {
				t.Fatalf("exit code %d\n%s", exit, r.log.String())
			}
			if got := r.status(r.head); !strings.HasPrefix(got, c.status) {
				t.Errorf("status %q, want %q", got, c.status)
			}
			if text := r.comment(); !strings.Contains(text, "measured by a run that the pull request controls") {
				t.Errorf("the comment does not say what it rests on:\n%s", text)
			}
			checks := r.github.Checks(r.head)
			if len(checks) != 1 || checks[0].Conclusion != c.check || checks[0].Name != "perfgate report (perfgate)" {
				t.Errorf("checks: %+v", checks)
			}
			if name == "regression" && (len(checks[0].Annotations) == 0 || checks[0].Annotations[0].Path != "k.cc") {
				t.Errorf("annotations: %+v", checks[0].Annotations)
			}
			if n := len(r.github.Log()); n > mostCalls {
				t.Errorf("%d requests: %v", n, r.github.Log())
			}
		})
	}
}

// What the run left is missing, or is of something else: an error that says what, never a pass.
func TestForkWithoutResult(t *testing.T) {
	t.Parallel()
	t.Run("no artifact", func(t *testing.T) {
		r := newForkRun(t)
		r.nothingGained("kept no artifact")
	})
	t.Run("another name", func(t *testing.T) {
		r := newForkRun(t)
		r.keep("perfgate-2", r.measured(0, 0, 0))
		r.nothingGained("kept no artifact")
	})
	t.Run("of another run", func(t *testing.T) {
		r := newForkRun(t)
		mine := r.run
		r.run = r.github.AddRun()
		r.keep("perfgate", r.measured(0, 0, 0))
		r.run = mine
		r.nothingGained("kept no artifact")
	})
	t.Run("the job says why", func(t *testing.T) {
		r := newForkRun(t)
		r.keepFiles("perfgate", file{outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":3,"error":"the GPU fell off the bus"}`)})
		r.nothingGained("the GPU fell off the bus")
	})
	t.Run("a failed run is no better", func(t *testing.T) {
		r := newForkRun(t)
		r.about("conclusion", "failure")
		r.nothingGained("failure")
	})
}

// The head of the event is not the head of the pull request any more, or the run is none of the gate's business: nothing is set.
func TestForkReportLeavesAlone(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		play func(*forkRun)
		says string
	}{
		"pushed meanwhile":             {func(r *forkRun) { r.github.Push(1, r.files("newer", nil), false) }, "superseded"},
		"closed meanwhile":             {func(r *forkRun) { r.github.Close(1) }, "not the head of an open pull request"},
		"same branch of another fork":  {func(r *forkRun) { r.repository("mallory", 78) }, "not the head of an open pull request"},
		"same branch, other owner":     {func(r *forkRun) { r.repository("eve", 77) }, "not the head of an open pull request"},
		"other branch":                 {func(r *forkRun) { r.about("head_branch", "patch-2") }, "not the head of an open pull request"},
		"other commit":                 {func(r *forkRun) { r.about("head_sha", r.base) }, "not the head of an open pull request"},
		"cancelled":                    {func(r *forkRun) { r.about("conclusion", "cancelled") }, "cancelled"},
		"skipped":                      {func(r *forkRun) { r.about("conclusion", "skipped") }, "skipped"},
		"push":                         {func(r *forkRun) { r.about("event", "push") }, `started by "push"`},
		"target":                       {func(r *forkRun) { r.about("event", "pull_request_target") }, "pull_request_target"},
		"merge group of a fork":        {func(r *forkRun) { r.about("event", "merge_group") }, "another repository"},
		"not ended":                    {func(r *forkRun) { r.payload["action"] = "requested" }, "has not ended"},
		"pushed while it was reported": {func(r *forkRun) { r.pushDuring("/artifacts") }, "superseded"},
		"turned while it was reported": {func(r *forkRun) {
			r.meanwhile = func(at string) {
				if strings.HasSuffix(at, "/artifacts") {
					r.meanwhile = nil
					r.github.Retarget(1, "strict", "mallory")
				}
			}
		}, "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.keep("perfgate", r.measured(0, 0, 0))
			c.play(r)
			if exit := r.report(); exit != result.ExitPassed {
				t.Errorf("exit code %d\n%s", exit, r.log.String())
			}
			for _, call := range r.github.Log() {
				if call.Method != "GET" {
					t.Errorf("something was written: %s", call)
				}
			}
			summary, _ := os.ReadFile(r.env["GITHUB_STEP_SUMMARY"])
			if !strings.Contains(unescaped(string(summary)), c.says) {
				t.Errorf("the summary does not say %q:\n%s", c.says, summary)
			}
			outputs, _ := os.ReadFile(r.env["GITHUB_OUTPUT"])
			if strings.Contains(string(outputs), "\npass\n") {
				t.Errorf("outputs say pass:\n%s", outputs)
			}
		})
	}
}

// repository changes where the event says that the head is from.
func (r *forkRun) repository(owner string, id int64) {
	r.about("head_repository", map[string]any{"id": id, "name": "r", "full_name": owner + "/r", "owner": map[string]any{"login": owner}})
}

// pushDuring pushes to the pull request once the report has come to a request.
func (r *forkRun) pushDuring(path string) {
	sha := r.files("newer", nil)
	r.meanwhile = func(at string) {
		if strings.HasSuffix(at, path) {
			r.meanwhile = nil
			r.github.Push(1, sha, false)
		}
	}
}

// Two pull requests from one commit: which one it is cannot be told.
func TestForkAmbiguous(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.pull(2, "patch-1", r.head)
	r.keep("perfgate", r.measured(0, 0, 0))
	r.report()
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict error: ") || len(r.github.Comments(1))+len(r.github.Comments(2)) > 0 {
		t.Errorf("status %q, comments %v", got, r.github.Comments(1))
	}
}

// A fork's verdict is advisory until a person who may write has applied the label after the last push.
func TestForkLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play     func(*forkRun)
		advisory bool
		says     string
	}{
		"no label":               {func(*forkRun) {}, true, "It counts once"},
		"another label":          {func(r *forkRun) { r.github.Label(1, "bug", "ada") }, true, "It counts once"},
		"of a maintainer":        {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada") }, false, ""},
		"of mallory":             {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "mallory") }, true, "may not write"},
		"before the last push":   {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada"); r.github.Push(1, r.head, false) }, true, "before the last push"},
		"before a force push":    {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada"); r.github.Push(1, r.head, true) }, true, "force-pushed"},
		"GitHub does not answer": {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada"); r.breakEvents() }, true, "could not be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_COMMENT"] = CommentAlways
			c.play(r)
			r.keep("perfgate", r.measured(0, 0, 0))
			r.report()
			got := r.status(r.head)
			if strings.Contains(got, "advisory") != c.advisory || !strings.Contains(got, "success") {
				t.Errorf("status %q", got)
			}
			if text := unescaped(r.comment()); strings.Contains(text, "advisory") != c.advisory || !strings.Contains(text, c.says) {
				t.Errorf("the comment should be advisory: %v, and say %q:\n%s", c.advisory, c.says, text)
			}
		})
	}
}

func (r *forkRun) breakEvents() {
	r.github.Inject(fakegithub.Fault{Kind: fakegithub.Forbidden, Path: "/events"})
}

// A trailer in a commit lets a regression pass with the label alone.
func TestForkTrailer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		label  func(*forkRun)
		status string
	}{
		"alone":                {func(*forkRun) {}, "failure: advisory"},
		"label of mallory":     {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "mallory") }, "failure: advisory"},
		"label before a push":  {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada"); r.github.Push(1, r.head, false) }, "failure: advisory"},
		"label of a maintaner": {func(r *forkRun) { r.github.Label(1, "perfgate-accept", "ada") }, "success: PASS"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.head = r.files("accurate\n\nPerfgate-Accept: k/** needed for accuracy", nil)
			r.github.Push(1, r.head, false)
			r.about("head_sha", r.head)
			c.label(r)
			r.keep("perfgate", r.measured(0.1, 0, 0))
			r.report()
			if got := r.status(r.head); !strings.Contains(got, c.status) {
				t.Errorf("status %q, want %q", got, c.status)
			}
			if text := unescaped(r.comment()); !strings.Contains(text, "needed for accuracy") && !strings.Contains(text, "counts only together with the label") {
				t.Errorf("the comment does not name the request:\n%s", text)
			}
		})
	}
}

// What a pull request changes in what rules over it is listed, and base's rules are used.
func TestForkEditsItsRules(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	lax := strings.Replace(forkConfiguration, "2%", "50%", 1)
	for name, c := range map[string]struct {
		change map[string]string
		says   string
	}{
		"threshold":         {map[string]string{"perfgate.yaml": lax}, "gate.tolerance: 2% → 50%"},
		"adapter":           {map[string]string{"k.pg.cc": "cheat\n"}, "adapter k.pg.cc: changed"},
		"workflow":          {map[string]string{".github/workflows/perfgate-measure.yml": "on: y\n"}, "workflow .github/workflows/perfgate-measure.yml: changed"},
		"a second workflow": {map[string]string{".github/workflows/other.yml": "name: perfgate measure\n"}, "workflow .github/workflows/other.yml: changed"},
		"perfgate.h":        {map[string]string{"perfgate.h": "#define NOW 0\n"}, "perfgate.h: changed"},
		"not a config":      {map[string]string{"perfgate.yaml": "version: 9\n"}, "perfgate.yaml: removed, or no longer valid"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t, c.change)
			r.keep("perfgate", r.measured(0.1, 0, 0)) // 10 % slower: base's rule fails it
			r.report()
			if got := r.status(r.head); !strings.Contains(got, "failure") {
				t.Errorf("status %q", got)
			}
			if text := unescaped(r.comment()); !strings.Contains(text, c.says) {
				t.Errorf("the comment does not say %q:\n%s", c.says, text)
			}
		})
	}
	own, err := config.Parse("perfgate.yaml", []byte(lax))
	if err != nil {
		t.Fatal(err)
	}
	ruled := func(r *forkRun) *result.Result {
		res := r.measuredUnder(own, 0.1, 0, 0)
		res.Config.Trust = "worktree"
		return res
	}
	t.Run("judged by its own", func(t *testing.T) {
		r := newForkRun(t, map[string]string{"perfgate.yaml": lax})
		r.keep("perfgate", ruled(r))
		r.nothingGained("that is not approved")
	})
	t.Run("its own, said to be base's", func(t *testing.T) {
		r := newForkRun(t, map[string]string{"perfgate.yaml": lax})
		res := ruled(r)
		res.Config.Trust = "base"
		r.keep("perfgate", res)
		r.nothingGained("another configuration than base's")
	})
	t.Run("judged by its own, with the label", func(t *testing.T) {
		r := newForkRun(t, map[string]string{"perfgate.yaml": lax})
		r.github.Label(1, "perfgate-accept", "ada")
		r.keep("perfgate", ruled(r))
		r.report()
		if got := r.status(r.head); !strings.Contains(got, "success: PASS") {
			t.Errorf("status %q", got)
		}
		if text := unescaped(r.comment()); !strings.Contains(text, "gate.tolerance: 2% → 50%") {
			t.Errorf("the comment does not list the change:\n%s", text)
		}
	})
}

// A marker that another account has planted is not ours: a comment of our own is written, and theirs stays.
func TestForkPlantedMarker(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.env["INPUT_COMMENT"] = CommentAlways
	planted := "### PASS\n\n<!-- perfgate comment perfgate -->\n"
	r.github.AddComment(1, "mallory", planted)
	r.keep("perfgate", r.measured(0.1, 0, 0))
	r.report()
	all := r.github.Comments(1)
	if len(all) != 2 || all[0].Body != planted || all[0].Edits > 0 || !strings.Contains(all[1].Body, "FAIL") {
		t.Errorf("comments: %+v", all)
	}
}

// Without the right to set a status the report has failed, whatever the verdict.
func TestForkStatusCannotBeSet(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.github.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read", "pull-requests": "write", "checks": "write", "actions": "read"}})
	r.keep("perfgate", r.measured(0, 0, 0))
	if exit := r.report(); exit != result.ExitNotMeasurable || !strings.Contains(r.log.String(), "statuses: write") {
		t.Errorf("exit code %d\n%s", exit, r.log.String())
	}
}

// Parts of a plan make one verdict; one that is missing makes it an error.
func TestForkShards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shift  float64
		parts  []int
		status string
		says   string
	}{
		"pass":                    {0, []int{1, 2, 3}, "success", ""},
		"regression":              {0.1, []int{1, 2, 3}, "failure", "slower"},
		"one missing":             {0, []int{1, 3}, "error", "shard 2/3 is missing"},
		"missing, and regression": {0.1, []int{2, 3}, "failure", "shard 1/3 is missing"},
		"none":                    {0, nil, "error", "left no result"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_SHARDS"], r.env["INPUT_COMMENT"] = "3", CommentAlways
			for _, part := range c.parts {
				r.keep(artifactName("perfgate", "", part), r.measured(c.shift, part, 3))
			}
			r.report()
			if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict "+c.status) {
				t.Errorf("status %q, want %s\n%s", got, c.status, r.log.String())
			}
			if text := unescaped(r.comment()); !strings.Contains(text, c.says) {
				t.Errorf("the comment does not say %q:\n%s", c.says, text)
			}
		})
	}
	t.Run("fewer parts than the workflow has", func(t *testing.T) {
		r := newForkRun(t)
		r.env["INPUT_SHARDS"] = "3"
		r.keep("perfgate-shard-1", r.measured(0, 1, 1))
		r.nothingGained("3 are expected")
	})
}

// A merge group has no pull request to comment on, and is reported on its own commit.
func TestMergeGroupReport(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	r.about("event", "merge_group")
	r.about("head_branch", "gh-readonly-queue/main/pr-1-"+r.base)
	r.repository("o", 1)
	r.keep("perfgate", r.measured(0, 0, 0))
	r.report()
	if got := r.status(r.head); !strings.HasPrefix(got, "perfgate/verdict success: PASS") || len(r.github.Comments(1)) > 0 {
		t.Errorf("status %q, comments %v\n%s", got, r.github.Comments(1), r.log.String())
	}
}

// The status has a name of its own: a check run or a job of that name could be taken for it.
func TestStatusContext(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"perfgate", "l4"} {
		if name := statusContext(key); name == "perfgate" || name == CheckName(key) || name == key {
			t.Errorf("the status of %s is called %s", key, name)
		}
	}
}
