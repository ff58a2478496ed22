package request

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// records finds the store of a run.
func (r Run) records(ctx context.Context, src Sources) (*run.Stored, error) {
	if src.Pair.Base.Info.Revision == "" {
		return nil, nil // a folder has no ancestors
	}
	open := r.openOwn
	if r.InJob || r.Trust == repo.TrustBase {
		open = r.openTrusted
	}
	store, why, err := open(ctx, src)
	if err != nil {
		return nil, result.Usage(err)
	}
	return &run.Stored{
		Store: store, Reason: why,
		Ancestors: ancestorsIn(src.Dir),
		LayOut:    src.CheckOut,
		Tag:       repo.Git{Dir: src.Dir}.Tag,
	}, nil
}

// ancestorsIn lists the commits of a clone whose records count for a commit.
func ancestorsIn(clone string) func(ctx context.Context, commit string) ([]string, error) {
	return func(ctx context.Context, commit string) ([]string, error) {
		return repo.Git{Dir: clone}.Ancestors(ctx, commit, baseline.MaxAncestors)
	}
}

// openOwn opens the store of a local run: its path counts from the configuration's folder in the repository, since a revision is laid
// out in a folder that is gone afterwards.
func (r Run) openOwn(ctx context.Context, src Sources) (*baseline.Store, string, error) {
	root := src.Pair.Head.Place()
	if src.Pair.Head.Info.Kind == result.KindRevision {
		top, err := repo.Repository(ctx, src.Dir)
		if err != nil {
			return nil, "", err
		}
		root = top
	}
	store, err := baseline.Open(src.Trusted.Config.Baseline.Store, filepath.Join(root, src.Trusted.Dir))
	return store, "", err
}

// openTrusted opens the store with base's policy: head must not be able to bring records.
func (r Run) openTrusted(ctx context.Context, src Sources) (*baseline.Store, string, error) {
	top, err := repo.Repository(ctx, src.Dir)
	if err != nil {
		return nil, "", err
	}
	t := baseline.Trusted{Repo: top, Base: src.Pair.Base.Info.Revision, Roots: []string{top, src.Dir, src.Pair.Head.Root}, Origin: r.InJob}
	if b := src.Trusted.Config.Baseline; b.Named {
		t.Spec = b.Store
	}
	return t.Open(ctx)
}

// CheckOut puts the files of a commit into a folder of their own within scratch.
func (src Sources) CheckOut(ctx context.Context, commit string) (run.Side, error) {
	to := filepath.Join(src.Scratch, run.LaidOut, commit)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return run.Side{}, fmt.Errorf("make a folder for %.12s: %w", commit, err)
	}
	// A folder as head is taken as it is: only base is laid out.
	pair, err := repo.Resolve(ctx, repo.Request{Dir: src.Dir, Base: commit, Head: src.Dir, Scratch: to})
	if err != nil {
		return run.Side{}, err
	}
	return run.NewSide(pair.Base, src.Trusted.Dir, nil), nil
}
