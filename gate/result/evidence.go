package result

// Policies of profiling.
const (
	ProfileAuto   = "auto"   // cases that changed significantly, and by as much as the configuration says
	ProfileAlways = "always" // the most changed cases, whatever was measured
	ProfileNever  = "never"
)

// ProfilePolicies lists them.
var ProfilePolicies = []string{ProfileAuto, ProfileAlways, ProfileNever}

// Evidence is what was looked at beside the clock, for the whole run. What it says of single cases is with them.
type Evidence struct {
	Policy   string           `json:"policy"`             // one of ProfilePolicies
	Profiler string           `json:"profiler,omitempty"` // its name and version
	Seconds  float64          `json:"seconds"`
	Gaps     []Gap            `json:"gaps,omitempty"`
	Kernels  []StaticEvidence `json:"kernels,omitempty"`
	Scaling  []Scaling        `json:"scaling,omitempty"`
}

// Gap is evidence that could not be had, and what to do about it. It never fails a run.
type Gap struct {
	Case    string  `json:"case,omitempty"` // empty: all of them
	Side    Side    `json:"side,omitempty"`
	Kind    GapKind `json:"kind"`
	Text    string  `json:"text"`
	Message string  `json:"message,omitempty"` // by the tool, hostile
	Cure    string  `json:"cure"`
}

// GapKind is why evidence could not be had.
type GapKind string

const (
	GapAbsent           GapKind = "absent" // no tool is installed
	GapPermission       GapKind = "permission"
	GapDriverTooOld     GapKind = "driver-too-old"
	GapLockFile         GapKind = "lock-file"
	GapOutOfMemory      GapKind = "out-of-memory"
	GapCountersBusy     GapKind = "counters-busy"
	GapNotReplayable    GapKind = "not-replayable"
	GapUnknownMetric    GapKind = "unknown-metric"
	GapUnknownSection   GapKind = "unknown-section"
	GapNotSupported     GapKind = "not-supported"
	GapNothingProfiled  GapKind = "nothing-profiled"
	GapTimeLimit        GapKind = "time-limit"
	GapProfilerBusy     GapKind = "profiler-busy" // another perfgate profiles
	GapKernelFailed     GapKind = "kernel-failed"
	GapUnreadableReport GapKind = "unreadable-report"
	GapUnloadableReport GapKind = "unloadable-report"
	GapOther            GapKind = "other"
	GapLeftOut          GapKind = "left-out"       // the time for profiles was over
	GapNotCompared      GapKind = "not-compared"   // the gate did not compare the case
	GapNoDisassembly    GapKind = "no-disassembly" // the mix of instructions is not known
)

// GapKinds lists them.
var GapKinds = []GapKind{
	GapAbsent, GapPermission, GapDriverTooOld, GapLockFile, GapOutOfMemory, GapCountersBusy, GapNotReplayable, GapUnknownMetric, GapUnknownSection,
	GapNotSupported, GapNothingProfiled, GapTimeLimit, GapProfilerBusy, GapKernelFailed, GapUnreadableReport, GapUnloadableReport, GapOther, GapLeftOut, GapNotCompared, GapNoDisassembly,
}

// CaseEvidence says why a case changed.
type CaseEvidence struct {
	Source   string       `json:"source"`   // what it rests on: Nsight Compute, callgrind, perf
	Log      float64      `json:"log"`      // what the gate measured
	Profiled float64      `json:"profiled"` // what the profiles alone would say
	Causes   []Cause      `json:"causes,omitempty"`
	Others   []Cause      `json:"others,omitempty"`
	Nothing  string       `json:"nothing,omitempty"` // why no cause was looked for
	Account  []Term       `json:"account,omitempty"`
	Launches []LaunchPair `json:"launches,omitempty"`
	Work     *WorkPair    `json:"work,omitempty"` // kernels, copies and fills; nil: not counted
	Advice   []Advice     `json:"advice,omitempty"`
	Roofline []RooflineAt `json:"roofline,omitempty"`
	Reports  []string     `json:"reports,omitempty"`
	Missing  []string     `json:"missing,omitempty"`
	Notes    []string     `json:"notes,omitempty"`
}

// CauseID names a cause; package explain has them.
type CauseID string

// Cause is a reason and what it accounts for. Log is signed like the measured one: positive is slower.
type Cause struct {
	ID      CauseID  `json:"id"`
	Title   string   `json:"title"`
	Facts   []string `json:"facts,omitempty"`
	Remedy  string   `json:"remedy,omitempty"`
	Launch  int      `json:"launch,omitempty"`
	Log     float64  `json:"log"`
	Share   float64  `json:"share"`
	Changes []Change `json:"changes,omitempty"`
}

