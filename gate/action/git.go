package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels/child"
)

// git asks a repository that code of a pull request may have written to: nothing that its configuration names is run,
// nothing is fetched, and git itself gets no credential.
type git struct{ dir string }

// hardened are settings that win over a repository's own.
var hardened = []string{"--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never", "-c", "core.pager=cat"}

const maxGitBytes = 16 << 20

// run returns what git prints, without the last newline.
func (g git) run(ctx context.Context, args ...string) (string, error) {
	text, err := g.output(ctx, args...)
	return strings.TrimSuffix(text, "\n"), err
}

// output returns what git prints.
func (g git) output(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", usagef("git is needed on the runner, and is not on the PATH")
	}
	out, err := child.Run(ctx, child.Spec{
		Path: path, Args: append(append([]string{}, hardened...), args...), Dir: g.dir, HeadBytes: maxGitBytes,
		Env: child.With(child.Scrub(os.Environ()), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0"),
	})
	switch {
	case err == nil && len(out.Stdout) > maxGitBytes:
		return "", fmt.Errorf("git %s printed more than %d MiB", args[0], maxGitBytes>>20)
	case err == nil:
		return out.Stdout, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	text := strings.TrimSpace(out.Stderr)
	switch {
	case strings.Contains(text, "dubious ownership"):
		return "", usagef("git refuses the checkout in %s because another user owns it (usual in containers); before this step run:\n  git config --global --add safe.directory %s", g.dir, g.dir)
	case strings.Contains(text, "not a git repository"):
		return "", usagef("%s is no git repository: run actions/checkout with fetch-depth: 0 before this step", g.dir)
	}
	return "", &gitError{verb: args[0], text: text, err: err}
}

type gitError struct {
	verb, text string
	err        error
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %v: %s", e.verb, e.err, e.text) }
func (e *gitError) Unwrap() error { return e.err }

// refused says whether git ran and said no, which for a question such as "is there a commit X" is the answer.
func refused(err error) bool {
	var g *gitError
	return errors.As(err, &g)
}

// commit returns the hash of a revision, "" if there is none here.
func (g git) commit(ctx context.Context, revision string) (string, error) {
	hash, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if refused(err) {
		return "", nil
	}
	return hash, err
}

// mergeBase returns the best common ancestor, "" if there is none here.
func (g git) mergeBase(ctx context.Context, a, b string) (string, error) {
	hash, err := g.run(ctx, "merge-base", a, b)
	if refused(err) {
		return "", nil
	}
	return hash, err
}

// branch finds a branch as a checkout has it: of origin, else a local one.
func (g git) branch(ctx context.Context, name string) (string, error) {
	for _, ref := range []string{"refs/remotes/origin/" + name, "refs/heads/" + name} {
		if hash, err := g.commit(ctx, ref); hash != "" || err != nil {
			return hash, err
		}
	}
	return "", nil
}

func (g git) shallow(ctx context.Context) bool {
	answer, err := g.run(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// file returns a file of a commit, through links; ok is false if it has none of that name.
func (g git) file(ctx context.Context, commit, path string) (content []byte, ok bool, err error) {
	return read(ctx, g, commit, path)
}

func (g git) entry(ctx context.Context, commit, file string) (entry, error) {
	line, err := g.output(ctx, "ls-tree", "-z", "--full-tree", commit, "--", file)
	meta, name, _ := strings.Cut(strings.TrimSuffix(line, "\x00"), "\t")
	words := strings.Fields(meta)
	if err != nil || name != file || len(words) != 3 {
		return entry{}, err
	}
	return entry{words[0], words[2]}, nil
}

func (g git) blob(ctx context.Context, object string) ([]byte, error) {
	text, err := g.output(ctx, "cat-file", "blob", object)
	return []byte(text), err
}

// changed lists what differs between two commits.
func (g git) changed(ctx context.Context, base, head string) ([]string, error) {
	names, err := g.output(ctx, append(repo.ListChanges(), base, head)...)
	return slices.DeleteFunc(strings.Split(names, "\x00"), func(name string) bool { return name == "" }), err
}

// changes is the difference of two commits in the form that github.ChangedLines reads.
func (g git) changes(ctx context.Context, base, head string) (io.Reader, error) {
	text, err := g.run(ctx, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", base, head)
	return strings.NewReader(text + "\n"), err
}
