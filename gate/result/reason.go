package result

// Reason is why something is as it is, as data: its kind, and the facts that its sentence needs. Package report has the sentence.
type Reason struct {
	Kind    ReasonKind `json:"kind"`              // what it is about
	Side    Side       `json:"side,omitempty"`    // base, head or both
	Name    string     `json:"name,omitempty"`    // of what it is about
	Names   []string   `json:"names,omitempty"`   // of what it is about, where that is several
	Count   int        `json:"count,omitempty"`   // how many
	Share   float64    `json:"share,omitempty"`   // how much (fraction)
	Alone   bool       `json:"alone,omitempty"`   // baseline.mode is stored, so this keeps the case from being measured at all
	Message string     `json:"message,omitempty"` // what a tool or the code under test said, untrusted; of a finding one line
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
	ReasonAbsent         ReasonKind = "absent"          // base, Name, has none of the files Names that the kernel is made of
	ReasonDropped        ReasonKind = "dropped"         // base's configuration has it, and head's, which counts, does not
	ReasonIdentical      ReasonKind = "identical"       // both sides built to the same code, and nothing that base's asks for while it runs differs on head: proof b
	ReasonSameFiles      ReasonKind = "same-files"      // nothing that base's build and run asked for differs on head: proof c
	ReasonNoBuild        ReasonKind = "no-build"        // Side does not build
	ReasonAdapterUnfit   ReasonKind = "adapter-unfit"   // the adapter does not build against Side
	ReasonSeveralGPUs    ReasonKind = "several-gpus"    // head needs the library Name, which spreads work over several GPUs
	ReasonNoReport       ReasonKind = "no-report"       // the key Name of limits is set, and no compiler reported
	ReasonNoSpills       ReasonKind = "no-spills"       // spills are limited, and a finished library does not say them
	ReasonHidden         ReasonKind = "hidden"          // its benchmark hides its tensors
	ReasonRecorded       ReasonKind = "recorded"        // parity was checked when the code was first recorded
	ReasonBenchmarkFails ReasonKind = "benchmark-fails" // the benchmark of Side fails
	ReasonNotInBase      ReasonKind = "not-in-base"     // base's benchmark does not have the case
	ReasonNoCommonCase   ReasonKind = "no-common-case"  // its benchmark has no case that both sides can measure
	ReasonAllLeftOut     ReasonKind = "all-left-out"    // its benchmark leaves out all of its cases itself
	ReasonElsewhere      ReasonKind = "elsewhere"       // Side loaded the file Message, which goes by Names, and not Name of its own tree
	ReasonRanNothing     ReasonKind = "ran-nothing"     // the benchmark of Side opened and started no file of its tree but those that both sides share
	ReasonByRecords      ReasonKind = "by-records"      // head only, compared with Count stored sessions
	ReasonRecordsAlone   ReasonKind = "records-alone"   // baseline.mode is stored: nothing is measured side by side
)

// Reason a part of head's change was not compared.
const (
	ReasonBenchmarkFiles   ReasonKind = "benchmark-files"   // both sides ran those of Side: Names, Count in all
	ReasonConfiguration    ReasonKind = "configuration"     // both sides were built and run as the configuration of Side says: Names
	ReasonAdapterFile      ReasonKind = "adapter-file"      // both sides were built with that of Side: Names
	ReasonEpoch            ReasonKind = "epoch"             // head's configuration changes the epoch of a kernel: Name says from which to which
	ReasonEnvironmentFiles ReasonKind = "environment-files" // both sides ran in one environment, and head changes the files Names of it, Count in all
	ReasonEnvironmentLabel ReasonKind = "environment-label" // an external contributor changes inputs of the environment, Names, Count in all, and nobody approved fetching them
	ReasonCasesRemoved     ReasonKind = "cases-removed"     // head's benchmark, which both sides ran, no longer has the rows Names, Count in all
	ReasonCasesUnknown     ReasonKind = "cases-unknown"     // base's own benchmark did not say which it has
	ReasonUnused           ReasonKind = "unused"            // head changes the files Names, Count in all, and no process that was observed asked for them
	ReasonUnbuilt          ReasonKind = "unbuilt"           // head changes the sources Names, Count in all, which no observed process read, and one opened Name that no build made: a copy, or a product
	ReasonUnread           ReasonKind = "unread"            // head changes the sources Names, Count in all, which no observed process read: of the run one part says so, all say whether it matters
	ReasonStaleBuild       ReasonKind = "stale-build"       // head changes the files Names, Count in all, which the build of Side should have read, and that read nothing of the change
	ReasonCaseRemoved      ReasonKind = "case-removed"      // of one case: head's benchmark, which both sides ran, no longer has it
	ReasonAllWaived        ReasonKind = "all-waived"        // each of the Count cases that were timed has a waiver
)

