package result

// KernelStatus is what became of a kernel.
type KernelStatus string

const (
	KernelCompared  KernelStatus = "compared"  // timed side by side
	KernelNew       KernelStatus = "new"       // head has it, base does not
	KernelIdentical KernelStatus = "identical" // both sides are the same by a proof: not timed
	KernelFailed    KernelStatus = "failed"    // head is at fault: it does not build, is wrong, or breaks a limit
	KernelError     KernelStatus = "error"     // could not be measured
)

// Kernel is one kernel under test: its two builds and its parity.
type Kernel struct {
	Name       string       `json:"name"`                 // as configured
	Status     KernelStatus `json:"status"`               // what became of it
	Reason     *Reason      `json:"reason,omitempty"`     // why that status
	Adapter    AdapterFault `json:"adapter,omitempty"`    // why the adapter does not build against head
	Base       *Build       `json:"base,omitempty"`       // base's build; missing if base does not have the kernel
	Head       *Build       `json:"head,omitempty"`       // head's build; missing if head does not have it
	Parity     Parity       `json:"parity"`               // whether head computes the right thing
	Limits     []OverLimit  `json:"limits,omitempty"`     // resource limits that head's build exceeds
	Skipped    bool         `json:"skipped,omitempty"`    // left out of this run, reason says why
	Uncompared []Uncompared `json:"uncompared,omitempty"` // parts of head's change that both sides shared, so that no round could show what they do

	Environment *Environment `json:"environment,omitempty"` // how the environments of the sides differ; missing where they do not
	Benchmark   *Benchmark   `json:"benchmark,omitempty"`   // the program that times the kernel; missing where the harness does
	Competitors []Competitor `json:"competitors,omitempty"` // what the kernel is compared with, in the order of the configuration

	Configurations []Configuration `json:"configurations,omitempty"` // of its tuning parameters, that tune tried
	Comparisons    []Comparison    `json:"comparisons,omitempty"`    // of its variants over all cases, by geometric means
}

// Configuration is a value of each tuning parameter of a kernel.
type Configuration struct {
	Name   string   `json:"name"`             // its values: BLOCK=64,STAGES=2
	Values []Param  `json:"values"`           // of each parameter, in their order
	SameAs *Variant `json:"sameAs,omitempty"` // the variant whose code it builds to; it was not measured itself
	Reason *Reason  `json:"reason,omitempty"` // why it was not measured otherwise
	Build  *Build   `json:"build,omitempty"`  // its build
	Parity *Parity  `json:"parity,omitempty"` // whether it computes what the kernel as it is shipped does; missing where that was not checked
}

// IsMeasured says whether a configuration was to be measured.
func (c Configuration) IsMeasured() bool { return c.SameAs == nil && c.Reason == nil }

// Benchmark is a program of the user's that times the cases of a kernel. Which cases there are, it says itself.
type Benchmark struct {
	Format   string `json:"format"`             // as the configuration names it, such as nvbench
	Time     string `json:"time,omitempty"`     // which of its times rules, where the format has several
	OurClock bool   `json:"ourClock,omitempty"` // timed by perfgate's methods and not by the program's own clock
	Offered  int    `json:"offered"`            // that head's benchmark has, before cases picked some
}

// BuildCause says whose fault a failed build is.
type BuildCause string

// Causes of a failed build.
const (
	CauseSources BuildCause = "sources" // the side's own code does not compile
	CauseAdapter BuildCause = "adapter" // the adapter that it is given does not compile against its code, or not link
	CauseCommand BuildCause = "command" // the build command of the configuration failed or made nothing
	// CauseEnvironment: the environment of the side does not build.
	CauseEnvironment BuildCause = "environment"
)

// AdapterFault says why the adapter that head is given does not build against it.
type AdapterFault string

const (
	AdapterNone        AdapterFault = ""             // it does
	AdapterNeedsChange AdapterFault = "needs-change" // base builds with it
	AdapterNeedsLabel  AdapterFault = "needs-label"  // it is base's, so a change of it has to be approved; the reason says how head changes it
	AdapterNotCompiled AdapterFault = "not-compiled" // with head or base
	AdapterNotLinked   AdapterFault = "not-linked"
	AdapterNotImported AdapterFault = "not-imported" // one in Python
)