// Term is a part of the time of a case on both sides, as a share of base's time: those of base add up to 1, those of head to the ratio.
type Term struct {
	Name string  `json:"name"`
	Base float64 `json:"base"`
	Head float64 `json:"head"`
}

// KernelLimit is what one profile alone shows of a kernel. No result of a run has it: it is what perfgate explain says of one file.
type KernelLimit struct {
	Launch Launch      `json:"launch"`
	Share  float64     `json:"share"` // of the time of all kernels
	Terms  []LimitTerm `json:"terms,omitempty"`
	Facts  []string    `json:"facts,omitempty"`
}

// LimitTerm is a part of the time of one kernel, as a share of it.
type LimitTerm struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Change is a quantity before and after; what is not known is missing.
type Change struct {
	Name   string   `json:"name"`
	Metric string   `json:"metric,omitempty"`
	Unit   string   `json:"unit,omitempty"`
	Base   *float64 `json:"base,omitempty"`
	Head   *float64 `json:"head,omitempty"`
}

// LaunchPair is one kernel launch of a case on both sides.
type LaunchPair struct {
	Base *Launch `json:"base,omitempty"`
	Head *Launch `json:"head,omitempty"`
}

// Launch is one kernel launch as the profiler saw it.
type Launch struct {
	Kernel string `json:"kernel"`
	Grid   string `json:"grid"`
	Block  string `json:"block"`
	// DynamicSharedBytes are what the launch asks for, a block; nil: the profile does not say.
	DynamicSharedBytes *int64 `json:"dynamicSharedBytes,omitempty"`
}

// Advice is what the profiler's own rules say of head and not of base.
type Advice struct {
	Rule        string  `json:"rule"`
	Text        string  `json:"text"`
	Speedup     float64 `json:"speedup,omitempty"`
	SpeedupType string  `json:"speedupType,omitempty"` // local or global
}

// RooflineAt is where a side stands under the roofs of the machine that it was measured on.
type RooflineAt struct {
	Side      Side    `json:"side"`
	Flops     float64 `json:"flops,omitempty"` // of one launch of the case
	DRAMBytes float64 `json:"dramBytes,omitempty"`
	// CountedBytes are those that the adapter counts, where no profiler saw DRAM.
	CountedBytes float64 `json:"countedBytes,omitempty"`
	Intensity    float64 `json:"intensity,omitempty"`
	FlopRate     float64 `json:"flopRate,omitempty"`
	ByteRate     float64 `json:"byteRate,omitempty"`
	FlopRoof     float64 `json:"flopRoof,omitempty"`
	ByteRoof     float64 `json:"byteRoof,omitempty"`
	ShareOfRoof  float64 `json:"shareOfRoof,omitempty"`
}

// StaticEvidence is what the compiled code of a kernel shows without running it, function by function.
type StaticEvidence struct {
	Kernel    string         `json:"kernel"`
	Functions []FunctionPair `json:"functions,omitempty"`
}

// FunctionPair is a GPU function on both sides.
type FunctionPair struct {
	Function string        `json:"function"` // as the compiler mangled it
	Base     *FunctionCode `json:"base,omitempty"`
	Head     *FunctionCode `json:"head,omitempty"`
}

// FunctionCode is what one compiled GPU function needs and consists of.
type FunctionCode struct {
	Registers   int `json:"registers"`
	SharedBytes int `json:"sharedBytes"`
	StackBytes  int `json:"stackBytes"`
	SpillBytes  int `json:"spillBytes"`
	Threads     int `json:"threads,omitempty"`
	// DynamicSharedBytes are what launches ask for beside SharedBytes, a block; nil: not known, and not within Occupancy.
	DynamicSharedBytes *int64             `json:"dynamicSharedBytes,omitempty"`
	Occupancy          float64            `json:"occupancy,omitempty"`
	Limiter            string             `json:"limiter,omitempty"`
	Instructions       []InstructionCount `json:"instructions,omitempty"`
}

// InstructionCount is how many instructions of a class the code has; it does not say how often they run.
type InstructionCount struct {
	Class string `json:"class"`
	Count int    `json:"count"`
}

// Scaling compares how time grows with one parameter to how the counted work does.
type Scaling struct {
	Kernel string  `json:"kernel"`
	Param  string  `json:"param"`
	From   string  `json:"from"` // case
	To     string  `json:"to"`
	Work   float64 `json:"work"`
	Base   float64 `json:"base,omitempty"`
	Head   float64 `json:"head,omitempty"`
	Text   string  `json:"text,omitempty"`
}
