package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// laxConfiguration lets pass what forkConfiguration does not.
var laxConfiguration = strings.Replace(forkConfiguration, "2%", "50%", 1)

// branchedFrom makes the run one of a pull request that left its base branch at a commit with the files of old; the branch
// has come to the files of now since. An empty text is a file that is not there.
func (r *rig) branchedFrom(old, now, change map[string]string) {
	r.Helper()
	r.repo.git("checkout", "--quiet", "--detach", r.base)
	from := r.files("then", old)
	r.tip = r.files("now", now)
	r.repo.git("checkout", "--quiet", "--detach", from)
	r.head = r.files("faster", change)
	r.base = from // what the pull request is measured against
	r.repo.git("branch", "--force", "main", r.tip)
	r.github.AddPull(fakegithub.PullRequest{Number: 1, Author: "mallory", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: r.tip})
	r.about("head_sha", r.head)
}

// reportsStale reports, and checks that nothing is judged since what decides has changed on the base branch, which says names; or
// where that is "", that head passes all the same.
func (r *rig) reportsStale(says string) {
	r.Helper()
	if says != "" {
		r.nothingGained(says, "update the branch")
		return
	}
	r.reports("success: ")
}

// Where a pull request branches off is its author's choice, and so would be its rules: those of an old commit do not rule
// once the base branch has others.
func TestForkLeftBeforeItsRules(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	with := func(file, text string) map[string]string { return map[string]string{file: text} }
	slow, lax, strict := with("k.cc", "one\nslow\nthree\n"), with("perfgate.yaml", laxConfiguration), with("perfgate.yaml", forkConfiguration)
	left := func(old, now, change map[string]string, then ...func(*rig)) func(*rig) {
		return func(r *rig) {
			r.branchedFrom(old, now, change)
			for _, do := range then {
				do(r)
			}
		}
	}
	byLax := func(r *rig) *result.Result { return r.measuredUnder(r.parsed(laxConfiguration), 0.1, 0, 0) }
	stale := func(what ...string) []string { return append(what, "update the branch") }
	tell(t, map[string]story{
		"a wider tolerance": {play: left(lax, strict, slow), measured: byLax, status: "error: ", says: stale("gate.tolerance: 50% → 2%")},
		"no configuration yet": {play: left(with("perfgate.yaml", ""), strict, map[string]string{"k.cc": "one\nslow\nthree\n", "perfgate.yaml": forkConfiguration}), status: "error: ",
			says: stale("perfgate.yaml: added"), measured: func(r *rig) *result.Result {
				res := r.measured(0.1)
				res.Config.Trust = "worktree"
				allNew(res)
				return res
			}},
		"an adapter that checks less": {play: left(with("k.pg.cc", "no reference\n"), with("k.pg.cc", "adapter\n"), slow), status: "error: ", says: stale("adapter k.pg.cc: changed")},
		"none any more":               {play: left(nil, with("perfgate.yaml", ""), slow), status: "error: ", says: stale("perfgate.yaml: removed")},
		"a comment":                   {play: left(nil, with("perfgate.yaml", forkConfiguration+"# why\n"), slow), status: "success: "},
		"other files":                 {play: left(nil, with("README.md", "now\n"), slow), status: "success: "},
		"a base as old as the last push": {measured: byLax, status: "error: ", says: stale("gate.tolerance: 50% → 2%"), play: left(lax, strict, slow, func(r *rig) {
			r.repo.git("branch", "release", r.tip)
			r.github.AddPull(fakegithub.PullRequest{Number: 1, Author: "mallory", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: r.base, BaseRef: "release"})
		})},
		"a base that was pushed over": {status: "error: ", says: []string{"it is about base"}, play: func(r *rig) {
			r.repo.git("checkout", "--quiet", "--detach", r.base) // the branch is where it was before the slow commit, which the pull request would bring back
			r.base = r.files("slow", slow)
			r.head = r.files("slow, and a comment", with("k.cc", "one\nslow\nthree // why\n"))
			r.github.AddPull(fakegithub.PullRequest{Number: 1, Author: "mallory", HeadSHA: r.head, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: r.base})
			r.about("head_sha", r.head)
		}},
		// The label vouches for what the change says, which is not that the rules are old.
		"with the label": {measured: byLax, status: "error: ", says: stale(), play: left(lax, strict, slow, func(r *rig) { r.label("ada") })},
	})
}

// The first pull request that adds a configuration uses its own, what base has no source of is new, and the report says so.
func TestForkFirstConfiguration(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	none := map[string]string{"perfgate.yaml": "", "k.cc": ""}
	r.branchedFrom(none, map[string]string{"README.md": "now\n"}, map[string]string{"perfgate.yaml": forkConfiguration, "k.cc": "one\n"})
	res := r.measured(0)
	res.Config.Trust = "worktree"
	allNew(res)
	r.keep("perfgate", res)
	r.reports("success: advisory, PASS: nothing was compared: base does not have k (3 new cases)")
	text := unescaped(r.comment())
	if !strings.Contains(text, "perfgate.yaml: added, so head's policy") || !strings.Contains(text, "the change's own version was used") {
		t.Errorf("the comment does not say whose rules these are:\n%s", text)
	}
	if strings.Contains(text, "that base does not have it") {
		t.Errorf("base was asked, and the comment says that it could not be:\n%s", text)
	}
}

// A kernel that base's configuration has and base's files have not is new. One that head's configuration alone has is none of
// the plan, and is listed as added.
func TestForkNewKernels(t *testing.T) {
	t.Parallel()
	two := strings.Replace(forkConfiguration, "gate:", "  - name: later\n    adapter: k.pg.cc\n    sources: [later.cc]\n    params: {n: {values: [1, 2, 3]}}\ngate:", 1)
	add := map[string]string{"k.cc": "one\ntwo\nthree\n", "later.cc": "later\n", "perfgate.yaml": two}
	t.Run("in head's configuration alone", func(t *testing.T) {
		r := newForkRun(t, add)
		r.keep("perfgate", r.measured(0))
		r.reports("success: ", "kernel later: added", "base's version was used")
	})
	t.Run("with the label", func(t *testing.T) {
		r := newForkRun(t, add)
		r.label("ada")
		own := r.parsed(two)
		res := r.measuredUnder(own, 0, 0, 0)
		res.Policy.Cases = 2 * forkCases
		other := r.measuredUnder(own, 0, 0, 0)
		other.Policy = res.Policy
		allNew(other)
		for i := range res.Cases {
			res.Cases[i] = r.timed(i, 0, res.Policy)
		}
		for _, c := range other.Cases {
			c.Name, c.Kernel = strings.Replace(c.Name, "k/", "later/", 1), "later"
			res.Cases = append(res.Cases, c)
		}
		other.Kernels[0].Name = "later"
		res.Kernels, res.Config.Trust = append(res.Kernels, other.Kernels[0]), "worktree"
		r.keep("perfgate", res)
		r.reports("success: PASS")
	})
}
