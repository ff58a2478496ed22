package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

func newMergeCommand(s *streams) *cobra.Command {
	var f struct {
		output
		MachineCount int
	}
	return verb(&cobra.Command{
		Use:   "merge FILE|FOLDER…",
		Short: "Make one verdict of the results of several runners",
		Long: `merge makes one result and one verdict of the results that several runners left: of the parts of a plan (run --shard
i/n), or of the whole plan measured on several machines, or of both. Of a folder it takes every result.json in it.

The results are decided again from their samples. They must be of one measurement: the same configuration, base, head,
seed and version of perfgate. A shard that is missing is an error, but a regression in those that are there still fails.`,
		Example: `  perfgate run --shard 1/3 --seed 42 --out part-1     # on three runners, 1/3 to 3/3
  perfgate merge part-1 part-2 part-3
  perfgate merge --machine-count 2 results/   # an L4 and an H100, each with the whole plan`,
		Args: takes(1, 0, "at least one result.json, or a folder of them"),
	}, &f, func(_ context.Context, args []string) error {
		if f.MachineCount > rule.MaxInputs {
			return result.Usagef("--machine-count is %d; it must be from 1 to %d", f.MachineCount, rule.MaxInputs)
		}
		inputs, err := request.Results(args)
		if err != nil {
			return err
		}
		merged, err := rule.Merge(inputs, rule.MergeOptions{Machines: f.MachineCount})
		if err != nil {
			return fmt.Errorf("merge: %w", err)
		}
		merged.Repro = commandLine("merge", &f, args...)
		if err := render.CheckFolder(f.Out); err != nil {
			return err
		}
		return s.answer(f.output, ofResult(merged))
	})
}
