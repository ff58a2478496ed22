package github

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	gh "github.com/google/go-github/v60/github"
)

// maxPayload is the most that GitHub sends as a payload.
const maxPayload = 25 << 20

// ReadEvent reads the event of the running workflow. env is os.Getenv or a test's stand-in; it is asked for
// GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_SERVER_URL and
// GITHUB_API_URL. Payloads over 25 MiB, GitHub's own limit, are refused. An error names the variable or the field
// that is missing or malformed.
func ReadEvent(env func(string) string) (Event, error) {
	e, err := fromEnv(env)
	if err != nil {
		return Event{}, err
	}
	path := env("GITHUB_EVENT_PATH")
	if path == "" {
		return Event{}, missing("GITHUB_EVENT_PATH")
	}
	f, err := os.Open(path)
	if err != nil {
		return Event{}, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	defer f.Close()
	p, err := parse(f)
	if err != nil {
		return Event{}, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	if err := e.take(p); err != nil {
		return Event{}, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	return e, nil
}

func missing(variable string) error {
	return fmt.Errorf("%s is not set: this runs in a job of GitHub Actions, which sets it", variable)
}

// fromEnv reads what the payload does not have.
func fromEnv(env func(string) string) (Event, error) {
	e := Event{Name: env("GITHUB_EVENT_NAME")}
	if e.Name == "" {
		return e, missing("GITHUB_EVENT_NAME")
	}
	if !slices.Contains(EventNames, e.Name) {
		return e, fmt.Errorf("GITHUB_EVENT_NAME: %.60q is not an event that the gate acts on; use one of %s", e.Name, strings.Join(EventNames, ", "))
	}
	owner, name, _ := strings.Cut(env("GITHUB_REPOSITORY"), "/")
	if !ownerName().MatchString(owner) || !repoName().MatchString(name) {
		return e, fmt.Errorf("GITHUB_REPOSITORY: %.100q is not owner/name", env("GITHUB_REPOSITORY"))
	}
	e.Repo.Owner, e.Repo.Name = owner, name
	run, err := number(env, "GITHUB_RUN_ID", "")
	if err != nil {
		return e, err
	}
	attempt, err := number(env, "GITHUB_RUN_ATTEMPT", "1")
	if err != nil {
		return e, err
	}
	e.RunID, e.RunAttempt = run, int(attempt)
	if e.ServerURL, err = address(env, "GITHUB_SERVER_URL", "https://github.com"); err != nil {
		return e, err
	}
	e.APIURL, err = address(env, "GITHUB_API_URL", "https://api.github.com")
	return e, err
}

func number(env func(string) string, variable, otherwise string) (int64, error) {
	text := cmp.Or(env(variable), otherwise)
	if text == "" {
		return 0, missing(variable)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %.40q is not a positive number", variable, text)
	}
	return n, nil
}

func address(env func(string) string, variable, otherwise string) (string, error) {
	text := strings.TrimRight(env(variable), "/")
	if text == "" {
		return otherwise, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s: %.200q is not an http(s) address", variable, text)
	}
	return text, nil
}

// Alphabets of what later becomes part of an address or of a command line.
var (
	// Compiled when an event is read: most processes of this program read none.
	objectName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`) })
	ownerName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$`) })
	repoName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`) })
)

// noCommit matches what stands in a push for a ref that was not there before or is not there after.
var noCommit = regexp.MustCompile(`^0+$`)

// Most that an event may have of these; longer texts are refused, more labels than GitHub allows as well.
const (
	maxText   = 1 << 16
	maxLabels = 1000
)

// payload has the fields in use of all payloads together. Fields that are absent or null stay zero. go-github's own repository
// is not used: it refuses a custom property that has several values.
type payload struct {
	Action      string          `json:"action"`
	Repository  *repository     `json:"repository"`
	PullRequest *gh.PullRequest `json:"pull_request"`
	Label       *gh.Label       `json:"label"`
	Ref         string          `json:"ref"`
	Before      string          `json:"before"`
	After       string          `json:"after"`
	Deleted     bool            `json:"deleted"`
	MergeGroup  *gh.MergeGroup  `json:"merge_group"`
	WorkflowRun *struct {
		ID             int64       `json:"id"`
		HeadSHA        string      `json:"head_sha"`
		HeadBranch     string      `json:"head_branch"`
		Event          string      `json:"event"`
		Conclusion     string      `json:"conclusion"`
		HeadRepository *repository `json:"head_repository"`
	} `json:"workflow_run"`
}

type repository struct {
	ID            int64   `json:"id"`
	Name          string  `json:"name"`
	FullName      string  `json:"full_name"`
	DefaultBranch string  `json:"default_branch"`
	Owner         gh.User `json:"owner"`
}

func parse(r io.Reader) (*payload, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPayload {
		return nil, fmt.Errorf("over %d MiB, more than GitHub sends", maxPayload>>20)
	}
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("not the JSON that GitHub writes: %w", err)
	}
	return &p, nil
}

// take fills e from a payload.
func (e *Event) take(p *payload) error {
	e.Action = p.Action
	if err := e.takeRepository(p.Repository); err != nil {
		return err
	}
	switch e.Name {
	case EventPullRequest:
		return e.takePullRequest(p)
	case EventPush:
		return e.takePush(p)
	case EventMergeGroup:
		return e.takeMergeGroup(p.MergeGroup)
	case EventWorkflowDispatch:
		e.Ref = p.Ref
		return checkLength("ref", e.Ref)
	case EventWorkflowRun:
		return e.takeWorkflowRun(p)
	}
	return nil // schedule has nothing more that the gate needs
}

// takeRepository holds the payload's repository to the one that the job runs in. A schedule may come without.
func (e *Event) takeRepository(r *repository) error {
	if r == nil {
		if e.Name == EventSchedule {
			return nil
		}
		return absent("repository")
	}
	if !strings.EqualFold(r.Owner.GetLogin(), e.Repo.Owner) || !strings.EqualFold(r.Name, e.Repo.Name) {
		return fmt.Errorf("repository: %.60q/%.100q is not the %q of GITHUB_REPOSITORY", r.Owner.GetLogin(), r.Name, e.Repo.FullName())
	}
	e.Repo.ID, e.Repo.DefaultBranch = r.ID, r.DefaultBranch
	return checkLength("repository.default_branch", r.DefaultBranch)
}

func absent(field string) error { return fmt.Errorf("%s is not there", field) }

func checkLength(field, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("%s has over %d bytes", field, maxText)
	}
	return nil
}

func checkHash(field, sha string) error {
	if !objectName().MatchString(sha) {
		return fmt.Errorf("%s: %.80q is not a commit hash", field, sha)
	}
	return nil
}

func checkRepository(field, fullName string, id int64) error {
	owner, name, _ := strings.Cut(fullName, "/")
	if !ownerName().MatchString(owner) || !repoName().MatchString(name) || id < 1 {
		return fmt.Errorf("%s: %.150q with ID %d is not a repository", field, fullName, id)
	}
	return nil
}

func (e *Event) takePullRequest(p *payload) error {
	if p.PullRequest == nil {
		return absent("pull_request")
	}
	pr := convert(p.PullRequest)
	pr.Fork = p.PullRequest.Head.GetRepo() == nil || pr.HeadRepo.ID != e.Repo.ID
	e.PR, e.HeadSHA, e.BaseSHA, e.Label = &pr, pr.HeadSHA, pr.BaseSHA, p.Label.GetName()
	return cmp.Or(pr.check(p.PullRequest.Head.GetRepo() != nil), checkLength("label.name", e.Label))
}

func (pr PullRequest) check(hasRepo bool) error {
	if pr.Number < 1 {
		return fmt.Errorf("pull_request.number: %d is not the number of a pull request", pr.Number)
	}
	if len(pr.Labels) > maxLabels {
		return fmt.Errorf("pull_request.labels: over %d", maxLabels)
	}
	for _, label := range pr.Labels {
		if err := checkLength("pull_request.labels.name", label); err != nil {
			return err
		}
	}
	if hasRepo {
		if err := checkRepository("pull_request.head.repo", pr.HeadRepo.FullName, pr.HeadRepo.ID); err != nil {
			return err
		}
	}
	return cmp.Or(
		checkHash("pull_request.head.sha", pr.HeadSHA), checkHash("pull_request.base.sha", pr.BaseSHA),
		checkLength("pull_request.head.ref", pr.HeadRef), checkLength("pull_request.base.ref", pr.BaseRef),
	)
}

func (e *Event) takePush(p *payload) error {
	if !strings.HasPrefix(p.Ref, "refs/") {
		return fmt.Errorf("ref: %.100q is not a full ref", p.Ref)
	}
	e.Ref, e.Deleted = p.Ref, p.Deleted
	if !noCommit.MatchString(p.After) {
		e.HeadSHA = p.After
	}
	if !noCommit.MatchString(p.Before) {
		e.BaseSHA = p.Before
	}
	if e.HeadSHA == "" && !e.Deleted {
		return errors.New("after: a push that deletes nothing ends at no commit")
	}
	return cmp.Or(checkLength("ref", p.Ref), checkHash("before", p.Before), checkHash("after", p.After))
}

func (e *Event) takeMergeGroup(g *gh.MergeGroup) error {
	if g == nil {
		return absent("merge_group")
	}
	e.HeadSHA, e.BaseSHA, e.Ref = g.GetHeadSHA(), g.GetBaseSHA(), g.GetHeadRef()
	return cmp.Or(checkHash("merge_group.head_sha", e.HeadSHA), checkHash("merge_group.base_sha", e.BaseSHA), checkLength("merge_group.head_ref", e.Ref))
}

func (e *Event) takeWorkflowRun(p *payload) error {
	w := p.WorkflowRun
	if w == nil {
		return absent("workflow_run")
	}
	if w.ID < 1 {
		return fmt.Errorf("workflow_run.id: %d is not an ID", w.ID)
	}
	e.WorkflowRun, e.HeadSHA = &WorkflowRun{ID: w.ID, HeadSHA: w.HeadSHA, HeadBranch: w.HeadBranch, Event: w.Event, Conclusion: w.Conclusion}, w.HeadSHA
	if from := w.HeadRepository; from != nil {
		if err := checkRepository("workflow_run.head_repository", from.FullName, from.ID); err != nil {
			return err
		}
		e.WorkflowRun.HeadRepoID = from.ID
		e.WorkflowRun.HeadRepoOwner, _, _ = strings.Cut(from.FullName, "/")
	}
	return cmp.Or(
		checkHash("workflow_run.head_sha", w.HeadSHA), checkLength("workflow_run.head_branch", w.HeadBranch), checkLength("workflow_run.event", w.Event),
		checkLength("workflow_run.conclusion", w.Conclusion),
	)
}
