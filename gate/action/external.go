package action

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// forkWorkflows is the way to measure pull requests of external contributors.
const forkWorkflows = "perfgate init --github --forks writes the workflows that measure pull requests from forks without a token and report in a job that runs none of their code"

// refuseEvent refuses an event that the gate does nothing on, most of all one that runs with a token that may write, for people who
// may not.
func refuseEvent(name string) error {
	switch {
	case name == "" || slices.Contains(github.EventNames, name):
		return nil
	case name == "pull_request_target" || name == "issue_comment" || strings.HasPrefix(name, "pull_request_review"):
		return result.Usagef("on %s nothing is built: the job has the token and the secrets of this repository, whoever started it, "+
			"and code of a fork would run next to them. Use pull_request; %s", name, forkWorkflows)
	}
	return result.Usagef("GITHUB_EVENT_NAME: %.60q is not an event that the gate acts on; use one of %s", name, strings.Join(github.EventNames, ", "))
}

// refuseExternal refuses to build, and to store, what comes from people who may not write to the repository, in a job that has a
// token. Such a job is for those who may write anyway: the sandbox is one layer, and no more.
func (s *step) refuseExternal(ctx context.Context) error {
	if s.in.RunForkCode || !s.does.builds && !s.does.saves {
		return nil
	}
	token, err := s.tokenAtHand(ctx)
	if err != nil || token == "" {
		return err
	}
	who, err := s.external(ctx)
	if err != nil || who == "" {
		return err
	}
	return result.Usagef("%s is not run in a job that has %s: its code could use whatever the job may do. %s; run-fork-code-with-token: true runs it here all the same", who, token, forkWorkflows)
}

// tokenAtHand names the token that a mode has while code is built, "" if it has none. Gate and record are made for one.
func (s *step) tokenAtHand(ctx context.Context) (string, error) {
	if s.does.name != ModeMeasure || s.in.Token != "" {
		return "a token (mode: " + s.does.name + ")", nil
	}
	// A checkout that is not told otherwise leaves a credential, which git would send.
	names, err := s.git().Run(ctx, "config", "--includes", "--name-only", "--get-regexp", `^http\..*\.extraheader$`)
	switch {
	case repo.SaidNo(err): // there is none
		return "", nil
	case err != nil || names == "":
		return "", err
	}
	return "the token that actions/checkout has kept (persist-credentials: false keeps none)", nil
}

// external names a head that may come from people who may not write to the repository, "" if it does not.
func (s *step) external(ctx context.Context) (string, error) {
	switch pr := s.event.PR; {
	case pr != nil && pr.Fork():
		return fmt.Sprintf("pull request %d from %s", pr.Number, cmp.Or(pr.Head.Repo.FullName, "a repository that is gone")), nil
	case pr != nil || s.event.HeadSHA != "":
		return "", nil
	}
	// A dispatch and a schedule are about what is checked out, which the workflow may have taken from anywhere.
	head, err := s.git().Commit(ctx, "HEAD")
	if err != nil || head == "" || head == s.Env("GITHUB_SHA") {
		return "", err
	}
	other, err := s.foreignOrigin(ctx)
	if err != nil {
		return "", err
	}
	if other != "" {
		return fmt.Sprintf("commit %.12s of %s", head, other), nil
	}
	own, err := s.onBranch(ctx, head)
	if err != nil || own {
		return "", err
	}
	return fmt.Sprintf("commit %.12s, which is on no branch of %s and may be a fork's,", head, s.event.Repo.FullName), nil
}

// onBranch says whether a commit is on a branch of origin, or behind a tag: forks can push neither.
func (s *step) onBranch(ctx context.Context, commit string) (bool, error) {
	refs, err := s.git().Run(ctx, "for-each-ref", "--count=1", "--format=x", "--contains", commit, "refs/remotes/origin", "refs/tags")
	return refs != "", err
}

// foreignOrigin names the repository that the checkout is of where that is not the event's: its branches are others', so neither
// the tip of the base branch nor records can be read there. Addresses of other hosts, such as mirrors, say nothing.
func (s *step) foreignOrigin(ctx context.Context) (string, error) {
	text, err := s.git().Run(ctx, "config", "--get", "remote.origin.url")
	if repo.SaidNo(err) {
		return "", nil
	}
	e := s.event
	host, name := remote(text)
	server, _ := url.Parse(e.ServerURL)
	switch {
	case err != nil || name == "" || strings.EqualFold(name, e.Repo.FullName):
		return "", err
	case e.PR != nil && strings.EqualFold(name, e.PR.Head.Repo.FullName), server != nil && strings.EqualFold(host, server.Hostname()):
		return name, nil
	}
	return "", nil
}

// remote takes the address of a repository apart: its host, and owner/name. Both forms of SSH addresses are known.
func remote(address string) (host, name string) {
	path := address
	if u, err := url.Parse(address); err == nil && strings.Contains(address, "://") {
		host, path = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok && !strings.Contains(before, "/") {
		host, path = before[strings.LastIndexByte(before, '@')+1:], after
	}
	words := strings.Split(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
	if len(words) < 2 {
		return host, ""
	}
	return host, strings.Join(words[len(words)-2:], "/")
}
