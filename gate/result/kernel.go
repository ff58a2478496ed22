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
	Name       string       `json:"name"`
	Status     KernelStatus `json:"status"`
	Reason     *Reason      `json:"reason,omitempty"`
	Adapter    AdapterFault `json:"adapter,omitempty"`
	Base       *Build       `json:"base,omitempty"`
	Head       *Build       `json:"head,omitempty"`
	Parity     Parity       `json:"parity"`
	Limits     []OverLimit  `json:"limits,omitempty"`     // resource limits that head's build exceeds
	Skipped    bool         `json:"skipped,omitempty"`    // left out of this run; Reason says why
	Uncompared []Uncompared `json:"uncompared,omitempty"` // of head's change

	Environment *Environment `json:"environment,omitempty"` // how those of the sides differ; nil where they do not
	Benchmark   *Benchmark   `json:"benchmark,omitempty"`   // nil: the harness times it
	Competitors []Competitor `json:"competitors,omitempty"` // in the order of the configuration

	Configurations []Configuration `json:"configurations,omitempty"` // of its tuning parameters, that tune tried
	Comparisons    []Comparison    `json:"comparisons,omitempty"`    // of its variants over all cases, by geometric means; as those of a Case
}

// Configuration is a value of each tuning parameter of a kernel.
type Configuration struct {
	Name   string   `json:"name"`             // its values: BLOCK=64,STAGES=2
	Values []Param  `json:"values"`           // in the order of the parameters
	SameAs *Variant `json:"sameAs,omitempty"` // it builds to the code of this variant, and was not measured itself
	Reason *Reason  `json:"reason,omitempty"` // why it was not measured otherwise
	Build  *Build   `json:"build,omitempty"`
	Parity *Parity  `json:"parity,omitempty"` // by the reference of the kernel as it is shipped; nil: not checked
}

// IsMeasured says whether a configuration was to be measured.
func (c Configuration) IsMeasured() bool { return c.SameAs == nil && c.Reason == nil }

// Benchmark is a program of the user's that times the cases of a kernel. Which cases there are, it says itself.
type Benchmark struct {
	Format   string `json:"format"`             // nvbench, google-benchmark, …
	Time     string `json:"time,omitempty"`     // which of its times rules, where it has several
	OurClock bool   `json:"ourClock,omitempty"` // it is timed by perfgate's methods and not by its own
	Offered  int    `json:"offered"`            // cases that the first run of head had, which cases narrows where the format can
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
	Fingerprint string     `json:"fingerprint,omitempty"`
	Command     []string   `json:"command,omitempty"`
	Cached      bool       `json:"cached"`
	Seconds     float64    `json:"seconds"`
	Failed      bool       `json:"failed,omitempty"`
	Output      string     `json:"output,omitempty"`
	Cause       BuildCause `json:"cause,omitempty"`
	Unlinked    bool       `json:"unlinked,omitempty"`  // of a failed build: all of it compiles, and it does not link
	Inputs      string     `json:"inputs,omitempty"`    // hash of what it was built from
	Libraries   string     `json:"libraries,omitempty"` // hash of the shared libraries that it needs
	NotBuilt    bool       `json:"notBuilt,omitempty"`  // nothing needed it: a record of equal inputs says what it comes to
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
	Status    ParityStatus `json:"status"`
	Seed      string       `json:"seed,omitempty"`
	Oracle    string       `json:"oracle,omitempty"` // reference, base, "reference and base", or relations
	Planned   int          `json:"planned"`
	Run       int          `json:"run"`
	Refused   int          `json:"refused,omitempty"`
	TooLarge  int          `json:"tooLarge,omitempty"` // of the refused: more memory than there is
	Elements  int64        `json:"elements,omitempty"`
	MaxRatio  float64      `json:"maxRatio,omitempty"`     // worst error over its tolerance among passing cases
	BaseMax   float64      `json:"baseMaxRatio,omitempty"` // base's, on the same inputs
	ULP       []int64      `json:"ulp,omitempty"`          // elements of passing cases that are off by 0, 1, 2, up to 4, 16, 256, more ulp; and beyond compare
	Differing int          `json:"differing,omitempty"`    // cases whose two launches gave different bits
	Warnings  []string     `json:"warnings,omitempty"`
	// Sanitizers are tools that watched every access to memory besides, and found nothing.
	Sanitizers []string       `json:"sanitizers,omitempty"`
	Reason     *Reason        `json:"reason,omitempty"`
	ErrorSide  Side           `json:"errorSide,omitempty"` // with ParityError: who made the check impossible
	Failure    *ParityFailure `json:"failure,omitempty"`
	Seconds    float64        `json:"seconds"`
}

// ParityFailure is the smallest failing case that was found.
type ParityFailure struct {
	Case    string `json:"case"`
	Values  string `json:"values"`
	Seed    string `json:"seed"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Pattern string `json:"pattern,omitempty"` // what the wrong elements have in common
	Map     *Map   `json:"map,omitempty"`     // where the wrong elements lie
	ULPs    int64  `json:"ulps,omitempty"`    // of the worst element
	First   string `json:"first,omitempty"`   // the case that failed first, where this one is smaller
	Repro   string `json:"repro"`
}
