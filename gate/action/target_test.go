package action

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// checkout is a repository as actions/checkout leaves it: commits a - b - c on main, d beside b on a topic branch, and no
// local branch.
type checkout struct {
	*testing.T
	dir            string
	a, b, c, topic string
}

// checkouts are templates by what was done to make them: each is made once, and copied for every test that wants one.
var checkouts struct {
	sync.Mutex
	dir string
	all map[string]checkout
}

// TestMain gives git a name, and none of this machine's settings and samples of hooks.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "perfgate-action-")
	if err != nil {
		panic(err)
	}
	checkouts.dir, checkouts.all = home, map[string]checkout{}
	// Or each commit starts a process that looks after the repository.
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[maintenance]\n\tauto = false\n"), 0o644); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": "", "GIT_AUTHOR_NAME": "m", "GIT_AUTHOR_EMAIL": "m@example.com", "GIT_COMMITTER_NAME": "m", "GIT_COMMITTER_EMAIL": "m@example.com",
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// copyOf returns a copy of a template, which make makes where it is not there yet.
func copyOf(t *testing.T, name string, make func(*checkout)) *checkout {
	t.Helper()
	checkouts.Lock()
	defer checkouts.Unlock()
	from, ok := checkouts.all[name]
	if !ok {
		from = checkout{T: t, dir: filepath.Join(checkouts.dir, name)}
		make(&from)
		checkouts.all[name] = from
	}
	from.T, from.dir = t, copyTree(t, from.dir)
	return &from
}

func copyTree(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "checkout")
	must(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

func newCheckout(t *testing.T, depth ...string) *checkout {
	t.Helper()
	return copyOf(t, "plain"+strings.Join(depth, ""), func(c *checkout) { c.clone(depth...) })
}

// clone makes the repository, and the checkout of it.
func (c *checkout) clone(depth ...string) {
	origin := &checkout{T: c.T, dir: c.dir + "-origin"}
	must(c, os.Mkdir(origin.dir, 0o755))
	origin.git("init", "--quiet", "--initial-branch=main")
	c.a = origin.commit("a")
	c.b = origin.commit("b")
	origin.git("checkout", "--quiet", "-b", "topic")
	c.topic = origin.commit("d")
	origin.git("checkout", "--quiet", "main")
	c.c = origin.commit("c")
	origin.git(append([]string{"clone", "--quiet", "--no-local", "file://" + origin.dir, c.dir}, depth...)...)
	c.git("checkout", "--quiet", "--detach")
	c.git("branch", "--quiet", "-D", "main")
}

func (c *checkout) git(args ...string) string {
	c.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// at is the commit that is checked out.
func (c *checkout) at() string {
	c.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, ".git", "HEAD"))
	if branch, ok := strings.CutPrefix(string(text), "ref: "); ok && err == nil {
		text, err = os.ReadFile(filepath.Join(c.dir, ".git", strings.TrimSpace(branch)))
	}
	must(c, err)
	return strings.TrimSpace(string(text))
}

func (c *checkout) commit(file string) string {
	c.Helper()
	must(c, os.WriteFile(filepath.Join(c.dir, file), []byte(file+"\n"), 0o644))
	c.git("add", file)
	c.git("commit", "--quiet", "--message", file)
	return c.at()
}

var on = github.Repo{Owner: github.User{Login: "o"}, Name: "r", FullName: "o/r", DefaultBranch: "main"}

