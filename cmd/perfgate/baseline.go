package main

import (
	"github.com/spf13/cobra"
)

func newBaselineCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Record what commits measured; list, show, accept, prune, import and export records, and list waivers",
		Long: `baseline keeps what commits measured on a machine. Later runs compare with these records before they measure, and
know the best level of each case. The configuration says where they are kept (baseline.store: dir:PATH or
git:BRANCH). docs/history.md has the rules.`,
	}
	return verbs(cmd,
		newRecordCommand(s), newListCommand(s), newShowCommand(s), newAcceptCommand(s), newWaiversCommand(s), newPruneCommand(s), newImportCommand(s), newExportCommand(s))
}
