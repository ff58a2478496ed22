package github

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
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
	text, err := untrusted.ReadLinked(path, maxPayload)
	if err != nil {
		return Event{}, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return Event{}, fmt.Errorf("payload of %s: not the JSON that GitHub writes: %w", e.Name, err)
	}
	if err := e.check(env("GITHUB_REPOSITORY")); err != nil {
		return Event{}, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	return e, nil
}

func missing(variable string) error {
	return fmt.Errorf("%s is not set: this runs in a job of GitHub Actions, which sets it", variable)
}

// fromEnv reads what the payload does not have, or may lack.
func fromEnv(env func(string) string) (Event, error) {
	e := Event{Name: env("GITHUB_EVENT_NAME"), Repo: Repo{FullName: env("GITHUB_REPOSITORY")}}
	if e.Name == "" {
		return e, missing("GITHUB_EVENT_NAME")
	}
	if !slices.Contains(EventNames, e.Name) {
		return e, fmt.Errorf("GITHUB_EVENT_NAME: %.60q is not an event that the gate acts on; use one of %s", e.Name, strings.Join(EventNames, ", "))
	}
	if e.Repo.Owner.Login, e.Repo.Name, _ = strings.Cut(e.Repo.FullName, "/"); !isRepository(e.Repo.FullName) {
		return e, fmt.Errorf("GITHUB_REPOSITORY: %.100q is not owner/name", e.Repo.FullName)
	}
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
	objectName = text.Pattern(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	fullName   = text.Pattern(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?/[A-Za-z0-9._-]{1,100}$`)
)

func isRepository(name string) bool { return fullName().MatchString(name) }

// noCommit matches what stands in a push for a ref that was not there before or is not there after.
var noCommit = text.Pattern(`^0+$`)

// Most that an event may have of these; longer texts are refused, more labels than GitHub allows as well.
const (
	maxText   = 1 << 16
	maxLabels = 1000
)

// check refuses a payload that is not as GitHub writes it, and finds the commits that it is about. GITHUB_REPOSITORY is where the job runs.
func (e *Event) check(repository string) error {
	if e.Name != EventPullRequest {
		e.PR = nil
	}
	owner, name, _ := strings.Cut(repository, "/")
	if !strings.EqualFold(e.Repo.Owner.Login, owner) || !strings.EqualFold(e.Repo.Name, name) {
		return fmt.Errorf("repository: %.60q/%.100q is not the %q of GITHUB_REPOSITORY", e.Repo.Owner.Login, e.Repo.Name, repository)
	}
	e.Repo.FullName = repository
	err := checkTexts(map[string]string{"ref": e.Ref, "repository.default_branch": e.Repo.DefaultBranch, "label.name": e.Label.Name, "action": e.Action})
	if err != nil {
		return err
	}
	if e.Repo.ID == 0 && e.Name != EventSchedule { // whose payload may have none
		return absent("repository")
	}
	switch e.Name {
	case EventPullRequest:
		return e.checkPullRequest()
	case EventPush:
		return e.checkPush()
	case EventMergeGroup:
		return e.checkMergeGroup()
	case EventWorkflowRun:
		return e.checkWorkflowRun()
	}
	return nil
}

func absent(field string) error { return fmt.Errorf("%s is not there", field) }

func checkTexts(texts map[string]string) error {
	for field, text := range texts {
		if len(text) > maxText {
			return fmt.Errorf("%s has over %d bytes", field, maxText)
		}
	}
	return nil
}

func checkHash(field, sha string) error {
	if !objectName().MatchString(sha) {
		return fmt.Errorf("%s: %.80q is not a commit hash", field, sha)
	}
	return nil
}

// checkRepo lets one pass that is gone.
func checkRepo(field string, r Repo) error {
	if r != (Repo{}) && (!isRepository(r.FullName) || r.ID < 1) {
		return fmt.Errorf("%s: %.150q with ID %d is not a repository", field, r.FullName, r.ID)
	}
	return nil
}

func (e *Event) checkPullRequest() error {
	pr := e.PR
	if pr == nil {
		return absent("pull_request")
	}
	e.HeadSHA, e.BaseSHA, pr.Base.Repo = pr.Head.SHA, pr.Base.SHA, e.Repo
	if pr.Number < 1 {
		return fmt.Errorf("pull_request.number: %d is not the number of a pull request", pr.Number)
	}
	if len(pr.Labels) > maxLabels {
		return fmt.Errorf("pull_request.labels: over %d", maxLabels)
	}
	for _, label := range pr.Labels {
		if err := checkTexts(map[string]string{"pull_request.labels.name": label.Name}); err != nil {
			return err
		}
	}
	return cmp.Or(
		checkRepo("pull_request.head.repo", pr.Head.Repo), checkHash("pull_request.head.sha", pr.Head.SHA), checkHash("pull_request.base.sha", pr.Base.SHA),
		checkTexts(map[string]string{"pull_request.head.ref": pr.Head.Ref, "pull_request.base.ref": pr.Base.Ref}),
	)
}

func (e *Event) checkPush() error {
	if !strings.HasPrefix(e.Ref, "refs/") {
		return fmt.Errorf("ref: %.100q is not a full ref", e.Ref)
	}
	if !noCommit().MatchString(e.After) {
		e.HeadSHA = e.After
	}
	if !noCommit().MatchString(e.Before) {
		e.BaseSHA = e.Before
	}
	if e.HeadSHA == "" && !e.Deleted {
		return errors.New("after: a push that deletes nothing ends at no commit")
	}
	return cmp.Or(checkHash("before", e.Before), checkHash("after", e.After))
}

func (e *Event) checkMergeGroup() error {
	g := e.MergeGroup
	if g == nil {
		return absent("merge_group")
	}
	e.HeadSHA, e.BaseSHA, e.Ref = g.HeadSHA, g.BaseSHA, g.HeadRef
	return cmp.Or(checkHash("merge_group.head_sha", g.HeadSHA), checkHash("merge_group.base_sha", g.BaseSHA), checkTexts(map[string]string{"merge_group.head_ref": g.HeadRef}))
}

func (e *Event) checkWorkflowRun() error {
	w := e.WorkflowRun
	if w == nil {
		return absent("workflow_run")
	}
	if w.ID < 1 {
		return fmt.Errorf("workflow_run.id: %d is not an ID", w.ID)
	}
	e.HeadSHA = w.HeadSHA
	return cmp.Or(
		checkRepo("workflow_run.head_repository", w.HeadRepo), checkHash("workflow_run.head_sha", w.HeadSHA),
		checkTexts(map[string]string{"workflow_run.head_branch": w.HeadBranch, "workflow_run.event": w.Event, "workflow_run.conclusion": w.Conclusion}),
	)
}
