package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// githubFlags are the flags of init that are about workflows.
type githubFlags struct {
	GitHub         bool
	RunsOn         []string
	ActionRef      string
	BaselineBranch string
	Forks          bool
	Shards         int
	MachineLabels  []string
	Precheck       bool
	Arch           string
	PrecheckImage  string
}

// writeWorkflows writes the workflows into the repository around the current folder.
func writeWorkflows(ctx context.Context, s *streams, f githubFlags) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	root, err := repo.Repository(ctx, cwd)
	if repo.KindOf(err) == repo.NoGit {
		return errors.New("git is needed to find the root of the repository, and is not on the PATH")
	} else if err != nil {
		return err
	}
	opt := action.WorkflowOptions{
		RunsOn: f.RunsOn, Branch: f.BaselineBranch, DefaultBranch: defaultBranchName(ctx, root), ActionRef: f.ActionRef, Forks: f.Forks, Shards: f.Shards, Machines: f.MachineLabels,
		Precheck: f.Precheck, Arch: f.Arch, PrecheckImage: f.PrecheckImage,
	}
	if opt.Branch == opt.DefaultBranch {
		return result.Usagef("--baseline-branch %s is the default branch: records need a branch of their own, such as perfgate-baseline; nothing was written", opt.Branch)
	}
	pin(&opt)
	files, err := action.Workflows(opt)
	if err != nil {
		return result.Usage(err)
	}
	if _, err := writeNew(s, root, files); err != nil {
		return err
	}
	return nextSteps(s.out, root, opt)
}

// placeholder stands for the commit of the action where this program knows none.
const placeholder = "PERFGATE_COMMIT"

var (
	hash       = regexp.MustCompile(`^[0-9a-f]{40}$`)
	releaseTag = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)
)

// pin names what of the action the workflows use, unless the user does. A program that was released names its release: a commit cannot be known to
// the binaries that it states the hashes of. Any other names the commit that it was built from, which jobs then build as well.
func pin(opt *action.WorkflowOptions) {
	released := releaseTag.MatchString(versionText())
	if opt.ActionRef != "" {
		opt.FromSource = !released && hash.MatchString(opt.ActionRef)
		return
	}
	opt.FromSource, opt.ActionRef = !released, versionText()
	if !released {
		opt.ActionRef = cmp.Or(builtFrom(), placeholder)
	}
}

// builtFrom is the commit that this program was built from; "" where the build does not tell or had changes of its own.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && hash.MatchString(s.Value):
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return commit
}

func nextSteps(w io.Writer, root string, opt action.WorkflowOptions) error {
	if _, err := os.Stat(filepath.Join(root, config.DefaultFile)); err != nil {
		fmt.Fprintf(w, "\nthere is no %s at the root of the repository yet: perfgate init writes one, the input config names another place\n", config.DefaultFile)
	}
	switch {
	case opt.ActionRef == placeholder:
		fmt.Fprintf(w, "\nthis perfgate was not released and does not know the commit that it was built from: in the place of %s put a commit of github.com/%s, "+
			"which jobs then build. For the newest:\n  sed -i \"s/%[1]s/$(git ls-remote https://github.com/%[2]s HEAD | cut -f 1)/\" .github/workflows/perfgate*.yml\n",
			placeholder, action.Repository)
	case opt.FromSource:
		fmt.Fprintf(w, "\nthis perfgate was not released: the workflows build it at commit %s, which has to be on github.com/%s. With a release, "+
			"delete them and write them with the released perfgate: jobs then download its binary, checked against the SHA-256 in the action, and need no Go\n",
			opt.ActionRef, action.Repository)
	case releaseTag.MatchString(opt.ActionRef):
		fmt.Fprintf(w, "\nthe workflows name the release %s, whose tag cannot be moved. Where commits are required: "+
			"git ls-remote https://github.com/%s %[1]s names its commit, for --action-ref\n", opt.ActionRef, action.Repository)
	}
	others, err := otherForm(root, opt)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		fmt.Fprintf(w, "\ndelete %s: with another form beside this one, every pull request would be measured twice\n", strings.Join(others, " and "))
	}
	required := `check "perfgate"`
	if opt.Forks {
		required = `status "perfgate/verdict"`
	}
	_, err = fmt.Fprintf(w, `
then: commit and push them, make the label perfgate-accept, and require the %s on %s (docs/github.md)
`, required, opt.DefaultBranch)
	return err
}

// otherForm are the workflows in the repository that the form with or without --forks has and the one asked for has not.
func otherForm(root string, opt action.WorkflowOptions) ([]string, error) {
	mine, err := action.Workflows(opt)
	if err != nil {
		return nil, err
	}
	opt.Forks = !opt.Forks
	theirs, err := action.Workflows(opt)
	if err != nil {
		return nil, err
	}
	var existing []string
	for _, path := range slices.Sorted(maps.Keys(theirs)) {
		if _, ok := mine[path]; ok {
			continue
		}
		if _, err := os.Lstat(filepath.Join(root, path)); err == nil {
			existing = append(existing, path)
		}
	}
	return existing, nil
}

// defaultBranchName is the branch that a run finds its merge base with, else the branch that is checked out, else main. What
// is checked out comes late because workflows are often added on a branch of their own.
func defaultBranchName(ctx context.Context, root string) string {
	if branch, err := repo.DefaultBranch(ctx, root); err == nil {
		return branch
	}
	if branch, err := (repo.Git{Dir: root}).Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		return branch
	}
	return "main"
}
