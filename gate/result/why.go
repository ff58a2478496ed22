package result

// Why is a reason as data: its kind, and the facts that its sentence needs. Package report has the sentence. What a tool said, and what an earlier
// perfgate saved, are texts beside it.
type Why struct {
	Kind  WhyKind  `json:"kind"`
	Side  Side     `json:"side,omitempty"`
	Name  string   `json:"name,omitempty"`  // of what it is about
	Names []string `json:"names,omitempty"` // likewise, of several
	Count int      `json:"count,omitempty"`
	Share float64  `json:"share,omitempty"` // 0.01 is 1 %
	Said  string   `json:"said,omitempty"`  // by a tool or the code under test, of a finding one line: hostile
}

// UnmarshalJSON also reads the sentence that stood in its place in the plans of an earlier perfgate.
func (w *Why) UnmarshalJSON(b []byte) error {
	type plain Why
	return unmarshalOrText(b, (*plain)(w), &w.Said)
}

// WhyKind is a kind of reason.
type WhyKind string

// Why a kernel or a case is not compared, or not in the usual way.
const (
	WhyAbsent          WhyKind = "absent"           // side Name has none of the files Names
	WhyDropped         WhyKind = "dropped"          // base's configuration has it, and head's, which rules, does not
	WhyIdentical       WhyKind = "identical"        // both sides built to the same code
	WhyNoBuild         WhyKind = "no-build"         // Side does not build
	WhyAdapterUnfit    WhyKind = "adapter-unfit"    // the adapter does not build against Side
	WhySeveralGPUs     WhyKind = "several-gpus"     // head needs Name, which spreads over several GPUs
	WhyNoReport        WhyKind = "no-report"        // the key Name of resources is limited, and no compiler reported
	WhyNoSpills        WhyKind = "no-spills"        // spills are limited, and a finished library does not tell them
	WhyHidden          WhyKind = "hidden"           // its benchmark hides its tensors
	WhyRecorded        WhyKind = "recorded"         // parity was checked when the code was first recorded
	WhyBenchmarkFails  WhyKind = "benchmark-fails"  // of Side
	WhyNotInBase       WhyKind = "not-in-base"      // base's benchmark does not have the case
	WhyNoCommonCase    WhyKind = "no-common-case"   // its benchmark has no case that both sides can measure
	WhyAllLeftOut      WhyKind = "all-left-out"     // its benchmark leaves out all of its cases itself
	WhyByRecords       WhyKind = "by-records"       // head alone against Count stored sessions
	WhyRecordsAlone    WhyKind = "records-alone"    // baseline.mode is stored: nothing is measured side by side
	WhyNothingRecorded WhyKind = "nothing-recorded" // baseline.mode is stored, and there is no record to compare with
)

// WhyKinds lists them.
var WhyKinds = []WhyKind{
	WhyAbsent, WhyDropped, WhyIdentical, WhyNoBuild, WhyAdapterUnfit, WhySeveralGPUs, WhyNoReport, WhyNoSpills, WhyHidden, WhyRecorded, WhyBenchmarkFails, WhyNotInBase,
	WhyNoCommonCase, WhyAllLeftOut, WhyByRecords, WhyRecordsAlone, WhyNothingRecorded,
}
