package github

import "time"

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
// needs. https://docs.github.com/webhooks/webhook-events-and-payloads describes the payloads.
//
// Everything comes from the payload. GITHUB_SHA is never read: in a pull_request run it is a merge commit that no person
// wrote, in a workflow_run the head of the default branch. All texts are untrusted: the author of a pull request chooses
// branch names and labels. Commit hashes, owners and repository names are checked against their alphabets.
type Event struct {
	Name    string // one of EventNames
	Action  string // such as opened, synchronize, labeled, completed; "" for events that have none
	Repo    Repo   // the repository that the workflow runs in
	PR      *PullRequest
	HeadSHA string // what to measure: 40 or 64 hex digits; "" for workflow_dispatch and schedule, whose payloads name none
	BaseSHA string // what to compare with; "" for a push that creates a branch, for workflow_dispatch and schedule
	Ref     string // refs/heads/x or refs/tags/x: pushed, dispatched on, or the head of a merge group
	Deleted bool   // a push that removes Ref: there is no head
	Label   string // added or removed, with action labeled or unlabeled

	RunID      int64  // of the running workflow
	RunAttempt int    // from 1
	ServerURL  string // such as https://github.com, no slash at the end
	APIURL     string // such as https://api.github.com, no slash at the end

	WorkflowRun *WorkflowRun
}

// Repo is a repository.
type Repo struct {
	Owner         string
	Name          string
	ID            int64
	DefaultBranch string
}

// FullName is owner/name.
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// PullRequest is a pull request at the moment of the event, or of the answer of the API.
type PullRequest struct {
	Number   int
	HeadSHA  string
	HeadRef  string   // branch, without refs/heads/
	HeadRepo HeadRepo // zero if the fork was deleted
	BaseSHA  string
	BaseRef  string // branch, without refs/heads/
	Labels   []string
	Fork     bool // head is in another repository than base, or in one that is gone
	MergedAt time.Time
	MergeSHA string // the commit that it was merged as, where MergedAt is set
}

// HeadRepo is where the head of a pull request lives.
type HeadRepo struct {
	FullName string // owner/name
	ID       int64
}

// WorkflowRun is the run whose end started this one. Its artifacts were written by code that a pull request may rule
// over: nothing but these fields is known of it.
type WorkflowRun struct {
	ID            int64
	HeadSHA       string
	HeadBranch    string
	HeadRepoID    int64 // 0 if the fork was deleted
	HeadRepoOwner string
	Event         string // that started it, such as pull_request
	Conclusion    string // success, failure, cancelled, …
}
