package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/workflows"
	"github.com/org/perfgate/kernels"
)

// githubFlags are the flags of init that are about workflows.
type githubFlags struct {
	wanted   bool
	runsOn   []string
	action   string
	branch   string
	forks    bool
	shards   int
	machines []string
}

// writeWorkflows writes the workflows into the repository around the current folder.
func writeWorkflows(ctx context.Context, s *streams, f githubFlags) error {
	root, err := repositoryRoot(ctx)
	if err != nil {
		return err
	}
	opt := workflows.Options{RunsOn: f.runsOn, Branch: f.branch, DefaultBranch: defaultBranchName(ctx, root), ActionRef: f.action, Forks: f.forks, Shards: f.shards, Machines: f.machines}
	pinned := true
	if f.action == "" {
		opt.ActionRef, pinned = releasedCommit(ctx)
		if pinned {
			opt.RefName = workflows.Major
		}
	}
	files, err := workflows.Files(opt)
	if err != nil {
		return usage(err)
	}
	var exists *kernels.ExistsError
	if err := kernels.WriteNew(root, files); errors.As(err, &exists) {
		return usage(err)
	} else if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(s.out, "wrote", path)
	}
	return nextSteps(s.out, root, opt, pinned)
}

func nextSteps(w io.Writer, root string, opt workflows.Options, pinned bool) error {
	if _, err := os.Stat(filepath.Join(root, config.DefaultFile)); err != nil {
		fmt.Fprintf(w, "\nthere is no %s at the root of the repository yet: perfgate init writes one, the input config names another place\n", config.DefaultFile)
	}
	if !pinned {
		fmt.Fprintf(w, "\nthe released commit of %s could not be looked up, so the workflows name the tag %s: pin it to a commit before you rely on it\n", workflows.Repository, workflows.Major)
	}
	required := `check "perfgate"`
	if opt.Forks {
		required = `status "perfgate/verdict"`
	}
	_, err := fmt.Fprintf(w, `
then: commit and push them, make the label perfgate-accept, and require the %s on %s (docs/github.md)
`, required, opt.DefaultBranch)
	return err
}

func repositoryRoot(ctx context.Context) (string, error) {
	root, err := gitOutput(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", usagef("workflows belong into a git repository, and the current folder is in none")
	}
	return root, nil
}

// defaultBranchName is what origin calls its HEAD, else the branch that is checked out, else main.
func defaultBranchName(ctx context.Context, root string) string {
	if ref, err := gitOutput(ctx, root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimPrefix(ref, "origin/")
	}
	if branch, err := gitOutput(ctx, root, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		return branch
	}
	return "main"
}

// lookUp is how long the network may take: without it there is still a tag to name.
const lookUp = 10 * time.Second

var hash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// releasedCommit is the commit that the action's tag is at; false where nobody can be asked.
func releasedCommit(ctx context.Context) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, lookUp)
	defer cancel()
	ref := "refs/tags/" + workflows.Major
	out, err := gitOutput(ctx, ".", "ls-remote", "https://github.com/"+workflows.Repository, ref, ref+"^{}")
	if err != nil {
		return "", false
	}
	commit := ""
	for line := range strings.Lines(out) { // of an annotated tag, the commit comes second
		commit, _, _ = strings.Cut(line, "\t")
	}
	if !hash.MatchString(commit) {
		return "", false
	}
	return commit, true
}

func gitOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
