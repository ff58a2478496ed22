package result

// Policies of profiling.
const (
	ProfileAuto   = "auto"   // cases that changed significantly, and by as much as the configuration says
	ProfileAlways = "always" // the most changed cases, whatever was measured
	ProfileNever  = "never"
)

// ProfilePolicies lists them.
var ProfilePolicies = []string{ProfileAuto, ProfileAlways, ProfileNever}

// Evidence is what explains the measured changes, for the whole run; that of single cases is with them. A profiler's own time of a kernel is nowhere
// in it: under a profiler every kernel runs differently.
type Evidence struct {
	Policy   string           `json:"policy"`             // when cases are profiled: auto, always or never
	Profiler string           `json:"profiler,omitempty"` // its name and version
	Seconds  float64          `json:"seconds"`            // wall time that the evidence took
	Gaps     []Gap            `json:"gaps,omitempty"`     // what is not available
	Kernels  []StaticEvidence `json:"kernels,omitempty"`  // what the compiled code shows
	Scaling  []Scaling        `json:"scaling,omitempty"`  // how time grows with each parameter
}

// Gap is evidence that is not available, and what to do about it. It never fails a run.
type Gap struct {
	Case    string  `json:"case,omitempty"`    // its name; missing: all of them
	Side    Side    `json:"side,omitempty"`    // base or head
	Kind    GapKind `json:"kind"`              // why it is not available
	Text    string  `json:"text"`              // what is missing and why
	Message string  `json:"message,omitempty"` // the tool's own words, untrusted
	Cure    string  `json:"cure"`              // what to do about it
}

// GapKind is why evidence is not available.
type GapKind string

const (
	GapAbsent           GapKind = "absent" // no tool is installed
	GapPermission       GapKind = "permission"
	GapDriverTooOld     GapKind = "driver-too-old"
	GapProfilerTooOld   GapKind = "profiler-too-old"
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
	GapAbsent, GapPermission, GapDriverTooOld, GapProfilerTooOld, GapLockFile, GapOutOfMemory, GapCountersBusy, GapNotReplayable, GapUnknownMetric,
	GapUnknownSection, GapNotSupported, GapNothingProfiled, GapTimeLimit, GapProfilerBusy, GapKernelFailed, GapUnreadableReport, GapUnloadableReport, GapOther, GapLeftOut, GapNotCompared,
	GapNoDisassembly,
}

// CaseEvidence says why a case changed.
type CaseEvidence struct {
	Source   string       `json:"source"`             // what it rests on, such as Nsight Compute 2025.3.1.0
	Log      float64      `json:"log"`                // what the gate measured, which is to be explained (log)
	Profiled float64      `json:"profiled"`           // ratio of the cycles in the two profiles (log)
	Causes   []Cause      `json:"causes,omitempty"`   // causes that cover at least half of log, largest first
	Others   []Cause      `json:"others,omitempty"`   // what was examined and covers less
	Nothing  string       `json:"nothing,omitempty"`  // why no cause was searched for
	Account  []Term       `json:"account,omitempty"`  // the time of both sides in the profiles, split by what it went into
	Launches []LaunchPair `json:"launches,omitempty"` // the kernels that the case launches, paired by their order
	Work     *WorkPair    `json:"work,omitempty"`     // what each side has the GPU do: kernels, copies and fills; missing where it was not counted
	Advice   []Advice     `json:"advice,omitempty"`   // what the profiler itself says of head and not of base
	Roofline []RooflineAt `json:"roofline,omitempty"` // where both sides stand under the machine's roofs
	Reports  []string     `json:"reports,omitempty"`  // files of the profiler, relative to this file
	Missing  []string     `json:"missing,omitempty"`  // metrics that a profile, or both, do not have
	Notes    []string     `json:"notes,omitempty"`    // what was tolerated
}

// CauseID names a cause; package explain has them.
type CauseID string

// Cause is a reason and what it accounts for. Log is signed like the measured one: positive is slower.
type Cause struct {
	ID     CauseID  `json:"id"`               // one of the causes of docs/evidence.md, or other
	Title  string   `json:"title"`            // what is wrong with the slower side
	Facts  []string `json:"facts,omitempty"`  // other facts that show it
	Remedy string   `json:"remedy,omitempty"` // what to do about it
	Launch int      `json:"launch,omitempty"` // index into launches of the kernel that shows it best
	Log    float64  `json:"log"`              // what the cause predicts (log)
	// of the measured change; more than 1 where something else works against it, negative if it does so itself
	// (fraction)
	Share   float64  `json:"share"`
	Changes []Change `json:"changes,omitempty"` // what shows it, before and after
}

// Term is a part of the time of a case on both sides, as a share of base's time: those of base add up to 1, those of head to the ratio.
type Term struct {
	Name string  `json:"name"` // what the time went into
	Base float64 `json:"base"` // on base; all terms together are 1 (of base's time)
	// on head; all terms together are the measured ratio, of which not in the profiles is what no profile shows (of
	// base's time)
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
	Name   string   `json:"name"`             // what it is
	Metric string   `json:"metric,omitempty"` // the profiler's name of it
	Unit   string   `json:"unit,omitempty"`   // byte, hz, inst, sector, or % for a fraction of 1
	Base   *float64 `json:"base,omitempty"`   // before (in the unit that unit names)
	Head   *float64 `json:"head,omitempty"`   // after (in the unit that unit names)
}

