package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Alphabets of what later becomes part of an address or of a command line.
var (
	objectName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	ownerName  = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$`)
	repoName   = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
)

// noCommit matches what stands in a push for a ref that was not there before or is not there after.
var noCommit = regexp.MustCompile(`^0+$`)

// Most that an event may have of these; longer texts are refused, more labels or inputs than GitHub allows as well.
const (
	maxText   = 1 << 16
	maxLabels = 1000
	maxInputs = 100
)

// take fills e from a payload.
func (e *Event) take(p *payload) error {
	e.Action = p.Action
	if err := e.takeRepository(p.Repository); err != nil {
		return err
	}
	switch e.Name {
	case PullRequestEvent:
		return e.takePullRequest(p)
	case PushEvent:
		return e.takePush(p)
	case MergeGroupEvent:
		return e.takeMergeGroup(p.MergeGroup)
	case WorkflowDispatchEvent:
		e.Ref = p.Ref
		return e.takeInputs(p.Inputs)
	case WorkflowRunEvent:
		return e.takeWorkflowRun(p.WorkflowRun)
	}
	return nil // schedule has nothing more that the gate needs
}

// takeRepository holds the payload's repository to the one that the job runs in. A schedule may come without.
func (e *Event) takeRepository(r *repository) error {
	if r == nil {
		if e.Name == ScheduleEvent {
			return nil
		}
		return absent("repository")
	}
	if !strings.EqualFold(r.Owner.Login, e.Repo.Owner) || !strings.EqualFold(r.Name, e.Repo.Name) {
		return fmt.Errorf("repository: %.60q/%.100q is not the %q of GITHUB_REPOSITORY", r.Owner.Login, r.Name, e.Repo.FullName())
	}
	if err := short("repository.default_branch", r.DefaultBranch); err != nil {
		return err
	}
	e.Repo.ID, e.Repo.DefaultBranch, e.Repo.Private = r.ID, r.DefaultBranch, r.Private
	return nil
}

func absent(field string) error { return fmt.Errorf("%s is not there", field) }

func short(field, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("%s has over %d bytes", field, maxText)
	}
	return nil
}

func hash(field, sha string) error {
	if !objectName.MatchString(sha) {
		return fmt.Errorf("%s: %.80q is no commit hash", field, sha)
	}
	return nil
}

func (e *Event) takePullRequest(p *payload) error {
	if p.PullRequest == nil {
		return absent("pull_request")
	}
	pr, err := p.PullRequest.public(e.Repo)
	if err != nil {
		return err
	}
	e.PR, e.HeadSHA, e.BaseSHA = &pr, pr.HeadSHA, pr.BaseSHA
	if p.Label != nil {
		e.Label = p.Label.Name
	}
	return short("label.name", e.Label)
}

func (in *pullRequest) public(base Repo) (PullRequest, error) {
	if in.Number < 1 {
		return PullRequest{}, fmt.Errorf("pull_request.number: %d is no number of a pull request", in.Number)
	}
	out := PullRequest{Number: in.Number, State: in.State, Title: in.Title, Author: in.User.Login, Draft: in.Draft,
		HeadSHA: in.Head.SHA, HeadRef: in.Head.Ref, BaseSHA: in.Base.SHA, BaseRef: in.Base.Ref}
	for _, err := range []error{
		hash("pull_request.head.sha", in.Head.SHA), hash("pull_request.base.sha", in.Base.SHA),
		short("pull_request.title", in.Title), short("pull_request.head.ref", in.Head.Ref), short("pull_request.base.ref", in.Base.Ref),
		short("pull_request.state", in.State), short("pull_request.user.login", in.User.Login),
	} {
		if err != nil {
			return PullRequest{}, err
		}
	}
	if len(in.Labels) > maxLabels {
		return PullRequest{}, fmt.Errorf("pull_request.labels: over %d", maxLabels)
	}
	for _, l := range in.Labels {
		if err := short("pull_request.labels.name", l.Name); err != nil {
			return PullRequest{}, err
		}
		out.Labels = append(out.Labels, l.Name)
	}
	out.Fork = in.Head.Repo == nil || in.Head.Repo.ID != base.ID
	if in.Head.Repo == nil {
		return out, nil
	}
	owner, name, err := in.Head.Repo.names("pull_request.head.repo")
	out.HeadRepo = HeadRepo{FullName: owner + "/" + name, ID: in.Head.Repo.ID}
	return out, err
}

func (r *repository) names(field string) (owner, name string, err error) {
	owner, name, _ = strings.Cut(r.FullName, "/")
	if !ownerName.MatchString(owner) || !repoName.MatchString(name) || r.ID < 1 {
		return "", "", fmt.Errorf("%s: %.150q with ID %d is no repository", field, r.FullName, r.ID)
	}
	return owner, name, nil
}

func (e *Event) takePush(p *payload) error {
	if !strings.HasPrefix(p.Ref, "refs/") {
		return fmt.Errorf("ref: %.100q is no full ref", p.Ref)
	}
	e.Ref, e.Deleted = p.Ref, p.Deleted
	for _, err := range []error{short("ref", p.Ref), hash("before", p.Before), hash("after", p.After)} {
		if err != nil {
			return err
		}
	}
	if !noCommit.MatchString(p.After) {
		e.HeadSHA = p.After
	}
	if !noCommit.MatchString(p.Before) {
		e.BaseSHA = p.Before
	}
	if e.HeadSHA == "" && !e.Deleted {
		return fmt.Errorf("after: a push that deletes nothing ends at no commit")
	}
	return nil
}

func (e *Event) takeMergeGroup(g *mergeGroup) error {
	if g == nil {
		return absent("merge_group")
	}
	e.HeadSHA, e.BaseSHA, e.Ref = g.HeadSHA, g.BaseSHA, g.HeadRef
	for _, err := range []error{
		hash("merge_group.head_sha", g.HeadSHA), hash("merge_group.base_sha", g.BaseSHA), short("merge_group.head_ref", g.HeadRef),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// takeInputs takes inputs of any scalar type as text; GitHub sends booleans and numbers of some forms as such.
func (e *Event) takeInputs(inputs map[string]json.RawMessage) error {
	if len(inputs) > maxInputs {
		return fmt.Errorf("inputs: over %d", maxInputs)
	}
	for name, raw := range inputs {
		var text string
		raw = bytes.TrimSpace(raw)
		switch {
		case bytes.Equal(raw, []byte("null")):
		case raw[0] == '{' || raw[0] == '[':
			return fmt.Errorf("inputs.%.60s is no text, number or switch", name)
		case raw[0] == '"':
			if err := json.Unmarshal(raw, &text); err != nil {
				return err
			}
		default:
			text = string(raw)
		}
		if err := short("inputs."+name[:min(len(name), 60)], text); err != nil {
			return err
		}
		e.Inputs[name] = text
	}
	return short("ref", e.Ref)
}

func (e *Event) takeWorkflowRun(w *workflowRun) error {
	if w == nil {
		return absent("workflow_run")
	}
	if w.ID < 1 {
		return fmt.Errorf("workflow_run.id: %d is no ID", w.ID)
	}
	for _, err := range []error{
		hash("workflow_run.head_sha", w.HeadSHA), short("workflow_run.head_branch", w.HeadBranch), short("workflow_run.name", w.Name),
		short("workflow_run.event", w.Event), short("workflow_run.conclusion", w.Conclusion),
	} {
		if err != nil {
			return err
		}
	}
	out := WorkflowRun{ID: w.ID, Attempt: max(1, w.RunAttempt), Name: w.Name, HeadSHA: w.HeadSHA, HeadBranch: w.HeadBranch,
		Event: w.Event, Conclusion: w.Conclusion}
	if w.HeadRepository != nil {
		owner, name, err := w.HeadRepository.names("workflow_run.head_repository")
		if err != nil {
			return err
		}
		out.HeadRepoID, out.HeadRepoOwner, out.HeadRepoName = w.HeadRepository.ID, owner, owner+"/"+name
	}
	e.WorkflowRun, e.HeadSHA = &out, w.HeadSHA
	return nil
}
