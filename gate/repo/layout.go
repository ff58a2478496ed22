package repo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// layOut writes the files of a commit into a private folder, submodules included, straight from the object store: no
// worktree is registered that could be left behind, no hook runs, and nothing is fetched, since the address of a
// submodule is written by whoever wrote the commit.
func layOut(ctx context.Context, repo, commit, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("make a folder for the files: %w", err)
	}
	gitDir, err := git(ctx, repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	return layOutTree(ctx, gitDir, commit, to, 0)
}

// treeID names the files that layOut writes of a commit: git's tree, of which the commits of submodules are a part, and what of
// git's configuration changes files on their way out of it.
func treeID(ctx context.Context, repo, commit string) (string, error) {
	tree, err := git(ctx, repo, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return "", err
	}
	filters, err := git(ctx, repo, "config", "--get-regexp", `^(filter\..*|core\.(autocrlf|eol|symlinks|attributesfile))$`)
	if err != nil {
		filters = "" // git fails where there are none
	}
	sum := sha256.Sum256([]byte(filters + "\x00" + os.Getenv("GIT_LFS_SKIP_SMUDGE")))
	return fmt.Sprintf("%s-%x", tree, sum[:8]), ctx.Err()
}

const maxSubmoduleDepth = 8

func layOutTree(ctx context.Context, gitDir, commit, to string, depth int) error {
	if depth > maxSubmoduleDepth {
		return usagef("submodules are nested more than %d deep", maxSubmoduleDepth)
	}
	index := filepath.Join(filepath.Dir(to), filepath.Base(to)+".index")
	defer os.Remove(index)
	// The repository's own index and work tree stay untouched.
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + to}
	if _, err := gitWith(ctx, to, env, "read-tree", commit); err != nil {
		return err
	}
	if _, err := gitWith(ctx, to, env, "checkout-index", "--all", "--force"); err != nil {
		return err
	}
	links, err := submodules(ctx, gitDir, commit)
	if err != nil || len(links) == 0 {
		return err
	}
	names, err := submoduleNames(ctx, gitDir, commit)
	if err != nil {
		return err
	}
	for path, sha := range links {
		if err := layOutSubmodule(ctx, gitDir, names[path], path, sha, to, depth); err != nil {
			return err
		}
	}
	return nil
}

// submodules returns path -> commit of every submodule in a commit.
func submodules(ctx context.Context, gitDir, commit string) (map[string]string, error) {
	listing, err := gitWith(ctx, gitDir, []string{"GIT_DIR=" + gitDir}, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	links := map[string]string{}
	for entry := range strings.SplitSeq(listing, "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if ok && len(fields) == 3 && fields[0] == "160000" {
			links[path] = fields[2]
		}
	}
	return links, nil
}

// submoduleNames returns path -> name from .gitmodules, which is where git keeps a submodule's objects.
func submoduleNames(ctx context.Context, gitDir, commit string) (map[string]string, error) {
	listing, err := gitWith(ctx, gitDir, []string{"GIT_DIR=" + gitDir}, "config", "--blob", commit+":.gitmodules", "-z", "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return map[string]string{}, nil // submodules without .gitmodules: named one by one below
	}
	names := map[string]string{}
	for entry := range strings.SplitSeq(listing, "\x00") {
		key, path, ok := strings.Cut(entry, "\n")
		if ok {
			names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		}
	}
	return names, nil
}

func layOutSubmodule(ctx context.Context, gitDir, name, path, sha, to string, depth int) error {
	missing := usagef("submodule %s at %s is not in this clone: populate it first (git submodule update --init --recursive, "+
		"or actions/checkout with submodules: recursive and fetch-depth: 0)", path, short(sha))
	if name == "" || strings.Contains(name, "..") {
		return missing
	}
	sub := filepath.Join(gitDir, "modules", filepath.FromSlash(name))
	if _, err := gitWith(ctx, gitDir, []string{"GIT_DIR=" + sub}, "cat-file", "-e", sha+"^{commit}"); err != nil {
		return missing
	}
	target := filepath.Join(to, filepath.FromSlash(path))
	if !filepath.IsLocal(path) {
		return usagef("submodule path %q leaves the repository", path)
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("make the folder of submodule %s: %w", path, err)
	}
	return layOutTree(ctx, sub, sha, target, depth+1)
}
