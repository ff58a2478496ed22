package fakegithub_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/repo"
)

func start(t *testing.T, o fakegithub.Options) (*fakegithub.Server, string) {
	t.Helper()
	o.Owner, o.Repo = "o", "r"
	s, err := fakegithub.New(o)
	must(t, err)
	s.AddToken("t", fakegithub.Identity{Login: "github-actions[bot]", Grants: map[string]string{
		"contents": "write", "pull-requests": "write", "checks": "write", "statuses": "write", "actions": "read", "issues": "write"}})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

func call(t *testing.T, url, token, method, path, body string) (status int, answer map[string]any) {
	t.Helper()
	request, err := http.NewRequest(method, url+path, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	reply, err := client.Do(request)
	must(t, err)
	defer reply.Body.Close()
	_ = json.NewDecoder(reply.Body).Decode(&answer)
	return reply.StatusCode, answer
}

// TestRefusesWhatGitHubDoes sends requests that are not as GitHub describes them. Each must be a problem: this is what
// gives the other tests their worth.
func TestRefusesWhatGitHubDoes(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/repos/o/r/issues/1/comments", `{}`},
		{"POST", "/repos/o/r/issues/1/comments", `{"body":7}`},
		{"POST", "/repos/o/r/issues/x/comments", `{"body":"x"}`},
		{"POST", "/repos/o/r/issues/1/comments", `not JSON`},
		{"POST", "/repos/o/r/check-runs", `{"head_sha":"` + sha + `"}`},
		{"POST", "/repos/o/r/check-runs", `{"name":"x","head_sha":"` + sha + `","status":"completed","conclusion":"great"}`},
		{"POST", "/repos/o/r/check-runs", `{"name":"x","head_sha":"` + sha + `","status":"completed","conclusion":"failure","output":{"title":"x","summary":"x","annotations":[{"path":"a"}]}}`},
		{"POST", "/repos/o/r/statuses/" + sha, `{"state":"good"}`},
		{"GET", "/repos/o/r/pulls?state=half-open", ``},
		{"GET", "/repos/o/r/nonsense", ``},
		{"PUT", "/repos/o/r/pulls/1", ``},
	} {
		s, url := start(t, fakegithub.Options{})
		s.AddPull(fakegithub.PullRequest{Author: "mona", HeadSHA: sha, HeadRef: "x", BaseSHA: sha})
		status, _ := call(t, url, "t", c.method, c.path, c.body)
		if status < 400 || len(s.Problems()) == 0 {
			t.Errorf("%s %s %s: %d, problems %q", c.method, c.path, c.body, status, s.Problems())
		}
		if n := len(s.Comments(1)) + len(s.Checks(sha)) + len(s.Statuses(sha)); n > 0 {
			t.Errorf("%s %s %s was done", c.method, c.path, c.body)
		}
	}
}

// TestAccess asks with tokens of all kinds.
func TestAccess(t *testing.T) {
	for _, c := range []struct {
		private bool
		token   string
		method  string
		status  int
	}{
		{false, "", "GET", 200}, {false, "", "POST", 401}, {false, "wrong", "GET", 401}, {false, "reads", "GET", 200}, {false, "reads", "POST", 403},
		{false, "t", "POST", 201}, {true, "", "GET", 404}, {true, "reads", "GET", 200}, {true, "other", "GET", 404}, {true, "t", "POST", 201},
	} {
		s, url := start(t, fakegithub.Options{Private: c.private})
		s.AddToken("reads", fakegithub.Identity{Login: "x", Grants: map[string]string{"pull-requests": "read"}})
		s.AddToken("other", fakegithub.Identity{Login: "y"})
		s.AddPull(fakegithub.PullRequest{Author: "mona", HeadSHA: strings.Repeat("a", 40), HeadRef: "x"})
		body := ""
		if c.method == "POST" {
			body = `{"body":"x"}`
		}
		if status, answer := call(t, url, c.token, c.method, "/repos/o/r/issues/1/comments", body); status != c.status {
			t.Errorf("%+v: %d %v", c, status, answer)
		}
		if problems := s.Problems(); len(problems) > 0 {
			t.Errorf("%+v: %q", c, problems)
		}
	}
}

// TestEveryOperation calls everything that the description has, so that every answer was held to it.
func TestEveryOperation(t *testing.T) {
	dir := bare(t)
	s, url := start(t, fakegithub.Options{GitDir: dir})
	sha := strings.Repeat("a", 40)
	pr := s.AddPull(fakegithub.PullRequest{Author: "mona", HeadSHA: sha, HeadRef: "x/y", BaseSHA: sha, HeadRepo: fakegithub.HeadRepo{FullName: "mona/r", ID: 9}})
	s.Label(pr, "l", "ada")
	s.Push(pr, strings.Repeat("b", 40), true)
	run := s.AddRun()
	artifact := s.AddArtifact(run, "a", []byte("zip"))
	expect := func(want int, method, path, body string) map[string]any {
		t.Helper()
		status, answer := call(t, url, "t", method, "/repos/o/r"+path, body)
		if status != want {
			t.Fatalf("%s %s: %d %v", method, path, status, answer)
		}
		return answer
	}
	expect(200, "GET", "/pulls/1", "")
	expect(200, "GET", "/pulls", "")
	expect(404, "GET", "/pulls/9", "")
	expect(200, "GET", "/issues/1/events", "")
	expect(200, "GET", "/collaborators/ada/permission", "")
	comment := fmt.Sprint(int64(expect(201, "POST", "/issues/1/comments", `{"body":"x"}`)["id"].(float64)))
	expect(200, "PATCH", "/issues/comments/"+comment, `{"body":"y"}`)
	expect(200, "GET", "/issues/1/comments", "")
	issue := fmt.Sprint(int(expect(201, "POST", "/issues", `{"title":"t","body":"x","labels":["l"]}`)["number"].(float64)))
	expect(200, "PATCH", "/issues/"+issue, `{"body":"y","state":"closed","state_reason":"completed"}`)
	expect(422, "POST", "/issues", `{"title":"t","assignees":["nobody"]}`)
	expect(200, "GET", "/issues?state=open&creator=ada", "")
	check := fmt.Sprint(int64(expect(201, "POST", "/check-runs", `{"name":"c","head_sha":"`+sha+`","status":"completed","conclusion":"failure","output":{"title":"t","summary":"s","annotations":[{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}]}}`)["id"].(float64)))
	expect(200, "PATCH", "/check-runs/"+check, `{"name":"c","conclusion":"success"}`)
	expect(200, "GET", "/commits/"+sha+"/check-runs", "")
	expect(201, "POST", "/statuses/"+sha, `{"state":"success","context":"c"}`)
	expect(200, "GET", "/commits/"+sha+"/statuses", "")
	expect(200, "GET", fmt.Sprintf("/actions/runs/%d/artifacts", run), "")
	expect(302, "GET", fmt.Sprintf("/actions/artifacts/%d/zip", artifact), "")
	commit, next := commits(t, dir)
	if got := expect(200, "GET", "/compare/"+commit+"..."+next, ""); got["merge_base_commit"].(map[string]any)["sha"] != commit || len(got["commits"].([]any)) != 1 {
		t.Errorf("the comparison is %v", got)
	}
	expect(404, "GET", "/compare/"+commit+"...none", "")
	expect(200, "GET", "/activity?ref=refs/heads/x", "")
	if status, _ := call(t, url, "t", "GET", "/repos/mona/r/activity?ref=refs/heads/x/y", ""); status != 200 {
		t.Errorf("activity of the fork: %d", status)
	}
	for _, problem := range s.Problems() {
		t.Error(problem)
	}
	if left := s.Uncalled(); len(left) > 0 {
		t.Errorf("not called: %q", left)
	}
}

// TestFetch fetches from a private repository, which needs a token that is known, and pushes, which needs one that may write.
func TestFetch(t *testing.T) {
	dir := bare(t)
	s, url := start(t, fakegithub.Options{GitDir: dir, Private: true})
	s.AddToken("reads", fakegithub.Identity{Login: "x", Grants: map[string]string{"contents": "read"}})
	commit, next := commits(t, dir)
	for token, want := range map[string]bool{"t": true, "reads": true, "wrong": false, "": false} {
		server := repo.Remote{URL: url + "/o/r", Token: token}
		g, err := server.Fetch(t.Context(), t.TempDir(), commit)
		if (err == nil) != want {
			t.Errorf("token %q: %v", token, err)
		}
		if err == nil {
			if all, err := g.Entries(t.Context(), commit); err != nil || all["f"].SHA == "" {
				t.Errorf("there is no file: %v", err)
			}
			if _, err := g.Run(t.Context(), "update-ref", "refs/heads/perf/records", commit); err != nil {
				t.Fatal(err)
			}
			if err := server.Push(t.Context(), g, "perf/records", commit); err == nil || token == "t" && repo.KindOf(err) != repo.Moved {
				t.Errorf("token %q pushes over %s: %v", token, next, err)
			}
		}
	}
	for _, c := range s.Log() {
		if c.Method == "GET" && (c.Status != 401) != (c.Login != "") {
			t.Errorf("%s by %q", c, c.Login)
		}
	}
}

func bare(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// commits are two of a branch perf/records.
func commits(t *testing.T, dir string) (first, second string) {
	t.Helper()
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	tree := git("100644 blob "+git("text", "hash-object", "-w", "--stdin")+"\tf\n", "mktree")
	first = git("", "commit-tree", tree, "-m", "m")
	second = git("", "commit-tree", tree, "-m", "n", "-p", first)
	git("", "update-ref", "refs/heads/perf/records", second)
	return first, second
}

func TestEnterpriseServer(t *testing.T) {
	s, url := start(t, fakegithub.Options{})
	s.AddPull(fakegithub.PullRequest{Author: "mona", HeadSHA: strings.Repeat("a", 40), HeadRef: "x"})
	if status, _ := call(t, url, "t", "GET", "/api/v3/repos/o/r/pulls/1", ""); status != 200 || s.Log()[0].String() != "GET /repos/o/r/pulls/1 200" {
		t.Errorf("%d, %v", status, s.Log())
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
