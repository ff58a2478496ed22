package fakegithub

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// PullRequest is a pull request. The zero State is open, the zero BaseRef the default branch.
type PullRequest struct {
	Number           int
	State            string
	Title            string
	Author           string // login
	HeadSHA, HeadRef string
	HeadRepo         HeadRepo // zero: the repository itself
	BaseSHA, BaseRef string
	Labels           []string
	Fork             bool // set by AddPull
}

// HeadRepo is where the head of a pull request lives.
type HeadRepo struct {
	FullName string // owner/name
	ID       int64
}

// pull is a pull request with what happened to it.
type pull struct {
	PullRequest
	events []occurrence
	merged time.Time // zero: it is not
	commit string    // that it was merged as
}

// occurrence is an event of a pull request.
type occurrence struct {
	id       int64
	kind     string // labeled, unlabeled, head_ref_force_pushed, base_ref_changed
	actor    string
	at       time.Time
	label    string
	commitID string
}

// push is a change of a branch.
type push struct {
	repo, ref, before, after, kind, actor string
	id                                    int64
	at                                    time.Time
}

// AddPull opens a pull request and returns its number. A HeadRepo without a name is the repository itself; the push of
// its head is recorded.
func (s *Server) AddPull(pr PullRequest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pr.Number == 0 {
		pr.Number = len(s.pulls) + 1
	}
	if pr.HeadRepo.FullName == "" {
		pr.HeadRepo = HeadRepo{FullName: s.fullName(), ID: s.o.ID}
	}
	pr.State, pr.BaseRef = cmp.Or(pr.State, "open"), cmp.Or(pr.BaseRef, s.o.DefaultBranch)
	pr.Fork = pr.HeadRepo.ID != s.o.ID
	s.pulls[pr.Number] = &pull{PullRequest: pr}
	s.pushed(pr, noCommit, "branch_creation")
	return pr.Number
}

var noCommit = strings.Repeat("0", 40)

func (s *Server) pushed(pr PullRequest, before, kind string) {
	s.pushes = append(s.pushes, push{repo: pr.HeadRepo.FullName, ref: "refs/heads/" + pr.HeadRef, before: before, after: pr.HeadSHA,
		kind: kind, actor: pr.Author, id: s.id(), at: s.tick()})
}

// Push moves the head of a pull request; force leaves the event that a force push leaves.
func (s *Server) Push(number int, sha string, force bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pulls[number]
	before := p.HeadSHA
	p.HeadSHA = sha
	kind := "push"
	if force {
		kind = "force_push"
	}
	s.pushed(p.PullRequest, before, kind)
	if force {
		p.events = append(p.events, occurrence{id: s.id(), kind: "head_ref_force_pushed", actor: p.Author, at: s.now, commitID: sha})
	}
}

// Label applies a label to a pull request.
func (s *Server) Label(number int, label, by string) { s.happen(number, "labeled", label, by) }

// Unlabel takes a label away.
func (s *Server) Unlabel(number int, label, by string) { s.happen(number, "unlabeled", label, by) }

// Retarget changes the base branch.
func (s *Server) Retarget(number int, branch, by string) {
	s.happen(number, "base_ref_changed", "", by)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulls[number].BaseRef = branch
}

// Close closes a pull request.
func (s *Server) Close(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pulls[number].State = "closed"
}

// Merge closes a pull request as merged in a commit, and deletes its branch.
func (s *Server) Merge(number int, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pulls[number]
	p.State, p.commit, p.merged = "closed", commit, s.tick()
	gone := p.PullRequest
	gone.HeadSHA = noCommit
	s.pushed(gone, p.HeadSHA, "branch_deletion")
}

func (s *Server) happen(number int, kind, label, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pulls[number]
	p.events = append(p.events, occurrence{id: s.id(), kind: kind, actor: by, at: s.tick(), label: label})
	p.Labels = slices.DeleteFunc(slices.Clone(p.Labels), func(l string) bool { return l == label })
	if kind == "labeled" {
		p.Labels = append(p.Labels, label)
	}
}