// Build is one side's compiled adapter.
type Build struct {
	Fingerprint string     `json:"fingerprint,omitempty"` // hash of the built code and of the libraries that it needs; equal means the same code
	Command     []string   `json:"command,omitempty"`     // what was run
	Cached      bool       `json:"cached"`                // taken from the cache, as base's may be, or from the other side, where both are one tree
	Seconds     float64    `json:"seconds"`               // wall time of the build
	Failed      bool       `json:"failed,omitempty"`      // it did not build
	Output      string     `json:"output,omitempty"`      // what the compiler said, its end cut off where long
	Cause       BuildCause `json:"cause,omitempty"`       // of a failed build: whose fault it is
	Unlinked    bool       `json:"unlinked,omitempty"`    // of a failed build: all of it compiles, and it does not link
	// hash of what it was built from: git's tree, the adapter, flags, toolchain and what is read outside of the tree;
	// missing for a folder, a worktree and a build command
	Inputs    string `json:"inputs,omitempty"`
	Libraries string `json:"libraries,omitempty"` // hash of the shared libraries that it needs
	NotBuilt  bool   `json:"notBuilt,omitempty"`  // nothing needed it: a stored record of equal inputs says what it comes to
}

// ParityStatus is the outcome of parity.
type ParityStatus string

const (
	ParityPassed  ParityStatus = "passed"
	ParityFailed  ParityStatus = "failed"
	ParitySkipped ParityStatus = "skipped" // nothing could be checked; neither pass nor fail
	ParityError   ParityStatus = "error"   // the check itself could not be done
	ParityOff     ParityStatus = "off"     // the configuration says so
	ParityHidden  ParityStatus = "hidden"  // a benchmark hides its tensors
)

// Parity is the outcome of the fuzz loop on head.
type Parity struct {
	Status   ParityStatus `json:"status"`                 // the outcome
	Seed     string       `json:"seed,omitempty"`         // replays the cases
	Oracle   string       `json:"oracle,omitempty"`       // reference (the adapter's, in float64), base, reference and base, or relations
	Planned  int          `json:"planned"`                // drawn (cases)
	Run      int          `json:"run"`                    // compared; 0 is never a pass (cases)
	Refused  int          `json:"refused,omitempty"`      // the adapter does not support them, or they are too large (cases)
	TooLarge int          `json:"tooLarge,omitempty"`     // of the refused: they need more memory than the machine has left
	Elements int64        `json:"elements,omitempty"`     // compared in all
	MaxRatio float64      `json:"maxRatio,omitempty"`     // largest error over its tolerance, of the cases that passed (fraction)
	BaseMax  float64      `json:"baseMaxRatio,omitempty"` // base's on the same inputs (fraction)
	// how many elements are off by 0, 1, 2, up to 4, 16, 256 and more units in the last place; the last number counts
	// NaN and infinity on one side only
	ULP        []int64        `json:"ulp,omitempty"`
	Differing  int            `json:"differing,omitempty"`  // two launches on the same inputs gave different bits (cases)
	Warnings   []string       `json:"warnings,omitempty"`   // what did not make it fail and should be known
	Sanitizers []string       `json:"sanitizers,omitempty"` // tools that also checked every access to memory, and found nothing
	Reason     *Reason        `json:"reason,omitempty"`     // why it was skipped, could not be done or ended early
	ErrorSide  Side           `json:"errorSide,omitempty"`  // with error: who made it impossible, base, head or both
	Failure    *ParityFailure `json:"failure,omitempty"`    // the smallest failing case that was found
	Seconds    float64        `json:"seconds"`              // wall time of the check
}

// ParityFailure is the smallest failing case that was found.
type ParityFailure struct {
	Case    string `json:"case"`              // kernel and parameters
	Values  string `json:"values"`            // kind of inputs, such as normal or denormal
	Seed    string `json:"seed"`              // draws the same inputs
	Code    Code   `json:"code"`              // wrong-output or another code of the runner protocol
	Message string `json:"message"`           // what is wrong, where and by how much
	Pattern string `json:"pattern,omitempty"` // what the wrong elements have in common, such as only s >= 64
	Map     *Map   `json:"map,omitempty"`     // where the wrong elements of the worst output lie
	ULPs    int64  `json:"ulps,omitempty"`    // error of the worst element
	First   string `json:"first,omitempty"`   // the case that failed first, where this one is smaller
	Repro   string `json:"repro"`             // a command line that runs only this case
}
