package gate

// Side names who an error belongs to. The empty side means that nobody can tell.
type Side string

const (
	SideNone Side = ""
	SideBase Side = "base"
	SideHead Side = "head"
	SideBoth Side = "both"
)

// CaseOutcome is all that the conclusion needs to know of one planned case.
type CaseOutcome struct {
	Name         string
	Verdict      Verdict
	Comparison   *Comparison // nil where nothing was timed: new, identical code, error, skipped
	ErrorSide    Side        // with Error
	Reason       string      // with Error and Skipped: why
	LooksDone    int         // looks at the bounds so far
	BudgetGone   bool        // the budget ended the measuring of this case
	BudgetNeeded float64     // seconds that all looks would take; 0 if not known
	Creep        *Creep      // nil where head was not measured beside its best-known level
}

// BuildState is how the build of one side of a kernel went.
type BuildState string

const (
	BuildOK     BuildState = ""       // built, or nothing to build
	BuildFailed BuildState = "failed" // sources are there and do not compile
	BuildUnfit  BuildState = "unfit"  // head's compile, but the adapter does not build against them
	BuildAbsent BuildState = "absent" // this side does not have the kernel
)

// ParityState is how the parity check of head's kernel went.
type ParityState string

const (
	ParityPassed  ParityState = "passed"
	ParityFailed  ParityState = "failed"
	ParitySkipped ParityState = "skipped" // no case could be checked; never as good as passed
	ParityError   ParityState = "error"   // the check itself could not be done
	ParityOff     ParityState = "off"     // the configuration asks for none
)

// KernelOutcome is all that the conclusion needs to know of one kernel beside its cases.
type KernelOutcome struct {
	Name       string
	Base, Head BuildState
	Parity     ParityState
	ParitySide Side     // with ParityError: who made the check impossible
	Limits     []string // resource limits that head's build exceeds, a phrase each
	Reason     string   // first line of a compiler's or the parity check's complaint
}

// ExitCode is what the process tells its caller.
type ExitCode int

const (
	ExitPassed        ExitCode = 0 // passed
	ExitFailed        ExitCode = 1 // the gate says no
	ExitUsage         ExitCode = 2 // bad usage or configuration; no conclusion has it
	ExitNotMeasurable ExitCode = 3 // could not measure
)

// Verdicts of a whole run.
const (
	RunPassed = "pass"
	RunFailed = "fail"
	RunError  = "error"
)

// Conclusion is the verdict of a run.
type Conclusion struct {
	Verdict string          `json:"verdict"`         // pass, fail or error
	Exit    ExitCode        `json:"exit"`            // 0, 1 or 3
	Reasons []string        `json:"reasons"`         // why it is not pass: failures first, then what could not be measured
	Notes   []string        `json:"notes,omitempty"` // what a passing run leaves unsaid otherwise
	Counts  map[Verdict]int `json:"counts"`          // cases by verdict
}