func TestResolve(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.git("checkout", "--quiet", "--detach", c.topic)
	c.git("merge", "--quiet", "--no-edit", c.c)
	merged := c.at()
	c.git("checkout", "--quiet", "--detach", c.c)
	c.git("update-ref", "refs/remotes/origin/back", c.a)
	pull := func(head, base, branch string) github.Event {
		return github.Event{Name: github.EventPullRequest, PR: &github.PullRequest{Number: 3, Base: github.End{Ref: branch}}, HeadSHA: head, BaseSHA: base}
	}
	for name, w := range map[string]struct {
		mode       string
		event      github.Event
		in         Inputs
		head, base string
	}{
		"pull request":                       {ModeGate, github.Event{Name: github.EventPullRequest, PR: &github.PullRequest{Number: 3}, HeadSHA: c.topic, BaseSHA: c.c}, Inputs{}, c.topic, c.b},
		"an event as old as an earlier push": {ModeGate, pull(merged, c.b, "main"), Inputs{}, merged, c.c},
		"base pushed over":                   {ModeGate, pull(c.topic, c.c, "back"), Inputs{}, c.topic, c.a},
		"base branch not fetched":            {ModeMeasure, pull(c.topic, c.c, "gone"), Inputs{}, c.topic, c.b},
		"merged, and run again":              {ModeGate, pull(c.b, c.a, "main"), Inputs{}, c.b, c.a},
		"merged, base pushed over":           {ModeGate, pull(c.b, strings.Repeat("1", 40), "main"), Inputs{}, c.b, c.b},
		"merge group":                        {ModeGate, github.Event{Name: github.EventMergeGroup, HeadSHA: c.c, BaseSHA: c.b}, Inputs{}, c.c, c.b},
		"push":                               {ModeRecord, github.Event{Name: github.EventPush, HeadSHA: c.b, BaseSHA: c.a}, Inputs{}, c.b, c.b},
		"schedule":                           {ModeRecord, github.Event{Name: github.EventSchedule}, Inputs{}, c.c, c.c},
		"dispatch":                           {ModeGate, github.Event{Name: github.EventWorkflowDispatch}, Inputs{}, c.c, c.b},
		"dispatch on":                        {ModeGate, github.Event{Name: github.EventWorkflowDispatch}, Inputs{Run: request.Run{Base: "topic"}}, c.c, c.topic},
		"dispatch sha":                       {ModeGate, github.Event{Name: github.EventWorkflowDispatch}, Inputs{Run: request.Run{Base: c.a[:12]}}, c.c, c.a},
	} {
		w.event.Repo = on
		s := &step{Job: Job{Dir: c.dir}, does: modeOf(w.mode), event: w.event, in: w.in}
		err := s.resolve(t.Context())
		got := s.target
		if err != nil || got.Head != w.head || got.Base != w.base {
			t.Errorf("%s: %+v, %v; want %s against %s", name, got, err, w.head, w.base)
		}
	}
}

// What cannot be found is the workflow's fault and names its cure.
func TestResolveFails(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	missing := strings.Repeat("1", 40)
	empty := t.TempDir()
	shallow := newCheckout(t, "--depth=1", "--no-single-branch")
	for name, w := range map[string]struct {
		dir   string
		event github.Event
		in    Inputs
		says  string
	}{
		"no head":      {c.dir, github.Event{Name: github.EventPullRequest, HeadSHA: missing, BaseSHA: c.c}, Inputs{}, "head, commit 111111111111"},
		"no base":      {c.dir, github.Event{Name: github.EventPullRequest, HeadSHA: c.topic, BaseSHA: missing}, Inputs{}, "base, commit 111111111111"},
		"no such name": {c.dir, github.Event{Name: github.EventWorkflowDispatch}, Inputs{Run: request.Run{Base: "nowhere"}}, "nowhere"},
		"an option":    {c.dir, github.Event{Name: github.EventWorkflowDispatch}, Inputs{Run: request.Run{Base: "--upload-pack=x"}}, "not a revision"},
		"no checkout":  {empty, github.Event{Name: github.EventWorkflowDispatch}, Inputs{}, "actions/checkout"},
		"shallow head": {shallow.dir, github.Event{Name: github.EventPullRequest, HeadSHA: shallow.b, BaseSHA: shallow.c}, Inputs{}, "fetch-depth: 0"},
		"shallow":      {shallow.dir, github.Event{Name: github.EventPullRequest, HeadSHA: shallow.topic, BaseSHA: shallow.c}, Inputs{}, "fetch-depth: 0"},
	} {
		w.event.Repo = on
		s := &step{Job: Job{Dir: w.dir}, does: modeOf(ModeGate), event: w.event, in: w.in}
		err := s.resolve(t.Context())
		err = checkoutError(w.dir, err)
		if err == nil || !result.IsUsage(err) || !strings.Contains(err.Error(), w.says) {
			t.Errorf("%s: %v; want a word about %q", name, err, w.says)
		}
	}
}

func TestTrustedConfigIsOfTheCommit(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	if cfg, err := configAt(t.Context(), repo.Git{Dir: c.dir}, c.b, Inputs{Run: request.Run{Config: "perfgate.yaml"}}); cfg != nil || err != nil {
		t.Errorf("no configuration: %v, %v", cfg, err)
	}
	if _, err := configAt(t.Context(), repo.Git{Dir: c.dir}, c.b, Inputs{Run: request.Run{Config: "b"}}); err == nil {
		t.Error("a file that is no configuration was read")
	}
}

