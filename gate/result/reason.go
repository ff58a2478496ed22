package result

// Reason is why something is as it is, as data: its kind, and the facts that its sentence needs. Package report has the sentence.
type Reason struct {
	Kind    ReasonKind `json:"kind"`
	Side    Side       `json:"side,omitempty"`
	Name    string     `json:"name,omitempty"`  // of what it is about
	Names   []string   `json:"names,omitempty"` // likewise, of several
	Count   int        `json:"count,omitempty"`
	Share   float64    `json:"share,omitempty"`   // 0.01 is 1 %
	Alone   bool       `json:"alone,omitempty"`   // baseline.mode is stored: this keeps a case from being measured at all
	Message string     `json:"message,omitempty"` // by a tool or the code under test, of a finding one line: hostile
}

// ReasonKind is a kind of reason.
type ReasonKind string

// Message is the reason of a text that a tool, or the code under test, made; nil of none.
func Message(text string) *Reason {
	if text == "" {
		return nil
	}
	return &Reason{Kind: ReasonMessage, Message: text}
}

// Is says whether there is a reason, and it is of a kind.
func (r *Reason) Is(kind ReasonKind) bool { return r != nil && r.Kind == kind }

// MessageOf is the text of a reason that is one; "" of none.
func MessageOf(r *Reason) string {
	if r == nil {
		return ""
	}
	return r.Message
}

// Reason a kernel or a case is not compared, or not in the usual way.
const (
	ReasonAbsent         ReasonKind = "absent"          // side Name has none of the files Names
	ReasonDropped        ReasonKind = "dropped"         // base's configuration has it, and head's, which rules, does not
	ReasonIdentical      ReasonKind = "identical"       // both sides built to the same code, and nothing that base's asks for while it runs differs on head: proof b
	ReasonSameFiles      ReasonKind = "same-files"      // nothing that base's build and run asked for differs on head: proof c
	ReasonNoBuild        ReasonKind = "no-build"        // Side does not build
	ReasonAdapterUnfit   ReasonKind = "adapter-unfit"   // the adapter does not build against Side
	ReasonSeveralGPUs    ReasonKind = "several-gpus"    // head needs Name, which spreads over several GPUs
	ReasonNoReport       ReasonKind = "no-report"       // the key Name of limits is limited, and no compiler reported
	ReasonNoSpills       ReasonKind = "no-spills"       // spills are limited, and a finished library does not tell them
	ReasonHidden         ReasonKind = "hidden"          // its benchmark hides its tensors
	ReasonRecorded       ReasonKind = "recorded"        // parity was checked when the code was first recorded
	ReasonBenchmarkFails ReasonKind = "benchmark-fails" // of Side
	ReasonNotInBase      ReasonKind = "not-in-base"     // base's benchmark does not have the case
	ReasonNoCommonCase   ReasonKind = "no-common-case"  // its benchmark has no case that both sides can measure
	ReasonAllLeftOut     ReasonKind = "all-left-out"    // its benchmark leaves out all of its cases itself
	ReasonElsewhere      ReasonKind = "elsewhere"       // Side loaded the file Message, which goes by Names, and not Name of its own tree
	ReasonRanNothing     ReasonKind = "ran-nothing"     // the benchmark of Side opened and started no file of its tree but those that both sides share
	ReasonByRecords      ReasonKind = "by-records"      // head alone against Count stored sessions
	ReasonRecordsAlone   ReasonKind = "records-alone"   // baseline.mode is stored: nothing is measured side by side
)

// Reason a part of head's change was not compared.
const (
	ReasonBenchmarkFiles   ReasonKind = "benchmark-files"   // both sides ran those of Side: Names, Count in all
	ReasonConfiguration    ReasonKind = "configuration"     // both sides were built and run as the configuration of Side says: Names
	ReasonAdapterFile      ReasonKind = "adapter-file"      // both sides were built with that of Side: Names
	ReasonEpoch            ReasonKind = "epoch"             // head's configuration changes the epoch of a kernel: Name says from which to which
	ReasonEnvironmentFiles ReasonKind = "environment-files" // both sides ran in one environment, and head changes the files Names of it, Count in all
	ReasonEnvironmentLabel ReasonKind = "environment-label" // an external contributor changes the inputs Names of it, Count in all, and nobody has approved that they are fetched
	ReasonCasesRemoved     ReasonKind = "cases-removed"     // head's benchmark, which both sides ran, no longer has the rows Names, Count in all
	ReasonCasesUnknown     ReasonKind = "cases-unknown"     // base's own benchmark did not say which it has
	ReasonUnused           ReasonKind = "unused"            // head changes the files Names, Count in all, and no process that was observed asked for them
	ReasonCaseRemoved      ReasonKind = "case-removed"      // of one case: head's benchmark, which both sides ran, no longer has it
	ReasonAllWaived        ReasonKind = "all-waived"        // each of the Count cases that were timed has a waiver
)

// Reason a time changed that is not the code's: nothing differs of the repository that base asked for.
const (
	ReasonByPackage     ReasonKind = "by-package"     // the package Names alone differs in the environments
	ReasonByEnvironment ReasonKind = "by-environment" // the environments differ: in the packages Names, Count in all; none that an installer wrote down where Count is 0
	ReasonEnvironments  ReasonKind = "environments"   // likewise, and the repository may differ, too
)

