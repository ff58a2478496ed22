package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
)

// pruneFlags are the flags of baseline prune.
type pruneFlags struct {
	recordsFlags
	KeepLast    int
	Unreachable bool
	Apply       bool
}

func newPruneCommand(s *streams) *cobra.Command {
	var f pruneFlags
	return ofRecords(s, &cobra.Command{
		Use:   "prune",
		Short: "Remove records that no lookup reaches any more",
		Long: `prune lists this machine's records that cannot be read, and those of HEAD and its ancestors beyond the nearest
--keep-last; with --unreachable also those of all other commits. With --apply it removes them.`,
		Example: "  perfgate baseline prune --keep-last 200 --apply",
		Args:    noArgs,
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, _ []string) (answer, error) { return f.prune(ctx, kept) })
}

func (f pruneFlags) prune(ctx context.Context, kept request.Kept) (a answer, err error) {
	ancestors, err := kept.Ancestors(ctx, "HEAD")
	if err != nil {
		return a, err
	}
	keys, err := kept.List(ctx, kept.Machine+"/")
	if err != nil {
		return a, err
	}
	slices.Sort(keys)
	doomed, err := baseline.Prunable(ctx, kept.Store, keys, ancestors, baseline.Retention{Keep: f.KeepLast, Unreachable: f.Unreachable})
	if err != nil {
		return a, err
	}
	if f.Apply {
		var gone []string
		for _, p := range doomed {
			gone = append(gone, p.Key)
		}
		if err := kept.Delete(ctx, gone...); err != nil {
			return a, err
		}
	}
	return answer{document: report.Pruned(doomed, len(keys), f.Apply)}, nil
}
