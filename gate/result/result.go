// Package result is the saved outcome of a run, schema perfgate/result/v1. It is rich enough to render any report and
// to decide again from it. docs/result.md describes every field.
//
// Units, unless a field says otherwise: times of launches in nanoseconds, durations of the run in seconds, sizes in
// bytes, ratios and shares as fractions (0.015 is 1.5 %).
package result

import (
	"time"

	"github.com/org/perfgate/gate"
)

// Schema names the format that this package reads and writes.
const Schema = "perfgate/result/v1"

// Result is one run of the gate.
type Result struct {
	Schema     string          `json:"schema"`
	Tool       Tool            `json:"tool"`
	Started    time.Time       `json:"started"`
	Repro      string          `json:"repro"`
	Seed       string          `json:"seed"`
	Conclusion gate.Conclusion `json:"conclusion"`
	Policy     gate.Policy     `json:"policy"`
	BudgetS    float64         `json:"budgetSeconds"`
	Config     Config          `json:"config"`
	Base       Side            `json:"base"`
	Head       Side            `json:"head"`
	Machine    Machine         `json:"machine"`
	Toolchain  Toolchain       `json:"toolchain"`
	WarmUp     WarmUp          `json:"warmUp"`
	Kernels    []Kernel        `json:"kernels"`
	Cases      []Case          `json:"cases"`
	Rounds     []Round         `json:"rounds"`
	Notes      []string        `json:"notes,omitempty"`
	Timings    Timings         `json:"timings"`
}

// Tool is the program that made the result.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Config says which configuration was used and what head changed in what it rules over.
type Config struct {
	File    string   `json:"file"`
	SHA256  string   `json:"sha256"`
	Trust   string   `json:"trust"`
	Changed []string `json:"changed,omitempty"`
}

// The sides, as cases and processes name them.
const (
	SideBase = "base"
	SideHead = "head"
	SideBoth = "both"
)

// Kinds of a side.
const (
	KindDirectory = "directory"
	KindRevision  = "revision"
	KindWorktree  = "worktree"
)

// SideKinds lists the kinds of a side.
var SideKinds = []string{KindDirectory, KindRevision, KindWorktree}

// Side is one of the two things compared.
type Side struct {
	Kind     string   `json:"kind"` // one of SideKinds
	Label    string   `json:"label"`
	Revision string   `json:"revision,omitempty"`
	Dirty    bool     `json:"dirty,omitempty"`
	Flags    []string `json:"flags,omitempty"`
}

// Machine is what the run was measured on.
type Machine struct {
	Key          string  `json:"key"`
	Device       string  `json:"device"`
	Model        string  `json:"model"`
	Cores        int     `json:"cores"`
	MemoryBytes  int64   `json:"memoryBytes"`
	CacheBytes   int64   `json:"cacheBytes"`
	OS           string  `json:"os"`
	Kernel       string  `json:"kernel"`
	Arch         string  `json:"arch"`
	Governor     string  `json:"governor,omitempty"`
	FrequencyMHz float64 `json:"frequencyMHz,omitempty"`
	Virtual      bool    `json:"virtual"`
	LoadBefore   float64 `json:"loadBefore"`
	LoadAfter    float64 `json:"loadAfter"`
}

// Toolchain is what built both sides.
type Toolchain struct {
	Compiler string `json:"compiler"`
	Version  string `json:"version"`
	Harness  string `json:"harness"`
}

// WarmUp is the duration that every process warms up for, found once on base.
type WarmUp struct {
	NS   float64 `json:"ns"`
	Held bool    `json:"held"`
}

// What became of a kernel.
const (
	KernelCompared  = "compared"  // timed side by side
	KernelNew       = "new"       // head has it, base does not
	KernelIdentical = "identical" // both sides built to the same code: not timed
	KernelFailed    = "failed"    // head is at fault: it does not build, is wrong, or breaks a limit
	KernelError     = "error"     // could not be measured
)

// KernelStatuses lists what can become of a kernel.
var KernelStatuses = []string{KernelCompared, KernelNew, KernelIdentical, KernelFailed, KernelError}

// Kernel is one kernel under test: its two builds and its parity.
type Kernel struct {
	Name    string   `json:"name"`
	Status  string   `json:"status"` // one of KernelStatuses
	Reason  string   `json:"reason,omitempty"`
	Base    *Build   `json:"base,omitempty"`
	Head    *Build   `json:"head,omitempty"`
	Parity  Parity   `json:"parity"`
	Limits  []string `json:"limits,omitempty"`  // resource limits that head's build exceeds, a phrase each
	Skipped bool     `json:"skipped,omitempty"` // left out of this run; Reason says why
}

// Causes of a failed build.
const (
	CauseSources = "sources" // the side's own code does not compile
	CauseAdapter = "adapter" // its code compiles, but the adapter that it is given does not fit it
	CauseCommand = "command" // the build command of the configuration failed or made nothing
)

// Build is one side's compiled adapter.
type Build struct {
	Fingerprint string   `json:"fingerprint,omitempty"`
	Command     []string `json:"command,omitempty"`
	Cached      bool     `json:"cached"`
	Seconds     float64  `json:"seconds"`
	Failed      bool     `json:"failed,omitempty"`
	Output      string   `json:"output,omitempty"`
	Cause       string   `json:"cause,omitempty"`
}

// Parity statuses.
const (
	ParityPassed  = "passed"
	ParityFailed  = "failed"
	ParitySkipped = "skipped" // nothing could be checked; neither pass nor fail
	ParityError   = "error"   // the check itself could not be done
	ParityOff     = "off"     // the configuration says so
)

// ParityStatuses lists the outcomes of parity.
var ParityStatuses = []string{ParityPassed, ParityFailed, ParitySkipped, ParityError, ParityOff}

