package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/kernels/child"
)

var errNotARepository = errors.New("not a git repository")

// git runs git in dir and returns its output without the last newline. Well-known refusals come back as errors that
// name their cure.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitWith(ctx, dir, nil, args...)
}

func gitWith(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("git is needed to find the revisions to compare, and is not on the PATH: %w", err)
	}
	// A repository's own configuration may name a program to watch the file system; a hostile one must not run here.
	args = append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)
	out, err := child.Run(ctx, child.Spec{
		Path: path, Args: args, Dir: dir, HeadBytes: 16 << 20,
		Env: child.With(os.Environ(), append([]string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}, env...)...),
	})
	if err != nil {
		return "", gitError(ctx, dir, args[4], out.Stderr, err)
	}
	return strings.TrimSuffix(out.Stdout, "\n"), nil
}

func gitError(ctx context.Context, dir, verb, stderr string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	}
	text := strings.TrimSpace(stderr)
	switch {
	case strings.Contains(text, "dubious ownership"):
		return usagef("git refuses the repository in %s because another user owns it (usual in containers); allow it with:\n  git config --global --add safe.directory %s", dir, toplevel(dir))
	case strings.Contains(text, "not a git repository"):
		return fmt.Errorf("%s: %w", dir, errNotARepository)
	}
	return fmt.Errorf("git %s in %s: %w: %s", verb, dir, err, text)
}

// toplevel guesses the root of the repository that git refuses to name.
func toplevel(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// Repository is the root of the repository around dir, an absolute path. The error is an ErrUsage where there is none or git
// refuses its owner, and an exec.ErrNotFound where there is no git.
func Repository(ctx context.Context, dir string) (string, error) {
	root, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if errors.Is(err, errNotARepository) {
		return "", usagef("%s is in no git repository", dir)
	}
	return root, err
}

// resolveRevision returns the commit that a revision names.
func resolveRevision(ctx context.Context, dir, revision, side string) (string, error) {
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err == nil {
		return commit, nil
	}
	if errors.Is(err, errNotARepository) {
		return "", usagef("--%s %s is no folder, and %s is not a git repository in which it could be a revision", side, revision, dir)
	}
	if errors.Is(err, ErrUsage) || errors.Is(err, exec.ErrNotFound) || ctx.Err() != nil {
		return "", err
	}
	if shallow(ctx, dir) {
		return "", usagef("--%s: revision %s is not here, and this is a shallow clone: check out with full history (actions/checkout with fetch-depth: 0, or git fetch --unshallow)", side, revision)
	}
	return "", usagef("--%s: there is no folder and no revision %q here (git branch -a lists branches; git fetch gets new ones)", side, revision)
}

func shallow(ctx context.Context, dir string) bool {
	answer, err := git(ctx, dir, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// mergeBase finds where from left a branch, by its reference.
func mergeBase(ctx context.Context, dir, ref, from string) (string, error) {
	commit, err := git(ctx, dir, "merge-base", ref, from)
	if err == nil {
		return commit, nil
	}
	if errors.Is(err, ErrUsage) || ctx.Err() != nil {
		return "", err
	}
	if shallow(ctx, dir) {
		return "", usagef("the merge base with %s is not here, since this is a shallow clone: check out with full history "+
			"(actions/checkout with fetch-depth: 0, or git fetch --unshallow), or name --base", branchOf(ref))
	}
	return "", usagef("%s and %s share no history: name the other side with --base", short(from), branchOf(ref))
}

// defaultBranch is the reference that origin calls its HEAD, else the first of the usual names that exists.
func defaultBranch(ctx context.Context, dir string) (string, error) {
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		if _, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil {
			return ref, nil
		} else if errors.Is(err, ErrUsage) || ctx.Err() != nil {
			return "", err
		}
	}
	if shallow(ctx, dir) {
		return "", usagef("cannot tell the default branch (no origin/HEAD, main or master), and this is a shallow clone: " +
			"check out with full history (actions/checkout with fetch-depth: 0, or git fetch --unshallow), or name --base")
	}
	return "", usagef("cannot tell the default branch (no origin/HEAD, main or master): name the other side with --base")
}

// DefaultBranch is the name, without its remote, of the branch whose merge base a run compares with. The error says why no
// ref tells it.
func DefaultBranch(ctx context.Context, dir string) (string, error) {
	ref, err := defaultBranch(ctx, dir)
	if err == nil && ref == "refs/remotes/origin/HEAD" {
		ref, err = git(ctx, dir, "symbolic-ref", ref)
	}
	return strings.TrimPrefix(branchOf(ref), "origin/"), err
}

// branchOf is a reference in the words of its reader.
func branchOf(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/remotes/"), "refs/heads/")
}