// ForgetPushes empties the list of pushes, as if all of them were too old or not there yet.
func (s *Server) ForgetPushes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes = nil
}

// ForgetLastPush takes the newest entry off the list of pushes, as if it were not there yet.
func (s *Server) ForgetLastPush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes = s.pushes[:max(0, len(s.pushes)-1)]
}

func (p *pull) json(s *Server) map[string]any {
	labels := []map[string]any{}
	for _, l := range p.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	from := owner(p.HeadRepo.FullName)
	head := map[string]any{"ref": p.HeadRef, "sha": p.HeadSHA, "label": from + ":" + p.HeadRef, "user": user(from), "repo": nil}
	if p.HeadRepo.ID != 0 {
		repo := s.repository()
		repo["id"], repo["full_name"], repo["fork"] = p.HeadRepo.ID, p.HeadRepo.FullName, p.Fork
		repo["owner"] = user(from)
		head["repo"] = repo
	}
	base := map[string]any{"ref": p.BaseRef, "sha": p.BaseSHA, "label": s.o.Owner + ":" + p.BaseRef, "user": user(s.o.Owner), "repo": s.repository()}
	out := map[string]any{"number": p.Number, "state": p.State, "title": p.Title, "user": user(p.Author), "draft": false,
		"labels": labels, "head": head, "base": base, "merged_at": nil, "merge_commit_sha": nil}
	if !p.merged.IsZero() {
		out["merged_at"], out["merge_commit_sha"] = stamp(p.merged), p.commit
	}
	return out
}

func owner(fullName string) string {
	name, _, _ := strings.Cut(fullName, "/")
	return name
}

func (s *Server) getPull(c *call, _ Identity) *answer {
	p := s.pulls[int(c.number("pull_number"))]
	if p == nil {
		return notFound()
	}
	return ok(p.json(s))
}

// listPulls lists the newest first. As GitHub does, it takes no notice of a head that is not OWNER:BRANCH.
func (s *Server) listPulls(c *call, _ Identity) *answer {
	state := cmp.Or(c.URL.Query().Get("state"), "open")
	from, branch, filtered := strings.Cut(c.URL.Query().Get("head"), ":")
	return list(s, c, "", backward(slices.Sorted(maps.Keys(s.pulls))), func(number int) bool {
		p := s.pulls[number]
		return (state == "all" || p.State == state) && (!filtered || branch == "" || owner(p.HeadRepo.FullName) == from && p.HeadRef == branch)
	}, func(number int, s *Server) map[string]any { return s.pulls[number].json(s) })
}

func (s *Server) listEvents(c *call, _ Identity) *answer {
	p := s.pulls[int(c.number("issue_number"))]
	if p == nil {
		return notFound()
	}
	return list(s, c, "", slices.Values(p.events), every, func(e occurrence, _ *Server) map[string]any {
		one := map[string]any{"id": e.id, "event": e.kind, "actor": user(e.actor), "created_at": stamp(e.at), "commit_id": nil, "commit_url": nil}
		if e.label != "" {
			one["label"] = map[string]any{"name": e.label, "color": "ededed"}
		}
		return one
	})
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// listActivities lists the newest first.
func (s *Server) listActivities(c *call, _ Identity) *answer {
	repo, ref := c.text("owner")+"/"+c.text("repo"), c.URL.Query().Get("ref")
	known := repo == s.fullName()
	for _, p := range s.pulls {
		known = known || p.HeadRepo.FullName == repo
	}
	if !known {
		return notFound()
	}
	return list(s, c, "", backward(s.pushes), func(one push) bool {
		return one.repo == repo && (ref == "" || one.ref == ref || one.ref == "refs/heads/"+ref)
	}, func(one push, _ *Server) map[string]any {
		return map[string]any{"id": one.id, "node_id": "x", "before": one.before, "after": one.after, "ref": one.ref,
			"timestamp": stamp(one.at), "activity_type": one.kind, "actor": user(one.actor)}
	})
}
