package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// outcome is what exit codes mean of a verb: 0, 1 and 3. The code 2 means the same in all. "" is a code that the verb does not end with.
type outcome struct{ yes, no, noAnswer string }

const notDecided = "no answer: "

var onlyDone = outcome{yes: "done"}

// outcomes are those of every verb, by its path.
var outcomes = map[string]outcome{
	"init":     {"the files were written", "with --bench, the gate fails on unchanged code", "git or the network is needed, or --bench could not measure"},
	"demo":     {"", "the gate says no, as it should", notDecided + "too noisy, or interrupted"},
	"doctor":   {"fit to measure", "unfit", notDecided + "a probe could not run, or interrupted"},
	"run":      {"passed", "the gate says no: a regression, a wrong result, or a limit that is exceeded", notDecided + "too noisy, budget exhausted, base does not build, or interrupted"},
	"parity":   {"head is right", "head is wrong", notDecided + "nothing could be checked, or interrupted"},
	"precheck": {"decided, whether a run has something to measure or not", "head does not build or exceeds a limit", notDecided + "could not compile, or interrupted"},
	"rerun":    {"passed here", "the gate says no here", notDecided + "as for run, or no GPU for it is here"},
	"report":   {"the report was written", "", "the report could not be written"},
	"merge":    {"passed", "the gate says no", notDecided + "a shard is missing or cannot be merged, or a case is inconclusive"},

	"compare": {"passed", "a case is slower than the tolerance", notDecided + "a case is inconclusive, or nothing was compared"},
	"versus":  {"all cases were measured, whichever is faster", "", "a case could not be measured, or interrupted"},
	"explain": {"explained", "", "the profile could not be read"},

	"baseline record":  {"a record was stored, or none is needed", "head is wrong, so nothing was stored", "could not be measured, or interrupted"},
	"baseline list":    {"done", "", "the store could not be read"},
	"baseline show":    {"done", "", "there is no record, or the store could not be read"},
	"baseline accept":  {"done", "", "the store could not be read or written"},
	"baseline waivers": {"done", "", "the store could not be read"},
	"baseline prune":   {"done", "", "the store could not be read or written"},
	"baseline import":  {"done", "", "the store could not be read or written"},
	"baseline export":  {"done", "", "there is no record, or the store could not be read"},
	"history":          {"done", "", "the store could not be read"},
	"drift":            {"nothing that was compared has changed", "a case became slower", notDecided + "the machine changed, or nothing could be compared"},
	"bisect":           {"a commit was found, or the commits that cannot be distinguished", "BAD is not slower than GOOD", notDecided + "the ends could not be measured or distinguished, or interrupted"},

	"judge": {"better or same", "worse, wrong, cheating or broken", notDecided + "inconclusive, or it could not be measured"},
	"tune": {
		"the fastest configuration was found; with --check, the shipped one is as good",
		"with --check, the shipped configuration is slower by more than the tolerance", notDecided + "inconclusive, or nothing was measured",
	},

	"action prepare": {"the job goes on", "", "the event or the repository could not be read"},
	"action measure": {"what was measured is left to the report", "", "no job request could be read"},
	"action report":  {"passed, or fail-on lets it pass", "the gate says no", notDecided + "could not be measured"},
	"version":        onlyDone, "help": onlyDone,
	"completion bash": onlyDone, "completion fish": onlyDone, "completion powershell": onlyDone, "completion zsh": onlyDone,
}

// badUsage is the code 2 of every verb.
const badUsage = "bad usage, configuration or input file; nothing was run"

// block is the end of a help.
func (o outcome) block() string {
	var b strings.Builder
	b.WriteString("Exit codes:")
	for code, means := range []string{o.yes, o.no, badUsage, o.noAnswer} {
		if means != "" {
			fmt.Fprintf(&b, "\n  %d  %s", code, means)
		}
	}
	return b.String()
}

// describeExits adds to the help of every verb what its exit codes mean.
func describeExits(cmd *cobra.Command) {
	if o, ok := outcomes[strings.TrimPrefix(cmd.CommandPath(), "perfgate ")]; ok {
		if cmd.Long == "" {
			cmd.Long = cmd.Short + "."
		}
		cmd.Long += "\n\n" + o.block()
	}
	for _, under := range cmd.Commands() {
		describeExits(under)
	}
}
