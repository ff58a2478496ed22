package action

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels/kernelstest"
)

// mostCalls is what a report may ask of GitHub.
const mostCalls = 12

// story is a pull request from a fork, or a merge group, what a run kept of it, and what its report comes to.
type story struct {
	change   map[string]string // files of head, besides the slower kernel
	env      map[string]string
	play     func(*rig)                // before the run keeps what it measured
	shift    float64                   // by which head is slower in k/n=2
	measured func(*rig) *result.Result // in place of that
	nothing  bool                      // kept by the run, but for what play kept
	status   string
	says     []string // in the comment
	hides    string
}

// conclusions of the check run by the state of the status; pending hides one of them.
var conclusions = map[string]string{"success": "success", "failure": "failure", "error": "action_required"}

func tell(t *testing.T, stories map[string]story) {
	t.Helper()
	for name, c := range stories {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t, c.change)
			maps.Copy(r.env, c.env)
			if c.play != nil {
				c.play(r)
			}
			switch {
			case c.nothing:
			case c.measured != nil:
				r.keep("perfgate", c.measured(r))
			default:
				r.keep("perfgate", r.measured(c.shift))
			}
			r.reports(c.status, c.says...)
			if text := unescaped(r.comment()); c.hides != "" && strings.Contains(text, c.hides) {
				t.Errorf("the comment says %q:\n%s", c.hides, text)
			}
			state, _, _ := strings.Cut(c.status, ":")
			checks := r.github.Checks(r.head)
			if want := conclusions[state]; len(checks) != 1 || want != "" && checks[0].Conclusion != want || checks[0].Name != "perfgate report (perfgate)" {
				t.Errorf("checks: %+v", checks)
			}
			if n := len(r.github.Log()); len(r.env["INPUT_SHARDS"]+r.env["INPUT_MACHINE_LABELS"]) == 0 && n > mostCalls+5 {
				t.Errorf("%d requests: %v", n, r.github.Log())
			}
		})
	}
}

// What a fork's run measured is judged, and advisory: the status, the comment, the check run and its annotations say so, in few requests.
func TestForkReport(t *testing.T) {
	t.Parallel()
	const rests = "measured by a run that the pull request controls"
	few := func(r *rig) {
		r.Cleanup(func() {
			if n := len(r.github.Log()); n > mostCalls {
				r.Errorf("%d requests: %v", n, r.github.Log())
			}
		})
	}
	tell(t, map[string]story{
		"pass": {play: few, status: "success: advisory, PASS: ", says: []string{rests}},
		"regression": {shift: 0.1, status: "failure: advisory, FAIL: ", says: []string{rests}, play: func(r *rig) {
			few(r)
			r.Cleanup(func() {
				if notes := r.github.Checks(r.head)[0].Annotations; len(notes) == 0 || notes[0].Path != "k.cc" {
					r.Errorf("annotations: %+v", notes)
				}
			})
		}},
		"could not measure": {play: few, status: "error: advisory, COULD NOT MEASURE: ", says: []string{rests}, measured: func(r *rig) *result.Result {
			res := r.measured(0)
			for i, one := range res.Cases {
				res.Cases[i] = result.Case{Name: one.Name, Kernel: "k", Params: one.Params, Verdict: result.Error, ErrorSide: result.SideBoth, Reason: result.Message("killed")}
			}
			res.Conclusion = result.Conclusion{Verdict: result.RunError, Exit: result.ExitNotMeasurable}
			return res
		}},
		// A marker that another account has planted is not ours.
		"a planted marker": {shift: 0.1, status: "failure: ", says: []string{"FAIL"}, play: func(r *rig) {
			planted := "### PASS\n\n<!-- perfgate comment perfgate -->\n"
			r.github.AddComment(1, "mallory", planted)
			r.Cleanup(func() {
				if all := r.github.Comments(1); len(all) != 2 || all[0].Body != planted || all[0].Edits > 0 {
					r.Errorf("comments: %+v", all)
				}
			})
		}},
	})
}

