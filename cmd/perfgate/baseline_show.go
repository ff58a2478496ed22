package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
)

// listFlags are the flags of the verbs that read records.
type listFlags struct {
	recordsFlags
	Limit int
}

func newListCommand(s *streams) *cobra.Command {
	var f listFlags
	return ofRecords(s, &cobra.Command{
		Use:     "list",
		Short:   "List this machine's records of HEAD and its ancestors, nearest first",
		Example: "  perfgate baseline list --limit 5",
		Args:    noArgs,
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, _ []string) (a answer, err error) {
		h, err := kept.Near(ctx, "HEAD")
		if err == nil && h.Keys == 0 {
			a.document, err = noRecords(ctx, kept)
			return a, err
		}
		a.document = report.RecordList(h, f.Limit, kept.Machine, kept.String())
		return a, err
	})
}

// noRecords says which machines have records where this one has none.
func noRecords(ctx context.Context, kept request.Kept) (report.Document, error) {
	machines, err := kept.Machines(ctx)
	return report.NoRecords(kept.Machine, kept.String(), machines), err
}

// nearest is the history from a revision, whose first record is the one asked for.
func nearest(ctx context.Context, kept request.Kept, revision string) (baseline.History, error) {
	h, err := kept.Near(ctx, revision)
	if err == nil && len(h.Found) == 0 {
		text := fmt.Sprintf("%s has no usable record of %s or its ancestors on %s", kept, revision, kept.Machine)
		err = errors.New(strings.Join(append([]string{text}, report.SkippedRecords(h)...), "\n"))
	}
	return h, err
}

func newShowCommand(s *streams) *cobra.Command {
	var f listFlags
	return ofRecords(s, &cobra.Command{
		Use:     "show [REVISION]",
		Short:   "Show the nearest record at or before a revision, and the trend of its cases",
		Example: "  perfgate baseline show v1.2",
		Args:    takes(0, 1, "at most one revision"),
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, args []string) (answer, error) {
		h, err := nearest(ctx, kept, revisionOf(args))
		if err != nil {
			return answer{}, err
		}
		return answer{document: report.ShownRecord(h), data: printed(h.Found[0].Record)}, nil
	})
}
