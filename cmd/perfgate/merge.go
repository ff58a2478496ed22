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
		Short: "Make one verdict from the results of several runners",
		Long: `merge makes one result and one verdict from the results of several runners: the shards of one run (perfgate run
--shard I/N), the same run on several machines, or both. From a folder it takes every result.json.

Every case is decided again from its samples. All results have to come from the same configuration, base, head,
seed and version of perfgate. If a shard is missing, the exit code is 3, or 1 where the others have a regression.`,
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