// Reason stored records did not settle a case, or have no part in a run.
const (
	ReasonMessage            ReasonKind = "message" // Message has it all: there is no store, or head alone could not be measured
	ReasonPaired             ReasonKind = "paired"  // baseline.mode is paired
	ReasonStoreUnreadable    ReasonKind = "store-unreadable"
	ReasonNoRecord           ReasonKind = "no-record"           // of this machine
	ReasonNoneUsable         ReasonKind = "none-usable"         // of the records of this machine
	ReasonNoAncestor         ReasonKind = "no-ancestor"         // of the Count records of this machine none is of an ancestor of base
	ReasonNotRecorded        ReasonKind = "not-recorded"        // no ancestor of the merge base has a record of the case
	ReasonMachineChanged     ReasonKind = "machine-changed"     // since the record of commit Name, or since the nearest; Names say how
	ReasonConfigChanged      ReasonKind = "config-changed"      // that of the kernel, since the record of commit Name
	ReasonEnvironmentChanged ReasonKind = "environment-changed" // since the record of commit Name; Names of Count parts of it
	ReasonEnvironmentUnknown ReasonKind = "environment-unknown" // that of the record of commit Name, or whether it is still the same
	ReasonOtherCode          ReasonKind = "other-code"          // the nearest records are of other code than the merge base
	ReasonBesideCompetitors  ReasonKind = "beside-competitors"  // it is measured beside competitors, so in rounds
	ReasonInSuite            ReasonKind = "in-suite"            // it has a weight in the suite, so it is measured in rounds
	ReasonScatterUnknown     ReasonKind = "scatter-unknown"     // of sessions: it takes Count of unchanged code
	ReasonScatterLarge       ReasonKind = "scatter-large"       // Share: head alone cannot exclude a change above the tolerance
	ReasonNoBestKnown        ReasonKind = "no-best-known"       // records do not tell the best-known level of the case, or it cannot be compared with it
	ReasonNotRebuilt         ReasonKind = "not-rebuilt"         // the benchmark of the best-known commit is not built again
	ReasonNoFiles            ReasonKind = "no-files"            // those of the best-known commit are not to be had
	ReasonBestNoBuild        ReasonKind = "best-no-build"       // the best-known commit does not build with today's configuration
	ReasonSuiteIncomplete    ReasonKind = "suite-incomplete"    // a weighted case was not timed in the rounds of the others
	ReasonBudgetSpent        ReasonKind = "budget-spent"
	ReasonBudgetShort        ReasonKind = "budget-short" // nothing was timed: the budget holds a first look of Count cases
)

// Reason there is nothing to build or to time.
const (
	ReasonUnwatched        ReasonKind = "unwatched"         // head changes no watched file
	ReasonUnwatchedCommand ReasonKind = "unwatched-command" // likewise, and what a build command reads, only paths says
	ReasonHeadIsBase       ReasonKind = "head-is-base"      // head is Name itself
	ReasonNoChange         ReasonKind = "no-change"         // head changes nothing
	ReasonEqualTrees       ReasonKind = "equal-trees"       // base's and head's
	ReasonAskedSame        ReasonKind = "asked-same"        // nothing differs that records of base, of commit Name, saw it ask for on Count machines
	ReasonAskedUnknown     ReasonKind = "asked-unknown"     // the record of machine Name does not have all that it asks for, for a reason of the kind Message
)

// Reason a record is worth measuring, or is not.
const (
	ReasonHasRecord     ReasonKind = "has-record"     // the commit
	ReasonScatterKnown  ReasonKind = "scatter-known"  // and the code has a record
	ReasonEnoughRecords ReasonKind = "enough-records" // the code has
	ReasonScatterLearnt ReasonKind = "scatter-learnt" // the scatter of sessions is still being learnt, from Count so far
	ReasonAllRecorded   ReasonKind = "all-recorded"   // every case has records enough on this machine
)

// ReasonKinds lists them.
var ReasonKinds = []ReasonKind{
	ReasonAbsent, ReasonDropped, ReasonIdentical, ReasonSameFiles, ReasonNoBuild, ReasonAdapterUnfit, ReasonSeveralGPUs, ReasonNoReport, ReasonNoSpills,
	ReasonHidden, ReasonRecorded, ReasonBenchmarkFails, ReasonNotInBase, ReasonNoCommonCase, ReasonAllLeftOut, ReasonElsewhere, ReasonRanNothing,
	ReasonByRecords, ReasonRecordsAlone, ReasonBenchmarkFiles, ReasonConfiguration, ReasonAdapterFile, ReasonEpoch, ReasonEnvironmentFiles, ReasonEnvironmentLabel, ReasonCasesRemoved,
	ReasonByPackage, ReasonByEnvironment, ReasonEnvironments,
	ReasonCasesUnknown, ReasonUnused, ReasonCaseRemoved, ReasonAllWaived, ReasonMessage, ReasonPaired, ReasonStoreUnreadable, ReasonNoRecord, ReasonNoneUsable,
	ReasonNoAncestor, ReasonNotRecorded, ReasonMachineChanged, ReasonConfigChanged, ReasonEnvironmentChanged, ReasonEnvironmentUnknown, ReasonOtherCode,
	ReasonBesideCompetitors, ReasonInSuite, ReasonScatterUnknown, ReasonScatterLarge, ReasonNoBestKnown, ReasonNotRebuilt, ReasonNoFiles, ReasonBestNoBuild,
	ReasonSuiteIncomplete, ReasonBudgetSpent,
	ReasonBudgetShort, ReasonHasRecord, ReasonScatterKnown, ReasonEnoughRecords, ReasonScatterLearnt, ReasonAllRecorded, ReasonUnwatched,
	ReasonUnwatchedCommand, ReasonHeadIsBase, ReasonNoChange, ReasonEqualTrees, ReasonAskedSame, ReasonAskedUnknown,
}
