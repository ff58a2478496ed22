package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const quickConfig = `version: 1
kernels:
  - name: scale_add
    adapter: bench/scale_add.pg.cc
    sources: [bench/scale_add.cc]
    flags: [-O2]
    params: {n: {values: [20000]}, dtype: {values: [f32]}}
    cache: hot
    parity: {cases: 2}
gate: {tolerance: 50%, budget: 60s}
`

// storyteller is a repository with a base, a head that is several times slower, and records of both in dir:.perfgate.
type storyteller struct {
	*project
	base, head string
}

func newStory(t *testing.T) *storyteller {
	t.Helper()
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("base")
	s := &storyteller{project: p, base: p.sha()}
	p.edit("bench/scale_add.cc", "y[i] += a * x[i];", "{ y[i] += a * x[i]; for (volatile int k = 0; k < 5; ++k) {} }")
	s.head = s.committed("slower")
	return s
}

func (p *project) sha() string {
	p.t.Helper()
	return strings.TrimSpace(p.mustRun("git", "rev-parse", "HEAD"))
}

func (s *storyteller) committed(message string) string {
	s.t.Helper()
	s.mustRun("git", "add", "--force", "--all", ".")
	s.mustRun("git", "commit", "-qm", message)
	return s.sha()
}

// forge commits a record of base that says that its code is head's.
func (s *storyteller) forge() {
	s.t.Helper()
	store := baseline.OpenFolder(filepath.Join(s.dir, ".perfgate"))
	s.mustRun("perfgate", "baseline", "record", s.head)
	keys, err := store.List(s.t.Context(), "")
	if err != nil || len(keys) != 1 {
		s.t.Fatalf("records %v, %v", keys, err)
	}
	rec, err := baseline.Load(s.t.Context(), store, keys[0])
	if err != nil {
		s.t.Fatal(err)
	}
	rec.Commit = s.base
	if err := baseline.Save(s.t.Context(), store, rec); err != nil {
		s.t.Fatal(err)
	}
	s.head = s.committed("records")
	s.env = append(s.env, "PERFGATE_CACHE="+kernelstest.CacheOf(s.t)) // of another machine of the kind: base was not built there
}

// plan writes what the prepare step leaves, and returns its folder.
func (s *storyteller) plan(edit func(*action.JobRequest)) string {
	s.t.Helper()
	p := action.JobRequest{Schema: "perfgate/job-request/v1", Mode: action.ModeGate, Profile: "never",
		Run: request.Run{Head: s.head, Base: s.base, Trust: "base", Seed: "1", Config: "perfgate.yaml", Sandbox: "auto"}}
	edit(&p)
	text, err := json.Marshal(p)
	if err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "job-request.json"), text, 0o644); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// measure runs the measuring step in the working tree as a job does.
func (s *storyteller) measure(edit func(*action.JobRequest)) (o action.Outcome, work string) {
	s.t.Helper()
	work = s.plan(edit)
	cmd := s.command("perfgate", "action", "measure")
	cmd.Env = append(cmd.Env, "PERFGATE_WORK="+work, "GITHUB_WORKSPACE="+s.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal([]byte(readText(s.t, filepath.Join(work, "outcome.json"))), &o); err != nil {
		s.t.Fatal(err)
	}
	return o, work
}

// A pull request commits a record of base that has head's fingerprint. Where base's rules count nothing reads it, and the report
// says why and what to name; at a desk the store is the user's own.
func TestPullRequestBringsNoRecords(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	s := newStory(t)
	s.forge()
	read := func(path string) *result.Result {
		t.Helper()
		res, err := result.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	check := func(where string, res *result.Result) {
		t.Helper()
		b := res.Baseline
		if b == nil || b.Commit != "" || b.Records != 0 || b.Identical != 0 || len(b.Reason) != 1 || !strings.Contains(b.Reason[0].Message, "git:perfgate-baseline") {
			t.Errorf("%s: records %+v", where, b)
		}
		if res.Conclusion.Exit == result.ExitPassed {
			t.Errorf("%s: passed: %+v", where, res.Conclusion)
		}
	}
	out, code := s.run("perfgate", "run", "--trust", "base", "--base", s.base, "--head", s.head, "--profile", "never", "--budget", "2s")
	if code == 0 {
		t.Errorf("--trust base: exit code 0\n%s", out)
	}
	check("--trust base", read(filepath.Join(s.dir, "perfgate-out", "result.json")))
	o, work := s.measure(func(p *action.JobRequest) { p.Budget = 2 * time.Second })
	if o.Exit == 0 || o.Error != "" {
		t.Errorf("the measuring step: %+v", o)
	}
	check("the measuring step", read(filepath.Join(work, "out", "result.json")))
}

// A folder in the checkout that is asked for is a mistake of the workflow or of the configuration, and nothing is built. A record
// is not made where it could not be kept.
func TestStoreInTheCheckout(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	s := newStory(t)
	inside := filepath.Join(s.dir, "records")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(inside, link); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"dir:records", "dir:../records", "dir:" + inside, "dir:" + link} {
		for _, mode := range []string{action.ModeGate, action.ModeMeasure, action.ModeRecord} {
			o, _ := s.measure(func(p *action.JobRequest) { p.Mode, p.Store = mode, spec })
			if o.Exit != 2 || !strings.Contains(o.Error, "git:perfgate-baseline") {
				t.Errorf("%s, %s: %+v", mode, spec, o)
			}
		}
	}
	o, work := s.measure(func(p *action.JobRequest) { p.Mode, p.Base = action.ModeRecord, p.Head })
	if o.Exit != 0 || o.Recorded || o.Stored || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "git:perfgate-baseline") {
		t.Errorf("mode record without a store: %+v", o)
	}
	if _, err := os.Stat(filepath.Join(work, "out", "result.json")); err == nil {
		t.Error("something was measured that could not be kept")
	}

	s.write("perfgate.yaml", quickConfig+"baseline: {store: \"dir:.perfgate\"}\n")
	s.base = s.committed("a store in the checkout")
	for _, verb := range []string{"run", "parity"} {
		s.expect(2, "git:perfgate-baseline", "perfgate", verb, "--trust", "base", "--base", s.base, "--head", s.head)
	}
	if out := s.mustRun("perfgate", "baseline", "list"); strings.Contains(out, "refused") {
		t.Errorf("at a desk: %s", out)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".perfgate")); err == nil {
		t.Error("the store in the checkout was made")
	}
}
