package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// reasonSentences has the sentence of every kind, which TestEveryWhyIsWorded sees to. Braces hold the place of a fact.
var reasonSentences = map[result.ReasonKind]string{
	result.ReasonAbsent:         "{name} has none of {names}",
	result.ReasonDropped:        "only base's configuration has it, so it was not compared (--trust base uses base's, --kernel and --case choose what to compare)",
	result.ReasonIdentical:      "not timed: both sides built to the same code, and no file that base requested while it ran differs on head (proof b)",
	result.ReasonSameFiles:      "not timed: no file that base's build and run requested differs on head (proof c)",
	result.ReasonNoBuild:        "{side} does not build{said}",
	result.ReasonAdapterUnfit:   "{side} needs an adapter change: the adapter does not build against it",
	result.ReasonSeveralGPUs:    "head needs {name}: a kernel that uses several GPUs can be neither checked nor measured, since it sees only one",
	result.ReasonNoReport:       "limits cannot be checked: {name} is limited, but no compiler reported a kernel (it must be CUDA, and for a build command's library cuobjdump must be next to nvcc)",
	result.ReasonNoSpills:       "limits cannot be checked: spill-bytes is limited, and a finished library does not show spills: remove spill-bytes, or let perfgate compile the sources",
	result.ReasonHidden:         "its benchmark hides its tensors: parity needs an adapter",
	result.ReasonRecorded:       "checked when this code was first recorded",
	result.ReasonBenchmarkFails: "{side}'s benchmark{said}",
	result.ReasonNotInBase:      "base's benchmark does not have it",
	result.ReasonNoCommonCase:   "its benchmark has no case that both sides can measure",
	result.ReasonAllLeftOut:     "the benchmark itself leaves out all of its cases",
	result.ReasonElsewhere: "{side} loaded {words} instead of its tree's {name}, which was not compared: let it find the tree's first (PYTHONPATH, a run path, a build in place), " +
		"or allow it by installed: [{names}]",
	result.ReasonRanNothing: "{side}'s benchmark opened and started nothing in its tree but what the key files lists, so no code of the repository ran: let its command run code of the tree, " +
		"or remove the timed code from files",
	result.ReasonByRecords:    "head only, compared with {count} stored sessions, no rounds",
	result.ReasonRecordsAlone: "baseline.mode is stored, so nothing is measured side by side",

	result.ReasonBenchmarkFiles:   "{files} (the key files makes both sides run {side}'s: keep the timed code in other files)",
	result.ReasonConfiguration:    "how {files} builds and runs it (both sides used {side}'s)",
	result.ReasonAdapterFile:      "{files} (both sides are built with {side}'s adapter: keep the timed code in a file that it imports or includes)",
	result.ReasonEpoch:            "the epoch goes from {name}, so the history, the best-known level and drift begin again",
	result.ReasonByPackage:        "no file that base requested in the repository differs, but one package of the environments does: {names}",
	result.ReasonByEnvironment:    "no file that base requested in the repository differs, but the environments do: {packages}; which package causes it was not measured",
	result.ReasonEnvironments:     "{packages}",
	result.ReasonEnvironmentLabel: "{files} (both sides ran in base's environment: packages that an external contributor lists are fetched once a user with write access has applied the label)",
	result.ReasonEnvironmentFiles: "{files} (both sides ran in the environment that is installed here)",
	result.ReasonCasesRemoved:     "{files}, which head's benchmark no longer has",
	result.ReasonCasesUnknown:     "which cases head's benchmark no longer has: base's own{said}",
	result.ReasonUnused:           "{files} (paths or sources names this, but no observed build or run requested it)",
	result.ReasonUnbuilt:          "{files} (no observed build or run read this, and {name}, a copy or possibly a build of it, was used: remove or build it, or list in paths what is measured)",
	result.ReasonUnread:           "{files} (no observed build or run read this)",
	result.ReasonStaleBuild:       "{files} ({side}'s build read nothing of the change, so a cache or another build's output was used: build from the tree, without a cache that goes by names or times)",
	result.ReasonAllWaived:        "every case that was timed ({count}) has a waiver",
	result.ReasonCaseRemoved:      "head's benchmark no longer has it, but base's does",

	result.ReasonMessage:            "{words}",
	result.ReasonPaired:             "baseline.mode is paired: nothing is compared with records",
	result.ReasonStoreUnreadable:    "the store cannot be read{said}",
	result.ReasonNoRecord:           "there is no stored record of this machine yet (perfgate baseline record makes one)",
	result.ReasonNoneUsable:         "no record of this machine can be used",
	result.ReasonNoAncestor:         "none of the {records} of this machine is of an ancestor of base",
	result.ReasonNotRecorded:        "no ancestor of the merge base has a record of this case",
	result.ReasonMachineChanged:     "since {record} the machine has changed: {changes}",
	result.ReasonConfigChanged:      "the configuration of the kernel has changed since {record}",
	result.ReasonEnvironmentChanged: "the environment differs from that of {record}: {files}",
	result.ReasonEnvironmentUnknown: "it is unknown whether the environment is still that of {record}",
	result.ReasonOtherCode:          "the nearest records are of different code than the merge base's",
	result.ReasonInSuite:            "it is in the suite, so it is measured in rounds",
	result.ReasonNoBestKnown:        "records do not say what that is, or cannot be compared with it",
	result.ReasonSuiteIncomplete:    "a weighted case was not timed in the rounds of the others",
	result.ReasonBesideCompetitors:  "it has competitors, so it is measured in rounds",
	result.ReasonScatterUnknown:     "the variation between sessions on this machine is not known yet: it takes {count} sessions of unchanged code with one timing method (and launches per sample)",
	result.ReasonScatterLarge:       "sessions vary by {share} here, too much to exclude a change above the tolerance from head only",
	result.ReasonNotRebuilt:         "the benchmark of that commit is not built again",
	result.ReasonNoFiles:            "its files are not available{said}",
	result.ReasonBestNoBuild:        "it does not build with today's configuration{said}",
	result.ReasonBudgetSpent:        "time budget exhausted",
	result.ReasonBudgetShort:        "not started: the budget is too short",

	result.ReasonUnwatched:    "head changes only files that paths leaves out, so nothing was built or timed",
	result.ReasonHeadIsBase:   "head is the {name} itself, so nothing was built or timed: --base HEAD~1 compares with the commit before",
	result.ReasonEqualTrees:   "both trees are equal",
	result.ReasonAskedSame:    "no file that it requested for {record} differs",
	result.ReasonAskedUnknown: "the record of {name} does not list all files that it requests{said}",
	result.ReasonNoChange:     "head changes nothing, so nothing was built or timed",

	result.ReasonHasRecord:     "the commit has a record",
	result.ReasonScatterKnown:  "its code has a record, and the variation between sessions is known",
	result.ReasonEnoughRecords: "its code has enough records",
	result.ReasonScatterLearnt: "the variation between sessions is still being estimated ({sessions} so far)",
	result.ReasonAllRecorded:   "every case has enough records on this machine: nothing to do",

	result.ReasonOnlyInNew:    "only in NEW",
	result.ReasonMissingInNew: "missing in NEW",
	result.ReasonUntimed:      "was not timed ({name}){said}",
	result.ReasonCopied:       "OLD and NEW hold the same samples of it, so one is a copy of the other",
	result.ReasonUnpaired:     "OLD and NEW cannot pair up: one has more processes than the other, by {count}",
	result.ReasonFewValues:    "{count} values on a side, at least 4 are needed: run more processes, and write each to a separate file in a folder",
}

