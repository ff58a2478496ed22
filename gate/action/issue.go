package action

import (
	"context"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels"
)

// issueKey is what the issue of a machine is found by: its gate's name, which the workflow gives, since what measured says of itself is untrusted.
func (s *step) issueKey() string { return "drift " + s.in.Name }

// toldByIssue keeps the issue that a mode has something to say in. Only a run of the default branch does, which nobody without write access starts.
func (s *step) toldByIssue(ctx context.Context, p *publication) error {
	trusted := false
	switch s.event.Name { // as the runner has it
	case github.EventSchedule: // runs on the default branch
		trusted = true
	case github.EventPush, github.EventWorkflowDispatch:
		trusted = s.event.Repo.DefaultBranch != "" && s.Env("GITHUB_REF") == "refs/heads/"+s.event.Repo.DefaultBranch
	}
	switch {
	case p.issue == nil:
		return nil
	case !trusted:
		s.Log.Print("the issue stays as it is: this is not a run of the default branch\n")
		return nil
	}
	open, err := s.client.OpenIssue(ctx, s.issueKey(), s.in.CommentAuthor)
	if err != nil {
		return err
	}
	return p.issue(ctx, p, open)
}

// driftIssue opens the machine's issue where a drift check found something, edits it while it does, and closes it when two sessions in a row that could
// have seen it were clean.
func (s *step) driftIssue(r *drift.Report) func(context.Context, *publication, github.Issue) error {
	shard := func(part string) string { return github.Marker("drift of " + part) }
	anywhere, own := shard("the machine"), shard(fmt.Sprintf("shard %d/%d", r.Part.Index, r.Part.Of))
	clean, run := github.Marker("clean"), github.Marker(fmt.Sprint("clean in run ", s.event.RunID))
	end := github.Marker(s.issueKey())
	return func(ctx context.Context, p *publication, open github.Issue) error {
		meta := p.meta
		meta.Key = s.issueKey()
		with := func(body string, lines ...string) string {
			return strings.TrimSuffix(strings.TrimRight(body, "\r\n "), end) + strings.Join(append(lines, end), "\n") + "\n"
		}
		next := github.Issue{
			Number: open.Number, Key: s.issueKey(), Author: s.in.CommentAuthor, Title: "Performance drift: " + s.in.Name, Labels: s.in.IssueLabels, Assignees: s.in.IssueAssignees,
		}
		body := func() string { return github.RenderComment(report.DriftIssue(r, bisectCommands(r)), meta) }
		switch {
		case r.Exit != result.ExitPassed && r.OfMachine():
			next.Body = with(body(), anywhere)
		case r.Exit != result.ExitPassed:
			next.Body = with(body(), own)
		case open.Number == 0 || !strings.Contains(open.Body, own) && !strings.Contains(open.Body, anywhere) || strings.Contains(open.Body, run):
			return nil // it has been clean, it was found in other cases, or this run has said so already
		case strings.Contains(open.Body, clean):
			next.Body, next.Close = with(body(), own), true
		default:
			next.Body = with(open.Body, "", "The session of run "+fmt.Sprint(s.event.RunID)+" was clean. Another one closes this.", "", clean, run)
		}
		at, err := s.client.KeepIssue(ctx, next)
		if err == nil {
			s.Log.Print("the issue of this machine is " + at + "\n")
		}
		return err
	}
}

// bisectCommands find the commits of what a drift check found. What they name is the word of the job that measured.
func bisectCommands(r *drift.Report) (commands []string) {
	for _, f := range r.Against() {
		if f.Case != "" && f.After != "" {
			commands = append(commands, fmt.Sprintf("perfgate bisect --case %s %s %s", kernels.ShellWord(f.Case), kernels.ShellWord(f.After), kernels.ShellWord(r.Commit)))
		}
	}
	return commands
}

// searchIssue says under the machine's issue, if one is open, what a search found.
func (s *step) searchIssue(r *search.Bisection) func(context.Context, *publication, github.Issue) error {
	return func(ctx context.Context, p *publication, open github.Issue) error {
		if open.Number == 0 {
			return nil
		}
		meta := p.meta
		meta.Key = fmt.Sprintf("bisect %s %s", r.Good, r.Bad)
		_, err := s.client.UpsertComment(ctx, github.Comment{
			PR: open.Number, Needs: "issues: write", Key: meta.Key, Author: s.in.CommentAuthor, Body: github.RenderComment(p.document, meta), Create: true,
		})
		return err
	}
}
