package request

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// Records say whose records are meant. A flag sets the field with its name.
type Records struct{ Config, Store, Machine string }

// Kept is an open store, and the machine whose records are meant.
type Kept struct {
	*baseline.Store
	Config  *config.Config // nil: the store was named, and there is none
	Machine string
	Git     repo.Git
}

// Open opens the store that a flag or the configuration names. Its path counts from the configuration's folder. On a machine without the GPU
// that the configuration asks for, such as a laptop, the machine is its CPU.
func (r Records) Open(ctx context.Context) (Kept, error) {
	k := Kept{Machine: r.Machine, Git: repo.Git{Dir: "."}}
	path := cmp.Or(r.Config, config.DefaultFile)
	cfg, err := config.Load(path)
	switch {
	case err == nil:
		k.Config, r.Store = cfg, cmp.Or(r.Store, cfg.Baseline.Store)
	case r.Store == "" && r.Config == "" && errors.Is(err, fs.ErrNotExist):
		cwd, err := os.Getwd()
		return k, cmp.Or(err, expectConfig(cwd))
	case r.Store == "":
		return k, result.Usage(err)
	}
	if k.Machine == "" && cfg != nil {
		if k.Machine, err = run.MachineKey(ctx, cfg, ""); err != nil && (cfg.Device == config.DeviceOther || ctx.Err() != nil) {
			return k, err
		}
	}
	if k.Machine == "" {
		k.Machine = machine.Describe().Key
	}
	k.Store, err = baseline.Open(r.Store, filepath.Dir(path))
	return k, result.Usage(err)
}

// Ancestors are the commits whose records count for a revision, nearest first.
func (k Kept) Ancestors(ctx context.Context, revision string) ([]string, error) {
	commits, err := ancestorsIn(k.Git.Dir)(ctx, revision)
	return commits, result.Usage(err)
}

// After leaves of commits those that a revision does not have.
func (k Kept) After(ctx context.Context, commits []string, since string) ([]string, error) {
	commit, err := k.Git.Commit(ctx, since)
	if err != nil {
		return nil, err
	}
	if commit == "" {
		return nil, result.Usagef("--since: there is no revision %q here", since)
	}
	before, err := k.Ancestors(ctx, commit)
	if err != nil {
		return nil, err
	}
	old := make(map[string]bool, len(before))
	for _, commit := range before {
		old[commit] = true
	}
	return slices.DeleteFunc(commits, func(commit string) bool { return old[commit] }), nil
}

// Near is the history from a revision, as far as a run reads it.
func (k Kept) Near(ctx context.Context, revision string) (baseline.History, error) {
	return k.look(ctx, revision, baseline.MaxRecords)
}

// All is the history from a revision.
func (k Kept) All(ctx context.Context, revision string) (baseline.History, error) {
	return k.look(ctx, revision, baseline.MaxAncestors)
}

func (k Kept) look(ctx context.Context, revision string, most int) (baseline.History, error) {
	ancestors, err := k.Ancestors(ctx, revision)
	if err != nil {
		return baseline.History{}, err
	}
	return baseline.Lookup(ctx, k.Store, k.Machine, ancestors, most)
}

// Machines counts the records of each machine: where one has none, its key may have changed.
func (k Kept) Machines(ctx context.Context) (map[string]int, error) {
	all, err := k.List(ctx, "")
	machines := map[string]int{}
	for _, key := range all {
		if m, _, ok := baseline.SplitKey(key); ok {
			machines[m]++
		}
	}
	return machines, err
}