// LaunchPair is one kernel launch of a case on both sides.
type LaunchPair struct {
	Base *Launch `json:"base,omitempty"` // missing where head launches more
	Head *Launch `json:"head,omitempty"` // missing where base launches more
}

// Launch is one kernel launch as the profiler saw it.
type Launch struct {
	Kernel             string `json:"kernel"`                       // its name, demangled
	Grid               string `json:"grid"`                         // blocks, in three dimensions
	Block              string `json:"block"`                        // threads of a block, in three dimensions
	DynamicSharedBytes *int64 `json:"dynamicSharedBytes,omitempty"` // shared memory of a block that the launch asks for; missing where the profile does not say
}

// Advice is what the profiler's own rules say of head and not of base.
type Advice struct {
	Rule        string  `json:"rule"`                  // the profiler's name of the rule
	Text        string  `json:"text"`                  // its words
	Speedup     float64 `json:"speedup,omitempty"`     // the speedup that it estimates (fraction)
	SpeedupType string  `json:"speedupType,omitempty"` // global, of the kernel, or local, of the part that the rule is about
}

// RooflineAt is where a side stands under the roofs of the machine that it was measured on.
type RooflineAt struct {
	Side         Side    `json:"side"`                   // base or head
	Flops        float64 `json:"flops,omitempty"`        // of one launch, as the adapter counts them, else as the profiler does
	DRAMBytes    float64 `json:"dramBytes,omitempty"`    // to and from DRAM in one launch
	CountedBytes float64 `json:"countedBytes,omitempty"` // of one launch, as the adapter counts them; where no profiler saw DRAM
	Intensity    float64 `json:"intensity,omitempty"`    // flops over these bytes (flop/B)
	FlopRate     float64 `json:"flopRate,omitempty"`     // with the time that the gate measured (flop/s)
	ByteRate     float64 `json:"byteRate,omitempty"`     // with the time that the gate measured (B/s)
	// what the machine's own canary reached: multiply-adds in float32, or tensor cores where all floating inputs are of
	// 16 or 8 bits (flop/s)
	FlopRoof float64 `json:"flopRoof,omitempty"`
	ByteRoof float64 `json:"byteRoof,omitempty"` // what its copy reached (B/s)
	// of the lower roof at this intensity; missing where the roof is not known, as that of tensor cores on inputs of 32
	// bits (fraction)
	ShareOfRoof float64 `json:"shareOfRoof,omitempty"`
}

// StaticEvidence is what the compiled code of a kernel shows without running it, function by function.
type StaticEvidence struct {
	Kernel    string         `json:"kernel"`              // name in the configuration
	Functions []FunctionPair `json:"functions,omitempty"` // its GPU functions, paired by name; those that are equal on both sides are left out
}

// FunctionPair is a GPU function on both sides.
type FunctionPair struct {
	Function string        `json:"function"`       // as the compiler mangled it
	Base     *FunctionCode `json:"base,omitempty"` // missing where base does not have it
	Head     *FunctionCode `json:"head,omitempty"` // missing where head does not have it
}

// FunctionCode is what one compiled GPU function needs and consists of.
type FunctionCode struct {
	Registers          int    `json:"registers"`                    // per thread
	SharedBytes        int    `json:"sharedBytes"`                  // static shared memory of a block
	StackBytes         int    `json:"stackBytes"`                   // of a thread
	SpillBytes         int    `json:"spillBytes"`                   // stored and loaded because registers ran out, in the code of a thread
	Threads            int    `json:"threads,omitempty"`            // of a block, where its launches say
	DynamicSharedBytes *int64 `json:"dynamicSharedBytes,omitempty"` // shared memory of a block that launches ask for in addition, where they say
	// of an SM's warps, the most that can be resident; without threads by registers only, without dynamicSharedBytes by
	// static shared memory only (fraction)
	Occupancy    float64            `json:"occupancy,omitempty"`
	Limiter      string             `json:"limiter,omitempty"`      // what limits it: registers, shared-memory, block-size
	Instructions []InstructionCount `json:"instructions,omitempty"` // what the machine code consists of
}

// InstructionCount is how many instructions of a class the code has; it does not say how often they run.
type InstructionCount struct {
	Class string `json:"class"` // load 128 bit, tensor, local memory and the like
	Count int    `json:"count"` // in the code; how often they run is not known
}

// Scaling compares how time grows with one parameter to how the counted work does.
type Scaling struct {
	Kernel string  `json:"kernel"`         // name in the configuration
	Param  string  `json:"param"`          // the parameter in which the two cases differ
	From   string  `json:"from"`           // the case with the smaller value
	To     string  `json:"to"`             // the case with the larger one
	Work   float64 `json:"work"`           // how many times the work, as the adapter counts it (fraction)
	Base   float64 `json:"base,omitempty"` // how many times the time, on base (fraction)
	Head   float64 `json:"head,omitempty"` // the same on head (fraction)
	Text   string  `json:"text,omitempty"` // what is remarkable about it
}
