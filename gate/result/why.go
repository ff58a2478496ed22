package result

// Why is a reason as data: its kind, and the facts that its sentence needs. Package report has the sentence. What a tool said is a text beside it.
type Why struct {
	Kind  WhyKind  `json:"kind"`
	Side  Side     `json:"side,omitempty"`
	Name  string   `json:"name,omitempty"`  // of what it is about
	Names []string `json:"names,omitempty"` // likewise, of several
	Count int      `json:"count,omitempty"`
	Share float64  `json:"share,omitempty"` // 0.01 is 1 %
	Alone bool     `json:"alone,omitempty"` // baseline.mode is stored: this keeps a case from being measured at all
	Said  string   `json:"said,omitempty"`  // by a tool or the code under test, of a finding one line: hostile
}

// WhyKind is a kind of reason.
type WhyKind string

// Why a kernel or a case is not compared, or not in the usual way.
const (
	WhyAbsent         WhyKind = "absent"          // side Name has none of the files Names
	WhyDropped        WhyKind = "dropped"         // base's configuration has it, and head's, which rules, does not
	WhyIdentical      WhyKind = "identical"       // both sides built to the same code, and nothing that base's asks for while it runs differs on head: proof b
	WhySameFiles      WhyKind = "same-files"      // nothing that base's build and run asked for differs on head: proof c
	WhyNoBuild        WhyKind = "no-build"        // Side does not build
	WhyAdapterUnfit   WhyKind = "adapter-unfit"   // the adapter does not build against Side
	WhySeveralGPUs    WhyKind = "several-gpus"    // head needs Name, which spreads over several GPUs
	WhyNoReport       WhyKind = "no-report"       // the key Name of resources is limited, and no compiler reported
	WhyNoSpills       WhyKind = "no-spills"       // spills are limited, and a finished library does not tell them
	WhyHidden         WhyKind = "hidden"          // its benchmark hides its tensors
	WhyRecorded       WhyKind = "recorded"        // parity was checked when the code was first recorded
	WhyBenchmarkFails WhyKind = "benchmark-fails" // of Side
	WhyNotInBase      WhyKind = "not-in-base"     // base's benchmark does not have the case
	WhyNoCommonCase   WhyKind = "no-common-case"  // its benchmark has no case that both sides can measure
	WhyAllLeftOut     WhyKind = "all-left-out"    // its benchmark leaves out all of its cases itself
	WhyElsewhere      WhyKind = "elsewhere"       // Side loaded the file Said, which goes by Names, and not Name of its own tree
	WhyRanNothing     WhyKind = "ran-nothing"     // the benchmark of Side opened and started no file of its tree but those that both sides share
	WhyByRecords      WhyKind = "by-records"      // head alone against Count stored sessions
	WhyRecordsAlone   WhyKind = "records-alone"   // baseline.mode is stored: nothing is measured side by side
)

// Why a part of head's change was not compared.
const (
	WhyBenchmarkFiles   WhyKind = "benchmark-files"   // both sides ran those of Side: Names, Count in all
	WhyConfiguration    WhyKind = "configuration"     // both sides were built and run as the configuration of Side says: Names
	WhyAdapterFile      WhyKind = "adapter-file"      // both sides were built with that of Side: Names
	WhyEnvironmentFiles WhyKind = "environment-files" // both sides ran in one environment, and head changes the files Names of it, Count in all
	WhyCasesRemoved     WhyKind = "cases-removed"     // head's benchmark, which both sides ran, no longer has the rows Names, Count in all
	WhyCasesUnknown     WhyKind = "cases-unknown"     // base's own benchmark did not say which it has
	WhyUnused           WhyKind = "unused"            // head changes the files Names, Count in all, and no process that was observed asked for them
	WhyCaseRemoved      WhyKind = "case-removed"      // of one case: head's benchmark, which both sides ran, no longer has it
)

