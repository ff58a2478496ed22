package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// ofBase is a kernel as base's own configuration has it. Where base's rules count they are the run's, and nothing is asked.
func (r *run) ofBase(k config.Kernel) (config.Kernel, bool) {
	own := r.opt.Trusted.Base
	if own == nil || r.opt.Trusted.Trust != repo.TrustWorktree {
		return config.Kernel{}, false
	}
	return own.Kernel(k.Name)
}

// absent says why base does not have a kernel, or "": it has none of the files that the kernel is made of. Those are the sources;
// of a kernel without, what its adapter includes of the repository; of one whose code is all in its adapter, that.
func (r *run) absent(ctx context.Context, k config.Kernel) (string, error) {
	base := r.opt.Base
	if base.Tree == "" {
		return "", nil
	}
	files := r.sources(k, base)
	if len(files) == 0 && k.Build != nil {
		return "", nil // a build command decides by itself what it needs
	}
	if len(files) == 0 {
		var err error
		if files, err = r.headerFiles(ctx, k); err != nil {
			return "", err
		}
	}
	if slices.ContainsFunc(files, base.has) {
		return "", base.makeRoom(k.Adapter)
	}
	return fmt.Sprintf("%s has none of %s", base.Info.Label, strings.Join(files, ", ")), nil
}

// makeRoom makes the folder of an adapter that a side does not have, so that what the adapter includes by "../" is found from there:
// in a copy of a revision, which is ours. A folder of the user's stays as it is.
func (s Side) makeRoom(adapter string) error {
	if s.Info.Kind != result.KindRevision || adapter == "" {
		return nil
	}
	tree, err := os.OpenRoot(s.Tree)
	if err != nil {
		return fmt.Errorf("find base's files: %w", err)
	}
	defer tree.Close()
	if err := tree.MkdirAll(filepath.Dir(adapter), 0o755); err != nil {
		return fmt.Errorf("make the adapter's folder in the copy of base: %w", err)
	}
	return nil
}

func (s Side) has(file string) bool {
	_, err := os.Stat(filepath.Join(s.Tree, file))
	return err == nil
}

// headerFiles are what a kernel without sources is made of. Adapters alone answer where base has one, since asking the compiler
// takes time: an adapter that was renamed says nothing of the headers that it measures.
func (r *run) headerFiles(ctx context.Context, k config.Kernel) ([]string, error) {
	files := []string{k.Adapter}
	if own, ok := r.ofBase(k); ok && own.Adapter != "" && own.Adapter != k.Adapter {
		files = append(files, own.Adapter)
	}
	if slices.ContainsFunc(files, r.opt.Base.has) {
		return files, nil
	}
	included, err := r.includes(ctx, k)
	if err != nil || len(included) == 0 {
		return files, err
	}
	shared, err := r.sharedHeaders(ctx, k)
	if err != nil {
		return nil, err
	}
	alone := slices.DeleteFunc(slices.Clone(included), func(file string) bool { return slices.Contains(shared, file) })
	if len(alone) == 0 {
		return included, nil
	}
	return alone, nil
}

// sharedHeaders are what other kernels, which base has as well, include: they speak for those.
func (r *run) sharedHeaders(ctx context.Context, k config.Kernel) ([]string, error) {
	var shared []string
	for _, other := range r.config.Kernels {
		if _, known := r.ofBase(other); !known || other.Name == k.Name || other.Adapter == "" || other.Build != nil {
			continue
		}
		included, err := r.includes(ctx, other)
		if err != nil {
			return nil, err
		}
		shared = append(shared, included...)
	}
	return shared, nil
}

// includes are the files of head that head's adapter of a kernel includes; none where it does not compile, which its build says.
func (r *run) includes(ctx context.Context, k config.Kernel) ([]string, error) {
	files, err := r.builder.Includes(ctx, r.spec(k, r.opt.Head))
	var fault *kernels.BuildError
	if errors.As(err, &fault) {
		return nil, nil
	}
	return files, err
}

// ownAdapter is the adapter by which base may be built instead of head's: its own, which has passed review before. Never the other
// way round, and not where base's is the trusted one.
func (r *run) ownAdapter(k config.Kernel, side Side) (string, bool) {
	if side.Tree != r.opt.Base.Tree || side.Tree == r.opt.Head.Tree || r.opt.Trusted.Trust != repo.TrustWorktree {
		return "", false
	}
	adapter := k.Adapter
	if own, ok := r.ofBase(k); ok && own.Adapter != "" {
		adapter = own.Adapter
	}
	return adapter, side.has(adapter)
}

// keepAdapters notes a kernel that is nothing but its adapter, where head changes that: by head's, base would be head.
func (r *run) keepAdapters(ctx context.Context, k config.Kernel) error {
	own, ok := r.ownAdapter(k, r.opt.Base)
	if !ok || k.Build != nil || len(k.Sources)+len(r.sources(k, r.opt.Base)) > 0 || !r.opt.Trusted.ChangesAdapter(k.Adapter) {
		return nil
	}
	included, err := r.includes(ctx, k)
	if err != nil || len(included) > 0 {
		return err
	}
	r.kept[k.Name] = own
	r.res.Notes = append(r.res.Notes, k.Name+": its code is in its adapter, so each side was built with its own")
	return nil
}
