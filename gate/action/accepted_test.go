package action

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// merging is a pull request that asks to accept a regression, was squashed into main without its trailer, and the record of that commit.
type merging struct {
	*checkout                 // which the fake serves too
	before, head, main string // commits: with a record, of the pull request, its squashed one
	github             *fakegithub.Server
	pr                 int
	token              string
	log                bytes.Buffer
}

func newMerging(t *testing.T) *merging {
	m := &merging{checkout: &checkout{T: t, dir: t.TempDir()}, token: "ghs_x"}
	m.git("init", "-q", "-b", "main")
	m.git("commit", "-q", "--allow-empty", "-m", "first")
	m.before = m.at()
	m.git("commit", "-q", "--allow-empty", "-m", "slower\n\nPerfgate-Accept: k/** sums in a fixed order\nPerfgate-Accept: other/** too")
	m.head = m.at()
	m.git("reset", "-q", "--hard", m.before)
	m.git("commit", "-q", "--allow-empty", "-m", "slower (#1)")
	m.main = m.at()
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r", GitDir: filepath.Join(m.dir, ".git")})
	must(t, err)
	server.AddToken("ghs_x", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "write", "pull-requests": "read"}})
	server.SetPermission("ada", "write")
	m.github = server
	m.pr = server.AddPull(fakegithub.PullRequest{Author: "bob", HeadSHA: m.head, HeadRef: "slow", BaseSHA: m.before})
	return m
}

func (m *merging) record(commit string, accepted ...baseline.Acceptance) *baseline.Record {
	return &baseline.Record{Schema: baseline.Schema, Commit: commit, Time: time.Unix(1, 0), Machine: result.Machine{Key: "m"}, Accepted: accepted, Cases: []baseline.Case{{
		Name: "k/n=1", Kernel: "k", Method: result.Method{Clock: "wall", Launches: 1}, Rounds: []int{1, 1, 1, 1}, ValuesNS: []float64{1, 1, 1, 1},
	}}}
}

// client asks the fake as a job of the repository does.
func (m *merging) client() (*github.Client, string) {
	m.Helper()
	web := httptest.NewServer(m.github)
	m.Cleanup(web.Close)
	client, err := github.New(github.Options{Owner: "o", Repo: "r", Token: "ghs_x", APIURL: web.URL})
	must(m, err)
	return client, web.URL
}

// take is what the job that stores pushes of a record whose measuring job claims an acceptance of its own.
func (m *merging) take() (*baseline.Record, *step) {
	m.Helper()
	store, err := baseline.Open("git:records", m.dir)
	must(m, err)
	must(m, baseline.Save(m.Context(), store, m.record(m.before)))
	client, url := m.client()
	rec := m.record(m.main, baseline.Acceptance{Commit: m.main, Pattern: "k/**", Reason: "forged", By: "ada"})
	data, err := baseline.Encode(rec)
	must(m, err)
	artifacts, temp := m.TempDir(), m.TempDir()
	must(m, os.WriteFile(filepath.Join(artifacts, RecordFile), data, 0o644))
	env := func(name string) string { return map[string]string{"RUNNER_TEMP": temp}[name] }
	s := &step{Job: Job{Dir: m.dir, Env: env, Log: github.NewLog(&m.log, env)}, client: client, target: Target{Head: m.main},
		in:    Inputs{Run: request.Run{Store: "git:records"}, AcceptLabel: defaultLabel, ArtifactsDir: artifacts, Token: m.token},
		event: github.Event{ServerURL: url, Repo: github.Repo{FullName: "o/r"}}}
	if _, err := s.save(m.Context()); (err != nil) != (m.token != "ghs_x") || err != nil && !strings.Contains(err.Error(), "contents: write") {
		m.Errorf("stored with %q: %v; %s", m.token, err, m.log.String())
	}
	stored, err := baseline.Load(m.Context(), store, rec.Key())
	if (err != nil) != (m.token != "ghs_x") {
		m.Fatal(err)
	}
	return stored, s
}

// A token that may not write stores nothing, and the error says what it lacks.
func TestRecordsNeedAWriter(t *testing.T) {
	t.Parallel()
	m := newMerging(t)
	m.github.AddToken("ghs_reader", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{"contents": "read"}})
	m.token = "ghs_reader"
	m.take()
}

