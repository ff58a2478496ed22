package action

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels/task"
)

// staleBase says why head is not measured: what it is ruled by has changed on its base branch since head left that, "" where it has
// not. Rules come from the tip of the base branch, because a pull request can start from an old commit. Where head changes
// nothing that is watched, nothing is measured, and no base is stale.
func (c change) staleBase(ctx context.Context, in Inputs) (string, error) {
	if c.tip == "" || c.tip == c.base {
		return "", nil
	}
	changes, err := c.movedRules(ctx, in)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return fmt.Sprintf("head left its base branch at %.12s, and its policy has changed there since (%s): "+
		"update the branch, by a merge or a rebase, and it is measured by the rules that hold now", c.base, listed(changes)), nil
}

// movedRules lists what of the rules differs between base and tip.
func (c change) movedRules(ctx context.Context, in Inputs) ([]string, error) {
	was, had, err := read(ctx, c, c.base, pathOf(in))
	if err != nil {
		return nil, err
	}
	is, has, err := read(ctx, c, c.tip, pathOf(in))
	switch {
	case err != nil || !had && !has:
		return nil, err
	case !had:
		return []string{in.Config + ": added"}, nil
	case !has:
		if then, err := parseConfig(in, was); err == nil && !c.watchedBy(then, in) {
			return nil, nil
		}
		return []string{in.Config + ": removed"}, nil
	}
	now, err := parseConfig(in, is)
	if err != nil && bytes.Equal(was, is) {
		return nil, nil // base's rules are read after this, and say so
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration of the base branch, now: %w", err)
	}
	then, err := parseConfig(in, was)
	if err != nil {
		return []string{in.Config + ": not valid then"}, nil
	}
	if !c.watchedBy(then, in) && !c.watchedBy(now, in) {
		return nil, nil
	}
	adapters, err := c.movedAdapters(ctx, in, then)
	if err != nil {
		return nil, err
	}
	parts, err := c.movedParts(ctx, in, then)
	return slices.Concat(config.DiffRules(then, now, in.Kernels), adapters, parts), err
}

// watchedBy says whether head changes what a configuration watches.
func (c change) watchedBy(cfg *config.Config, in Inputs) bool {
	return len(c.watched(cfg, pathOf(in))) > 0
}

// watched lists the files that head changes and a configuration watches.
func (c change) watched(cfg *config.Config, configuration string) []string {
	return plan.Watched(cfg, relativeTo(path.Dir(configuration), c.files))
}

// movedAdapters lists those that have changed, of the kernels that are measured. Where a command builds, the adapter is head's anyway.
func (c change) movedAdapters(ctx context.Context, in Inputs, then *config.Config) ([]string, error) {
	var changes []string
	for _, adapter := range basesAdapters(then, in.Kernels) {
		file := path.Join(path.Dir(pathOf(in)), adapter)
		moved, err := c.movedFiles(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("whether the adapter %s has changed on the base branch cannot be found out: %w", file, err)
		}
		for _, one := range moved {
			if line := "adapter " + one + ": changed"; !slices.Contains(changes, line) {
				changes = append(changes, line)
			}
		}
	}
	return changes, nil
}

// movedFiles are those files of an adapter that differ between base and tip. A problem of a task format has several.
func (c change) movedFiles(ctx context.Context, adapter string) ([]string, error) {
	if !config.IsTask(adapter) {
		return c.moving(ctx, adapter)
	}
	var failed error
	t, err := task.Read(func(file string) ([]byte, error) {
		content, ok, err := read(ctx, c, c.base, file)
		if err != nil {
			failed = err
		} else if !ok {
			err = fs.ErrNotExist
		}
		return content, err
	}, adapter)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil: // its build says what is wrong with it
		return c.moving(ctx, adapter)
	}
	return c.moving(ctx, t.Paths()...)
}

// moving are those files that lead to something else in tip. A folder does not.
func (c change) moving(ctx context.Context, files ...string) (out []string, err error) {
	for _, file := range files {
		was, err := follow(ctx, c, c.base, file)
		if err != nil {
			return nil, err
		}
		is, err := follow(ctx, c, c.tip, file)
		if err != nil {
			return nil, err
		}
		isFolder := was.Mode == repo.ModeFolder || is.Mode == repo.ModeFolder
		if !isFolder && (was.SHA != is.SHA || was.Mode == repo.ModeModule && was.place != is.place) {
			out = append(out, file)
		}
	}
	return out, nil
}

// basesAdapters are the adapters of kernels, or of those named in only, that are base's where base rules.
func basesAdapters(c *config.Config, only []string) []string {
	var out []string
	for _, k := range c.Kernels {
		if len(only) > 0 && !slices.Contains(only, k.Name) {
			continue
		}
		if k.Build != nil {
			k.Adapter = ""
		}
		out = append(out, k.Adapters()...)
	}
	return out
}
