package repo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// layOut writes the files of a commit into a private folder, submodules included, straight from the object store: no
// worktree is registered that could be left behind, no hook runs, and nothing is fetched, since the address of a
// submodule is part of the commit.
func (g Git) layOut(ctx context.Context, commit, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("make a folder for the files: %w", err)
	}
	gitDir, err := g.Run(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	return layOutTree(ctx, gitDir, commit, to, 0)
}

// treeID names the files that layOut writes of a commit: git's tree, of which the commits of submodules are a part, and what of
// git's configuration changes files on their way out of it.
func (g Git) treeID(ctx context.Context, commit string) (string, error) {
	tree, err := g.Run(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return "", err
	}
	filters, err := g.Run(ctx, "config", "--get-regexp", `^(filter\..*|core\.(autocrlf|eol|symlinks|attributesfile))$`)
	if err != nil {
		filters = "" // git fails where there are none
	}
	sum := sha256.Sum256([]byte(filters + "\x00" + os.Getenv("GIT_LFS_SKIP_SMUDGE")))
	return fmt.Sprintf("%s-%x", tree, sum[:8]), ctx.Err()
}

const maxSubmoduleDepth = 8

func layOutTree(ctx context.Context, gitDir, commit, to string, depth int) error {
	if depth > maxSubmoduleDepth {
		return result.Usagef("submodules are nested more than %d deep", maxSubmoduleDepth)
	}
	objects := Git{Dir: gitDir}.With("GIT_DIR=" + gitDir)
	if err := objects.WriteFiles(ctx, commit, to); err != nil {
		return err
	}
	entries, err := objects.Entries(ctx, commit)
	if err != nil {
		return err
	}
	maps.DeleteFunc(entries, func(_ string, e Entry) bool { return e.Mode != ModeModule })
	if len(entries) == 0 {
		return nil
	}
	names := objects.submoduleNames(ctx, commit)
	for path, e := range entries {
		if err := layOutSubmodule(ctx, gitDir, names[path], path, e.SHA, to, depth); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// WriteFiles writes the files of a commit or a tree into the folder to, without those of submodules. g names its repository by GIT_DIR, whose own
// index and work tree are left untouched.
func (g Git) WriteFiles(ctx context.Context, commit, to string) error {
	index := filepath.Join(filepath.Dir(to), filepath.Base(to)+".index")
	defer os.Remove(index)
	g.Dir = to
	g = g.With("GIT_INDEX_FILE="+index, "GIT_WORK_TREE="+to)
	if _, err := g.Run(ctx, "read-tree", "--end-of-options", commit); err != nil {
		return err
	}
	if agent, ok := os.LookupEnv("SSH_AUTH_SOCK"); ok { // the filter of Git LFS may have to ask its server
		g = g.With("SSH_AUTH_SOCK=" + agent)
	}
	_, err := g.Run(ctx, "checkout-index", "--all", "--force")
	return err
}

// submoduleNames returns path -> name from .gitmodules, which is where git keeps a submodule's objects. There are none where there
// is no such file.
func (g Git) submoduleNames(ctx context.Context, commit string) map[string]string {
	entries, err := g.list(ctx, "config", "--blob", commit+":.gitmodules", "-z", "--get-regexp", `^submodule\..*\.path$`)
	names := map[string]string{}
	if err != nil {
		return names
	}
	for _, entry := range entries {
		if key, path, ok := strings.Cut(entry, "\n"); ok {
			names[path] = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		}
	}
	return names
}

func layOutSubmodule(ctx context.Context, gitDir, name, path, sha, to string, depth int) error {
	missing := result.Usagef("submodule %s at %s is not in this clone: populate it first (git submodule update --init --recursive, "+
		"or actions/checkout with submodules: recursive and fetch-depth: 0)", path, result.ShortID(sha))
	if name == "" || strings.Contains(name, "..") {
		return missing
	}
	sub := filepath.Join(gitDir, "modules", filepath.FromSlash(name))
	if _, err := (Git{Dir: gitDir}).With("GIT_DIR="+sub).Run(ctx, "cat-file", "-e", sha+"^{commit}"); err != nil {
		return missing
	}
	if !filepath.IsLocal(path) {
		return result.Usagef("submodule path %q leaves the repository", path)
	}
	target := filepath.Join(to, filepath.FromSlash(path))
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("make the folder of submodule %s: %w", path, err)
	}
	return layOutTree(ctx, sub, sha, target, depth+1)
}