// What the run left is missing, or is of something else: an error that says what, never a pass.
func TestForkWithoutResult(t *testing.T) {
	t.Parallel()
	tell(t, map[string]story{
		"no artifact":  {nothing: true, status: "error: ", says: []string{"kept no artifact"}},
		"another name": {nothing: true, status: "error: ", says: []string{"kept no artifact"}, play: func(r *rig) { r.keep("perfgate-2", r.measured(0)) }},
		"of another run": {status: "error: ", says: []string{"kept no artifact"}, play: func(r *rig) {
			r.run = r.github.AddRun()
		}},
		"the job says why": {nothing: true, status: "error: ", says: []string{"the GPU fell off the bus"}, play: func(r *rig) {
			r.keepFiles("perfgate", file{outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":3,"error":"the GPU fell off the bus"}`)})
		}},
		"a failed run is no better": {nothing: true, status: "error: ", says: []string{"failure"}, play: func(r *rig) { r.about("conclusion", "failure") }},
	})
}

// A fork's verdict is advisory until a person who may write has applied the label after the last push. Until then it can be pending; what could not
// be judged is an error all the same. A trailer in a commit lets a regression pass with the label alone.
func TestForkLabel(t *testing.T) {
	t.Parallel()
	pushed := func(r *rig) { r.label("ada"); r.github.Push(1, r.head, false) }
	asked := func(then func(*rig)) func(*rig) {
		return func(r *rig) {
			r.pushed(r.files("accurate\n\nPerfgate-Accept: k/** needed for accuracy", nil))
			then(r)
		}
	}
	none := func(*rig) {}
	const advisory, binds, without = "success: advisory, PASS", "success: PASS", "counts only together with the label"
	stories := map[string]story{
		"no label":               {play: none, status: advisory, says: []string{"It counts once"}},
		"another label":          {play: func(r *rig) { r.github.Label(1, "bug", "ada") }, status: advisory, says: []string{"It counts once"}},
		"of a maintainer":        {play: func(r *rig) { r.label("ada") }, status: binds, hides: "advisory"},
		"of mallory":             {play: func(r *rig) { r.label("mallory") }, status: advisory, says: []string{"may not write"}},
		"before the last push":   {play: pushed, status: advisory, says: []string{"before the last push"}},
		"before a force push":    {play: func(r *rig) { r.label("ada"); r.github.Push(1, r.head, true) }, status: advisory, says: []string{"force-pushed"}},
		"GitHub does not answer": {play: func(r *rig) { r.label("ada"); r.breakEvents() }, status: advisory, says: []string{"could not be asked"}},

		"trailer alone":                  {shift: 0.1, play: asked(none), status: "failure: advisory", says: []string{without}},
		"trailer, label of mallory":      {shift: 0.1, play: asked(func(r *rig) { r.label("mallory") }), status: "failure: advisory", says: []string{without}},
		"trailer, label before a push":   {shift: 0.1, play: asked(pushed), status: "failure: advisory", says: []string{without}},
		"trailer, label of a maintainer": {shift: 0.1, play: asked(func(r *rig) { r.label("ada") }), status: binds, says: []string{"needed for accuracy"}},
		"trailer, accepted on one machine": {nothing: true, env: machines, status: binds, says: []string{"k/n=2 on NVIDIA H100", "needed for accuracy"}, play: asked(func(r *rig) {
			r.label("ada")
			r.onMachines(0, 0.1, 0)
		})},
		"a merge group":                     {play: (*rig).queued, status: binds},
		"a merge group, and its regression": {shift: 0.1, play: (*rig).queued, status: "failure: FAIL: "},
	}
	pending := map[string]story{
		"pass":                  {play: none, status: "pending: waits for the label perfgate-accept; advisory, PASS: "},
		"regression":            {shift: 0.1, play: none, status: "pending: waits for the label perfgate-accept; advisory, FAIL: "},
		"labelled":              {play: func(r *rig) { r.label("ada") }, status: "success: PASS: "},
		"labelled, regression":  {shift: 0.1, play: func(r *rig) { r.label("ada") }, status: "failure: FAIL: "},
		"labelled by mallory":   {play: func(r *rig) { r.label("mallory") }, status: "pending: "},
		"labelled, then a push": {play: pushed, status: "pending: "},
		"nothing to judge":      {nothing: true, play: none, status: "error: "},
		"a branch of our own":   {play: (*rig).ownBranch, status: "success: PASS: "},
		"a merge group":         {play: (*rig).queued, status: "success: PASS: "},
		"a queued regression":   {shift: 0.1, play: (*rig).queued, status: "failure: FAIL: "},
		"a cancelled queue's":   {nothing: true, play: func(r *rig) { r.queued(); r.about("conclusion", "cancelled") }, status: "error: "},
	}
	for name, c := range pending {
		c.env = map[string]string{"INPUT_FORK_STATUS": ForkStatusPending}
		stories["pending: "+name] = c
	}
	tell(t, stories)
}

func (r *rig) breakEvents() {
	r.github.Inject(fakegithub.Fault{Kind: fakegithub.Forbidden, Path: "/events"})
}

// queued makes the run one of a merge group, which has no pull request to comment on.
func (r *rig) queued() {
	r.about("event", "merge_group")
	r.about("head_branch", "gh-readonly-queue/main/pr-1-"+r.base)
	r.repository("o", 1)
	r.Cleanup(func() {
		if all := r.github.Comments(1); len(all) > 0 {
			r.Errorf("comments: %+v", all)
		}
	})
}

// ownBranch makes the pull request one of a branch of the repository.
func (r *rig) ownBranch() {
	r.github.Close(1)
	r.github.AddPull(fakegithub.PullRequest{Number: 2, Author: "ada", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: fakegithub.HeadRepo{FullName: "o/r", ID: 1}, BaseSHA: r.base})
	r.repository("o", 1)
}

// repository changes where the event says that the head is from.
func (r *rig) repository(owner string, id int64) { r.about("head_repository", repositoryOf(owner, id)) }

// What a pull request changes in what rules over it is listed, and base's rules are used.
func TestForkEditsItsRules(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	lax := map[string]string{"perfgate.yaml": laxConfiguration}
	const listed = "gate.tolerance: 2% → 50%"
	own := func(trust string) func(*rig) *result.Result {
		return func(r *rig) *result.Result {
			res := r.measuredUnder(r.parsed(laxConfiguration), 0.1, 0, 0)
			res.Config.Trust = trust
			return res
		}
	}
	stories := map[string]story{
		"judged by its own":                 {change: lax, measured: own("worktree"), status: "error: ", says: []string{"that is not approved"}},
		"its own, said to be base's":        {change: lax, measured: own("base"), status: "error: ", says: []string{"another configuration than base's"}},
		"judged by a third, with the label": {measured: own("worktree"), play: func(r *rig) { r.label("ada") }, status: "error: ", says: []string{"another configuration than head's"}},
		"judged by its own, with the label": {change: lax, measured: own("worktree"), play: func(r *rig) { r.label("ada") }, status: "success: PASS", says: []string{listed}},
	}
	for name, c := range map[string]struct{ file, text, says string }{
		"threshold":         {"perfgate.yaml", laxConfiguration, listed},
		"adapter":           {"k.pg.cc", "cheat\n", "adapter k.pg.cc: changed"},
		"workflow":          {".github/workflows/perfgate-measure.yml", "on: y\n", "workflow .github/workflows/perfgate-measure.yml: changed"},
		"a second workflow": {".github/workflows/other.yml", "name: perfgate measure\n", "workflow .github/workflows/other.yml: changed"},
		"perfgate.h":        {"perfgate.h", "#define NOW 0\n", "perfgate.h: changed"},
		"not a config":      {"perfgate.yaml", "version: 9\n", "perfgate.yaml: removed, or no longer valid"},
	} {
		stories[name] = story{change: map[string]string{c.file: c.text}, shift: 0.1, status: "failure", says: []string{c.says}} // base's rule fails 10 %
	}
	tell(t, stories)
}

// The input case narrows what is planned here as it does where cases are measured; a result of fewer is not whole.
func TestForkOfSomeCases(t *testing.T) {
	t.Parallel()
	one := func(r *rig) *result.Result {
		res := r.measured(0)
		res.Policy = run.Policy(r.parsed(forkConfiguration), &plan.Plan{K: 1}, 0, false)
		res.Cases = []result.Case{r.timed(0, 0, res.Policy)}
		res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
		return res
	}
	tell(t, map[string]story{
		"one":    {env: map[string]string{"INPUT_CASE": "k/n=1"}, measured: one, status: "success: "},
		"of two": {env: map[string]string{"INPUT_CASE": "k/n=1,k/n=2"}, measured: one, status: "error: "},
		"none":   {env: map[string]string{"INPUT_CASE": "k/none"}, measured: one, status: "error: "},
	})
}

// ruled is a change under configurations, with what its job says of them.
type ruled struct {
	base, head, by string // configurations; by is the one that the job says that it decided by
	shift          float64
	forge          func(*rig, *result.Result)
	status         string
}

func tellRuled(t *testing.T, all map[string]ruled) {
	t.Helper()
	stories := map[string]story{}
	for name, c := range all {
		stories[name] = story{status: c.status, measured: func(r *rig) *result.Result {
			r.repo.git("checkout", "--quiet", "--detach", r.base)
			base := r.files("policy", map[string]string{"perfgate.yaml": c.base})
			r.aimed(base, r.files("change", map[string]string{"perfgate.yaml": c.head, "k.cc": "change\n"}))
			res := r.measuredUnder(r.parsed(c.by), c.shift, 0, 0)
			if c.forge != nil {
				c.forge(r, res)
			}
			return res
		}}
	}
	tell(t, stories)
}

// The tolerance of a case is that of base's configuration, whatever head's says: a loss within it passes, and what was decided by other tolerances
// is refused.
func TestForkOfCasesWithTheirOwnTolerance(t *testing.T) {
	t.Parallel()
	const own = forkConfiguration + "tolerances: [{cases: k/n=2, tolerance: 30%}]\nbaseline: {cumulative-tolerance: 30%}\n"
	tellRuled(t, map[string]ruled{
		"base has it":            {own, own, own, 0.1, nil, "success: "},
		"head takes it away":     {own, forkConfiguration, own, 0.1, nil, "success: "},
		"head adds it":           {forkConfiguration, own, forkConfiguration, 0.1, nil, "failure: "},
		"head's, and it says so": {forkConfiguration, own, own, 0.1, nil, "error: "},
		"head's, said to be base's": {forkConfiguration, own, own, 0.1, func(r *rig, res *result.Result) {
			res.Config.SHA256 = r.parsed(forkConfiguration).SHA256
		}, "error: "},
		"base's left out": {own, own, own, 0.1, func(_ *rig, res *result.Result) { res.Policy.Tolerances = nil }, "error: "},
	})
}

// A suite, goals and epochs are base's as well: head can neither add nor weaken one, nor begin an epoch without the label, whatever the job says of it.
func TestForkOfSuitesGoalsAndEpochs(t *testing.T) {
	t.Parallel()
	const (
		lib    = "    competitors: [{name: lib, adapter: lib.pg.cc, when: always}]\n"
		strict = forkConfiguration + "suite: {tolerance: 0.1%}\n"
		weak   = forkConfiguration + "suite: {tolerance: 50%}\n"
		trades = forkConfiguration + "suite: {tolerance: 1%, trade: true, worst: 30%}\nbaseline: {cumulative-tolerance: 30%}\n"
	)
	aimed := strings.Replace(forkConfiguration, "gate:", lib+"gate:", 1)
	wanted := aimed + "goals: [{speedup: 2x, over: lib, cases: 1, required: true}]\n"
	epoch := strings.Replace(forkConfiguration, "gate:", "    epoch: 2\ngate:", 1)
	changed := func(approved bool) func(*rig, *result.Result) {
		return func(_ *rig, res *result.Result) {
			res.Kernels[0].Uncompared = []result.Uncompared{{Reason: result.Reason{Kind: result.ReasonEpoch, Name: "1 to 2"}, Approved: approved}}
			res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
		}
	}
	tellRuled(t, map[string]ruled{
		"base's suite fails":                     {strict, strict, strict, 0.018, nil, "failure: "},
		"head weakens the suite":                 {strict, weak, strict, 0.018, nil, "failure: "},
		"head weakens it, and it says so":        {strict, weak, weak, 0.018, nil, "error: "},
		"head takes it away, and it says so":     {strict, forkConfiguration, forkConfiguration, 0.018, nil, "error: "},
		"head adds a trade":                      {forkConfiguration, trades, forkConfiguration, 0.1, nil, "failure: "},
		"head adds a trade, and it says so":      {forkConfiguration, trades, trades, 0.1, nil, "error: "},
		"it says that a trade lets it pass":      {forkConfiguration, forkConfiguration, forkConfiguration, 0.1, tradedAnyway, "error: "},
		"head takes a goal away, and it says so": {wanted, aimed, aimed, 0, nil, "error: "},
		"no epoch":                               {forkConfiguration, forkConfiguration, forkConfiguration, 0, nil, "success: "},
		"head raises the epoch":                  {forkConfiguration, epoch, forkConfiguration, 0, changed(false), "error: "},
		"and it does not say so":                 {forkConfiguration, epoch, forkConfiguration, 0, nil, "error: "},
		"head lowers it and does not say so":     {epoch, forkConfiguration, epoch, 0, nil, "error: "},
		"and it says that this is approved":      {forkConfiguration, epoch, forkConfiguration, 0, changed(true), "error: "},
	})
}

func tradedAnyway(_ *rig, res *result.Result) {
	res.Conclusion = result.Conclusion{Verdict: result.RunPassed, Findings: res.Conclusion.Findings}
	res.Conclusion.Findings[0].Effect = result.EffectTraded
}

// Waivers are base's, and the day that they are judged by is the reporting job's: head can neither add one, nor move its day, nor say that it ran before
// it lapsed.
func TestForkOfWaivedCases(t *testing.T) {
	t.Parallel()
	now := time.Now()
	until := func(days int, more string) string {
		return forkConfiguration + fmt.Sprintf("waivers: [{cases: k/n=2, reason: '@mallory #1 <b>', owner: '@kernels', until: %s%s}]\n", result.Day(now.AddDate(0, 0, days)), more)
	}
	holds, lapsed := until(1, ""), until(-2, "")
	earlier := func(r *rig, res *result.Result) {
		res.Policy.Day = result.Day(now.AddDate(0, 0, -3))
		res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
	}
	tellRuled(t, map[string]ruled{
		"base has it":                     {holds, holds, holds, 0.1, nil, "success: "},
		"base has it, with a tolerance":   {until(1, ", tolerance: 30%"), forkConfiguration, until(1, ", tolerance: 30%"), 0.1, nil, "success: "},
		"the loss is over its tolerance":  {until(1, ", tolerance: 4%"), forkConfiguration, until(1, ", tolerance: 4%"), 0.1, nil, "failure: "},
		"head adds it":                    {forkConfiguration, holds, forkConfiguration, 0.1, nil, "failure: "},
		"head adds it, and it says so":    {forkConfiguration, holds, holds, 0.1, nil, "error: "},
		"it has lapsed":                   {lapsed, lapsed, lapsed, 0.1, nil, "failure: "},
		"head moves its day":              {lapsed, holds, lapsed, 0.1, nil, "failure: "},
		"it says that it ran before that": {lapsed, lapsed, lapsed, 0.1, earlier, "error: "},
		"it has no day":                   {lapsed, lapsed, lapsed, 0.1, func(_ *rig, res *result.Result) { res.Policy.Day = "" }, "failure: "},
		"its waiver ends on another day":  {lapsed, lapsed, lapsed, 0.1, func(_ *rig, res *result.Result) { res.Policy.Waivers[0].Until = "2999-01-01" }, "error: "},
		"it says that a waiver lets it pass": {forkConfiguration, forkConfiguration, forkConfiguration, 0.1, func(_ *rig, res *result.Result) {
			res.Conclusion = result.Conclusion{Verdict: result.RunPassed, Findings: res.Conclusion.Findings}
			res.Conclusion.Findings[0].Effect = result.EffectWaived
		}, "error: "},
	})
}
