package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// bare is a bare git repository that takes and gives the bytes of files as they are: its attributes win over those that a candidate brings, and it
// knows no filter. There are no refs, so no lock can be left behind; preciousObjects keeps git's housekeeping from dropping a tree for that.
var bare = map[string]string{
	"HEAD": "ref: refs/heads/none\n",
	"config": `[core]
	repositoryFormatVersion = 1
	bare = true
	fileMode = true
	symlinks = true
	protectHFS = false
	protectNTFS = false
	fsync = loose-object
	fsyncMethod = batch
[extensions]
	objectFormat = sha256
	preciousObjects = true
`,
	"info/attributes": "* -text -ident -filter !working-tree-encoding\n",
}

// openBare makes the repository of a folder, or finds it as it is. Nothing of the user's or the machine's configuration counts in it.
func openBare(dir string) (repo.Git, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return repo.Git{}, err
	}
	for _, folder := range []string{"info", "objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return repo.Git{}, err
		}
	}
	for name, text := range bare {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return repo.Git{}, err
		}
	}
	return repo.Git{Dir: dir}.With("GIT_DIR="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"), nil
}

// hashTree names what a folder that copyTree made holds, by git's tree of it. Of that only names are written, in the folder scratch.
func hashTree(ctx context.Context, folder, scratch string) (string, error) {
	git, err := openBare(filepath.Join(scratch, treesDir))
	if err != nil {
		return "", fmt.Errorf("name a tree: %w", err)
	}
	return writeTree(ctx, git, folder, false)
}

// Keep puts a candidate into the ledger's folder, so that it can be laid out again whatever becomes of what the caller named. folder holds what has
// this hash.
func (l *Ledger) Keep(ctx context.Context, hash, folder string) error {
	git, err := openBare(filepath.Join(l.dir, treesDir))
	if err != nil {
		return fmt.Errorf("keep the candidate: %w", err)
	}
	kept, err := writeTree(ctx, git, folder, true)
	if err == nil && kept != hash {
		err = fmt.Errorf("%s is not what it was: it was written to", folder)
	}
	if err != nil {
		return fmt.Errorf("keep the candidate: %w", err)
	}
	return nil
}

// writeTree writes the tree of a folder, and with keep what its files hold.
func writeTree(ctx context.Context, git repo.Git, folder string, keep bool) (string, error) {
	var names bytes.Buffer
	err := repo.Walk(folder, func(path string, kind fs.FileMode) error {
		if !kind.IsDir() {
			names.WriteString(filepath.ToSlash(path) + "\x00")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	index := folder + ".index"
	defer os.Remove(index)
	git.Dir = folder
	git = git.With("GIT_INDEX_FILE="+index, "GIT_WORK_TREE="+folder)
	update, write := []string{"update-index", "--add", "-z", "--stdin"}, []string{"write-tree"}
	if !keep {
		update, write = slices.Insert(update, 1, "--info-only"), append(write, "--missing-ok")
	}
	if _, err := git.Input(names.Bytes()).Run(ctx, update...); err != nil {
		return "", err
	}
	return git.Run(ctx, write...)
}

// LayOut lays a kept candidate out in a new folder, with the folders of base, which git does not keep where they are empty. One that git cannot give
// back as it was is an ErrLedger: git does not look whether a file holds what its name says.
func (l *Ledger) LayOut(ctx context.Context, hash, base, to string) error {
	git, err := openBare(filepath.Join(l.dir, treesDir))
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	if err == nil {
		err = git.WriteFiles(ctx, hash, to)
	}
	if err == nil {
		var laid string
		if laid, err = hashTree(ctx, to, filepath.Dir(to)); err == nil && laid != hash {
			return fmt.Errorf("%w: what %s has of candidate %s is not what was judged. Restore the folder, or begin another ledger (--ledger)", ErrLedger,
				filepath.Join(l.dir, treesDir), result.ShortID(hash))
		}
	}
	switch {
	case repo.SaidNo(err):
		return fmt.Errorf("%w: %s cannot give candidate %s back: %w. Restore the folder, or begin another ledger (--ledger)", ErrLedger,
			filepath.Join(l.dir, treesDir), result.ShortID(hash), err)
	case err == nil:
		err = foldersOf(base, to)
	}
	if err != nil {
		return fmt.Errorf("lay out candidate %s: %w", result.ShortID(hash), err)
	}
	return nil
}

// foldersOf makes the folders of base in to, but where that has something else.
func foldersOf(base, to string) error {
	root, err := os.OpenRoot(to) // its links may lead anywhere
	if err != nil {
		return err
	}
	defer root.Close()
	return repo.Walk(base, func(path string, kind fs.FileMode) error {
		if _, err := root.Lstat(path); kind.IsDir() && errors.Is(err, fs.ErrNotExist) {
			_ = root.Mkdir(path, 0o755) // below a link or a file of the candidate's there is none to make
		}
		return nil
	})
}