// Reason a time changed that is not the code's: nothing differs of the repository that base asked for.
const (
	ReasonByPackage     ReasonKind = "by-package"     // nothing else differs that base asked for: only the package Names of the environments
	ReasonByEnvironment ReasonKind = "by-environment" // only packages of the environments differ of all that base asked for: Names, Count in all; none that an installer lists where Count is 0
	ReasonEnvironments  ReasonKind = "environments"   // the environments differ in packages Names, Count in all, and the repository may differ, too
)

// Reason stored records did not settle a case, or have no part in a run.
const (
	ReasonMessage            ReasonKind = "message"             // Message says all: there is no store, or head could not be measured by itself
	ReasonPaired             ReasonKind = "paired"              // baseline.mode is paired
	ReasonStoreUnreadable    ReasonKind = "store-unreadable"    // the store cannot be read
	ReasonNoRecord           ReasonKind = "no-record"           // there is no record of this machine
	ReasonNoneUsable         ReasonKind = "none-usable"         // no record of this machine can be used
	ReasonNoAncestor         ReasonKind = "no-ancestor"         // of the Count records of this machine none is of an ancestor of base
	ReasonNotRecorded        ReasonKind = "not-recorded"        // no ancestor of the merge base has a record of the case
	ReasonMachineChanged     ReasonKind = "machine-changed"     // since the record of commit Name, or since the nearest; Names say how
	ReasonConfigChanged      ReasonKind = "config-changed"      // the configuration of the kernel, since the record of commit Name
	ReasonEnvironmentChanged ReasonKind = "environment-changed" // since the record of commit Name; Names of Count parts of it
	ReasonEnvironmentUnknown ReasonKind = "environment-unknown" // the environment of the record of commit Name is unknown, or whether it is still the same
	ReasonOtherCode          ReasonKind = "other-code"          // the nearest records are of other code than the merge base
	ReasonBesideCompetitors  ReasonKind = "beside-competitors"  // it is compared with competitors, so measured in rounds
	ReasonInSuite            ReasonKind = "in-suite"            // it has a weight in the suite, so it is measured in rounds
	ReasonScatterUnknown     ReasonKind = "scatter-unknown"     // the variation between sessions is unknown: it takes Count sessions of unchanged code, timed in the same way
	ReasonScatterLarge       ReasonKind = "scatter-large"       // head only cannot exclude a change above the tolerance: sessions vary by Share
	ReasonNoBestKnown        ReasonKind = "no-best-known"       // records do not say the best-known level of the case, or it cannot be compared with that
	ReasonNotRebuilt         ReasonKind = "not-rebuilt"         // the benchmark of the best-known commit is not built again
	ReasonNoFiles            ReasonKind = "no-files"            // the files of the best-known commit are not available
	ReasonBestNoBuild        ReasonKind = "best-no-build"       // the best-known commit does not build with today's configuration
	ReasonSuiteIncomplete    ReasonKind = "suite-incomplete"    // a weighted case was not timed in the rounds of the others
	ReasonBudgetSpent        ReasonKind = "budget-spent"        // the time budget is exhausted
	ReasonBudgetShort        ReasonKind = "budget-short"        // nothing was timed: the budget holds a first look of Count cases
)

