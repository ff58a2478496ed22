package github

import (
	"slices"
	"strings"
	"time"
)

// Names of the events that the gate acts on.
const (
	EventPullRequest      = "pull_request"
	EventPush             = "push"
	EventMergeGroup       = "merge_group"
	EventWorkflowDispatch = "workflow_dispatch"
	EventSchedule         = "schedule"
	EventWorkflowRun      = "workflow_run"
)

// EventNames lists the events that ReadEvent accepts.
var EventNames = []string{EventPullRequest, EventPush, EventMergeGroup, EventWorkflowDispatch, EventSchedule, EventWorkflowRun}

// Event is what started a workflow run: the payload that GitHub writes for every event, checked and cut down to what the gate
// needs. https://docs.github.com/webhooks/webhook-events-and-payloads describes the payloads. Fields that are absent or null stay zero.
//
// Everything comes from the payload. GITHUB_SHA is never read: in a pull_request run it is a merge commit that no person
// wrote, in a workflow_run the head of the default branch. All texts are untrusted: the author of a pull request chooses
// branch names and labels. Commit hashes, owners and repository names are checked against their alphabets.
type Event struct {
	Name       string `json:"-"` // one of EventNames
	RunID      int64  `json:"-"` // of the running workflow
	RunAttempt int    `json:"-"` // from 1
	ServerURL  string `json:"-"` // such as https://github.com, no slash at the end
	APIURL     string `json:"-"` // such as https://api.github.com, no slash at the end

	HeadSHA string `json:"-"` // what to measure: 40 or 64 hex digits; "" for workflow_dispatch and schedule, whose payloads name none
	BaseSHA string `json:"-"` // what to compare with; "" for a push that creates a branch, for workflow_dispatch and schedule

	Action      string       `json:"action"`     // such as opened, synchronize, labeled, completed; "" for events that have none
	Repo        Repo         `json:"repository"` // that the workflow runs in
	PR          *PullRequest `json:"pull_request"`
	Label       Label        `json:"label"`   // added or removed, with action labeled or unlabeled
	Ref         string       `json:"ref"`     // refs/heads/x or refs/tags/x: pushed, dispatched on, or the head of a merge group
	Deleted     bool         `json:"deleted"` // a push that removes Ref: there is no head
	WorkflowRun *WorkflowRun `json:"workflow_run"`

	// Read into HeadSHA, BaseSHA and Ref.
	Before     string      `json:"before"`
	After      string      `json:"after"`
	MergeGroup *mergeGroup `json:"merge_group"`
}

type mergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
}

// Repo is a repository. The zero value is none, such as a fork that was deleted.
type Repo struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"` // owner/name
	DefaultBranch string `json:"default_branch"`
	Owner         User   `json:"owner"`
}

// User is an account.
type User struct {
	Login string `json:"login"`
}

// Label is a label of a pull request.
type Label struct {
	Name string `json:"name"`
}

// Is says whether the label is the one of a name. GitHub has one of a name, in whatever letters.
func (l Label) Is(name string) bool { return strings.EqualFold(l.Name, name) }

// PullRequest is a pull request at the moment of the event, or of the answer of the API.
type PullRequest struct {
	Number   int       `json:"number"`
	Head     End       `json:"head"`
	Base     End       `json:"base"`
	Labels   []Label   `json:"labels"`
	MergedAt time.Time `json:"merged_at"`
	MergeSHA string    `json:"merge_commit_sha"` // the commit that it was merged as, where MergedAt is set; else a merge that GitHub tries out
}

// End is a branch that a pull request is from, or into.
type End struct {
	SHA  string `json:"sha"`
	Ref  string `json:"ref"` // branch, without refs/heads/
	Repo Repo   `json:"repo"`
}

// HasLabel says whether the pull request has the label of a name.
func (pr PullRequest) HasLabel(name string) bool {
	return slices.ContainsFunc(pr.Labels, func(l Label) bool { return l.Is(name) })
}

// Fork says whether head is in another repository than base, or in one that is gone. The ID decides: names can be taken over.
func (pr PullRequest) Fork() bool { return pr.Head.Repo.ID == 0 || pr.Head.Repo.ID != pr.Base.Repo.ID }

// WorkflowRun is the run whose end started this one. Its artifacts were written by code that a pull request may rule
// over: nothing but these fields is known of it.
type WorkflowRun struct {
	ID         int64  `json:"id"`
	HeadSHA    string `json:"head_sha"`
	HeadBranch string `json:"head_branch"`
	HeadRepo   Repo   `json:"head_repository"`
	Event      string `json:"event"`      // that started it, such as pull_request
	Conclusion string `json:"conclusion"` // success, failure, cancelled, …
}
