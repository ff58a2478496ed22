package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// Git is a branch of a local or bare repository, written with plain git: no network, no work tree, no index of the user.
type Git struct {
	Repo   string // a folder within the repository
	Branch string
}

func (g *Git) ref() string { return "refs/heads/" + g.Branch }

// Tip returns the commit that the branch is at.
func (g *Git) Tip(ctx context.Context) (string, error) {
	// for-each-ref says nothing of a branch that is not there, and fails where there is no repository.
	out, err := g.run(ctx, nil, nil, "for-each-ref", "--format=%(objectname) %(refname)", g.ref())
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if hash, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == g.ref() {
			return hash, nil
		}
	}
	return "", nil
}

// Files lists a folder of a commit.
func (g *Git) Files(ctx context.Context, commit, folder string) ([]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", commit}
	if folder != "" {
		args = append(args, "--", folder+"/")
	}
	out, err := g.run(ctx, nil, nil, args...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// Read returns a file of a commit.
func (g *Git) Read(ctx context.Context, commit, path string) ([]byte, error) {
	out, err := g.run(ctx, nil, nil, "cat-file", "blob", commit+":"+path)
	if err != nil && strings.Contains(err.Error(), "does not exist in") {
		return nil, fmt.Errorf("%s: %w", path, ErrNotFound)
	}
	return []byte(out), err
}

// Advance commits changes on top of tip and moves the branch there if it still is at tip.
func (g *Git) Advance(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	dir, err := os.MkdirTemp("", "perfgate-index-")
	if err != nil {
		return fmt.Errorf("write to branch %s: %w", g.Branch, err)
	}
	defer os.RemoveAll(dir)
	tree, err := g.tree(ctx, []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}, tip, changes)
	if err != nil {
		return err
	}
	args := []string{"commit-tree", tree, "-m", message}
	if tip != "" {
		args = append(args, "-p", tip)
	}
	commit, err := g.run(ctx, identity, nil, args...)
	if err != nil {
		return err
	}
	from := tip
	if from == "" {
		from = strings.Repeat("0", len(strings.TrimSpace(commit))) // the branch must not exist
	}
	if _, err := g.run(ctx, nil, nil, "update-ref", "-m", message, g.ref(), strings.TrimSpace(commit), from); err != nil {
		return g.lost(ctx, tip, err)
	}
	return nil
}

// lost tells a race from anything else that keeps a branch where it is.
func (g *Git) lost(ctx context.Context, tip string, err error) error {
	text := err.Error()
	now, tipErr := g.Tip(ctx)
	held := strings.Contains(text, ".lock': File exists") || strings.Contains(text, "reference already exists") || strings.Contains(text, "but expected")
	if tipErr == nil && now != tip || held {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return err
}

// identity of the commits: runners often have none.
var identity = []string{
	"GIT_AUTHOR_NAME=perfgate", "GIT_AUTHOR_EMAIL=perfgate@localhost", "GIT_COMMITTER_NAME=perfgate", "GIT_COMMITTER_EMAIL=perfgate@localhost",
}

// tree writes the tree of tip with changes applied.
func (g *Git) tree(ctx context.Context, env []string, tip string, changes map[string][]byte) (string, error) {
	if tip != "" {
		if _, err := g.run(ctx, env, nil, "read-tree", tip); err != nil {
			return "", err
		}
	}
	var lines []string
	for path, data := range changes {
		if data == nil {
			lines = append(lines, fmt.Sprintf("0 %040d\t%s\n", 0, path))
			continue
		}
		blob, err := g.run(ctx, nil, data, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("100644 %s\t%s\n", strings.TrimSpace(blob), path))
	}
	sort.Strings(lines)
	if _, err := g.run(ctx, env, []byte(strings.Join(lines, "")), "update-index", "--index-info"); err != nil {
		return "", err
	}
	tree, err := g.run(ctx, env, nil, "write-tree")
	return strings.TrimSpace(tree), err
}

func (g *Git) run(ctx context.Context, env []string, input []byte, args ...string) (string, error) {
	return runGit(ctx, g.Repo, env, input, args...)
}

// runGit runs git in dir. A repository's own configuration may name programs; a hostile one must not run here.
func runGit(ctx context.Context, dir string, env []string, input []byte, args ...string) (string, error) {
	safe := append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)
	cmd := exec.CommandContext(ctx, "git", safe...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0"), env...)
	cmd.Stdin = bytes.NewReader(input)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("git is needed, and is not on the PATH: %w", err)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}