// In a job beside its pull request too, rules that have changed since head branched off stop the run before anything is built.
func TestPrepareStaleBase(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		old, now string
		changes  string // a file
		says     string // "": it goes on
	}{
		"a wider tolerance":    {laxConfiguration, forkConfiguration, "head.cc", "gate.tolerance: 50% → 2%"},
		"no configuration yet": {"", forkConfiguration, "head.cc", "perfgate.yaml: added"},
		"the same":             {forkConfiguration, forkConfiguration, "head.cc", ""},
		"nothing is watched":   {laxConfiguration, forkConfiguration, "README.md", ""},
		"watched since":        {strings.Replace(laxConfiguration, "*.cc", "*.cu", 1), forkConfiguration, "head.cc", "paths: "},
		"prices":               {forkConfiguration, forkConfiguration + "cost: {gpu-hour: 2}\n", "head.cc", ""},
	} {
		for _, mode := range []string{ModeGate, ModeMeasure} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				r := newReporting(t)
				r.configuredAs(c.old, c.now, c.changes)
				if r.env["INPUT_MODE"] = mode; mode == ModeMeasure { // an event as old as the last push, and a newer checkout
					r.rewriteEvent("base", r.base)
					r.repo.git("update-ref", "refs/remotes/origin/main", r.tip)
				} else {
					r.repo.git("update-ref", "-d", "refs/remotes/origin/main")
				}
				if c.says == "" {
					r.ends(Prepare, result.ExitPassed)
					return
				}
				r.ends(Prepare, result.ExitNotMeasurable)
				for where, text := range map[string]string{"log": r.log.String(), "summary": r.summary()} {
					text = strings.ReplaceAll(unescaped(text), "%25", "%") // as commands in the log have it
					if !strings.Contains(text, c.says) || !strings.Contains(text, "update the branch") {
						t.Errorf("the %s does not say %q and what to do:\n%s", where, c.says, text)
					}
				}
				if left, _ := filepath.Glob(filepath.Join(r.work, "perfgate-*")); len(left) > 0 {
					t.Errorf("there is a job request: %q", left)
				}
			})
		}
	}
}

// A run that is repeated has the event of then. It neither measures nor judges a pull request that is another by now.
func TestPrepareSuperseded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(*rig)
		says string
	}{
		"pushed to":                {func(r *rig) { r.github.Push(1, r.tip, false) }, "the run of the newer commit counts"},
		"turned to another branch": {func(r *rig) { r.github.Retarget(1, "strict", "m") }, `is to be merged into "strict" by now`},
	} {
		for _, mode := range []string{ModeGate, ModeMeasure, ModeMerge} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				r := newReporting(t)
				c.play(r)
				r.env["INPUT_MODE"] = mode
				if mode == ModeMerge {
					r.env["INPUT_SHARDS"], r.env["INPUT_ARTIFACTS_DIR"] = "2", t.TempDir()
				}
				r.ends(Prepare, result.ExitNotMeasurable, c.says)
			})
		}
	}
}

// The job that makes one verdict of parts looks as well: what it was handed may be of a job that did not.
func TestMergeStaleBase(t *testing.T) {
	t.Parallel()
	r := newReporting(t)
	r.configuredAs(laxConfiguration, forkConfiguration, "head.cc")
	r.env["INPUT_MODE"], r.env["INPUT_SHARDS"], r.env["INPUT_ARTIFACTS_DIR"] = ModeMerge, "2", t.TempDir()
	r.ends(Report, result.ExitNotMeasurable, "update the branch")
}

// configuredAs gives the commit that head branches off from one configuration, and the base branch another. Head adds a file.
func (r *rig) configuredAs(old, now, file string) {
	r.Helper()
	r.repo.git("checkout", "--quiet", "--detach", r.repo.a)
	r.base = r.repo.files("configuration", map[string]string{"perfgate.yaml": old})
	head := r.repo.commit(file)
	r.repo.git("checkout", "--quiet", "--detach", r.base)
	r.tip = r.repo.files("configuration", map[string]string{"perfgate.yaml": now})
	r.pushed(head)
	r.rewriteEvent("base", r.tip)
}