// Parity is the outcome of the fuzz loop on head.
type Parity struct {
	Status    string         `json:"status"`
	Seed      string         `json:"seed,omitempty"`
	Oracle    string         `json:"oracle,omitempty"` // reference or base
	Planned   int            `json:"planned"`
	Run       int            `json:"run"`
	Refused   int            `json:"refused,omitempty"`
	Elements  int64          `json:"elements,omitempty"`
	MaxRatio  float64        `json:"maxRatio,omitempty"` // worst error over its tolerance among passing cases
	Reason    string         `json:"reason,omitempty"`
	ErrorSide string         `json:"errorSide,omitempty"` // with ParityError: who made the check impossible
	Failure   *ParityFailure `json:"failure,omitempty"`
	Seconds   float64        `json:"seconds"`
}

// CodeWrongOutput is the code of a ParityFailure whose outputs differ; all others are those of the runner protocol.
const CodeWrongOutput = "wrong-output"

// ParityFailure is the smallest failing case that was found.
type ParityFailure struct {
	Case    string `json:"case"`
	Values  string `json:"values"`
	Seed    string `json:"seed"`
	Code    string `json:"code"` // wrong-output, guard-broken, crashed, …
	Message string `json:"message"`
	Repro   string `json:"repro"`
}

// Method is how a case is timed, frozen for both sides before round 1.
type Method struct {
	Clock      string  `json:"clock"`    // thread (CPU time of the launching thread), wall or event
	Launches   int     `json:"launches"` // per sample
	Pool       int     `json:"pool"`     // sets of buffers
	Samples    int     `json:"samples"`  // per process
	Cache      string  `json:"cache"`    // cold or hot
	Pin        bool    `json:"pin"`
	LaunchNS   float64 `json:"launchNs"`  // base's launch when calibrated
	QuantumNS  float64 `json:"quantumNs"` // resolution of the clock
	FlushBytes int64   `json:"flushBytes"`
	LimitNS    float64 `json:"limitNs"` // per process: after 5 samples a case stops here
	Oracle     string  `json:"oracle"`  // what timed outputs are checked against
}

// Case is a kernel and one assignment of its parameters.
type Case struct {
	Name          string           `json:"name"`
	Kernel        string           `json:"kernel"`
	Params        []Param          `json:"params"`
	Verdict       gate.Verdict     `json:"verdict"`
	Reason        string           `json:"reason,omitempty"`
	ErrorSide     string           `json:"errorSide,omitempty"`           // base, head or both; empty if nobody can tell
	BudgetGone    bool             `json:"budgetGone,omitempty"`          // the budget ended the measuring of this case
	BudgetNeededS float64          `json:"budgetNeededSeconds,omitempty"` // what all looks would take; 0 if not known
	Method        *Method          `json:"method,omitempty"`
	Flops         float64          `json:"flops,omitempty"`
	Bytes         float64          `json:"bytes,omitempty"`
	Looks         []Look           `json:"looks,omitempty"`
	Compared      *gate.Comparison `json:"comparison,omitempty"`
	Base          *Summary         `json:"base,omitempty"`
	Head          *Summary         `json:"head,omitempty"`
	Processes     []Process        `json:"processes,omitempty"`
}

// Param is one assignment, in declared order.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Look is what one look at the data said.
type Look struct {
	Rounds  int          `json:"rounds"`
	Theta   float64      `json:"theta"` // ln(head/base)
	Low     float64      `json:"low"`
	High    float64      `json:"high"`
	Verdict gate.Verdict `json:"verdict"`
}

// Process is one fresh process's measurement of one case.
type Process struct {
	Round     int       `json:"round"`
	Position  int       `json:"position"` // 0 to 3 within the round
	Side      string    `json:"side"`
	ValueNS   float64   `json:"valueNs"` // 20 % trimmed mean of the samples
	Samples   int       `json:"samples"`
	Planned   int       `json:"planned"`
	Stopped   string    `json:"stopped,omitempty"`
	Quantiles Quantiles `json:"quantiles"`
	CV        float64   `json:"cv"`
	Checks    int       `json:"checks"` // timed launches whose output was checked
	ComputeNS float64   `json:"computeNs,omitempty"`
	MemoryNS  float64   `json:"memoryNs,omitempty"`
}

// Quantiles of the samples of a process, in ns.
type Quantiles struct {
	Min float64 `json:"min"`
	P25 float64 `json:"p25"`
	P50 float64 `json:"p50"`
	P75 float64 `json:"p75"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Summary describes one side of a case over all its processes.
type Summary struct {
	MedianNS      float64 `json:"medianNs"`
	P90NS         float64 `json:"p90Ns"`
	P99NS         float64 `json:"p99Ns"`
	ProcessCV     float64 `json:"processCv"`
	SampleCV      float64 `json:"sampleCv"`
	Processes     int     `json:"processes"`
	GFlops        float64 `json:"gflops,omitempty"`
	GBytesPerSec  float64 `json:"gbytesPerSecond,omitempty"`
	RooflineShare float64 `json:"rooflineShare,omitempty"`
}

// Round is the order in which four fresh processes ran.
type Round struct {
	Index   int      `json:"index"`
	Order   string   `json:"order"` // ABBA or BAAB; A is base
	Cases   []string `json:"cases"`
	Voided  string   `json:"voided,omitempty"`
	Seconds float64  `json:"seconds"`
}

// Timings says where the run's wall time went.
type Timings struct {
	TotalS    float64 `json:"totalSeconds"`
	CompileS  float64 `json:"compileSeconds"`
	RunnersS  float64 `json:"runnersSeconds"`
	OverheadS float64 `json:"overheadSeconds"`
	WaitS     float64 `json:"waitSeconds"`
}