// TestAcceptedByTheMergedLabel: what a merged pull request asked for counts in the record if a writer's label vouches for its head, and
// in no other case; what a record says of it itself never does.
func TestAcceptedByTheMergedLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play  func(m *merging)
		by    string // who accepted; "" if nobody did
		warns string // of the first warning
	}{
		"labelled and merged": {func(m *merging) { m.github.Label(m.pr, defaultLabel, "ada"); m.github.Merge(m.pr, m.main) }, "ada", `"other/**", and no case`},
		"labelled later":      {func(m *merging) { m.github.Merge(m.pr, m.main); m.github.Label(m.pr, defaultLabel, "ada") }, "ada", "no case"},
		"in other letters":    {func(m *merging) { m.github.Label(m.pr, "Perfgate-Accept", "ada"); m.github.Merge(m.pr, m.main) }, "ada", "no case"},
		"no label":            {func(m *merging) { m.github.Merge(m.pr, m.main) }, "", ""},
		"not merged":          {func(m *merging) { m.github.Label(m.pr, defaultLabel, "ada"); m.github.Close(m.pr) }, "", ""},
		"merged elsewhere":    {func(m *merging) { m.github.Label(m.pr, defaultLabel, "ada"); m.github.Merge(m.pr, m.before) }, "", ""},
		"by the author":       {func(m *merging) { m.github.Label(m.pr, defaultLabel, "bob"); m.github.Merge(m.pr, m.main) }, "", "may not write"},
		"pushed after the label": {func(m *merging) {
			m.github.Label(m.pr, defaultLabel, "ada")
			m.github.Push(m.pr, m.head, false)
			m.github.Merge(m.pr, m.main)
		}, "", "before the last push"},
		"asked for on main, which the branch has merged": {func(m *merging) { // GitHub's base of a pull request may be older than that
			m.git("reset", "-q", "--hard", m.before)
			m.git("commit", "-q", "--allow-empty", "-m", "of another\n\nPerfgate-Accept: k/** of another")
			other := m.at()
			m.git("checkout", "-q", "-b", "topic", m.before)
			m.git("commit", "-q", "--allow-empty", "-m", "asks for nothing")
			m.git("merge", "-q", "--no-ff", "-m", "catch up", other)
			m.head = m.at()
			m.git("checkout", "-q", "main")
			m.git("commit", "-q", "--allow-empty", "-m", "squashed (#1)")
			m.main = m.at()
			m.github.Push(m.pr, m.head, false)
			m.github.Label(m.pr, defaultLabel, "ada")
			m.github.Merge(m.pr, m.main)
		}, "", ""},
		"merged as it is, with a later commit": {func(m *merging) {
			m.git("checkout", "-q", "-B", "main", m.head)
			m.git("commit", "-q", "--allow-empty", "-m", "more")
			m.head = m.at()
			m.main = m.head
			m.github.Push(m.pr, m.head, false)
			m.github.Label(m.pr, defaultLabel, "ada")
			m.github.Merge(m.pr, m.main)
		}, "ada", "no case"},
		"GitHub does not say": {func(m *merging) {
			m.github.Label(m.pr, defaultLabel, "ada")
			m.github.Merge(m.pr, m.main)
			m.github.Inject(fakegithub.Fault{Kind: fakegithub.Forbidden, Path: "/pulls"})
		}, "", "perfgate baseline accept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMerging(t)
			c.play(m)
			rec, s := m.take()
			want := "[]"
			if c.by != "" {
				want = fmt.Sprintf("[{%s k/** sums in a fixed order %s label %s of #1", m.main, c.by, defaultLabel)
			}
			if got := fmt.Sprint(rec.Accepted); !strings.HasPrefix(got, want) || c.by != "" && len(rec.Accepted) != 1 {
				t.Errorf("accepted %v, want %v", got, want)
			}
			if text := strings.Join(s.warnings, "\n"); (c.warns == "") != (text == "") || !strings.Contains(text, c.warns) {
				t.Errorf("warnings %q, want %q", text, c.warns)
			}
			if p := m.github.Problems(); len(p) > 0 {
				t.Errorf("not as GitHub describes it: %q", p)
			}
		})
	}
}

// TestMergeGroupIsApprovedByItsPullRequest: the event of a merge group has no labels, and its ref says whose count.
func TestMergeGroupIsApprovedByItsPullRequest(t *testing.T) {
	t.Parallel()
	m := newMerging(t)
	client, _ := m.client()
	m.github.Label(m.pr, defaultLabel, "ada")
	other := m.github.AddPull(fakegithub.PullRequest{Author: "bob", HeadSHA: m.head, HeadRef: "other", BaseSHA: m.before})
	for pr, by := range map[int]string{m.pr: "ada", other: ""} {
		event := github.Event{Name: github.EventMergeGroup, Ref: fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", pr, m.before), HeadSHA: m.main}
		s := &step{client: client, event: event, in: Inputs{AcceptLabel: defaultLabel}}
		if a, against := s.approval(t.Context()); against != "" || (a != nil) != (by != "") || a != nil && a.By != by {
			t.Errorf("pull request %d: %+v, %q; want %q", pr, a, against, by)
		}
	}
}
