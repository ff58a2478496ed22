package github

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const examples = "../../testdata/github/webhooks"

// readPayload runs ReadEvent on a payload for a repository.
func readPayload(t *testing.T, name, repo string, payload []byte) (Event, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	must(t, os.WriteFile(path, payload, 0o666))
	return ReadEvent(func(variable string) string {
		return map[string]string{
			"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": path, "GITHUB_REPOSITORY": repo,
			"GITHUB_RUN_ID": "1658821493", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_API_URL": "https://ghe.example/api/v3/",
			"GITHUB_SHA": strings.Repeat("f", 40),
		}[variable]
	})
}

// readExample reads an official example as the repository that it is about.
func readExample(t *testing.T, file string) (Event, error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(examples, file))
	must(t, err)
	var in struct {
		Repository struct {
			FullName string `json:"full_name"`
		} `json:"repository"`
	}
	must(t, json.Unmarshal(text, &in))
	name, _, _ := strings.Cut(file, ".")
	return readPayload(t, name, in.Repository.FullName, text)
}

// TestReadExamples reads every official example: nothing that GitHub documents may be refused.
func TestReadExamples(t *testing.T) {
	files, err := filepath.Glob(examples + "/*.json")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		e, err := readExample(t, filepath.Base(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if strings.HasPrefix(e.HeadSHA, "fff") {
			t.Errorf("%s: HeadSHA comes from GITHUB_SHA", file)
		}
		if e.RunID != 1658821493 || e.RunAttempt != 2 || e.ServerURL != "https://github.com" || e.APIURL != "https://ghe.example/api/v3" {
			t.Errorf("%s: %+v", file, e)
		}
	}
}

func TestReadPullRequest(t *testing.T) {
	e, err := readExample(t, "pull_request.labeled.8.json")
	must(t, err)
	repo := Repo{ID: 186853002, Name: "Hello-World", FullName: "Codertocat/Hello-World", DefaultBranch: "master"}
	repo.Owner.Login = "Codertocat"
	want := PullRequest{Number: 2, Labels: []Label{{"bug"}}, MergeSHA: e.PR.MergeSHA,
		Head: End{SHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", Ref: "changes", Repo: repo},
		Base: End{SHA: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e", Ref: "master", Repo: repo}}
	if !reflect.DeepEqual(*e.PR, want) || e.PR.Fork() {
		t.Errorf("got  %+v\nwant %+v", *e.PR, want)
	}
	if e.Action != "labeled" || e.Label.Name != "bug" || e.HeadSHA != want.Head.SHA || e.BaseSHA != want.Base.SHA || e.Repo != repo {
		t.Errorf("%+v", e)
	}
}

// A property that an organization gave its repositories may have several values.
func TestReadRepositoryProperties(t *testing.T) {
	payload := strings.Replace(pr(`{"ref":"x","sha":"`+strings.Repeat("a", 40)+`","repo":{"id":1,"full_name":"o/r"}}`),
		`"repository":{`, `"repository":{"custom_properties":{"teams":["kernels","compilers"]},`, 1)
	if !strings.Contains(payload, "compilers") {
		t.Fatal(payload)
	}
	if _, err := readPayload(t, EventPullRequest, "o/r", []byte(payload)); err != nil {
		t.Error(err)
	}
}

// An edit that turns a pull request to another base branch is about that branch.
func TestReadEdited(t *testing.T) {
	sha := strings.Repeat("a", 40)
	payload := strings.Replace(pr(`{"ref":"x","sha":"`+sha+`","repo":{"id":1,"full_name":"o/r"}}`),
		`"action":"opened"`, `"action":"edited","changes":{"base":{"ref":{"from":"lax"},"sha":{"from":"`+sha+`"}}}`, 1)
	e, err := readPayload(t, EventPullRequest, "o/r", []byte(payload))
	if err != nil || e.Action != "edited" || e.PR == nil || e.HeadSHA != sha || e.BaseSHA != strings.Repeat("b", 40) {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestReadCommits: what an event is about, its ref, and whether that is gone.
func TestReadCommits(t *testing.T) {
	const pushed, ran = "6113728f27ae82c7b1a177c8d03f9e96e0adf246", "3484a3fb816e0859fd6e1cea078d76385ff50625"
	for file, want := range map[string]Event{
		"push.4.json": {Ref: "refs/heads/master", HeadSHA: pushed},                   // creates
		"push.1.json": {Ref: "refs/tags/simple-tag", BaseSHA: pushed, Deleted: true}, // deletes
		"merge_group.checks_requested.0.json": {
			Ref:     "refs/heads/gh-readonly-queue/main/pr-104-929f8209d40f77f4abc622a499c93a83babdbe64",
			HeadSHA: "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", BaseSHA: "380387fbc80638b734a49e1be1c4dfec1c01b33c", Repo: Repo{DefaultBranch: "main"},
		},
		"workflow_run.completed.1.json": {HeadSHA: ran, WorkflowRun: &WorkflowRun{ID: 289782451, HeadSHA: ran, Conclusion: "success"}},
	} {
		e, err := readExample(t, file)
		must(t, err)
		if e.Ref != want.Ref || e.HeadSHA != want.HeadSHA || e.BaseSHA != want.BaseSHA || e.Deleted != want.Deleted ||
			want.Repo.DefaultBranch != "" && e.Repo.DefaultBranch != want.Repo.DefaultBranch {
			t.Errorf("%s: %+v, want %+v", file, e, want)
		}
		if w := want.WorkflowRun; w != nil && (e.WorkflowRun.ID != w.ID || e.WorkflowRun.HeadSHA != w.HeadSHA || e.WorkflowRun.Conclusion != w.Conclusion ||
			e.WorkflowRun.HeadRepo.Owner.Login != "octo-org" || e.WorkflowRun.HeadRepo.ID == 0) {
			t.Errorf("%s: %+v, want %+v", file, e.WorkflowRun, w)
		}
	}
}

const repoJSON = `"repository":{"id":1,"name":"r","full_name":"o/r","default_branch":"main","owner":{"login":"o"}}`

func TestReadSchedule(t *testing.T) {
	e, err := readPayload(t, EventSchedule, "o/r", []byte(`{"schedule":"30 5 * * 1"}`))
	if err != nil || e.Repo.FullName != "o/r" {
		t.Errorf("%+v, %v", e, err)
	}
}

func pr(head string) string {
	return `{"action":"opened",` + repoJSON + `,"pull_request":{"number":3,"user":{"login":"m"},"base":{"ref":"main","sha":"` +
		strings.Repeat("b", 40) + `","repo":{"id":1,"full_name":"o/r"}},"head":` + head + `}}`
}

func TestReadFork(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for head, want := range map[string]bool{
		`{"ref":"x","sha":"` + sha + `","repo":{"id":1,"full_name":"o/r"}}`:    false,
		`{"ref":"x","sha":"` + sha + `","repo":{"id":9,"full_name":"o/r"}}`:    true, // the ID decides, not the name
		`{"ref":"x","sha":"` + sha + `","repo":{"id":2,"full_name":"evil/r"}}`: true,
		`{"ref":"x","sha":"` + sha + `","repo":null}`:                          true,
	} {
		e, err := readPayload(t, EventPullRequest, "o/r", []byte(pr(head)))
		if err != nil || e.PR.Fork() != want {
			t.Errorf("%s: fork %v, %v", head, e.PR, err)
		}
	}
}

// TestReadRefuses gives what GitHub never sends; each answer must name the place.
func TestReadRefuses(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, c := range []struct{ event, payload, want string }{
		{EventPullRequest, `{` + repoJSON + `}`, "pull_request is not there"},
		{EventPullRequest, pr(`{"ref":"x","sha":"--upload-pack=x"}`), "pull_request.head.sha"},
		{EventPullRequest, pr(`{"ref":"x","sha":"` + sha + `","repo":{"id":2,"full_name":"../x"}}`), "pull_request.head.repo"},
		{EventPullRequest, pr(`{"ref":"` + strings.Repeat("x", maxText+1) + `","sha":"` + sha + `"}`), "pull_request.head.ref"},
		{EventPullRequest, `{"repository":{"id":7,"name":"other","owner":{"login":"o"}}}`, "GITHUB_REPOSITORY"},
		{EventPush, `{` + repoJSON + `,"ref":"main","before":"` + sha + `","after":"` + sha + `"}`, "not a full ref"},
		{EventPush, `{` + repoJSON + `,"ref":"refs/heads/x","before":"","after":"` + sha + `"}`, "before"},
		{EventMergeGroup, `{` + repoJSON + `}`, "merge_group is not there"},
		{EventWorkflowRun, `{` + repoJSON + `,"workflow_run":{"id":0}}`, "workflow_run.id"},
		{"issue_comment", `{}`, "GITHUB_EVENT_NAME"},
		{EventPush, `{"a":`, "not the JSON"},
		{EventPush, strings.Repeat("[", 100000), "not the JSON"},
		{EventPush, strings.Repeat(" ", maxPayload+1), "larger than 25 MiB"},
	} {
		_, err := readPayload(t, c.event, "o/r", []byte(c.payload))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.60s: %v, want it to say %q", c.event, c.payload, err, c.want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("%s: a message of %d bytes", c.event, len(err.Error()))
		}
	}
}

func TestReadNamesTheVariable(t *testing.T) {
	good := map[string]string{"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "/does/not/exist", "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7"}
	for variable, value := range map[string]string{
		"GITHUB_EVENT_NAME": "", "GITHUB_EVENT_PATH": "", "GITHUB_REPOSITORY": "o/r/../x", "GITHUB_RUN_ID": "x",
		"GITHUB_RUN_ATTEMPT": "-1", "GITHUB_SERVER_URL": "ftp://x", "GITHUB_API_URL": "https://user@x",
	} {
		_, err := ReadEvent(func(v string) string {
			if v == variable {
				return value
			}
			return good[v]
		})
		if err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("%s=%q: %v", variable, value, err)
		}
	}
}
