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
)

// forkForm is the way to measure pull requests of strangers.
const forkForm = "perfgate init --github --forks writes the workflows that measure pull requests from forks without a token and report in a job that runs none of their code"

// known refuses an event that the gate does nothing on, most of all one that runs with a token that may write for somebody who may
// not.
func (j Job) known() error {
	name := j.Env("GITHUB_EVENT_NAME")
	switch {
	case name == "" || slices.Contains(github.EventNames, name):
		return nil
	case name == "pull_request_target" || name == "issue_comment" || strings.HasPrefix(name, "pull_request_review"):
		return usagef("on %s nothing is built: the job has the token and the secrets of this repository, whoever started it, and code of a fork would run beside them. Use pull_request; %s", name, forkForm)
	}
	return usagef("GITHUB_EVENT_NAME: %.60q is no event that the gate acts on; use one of %s", name, strings.Join(github.EventNames, ", "))
}

// builds says whether a mode compiles and runs code.
func builds(mode string) bool {
	return mode == ModeGate || mode == ModeMeasure || mode == ModeRecord
}

// noStranger refuses to build, and to store, what somebody made who may not write to the repository, in a job that has a token. Such
// a job is for the people who may write anyway: the sandbox is one layer, and no more.
func (j Job) noStranger(ctx context.Context, mode string, e github.Event, in Inputs) error {
	if in.AllowForks || !builds(mode) && mode != ModeStore {
		return nil
	}
	token, err := j.tokenBeside(ctx, mode, in)
	if err != nil || token == "" {
		return err
	}
	who, err := j.stranger(ctx, e)
	if err != nil || who == "" {
		return err
	}
	return usagef("%s is not run in a job that has %s: its code could use whatever the job may do. %s; allow-forks: true runs it here all the same", who, token, forkForm)
}

// tokenBeside names the token that a mode has while code is built, "" if it has none. Gate and record are made for one.
func (j Job) tokenBeside(ctx context.Context, mode string, in Inputs) (string, error) {
	if mode != ModeMeasure || in.Token != "" {
		return "a token (mode: " + mode + ")", nil
	}
	kept, err := gitIn(j.Dir).keepsCredentials(ctx)
	if err != nil || !kept {
		return "", err
	}
	return "the token that actions/checkout has kept (persist-credentials: false keeps none)", nil
}

// stranger names a head that may be of somebody who may not write to the repository, "" if it is not.
func (j Job) stranger(ctx context.Context, e github.Event) (string, error) {
	switch {
	case e.PR != nil && e.PR.Fork:
		return fmt.Sprintf("pull request %d from %s", e.PR.Number, cmp.Or(e.PR.HeadRepo.FullName, "a repository that is gone")), nil
	case e.PR != nil || e.HeadSHA != "":
		return "", nil
	}
	// A dispatch and a schedule are about what is checked out, which the workflow may have taken from anywhere.
	head, err := gitIn(j.Dir).Commit(ctx, "HEAD")
	if err != nil || head == "" || head == j.Env("GITHUB_SHA") {
		return "", err
	}
	other, err := gitIn(j.Dir).elsewhere(ctx, e)
	if err != nil {
		return "", err
	}
	if other != "" {
		return fmt.Sprintf("commit %.12s of %s", head, other), nil
	}
	ours, err := gitIn(j.Dir).onBranch(ctx, head)
	if err != nil || ours {
		return "", err
	}
	return fmt.Sprintf("commit %.12s, which is on no branch of %s and may be a fork's,", head, e.Repo.FullName()), nil
}

// onBranch says whether a commit is on a branch of origin, or behind a tag, which forks cannot push.
func (g git) onBranch(ctx context.Context, commit string) (bool, error) {
	refs, err := g.Run(ctx, "for-each-ref", "--count=1", "--format=x", "--contains", commit, "refs/remotes/origin", "refs/tags")
	return refs != "", err
}

// keepsCredentials says whether git would send a credential of the job's: a checkout that is not told otherwise leaves one.
func (g git) keepsCredentials(ctx context.Context) (bool, error) {
	names, err := g.Run(ctx, "config", "--includes", "--name-only", "--get-regexp", `^http\..*\.extraheader$`)
	if repo.SaidNo(err) { // there is none
		return false, nil
	}
	return names != "", err
}

// elsewhere names the repository that the checkout is of where that is not the event's: its branches are somebody else's, so neither
// the tip of the base branch nor records can be read there. Addresses of other hosts, such as mirrors, say nothing.
func (g git) elsewhere(ctx context.Context, e github.Event) (string, error) {
	text, err := g.Run(ctx, "config", "--get", "remote.origin.url")
	if repo.SaidNo(err) {
		return "", nil
	}
	host, name := remote(text)
	server, _ := url.Parse(e.ServerURL)
	switch {
	case err != nil || name == "" || strings.EqualFold(name, e.Repo.FullName()):
		return "", err
	case e.PR != nil && strings.EqualFold(name, e.PR.HeadRepo.FullName), server != nil && strings.EqualFold(host, server.Hostname()):
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