// Why stored records did not settle a case, or have no part in a run.
const (
	WhySaid               WhyKind = "said"   // Said has it all: there is no store, or head alone could not be measured
	WhyPaired             WhyKind = "paired" // baseline.mode is paired
	WhyStoreUnreadable    WhyKind = "store-unreadable"
	WhyNoRecord           WhyKind = "no-record"           // of this machine
	WhyNoneUsable         WhyKind = "none-usable"         // of the records of this machine
	WhyNoAncestor         WhyKind = "no-ancestor"         // of the Count records of this machine none is of an ancestor of base
	WhyNotRecorded        WhyKind = "not-recorded"        // no ancestor of the merge base has a record of the case
	WhyMachineChanged     WhyKind = "machine-changed"     // since the record of commit Name, or since the nearest; Names say how
	WhyConfigChanged      WhyKind = "config-changed"      // that of the kernel, since the record of commit Name
	WhyEnvironmentChanged WhyKind = "environment-changed" // since the record of commit Name; Names of Count parts of it
	WhyEnvironmentUnknown WhyKind = "environment-unknown" // that of the record of commit Name, or whether it is still the same
	WhyOtherCode          WhyKind = "other-code"          // the nearest records are of other code than the merge base
	WhyBesideCompetitors  WhyKind = "beside-competitors"  // it is measured beside competitors, so in rounds
	WhyScatterUnknown     WhyKind = "scatter-unknown"     // of sessions: it takes Count of unchanged code
	WhyScatterLarge       WhyKind = "scatter-large"       // Share: head alone cannot exclude a change above the tolerance
	WhyNotRebuilt         WhyKind = "not-rebuilt"         // the benchmark of the best-known commit is not built again
	WhyNoFiles            WhyKind = "no-files"            // those of the best-known commit are not to be had
	WhyBestNoBuild        WhyKind = "best-no-build"       // the best-known commit does not build with today's configuration
	WhyBudgetSpent        WhyKind = "budget-spent"
)

// Why there is nothing to build or to time.
const (
	WhyUnwatched        WhyKind = "unwatched"         // head changes no watched file
	WhyUnwatchedCommand WhyKind = "unwatched-command" // likewise, and what a build command reads, watch alone says
	WhyHeadIsBase       WhyKind = "head-is-base"      // head is Name itself
	WhyNoChange         WhyKind = "no-change"         // head changes nothing
	WhyEqualTrees       WhyKind = "equal-trees"       // base's and head's
	WhyAskedSame        WhyKind = "asked-same"        // nothing differs that records of base, of commit Name, saw it ask for on Count machines
	WhyAskedUnknown     WhyKind = "asked-unknown"     // the record of machine Name does not have all that it asks for, for a reason of the kind Said
)

// Why a record is worth measuring, or is not.
const (
	WhyHasRecord     WhyKind = "has-record"     // the commit
	WhyScatterKnown  WhyKind = "scatter-known"  // and the code has a record
	WhyEnoughRecords WhyKind = "enough-records" // the code has
	WhyScatterLearnt WhyKind = "scatter-learnt" // the scatter of sessions is still being learnt, from Count so far
	WhyAllRecorded   WhyKind = "all-recorded"   // every case has records enough on this machine
)

// WhyKinds lists them.
var WhyKinds = []WhyKind{
	WhyAbsent, WhyDropped, WhyIdentical, WhySameFiles, WhyNoBuild, WhyAdapterUnfit, WhySeveralGPUs, WhyNoReport, WhyNoSpills, WhyHidden, WhyRecorded, WhyBenchmarkFails, WhyNotInBase,
	WhyNoCommonCase, WhyAllLeftOut, WhyElsewhere, WhyRanNothing, WhyByRecords, WhyRecordsAlone, WhyBenchmarkFiles, WhyConfiguration, WhyAdapterFile, WhyEnvironmentFiles,
	WhyCasesRemoved, WhyCasesUnknown, WhyUnused, WhyCaseRemoved, WhySaid, WhyPaired, WhyStoreUnreadable, WhyNoRecord, WhyNoneUsable, WhyNoAncestor, WhyNotRecorded, WhyMachineChanged,
	WhyConfigChanged, WhyEnvironmentChanged, WhyEnvironmentUnknown, WhyOtherCode, WhyBesideCompetitors, WhyScatterUnknown, WhyScatterLarge, WhyNotRebuilt, WhyNoFiles, WhyBestNoBuild, WhyBudgetSpent,
	WhyHasRecord, WhyScatterKnown,
	WhyEnoughRecords, WhyScatterLearnt, WhyAllRecorded, WhyUnwatched, WhyUnwatchedCommand, WhyHeadIsBase, WhyNoChange, WhyEqualTrees, WhyAskedSame, WhyAskedUnknown,
}
