package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// writeWorkflows writes the workflows into the repository around the current folder.
func writeWorkflows(ctx context.Context, cwd string, opt action.WorkflowOptions) (done report.Setup, err error) {
	root, err := repo.Repository(ctx, cwd)
	if repo.KindOf(err) == repo.NoGit {
		return done, errors.New("git is needed to find the root of the repository, and is not on the PATH")
	} else if err != nil {
		return done, err
	}
	opt.OnCPU, opt.DefaultBranch = measuresOnCPU(cwd), defaultBranchName(ctx, root)
	if opt.Branch == opt.DefaultBranch {
		return done, result.Usagef("--baseline-branch %s is the default branch: records need a separate branch, such as perfgate-baseline; nothing was written", opt.Branch)
	}
	opt.Pin(versionText())
	files, err := action.Workflows(opt)
	if err != nil {
		return done, result.Usage(err)
	}
	if done, err = writeNew(root, files); err != nil {
		return done, err
	}
	opt.NextSteps(&done, root)
	return done, nil
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

// measuresOnCPU says whether the configuration of a folder is for processors. One that is not there yet, or not right, is for a GPU, as most are.
func measuresOnCPU(dir string) bool {
	cfg, err := config.Load(filepath.Join(dir, config.DefaultFile))
	return err == nil && cfg.Device == result.DeviceCPU
}
