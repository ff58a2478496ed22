package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

func newExportCommand(s *streams, f *baselineFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [REVISION]",
		Short: "Write records as CSV or JSON lines: one, or --limit N",
		Long: `export writes process,kernel,case,ns of the nearest record at or before a revision, which perfgate compare reads. With --limit it writes the newest N records, with commit, time and distance in front. --format jsonl
writes all that records have, one a line, which import takes back as they were.`,
		Example: `  perfgate baseline export v1.2 > old.csv
  perfgate baseline export --limit 500 --format jsonl > records.jsonl`,
		Args: takes(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exportRecords(cmd.Context(), s, f, revisionOf(args))
		},
	}
	define(cmd, f.targets())
	return cmd
}

func exportRecords(ctx context.Context, s *streams, f *baselineFlags, revision string) error {
	h, err := nearest(ctx, f, revision)
	if err != nil {
		return err
	}
	if f.limit > len(h.Found) { // more than a run reads
		if _, h, err = allRecords(ctx, f, revision); err != nil {
			return err
		}
	}
	records := h.Found[:min(max(1, f.limit), len(h.Found))]
	out := bufio.NewWriter(s.out)
	if f.format == "jsonl" {
		err = baseline.WriteLines(out, records)
	} else {
		err = baseline.WriteTable(out, records, f.limit > 0)
	}
	return errors.Join(err, out.Flush())
}

func newImportCommand(s *streams, f *baselineFlags) *cobra.Command {
	replace := false
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take records from JSON lines into the store (- is standard input)",
		Long: `import takes what export --format jsonl wrote. The file is read to its end before anything is stored. Its values are trusted: import only
from people whose changes you would merge.

A record that the store has already stays as it is, unless --replace is given.`,
		Example: `  perfgate baseline import records.jsonl`,
		Args:    takes(1, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importRecords(cmd.Context(), s, f, args[0], replace)
		},
	}
	define(cmd, targets{"config": &f.config, "store": &f.store, "replace": &replace})
	return cmd
}

func importRecords(ctx context.Context, s *streams, f *baselineFlags, path string, replace bool) error {
	store, _, err := openBaseline(f)
	if err != nil {
		return err
	}
	data, err := readImport(s, path)
	if err != nil {
		return err
	}
	records, err := baseline.ReadLines(bytes.NewReader(data))
	if err != nil {
		return result.Usagef("%s: %w", path, err)
	}
	if err := baseline.CheckWritable(ctx, store); err != nil {
		return ofStore(err)
	}
	stored, err := baseline.Import(ctx, store, records, replace)
	if err != nil {
		return ofStore(err)
	}
	fmt.Fprintf(s.out, "imported %s into %s\n", report.Count(stored, "record"), store)
	if known := len(records) - stored; known > 0 {
		fmt.Fprintf(s.out, "%s already there and left as it was (--replace takes those of the file)\n", report.Count(known, "record"))
	}
	return nil
}

func readImport(s *streams, path string) ([]byte, error) {
	if path != "-" {
		return readLimited(path)
	}
	data, err := io.ReadAll(io.LimitReader(s.in, maxFrom+1))
	if err == nil && len(data) > maxFrom {
		err = result.Usagef("standard input is larger than %d MiB", maxFrom>>20)
	}
	return data, err
}
