package action

import (
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
)

// compares says whether a mode is about a head and its base.
func compares(mode string) bool {
	return slices.Contains([]string{ModeGate, ModeMeasure, ModeMerge, ModeReport}, mode)
}

// trustWithoutToken goes by the event where GitHub cannot be asked who applied the label: a run that its being applied has
// started is newer than every push, and whether whoever did may write is for the job that reports.
func trustWithoutToken(e github.Event, in Inputs) string {
	if e.PR != nil && e.Action == "labeled" && e.Label == in.Label {
		return repo.TrustWorktree
	}
	return repo.TrustBase
}

// seedAttempt is the part of the seed that differs when a run is repeated. Parts of a plan have none: one that failed is
// repeated alone, and still belongs to the others.
func seedAttempt(e github.Event, in Inputs) string {
	if in.Shard != "" || in.Machine != "" {
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
	if in.Mode == ModeMerge && (in.Results == "" || in.Shards == 0 && len(in.Machines) == 0) {
		r.fail("mode merge needs the inputs shards, how many parts there are, or machines, which measured the plan, and results, the folder that their artifacts were downloaded into")
	}
	r.checkMachines(in)
}

// checkMachines sees that names of machines can be part of an artifact's, and that there are no more than can be merged.
func (r *inputReader) checkMachines(in Inputs) {
	if in.Machine != "" && in.Mode != ModeMeasure {
		r.fail("input machine: one of several machines has no verdict of its own: use it with mode: measure, and mode: merge in a job after it")
	}
	if len(in.Machines)*max(in.Shards, 1) > gate.MaxInputs {
		r.fail("inputs machines and shards: %d machines with %d parts are more than the %d results that make one verdict", len(in.Machines), max(in.Shards, 1), gate.MaxInputs)
	}
	for i, name := range in.Machines {
		if slices.Contains(in.Machines[:i], name) {
			r.fail("input machines: %s is there twice", name)
		}
	}
	for _, name := range append(slices.Clone(in.Machines), in.Machine) {
		if name != "" && (!plainName(name) || strings.Contains(name, "-shard-")) {
			r.fail("inputs machine and machines: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores, without -shard-", name, maxKey)
		}
	}
}
