package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
)

// snapshot is a copy of a folder that only this call can write to.
type snapshot struct {
	folder string
	label  string
	hash   string // of all its files
}

// takeSnapshots copies base and the candidate: what a call judges is what it has hashed, even where the originals are written to meanwhile.
func (j *judging) takeSnapshots(ctx context.Context) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	if err := j.Run.CheckGit(cwd); err != nil {
		return err
	}
	patch, err := j.patch()
	if err != nil {
		return err
	}
	asked := repo.Request{Dir: cwd, Base: j.Run.Base, Head: j.Candidate, Scratch: filepath.Join(j.scratch, "found")}
	if patch != nil || j.Resume {
		asked.Head = j.Run.Base
	}
	pair, err := repo.Resolve(ctx, asked)
	if err != nil {
		return j.unfound(ctx, asked, err)
	}
	if j.base, err = j.copy(ctx, pair.Base.Root, "base", j.Run.Base); err != nil {
		return err
	}
	switch {
	case j.Resume: // the one without an answer that was begun the longest ago
		waiting := j.ledger.Interrupted()
		if len(waiting) == 0 {
			return result.Usagef("nothing was interrupted: every candidate in %s has an answer", j.Ledger)
		}
		c := waiting[0]
		j.head = snapshot{folder: filepath.Join(j.scratch, "candidate"), label: c.Label, hash: c.Hash}
		return j.ledger.LayOut(ctx, c.Hash, j.base.folder, j.head.folder)
	case patch != nil:
		j.isPatch = true
		return j.patched(ctx, patch)
	}
	j.head, err = j.copy(ctx, pair.Head.Root, "candidate", j.Candidate)
	return err
}

// checkShared refuses a candidate none of whose files base has. A wrong folder would be a broken candidate in the ledger for ever.
func (j *judging) checkShared() error {
	var found bool
	err := repo.Walk(j.head.folder, func(path string, kind fs.FileMode) error {
		if kind.IsDir() {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(j.base.folder, path)); err != nil {
			return nil
		}
		found = true
		return fs.SkipAll
	})
	if err != nil {
		return fmt.Errorf("compare the candidate's files with base's: %w", err)
	}
	if !found {
		return result.Usagef("%s is no candidate: %s has none of its files. Name the folder that has what base's root has", j.Candidate, j.Run.Base)
	}
	return nil
}

// unfound is the error of sides that were not found. The candidate has no flag that its message could name, and may be a patch besides.
func (j *judging) unfound(ctx context.Context, asked repo.Request, err error) error {
	asked.Base, asked.HeadAlone, asked.Scratch = "", true, filepath.Join(j.scratch, "again")
	if _, headErr := repo.Resolve(ctx, asked); asked.Head != j.Candidate || !result.IsUsage(headErr) {
		return err
	}
	return result.Usagef("%s is no candidate: it is neither a folder, nor a file with a patch, nor a revision of a git repository here", j.Candidate)
}

func (j *judging) copy(ctx context.Context, from, name, label string) (snapshot, error) {
	ledger, err := checkout.RealPath(j.Ledger)
	if err != nil {
		return snapshot{}, fmt.Errorf("find the ledger: %w", err)
	}
	if from, err = checkout.RealPath(from); err != nil {
		return snapshot{}, fmt.Errorf("find %s: %w", label, err)
	}
	out := snapshot{folder: filepath.Join(j.scratch, name), label: label}
	if err := copyTree(from, out.folder, ledger); err != nil {
		return out, err
	}
	out.hash, err = hashTree(ctx, out.folder, j.scratch)
	return out, err
}

// mostPatch is how long a patch may be.
const mostPatch = 64 << 20

// patch reads the candidate where it is a file; nil where it is something else.
func (j *judging) patch() ([]byte, error) {
	info, err := os.Stat(j.Candidate)
	if j.Candidate == "" || err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	if info.Size() > mostPatch {
		return nil, result.Usagef("%s is larger than %d MiB: no patch", j.Candidate, mostPatch>>20)
	}
	text, err := os.ReadFile(j.Candidate)
	if err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	if bytes.Contains(text, []byte("\nGIT binary patch\n")) {
		return nil, result.Usagef("%s changes a file that is no text: a few bytes of such a patch can become gigabytes. Name a folder or a revision", j.Candidate)
	}
	return text, nil
}

// patched applies a patch to a copy of base. git refuses paths that lead out of it.
func (j *judging) patched(ctx context.Context, patch []byte) (err error) {
	folder := filepath.Join(j.scratch, "patched")
	if err := copyTree(j.base.folder, folder); err != nil {
		return err
	}
	git := repo.Git{Dir: folder}.With("GIT_CEILING_DIRECTORIES=" + j.scratch).Input(patch)
	if _, err := git.Run(ctx, "apply", "--whitespace=nowarn", "-"); err != nil {
		var refused *repo.Error
		if errors.As(err, &refused) && refused.Kind != repo.NoGit {
			return result.Usagef("%s is no patch against %s: %s", j.Candidate, j.Run.Base, refused.Text)
		}
		return err
	}
	j.head, err = j.copy(ctx, folder, "candidate", j.Candidate)
	return err
}
