package event

import "encoding/json"

// payload has the fields in use of all payloads together. Fields that are absent or null stay zero.
type payload struct {
	Action      string                     `json:"action"`
	Repository  *repository                `json:"repository"`
	PullRequest *pullRequest               `json:"pull_request"`
	Label       *label                     `json:"label"`
	Ref         string                     `json:"ref"`
	Before      string                     `json:"before"`
	After       string                     `json:"after"`
	Deleted     bool                       `json:"deleted"`
	MergeGroup  *mergeGroup                `json:"merge_group"`
	WorkflowRun *workflowRun               `json:"workflow_run"`
	Inputs      map[string]json.RawMessage `json:"inputs"`
}

type repository struct {
	ID            int64   `json:"id"`
	Name          string  `json:"name"`
	FullName      string  `json:"full_name"`
	Private       bool    `json:"private"`
	DefaultBranch string  `json:"default_branch"`
	Owner         account `json:"owner"`
}

type account struct {
	Login string `json:"login"`
}

type label struct {
	Name string `json:"name"`
}

type pullRequest struct {
	Number int     `json:"number"`
	State  string  `json:"state"`
	Title  string  `json:"title"`
	Draft  bool    `json:"draft"`
	User   account `json:"user"`
	Head   branch  `json:"head"`
	Base   branch  `json:"base"`
	Labels []label `json:"labels"`
}

type branch struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo *repository `json:"repo"` // null if the fork is gone
}

type mergeGroup struct {
	HeadSHA string `json:"head_sha"`
	HeadRef string `json:"head_ref"`
	BaseSHA string `json:"base_sha"`
}

type workflowRun struct {
	ID             int64       `json:"id"`
	RunAttempt     int         `json:"run_attempt"`
	Name           string      `json:"name"`
	HeadSHA        string      `json:"head_sha"`
	HeadBranch     string      `json:"head_branch"`
	Event          string      `json:"event"`
	Conclusion     string      `json:"conclusion"`
	HeadRepository *repository `json:"head_repository"`
}