// Reason is the sentence of a reason; "" of none.
func Reason(why *result.Reason) string {
	if why == nil {
		return ""
	}
	alone := ""
	if why.Alone {
		alone = "baseline.mode is stored, and there is nothing to compare with: "
	}
	return alone + strings.NewReplacer( // goes over the sentence once: a brace in what a tool said stays one
		"{name}", why.Name,
		"{names}", strings.Join(why.Names, ", "),
		"{files}", andMore(why.Names, why.Count, ", "),
		"{packages}", cmp.Or(andMore(why.Names, why.Count, ", "), "no package that an installer recorded"),
		"{side}", string(why.Side),
		"{count}", strconv.Itoa(why.Count),
		"{records}", text.Count(why.Count, "record"),
		"{sessions}", text.Count(why.Count, "session"),
		"{share}", fmt.Sprintf("%.2f %%", 100*why.Share),
		"{record}", either(why.Name == "", "the nearest record", "the record of "+result.ShortID(why.Name)),
		"{changes}", strings.Join(why.Names, "; "),
		"{said}", because(why.Message),
		"{words}", why.Message,
	).Replace(reasonSentences[why.Kind])
}

// ruleWords say what head changes in the policy.
var ruleWords = map[result.RuleKind]string{
	result.RuleConfigAdded:    "{file}: added, so head's policy{detail}",
	result.RuleConfigRemoved:  "{file}: removed{detail}",
	result.RuleConfigInvalid:  "{file}: no longer valid{detail}",
	result.RuleConfigUnusable: "{file}: removed, or no longer valid{detail}",
	result.RuleConfigRepaired: "{file}: base's is not valid, so head's policy{detail}",
	result.RuleAdapter:        "adapter {file}: changed{detail}",
	result.RuleBenchmark:      "benchmark {file}: changed{detail}",
	result.RuleWorkflow:       "workflow {file}: changed, and the run that measured may have used it{detail}",
	result.RuleHeader:         "{file}: changed (perfgate builds with its own){detail}",
}

// limitPhrase says which resource limit a finding is about, and by how much it is exceeded.
func limitPhrase(f result.Finding) string {
	o := f.Over
	if o == nil {
		return Reason(f.Reason)
	}
	unit, others := " a thread", ""
	if o.Key == "shared-bytes" {
		unit = " a block"
	}
	if o.Over > 1 {
		others = fmt.Sprintf(" (%d kernels are over it)", o.Over)
	}
	return fmt.Sprintf("%s: %s needs %d%s, the limit is %d%s", o.Key, functionName(o.Function), o.Needs, unit, o.Limit, others)
}

// unprovenWords has every kind of rule.UnprovenKinds: what there is only a word for, of a case or a kernel.
var unprovenWords = map[rule.UnprovenKind]string{
	rule.UnprovenNew:       "that base does not have it",
	rule.UnprovenIdentical: "that both sides are the same code",
	rule.UnprovenStored:    "what stored records said of it",
	rule.UnprovenIdle:      "that there was nothing to do",
	rule.UnprovenFound:     "which cases the benchmark has, and its times",
	rule.UnprovenPast:      "what stored records say: changes since them, levels, best-known levels, drift of the machine",
	rule.UnprovenWork:      "the operations and bytes of a launch, and so all rates and rooflines",
}

// Unproven says for what there is the word of the measuring job alone, on one line.
func Unproven(u rule.Unproven) string {
	const most = 200
	line := "only the measuring job says so: "
	if about := aboutOf(result.Finding{Kernel: u.Kernel, Case: u.Case, Machine: u.Machine}); about != "" {
		line += text.Clip(about, most) + ": "
	}
	line += unprovenWords[u.Kind]
	if why := Reason(u.Reason); why != "" {
		line += ": " + text.Clip(why, most)
	}
	return line
}