// Reason there is nothing to build or to time.
const (
	ReasonUnwatched    ReasonKind = "unwatched"     // head changes only files that paths leaves out
	ReasonHeadIsBase   ReasonKind = "head-is-base"  // head is Name itself
	ReasonNoChange     ReasonKind = "no-change"     // head changes nothing
	ReasonEqualTrees   ReasonKind = "equal-trees"   // base's and head's trees are equal
	ReasonAskedSame    ReasonKind = "asked-same"    // nothing differs that records of base, of commit Name, saw it ask for on Count machines
	ReasonAskedUnknown ReasonKind = "asked-unknown" // the record of machine Name lacks a part of what the kernel asks for, for a reason of the kind Message
)

// Reason a record is worth measuring, or is not.
const (
	ReasonHasRecord     ReasonKind = "has-record"     // the commit has a record
	ReasonScatterKnown  ReasonKind = "scatter-known"  // the variation between sessions is known, and the code has a record
	ReasonEnoughRecords ReasonKind = "enough-records" // the code has enough records
	ReasonScatterLearnt ReasonKind = "scatter-learnt" // the variation between sessions is still being estimated, from Count so far
	ReasonAllRecorded   ReasonKind = "all-recorded"   // every case has enough records on this machine
)

// Reason a case of two files is not compared.
const (
	ReasonOnlyInNew    ReasonKind = "only-in-new"    // OLD does not have it
	ReasonMissingInNew ReasonKind = "missing-in-new" // NEW does not have it
	ReasonUntimed      ReasonKind = "untimed"        // its saved run did not time it: Name is its verdict, and the kind of the reason
	ReasonCopied       ReasonKind = "copied"         // both have the same samples
	ReasonUnpaired     ReasonKind = "unpaired"       // one has Count processes more than the other
	ReasonFewValues    ReasonKind = "few-values"     // one has Count values only
)

// ReasonKinds lists them.
var ReasonKinds = []ReasonKind{
	ReasonAbsent, ReasonDropped, ReasonIdentical, ReasonSameFiles, ReasonNoBuild, ReasonAdapterUnfit, ReasonSeveralGPUs, ReasonNoReport, ReasonNoSpills,
	ReasonHidden, ReasonRecorded, ReasonBenchmarkFails, ReasonNotInBase, ReasonNoCommonCase, ReasonAllLeftOut, ReasonElsewhere, ReasonRanNothing,
	ReasonByRecords, ReasonRecordsAlone, ReasonBenchmarkFiles, ReasonConfiguration, ReasonAdapterFile, ReasonEpoch, ReasonEnvironmentFiles, ReasonEnvironmentLabel, ReasonCasesRemoved,
	ReasonByPackage, ReasonByEnvironment, ReasonEnvironments,
	ReasonCasesUnknown, ReasonUnused, ReasonUnbuilt, ReasonUnread, ReasonStaleBuild, ReasonCaseRemoved, ReasonAllWaived,
	ReasonMessage, ReasonPaired, ReasonStoreUnreadable, ReasonNoRecord, ReasonNoneUsable,
	ReasonNoAncestor, ReasonNotRecorded, ReasonMachineChanged, ReasonConfigChanged, ReasonEnvironmentChanged, ReasonEnvironmentUnknown, ReasonOtherCode,
	ReasonBesideCompetitors, ReasonInSuite, ReasonScatterUnknown, ReasonScatterLarge, ReasonNoBestKnown, ReasonNotRebuilt, ReasonNoFiles, ReasonBestNoBuild,
	ReasonSuiteIncomplete, ReasonBudgetSpent,
	ReasonBudgetShort, ReasonHasRecord, ReasonScatterKnown, ReasonEnoughRecords, ReasonScatterLearnt, ReasonAllRecorded, ReasonUnwatched,
	ReasonHeadIsBase, ReasonNoChange, ReasonEqualTrees, ReasonAskedSame, ReasonAskedUnknown,
	ReasonOnlyInNew, ReasonMissingInNew, ReasonUntimed, ReasonCopied, ReasonUnpaired, ReasonFewValues,
}
