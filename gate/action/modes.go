package action

import (
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/github/event"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/sides"
)

// compares says whether a mode is about a head and its base.
func compares(mode string) bool {
	return slices.Contains([]string{ModeGate, ModeMeasure, ModeMerge, ModeReport}, mode)
}

// trustWithoutToken goes by the event where GitHub cannot be asked who applied the label: a run that its being applied has
// started is newer than every push, and whether whoever did may write is for the job that reports.
func trustWithoutToken(e event.Event, in Inputs) string {
	if e.PR != nil && e.Action == "labeled" && e.Label == in.Label {
		return sides.TrustWorktree
	}
	return sides.TrustBase
}

// seedAttempt is the part of the seed that differs when a run is repeated. Parts of a plan have none: one that failed is
// repeated alone, and still belongs to the others.
func seedAttempt(e event.Event, in Inputs) string {
	if in.Shard != "" {
		return "parts"
	}
	return strconv.Itoa(e.RunAttempt)
}

// count reads an input that is a number of parts, 0 where it is empty.
func (r *inputReader) count(name string) int {
	text := r.text(name, "")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > plan.MaxShards {
		r.fail("input %s: %.60q is not a number from 1 to %d", name, text, plan.MaxShards)
		return 0
	}
	return n
}

// checkShards sees that inputs about parts are where they mean something.
func (r *inputReader) checkShards(in Inputs) {
	if in.Shard != "" {
		if _, err := plan.ParseShard(in.Shard); err != nil {
			r.fail("input shard: %v", err)
		}
		if in.Mode != ModeMeasure {
			r.fail("input shard: a part has no verdict of its own: use it with mode: measure, and mode: merge in a job after it")
		}
	}
	if in.Mode == ModeMerge && (in.Results == "" || in.Shards == 0) {
		r.fail("mode merge needs the inputs shards, how many parts there are, and results, the folder that their artifacts were downloaded into")
	}
}
