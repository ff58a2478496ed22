package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

func newWaiversCommand(s *streams) *cobra.Command {
	var f recordsFlags
	return ofRecords(s, &cobra.Command{
		Use:   "waivers",
		Short: "List the waivers and the accepted changes, their age and what they cost",
		Long: `waivers lists the waivers of the configuration, and the accepted changes in this machine's records of HEAD and its
ancestors. For each it shows the owner, its age, and the case that has lost most compared with its best-known level.
The cost of an accepted change is relative to the level before it.`,
		Example: "  perfgate baseline waivers",
		Args:    noArgs,
	}, &f, &f, func(ctx context.Context, kept request.Kept, _ []string) (a answer, err error) {
		found, err := kept.All(ctx, "HEAD")
		a.document = report.Waivers(configuredWaivers(ctx, kept), found, time.Now(), kept.Machine, kept.String())
		return a, err
	})
}

// configuredWaivers are those of the configuration with the time since which they stand there, as far as git knows.
func configuredWaivers(ctx context.Context, kept request.Kept) (out []report.SetWaiver) {
	if kept.Config == nil {
		return nil
	}
	for i, w := range kept.Config.Waivers {
		set, err := kept.Git.LineTime(ctx, kept.Config.File, kept.Config.LineOf(fmt.Sprintf("waivers[%d].cases", i)))
		if err != nil {
			set = time.Time{} // a file that is not committed, or no repository
		}
		out = append(out, report.SetWaiver{Waiver: result.Waiver(w), Set: set})
	}
	return out
}
