package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

func newExportCommand(s *streams) *cobra.Command {
	var f listFlags
	return verb(&cobra.Command{
		Use:   "export [REVISION]",
		Short: "Write records as CSV or JSON lines: one, or --limit N",
		Long: `export writes process,kernel,case,ns of the nearest record at or before REVISION (default HEAD), which perfgate
compare reads. With --limit N it writes the newest N records, each row with commit, time and distance. --format
jsonl writes complete records, one a line, for perfgate baseline import.`,
		Example: `  perfgate baseline export v1.2 > old.csv
  perfgate baseline export --limit 500 --format jsonl > records.jsonl`,
		Args: takes(0, 1, "at most one revision"),
	}, &f, func(ctx context.Context, args []string) error { return f.export(ctx, s, revisionOf(args)) })
}

func (f listFlags) export(ctx context.Context, s *streams, revision string) error {
	kept, err := f.Open(ctx)
	if err != nil {
		return err
	}
	h, err := nearest(ctx, kept, revision)
	if err == nil && f.Limit > len(h.Found) { // more than a run reads
		h, err = kept.All(ctx, revision)
	}
	if err != nil {
		return err
	}
	records := h.Found[:min(max(1, f.Limit), len(h.Found))]
	out := bufio.NewWriter(s.out)
	if f.Format == "jsonl" {
		err = baseline.WriteLines(out, records)
	} else {
		err = baseline.WriteTable(out, records, f.Limit > 0)
	}
	return errors.Join(err, out.Flush())
}

// importFlags are the flags of baseline import.
type importFlags struct {
	recordsFlags
	Replace bool
}

func newImportCommand(s *streams) *cobra.Command {
	var f importFlags
	return ofRecords(s, &cobra.Command{
		Use:   "import FILE",
		Short: "Take records from JSON lines into the store (- is standard input)",
		Long: `import stores the records that perfgate baseline export --format jsonl wrote. If one line of FILE is bad, nothing is
stored. A record that the store has already stays as it is, unless --replace is given.

Its values are trusted: import only from people whose changes you would merge.`,
		Example: `  perfgate baseline import records.jsonl`,
		Args:    takes(1, 1, "one file, or - for standard input"),
	}, &f, &f.recordsFlags, func(ctx context.Context, kept request.Kept, args []string) (answer, error) {
		return f.take(ctx, s, kept, args[0])
	})
}

func (f importFlags) take(ctx context.Context, s *streams, kept request.Kept, path string) (a answer, err error) {
	data, err := request.ReadNamed(path, s.in)
	if err != nil {
		return a, err
	}
	records, err := baseline.ReadLines(bytes.NewReader(data))
	if err != nil {
		return a, result.Usagef("%s: %w", path, err)
	}
	if err := baseline.CheckWritable(ctx, kept.Store); err != nil {
		return a, err
	}
	stored, err := baseline.Import(ctx, kept.Store, records, f.Replace)
	if err != nil {
		return a, err
	}
	return answer{document: report.Imported(stored, len(records), kept.String())}, nil
}
