// Package config reads perfgate.yaml strictly: whatever is unknown, of the wrong type or impossible is an error that
// shows file, line, the offending text and what is allowed. Every problem of a file is reported at once, up to ten.
//
// Keys are described in docs/config.md. Percentages become fractions (1.5% is 0.015), paths are cleaned, written with
// forward slashes and relative to the folder of the file, which they cannot leave.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"
)

// Version is the version of the format that this package reads.
const Version = 1

// DefaultPython is the interpreter where nothing names another: the one on the PATH.
const DefaultPython = "python3"

// DefaultFile is the name of the file that perfgate looks for.
const DefaultFile = "perfgate.yaml"

// Devices that a configuration can ask for.
const (
	DeviceAuto = "auto" // what the sources need: a .cu needs a GPU
	DeviceCUDA = "cuda"
	DeviceCPU  = "cpu"
)

// States of the caches when a launch starts.
const (
	CacheCold = "cold"
	CacheHot  = "hot"
)

// What an inconclusive case does to the run.
const (
	OnInconclusiveEstimate = "estimate"
	OnInconclusivePass     = "pass"
	OnInconclusiveFail     = "fail"
)

// What it means when head's errors are worse than base's, though within tolerance.
const (
	YardstickWarn = "warn"
	YardstickFail = "fail"
)

// Ways to compare with the stored baseline.
const (
	BaselineAuto   = "auto"
	BaselineStored = "stored"
	BaselinePaired = "paired"
)

// Config is one perfgate.yaml with defaults applied.
type Config struct {
	Version int
	Device  string   // auto, cuda or cpu
	Watch   []string // patterns; empty: everything is watched
	Python  string   // interpreter of adapters in Python: a path, or a program on the PATH
	// Installed are the names of packages, libraries and programs that the tree has, and that may be loaded from elsewhere.
	Installed []string
	Kernels   []Kernel // at least one
	Gate      GateSettings
	// Tolerances are those of some cases, in the order of the file: the last that names a case holds in place of Gate.Tolerance.
	Tolerances []CaseTolerance
	Profile    ProfileSettings
	Baseline   BaselineSettings
	Cost       CostSettings

	File   string // as given to Load or Parse
	Dir    string // folder of File, which the paths are relative to
	SHA256 string // of the source, in hex

	watchAt []place // of Watch, for CheckPatterns
	src     *source
}

// Kernel is a named function under test: how to build it, which cases there are, what is right.
type Kernel struct {
	Name        string
	Adapter     string   // path; empty only where Build makes the library
	Sources     []string // paths, compiled with the adapter
	Flags       []string // of the compiler
	Python      string   // interpreter of an adapter in Python; "" is the configuration's
	Pin         []Pin    // choices that autotuners of an adapter in Python do not have
	Build       *Build   // nil: perfgate compiles adapter and sources itself
	Bench       *Bench   // nil: the harness times the adapter
	Files       []string // patterns of what a benchmark is made of
	Cases       []string // patterns of the rows of a benchmark that are timed; empty: all
	Params      []Param  // in declared order, which is the order in the names of cases
	Measure     [][]Value
	Cache       string // cold or hot
	Host        bool   // what a launch costs the host is a case of its own
	Parity      Parity
	Resources   Resources
	Competitors []Competitor      // measured beside it; at most 3
	Tune        []TuningParameter // what perfgate tune tries; nothing else asks

	places   []place // of the files above, for CheckFiles
	filesAt  []place // of Files, for CheckPatterns
	measured []place // of Measure's cases, or of what they are made of
	casesAt  place   // of Cases, or of Bench
}

// Build is a command of the user that makes the adapter's shared library.
type Build struct {
	Command string // for sh, run in the folder of the file
	Output  string // path of the adapter's library that it makes
}

// Param is one parameter of a kernel. It has Values, or Fuzz, or both.
type Param struct {
	Name   string
	Values []Value
	Fuzz   *Fuzz
}

// Fuzz is a range of integers that parity draws from, both ends included.
type Fuzz struct {
	Min, Max   int64
	Near       int64 // sizes around its multiples are favoured; 0: none
	MultipleOf int64 // only its multiples are drawn; at least 1
	Log        bool  // draw evenly over magnitudes instead of over values
}

// Parity says how outputs are checked.
type Parity struct {
	Off           bool
	Cases         int       // drawn per run
	Listed        [][]Value // tried in place of drawn ones, beside those that are measured; empty: cases are drawn
	ATol, RTol    *float64  // nil: the default of the output's dtype
	Yardstick     string    // warn or fail
	Deterministic bool      // two runs that differ in any bit are a failure
	Where         *Where    // nil: every combination of parameters makes sense
	Metamorphic   []Relation
	Values        []string // kinds of inputs to be tried beside the adapter's own; empty: all of InputKinds
	Accumulate    string   // dtype that sums may be kept in; "": f32, f64 for outputs of f64
	Matched       float64  // share of an eight-bit output's elements that must be within the tolerance
}

// Resources are limits on what the compiler reports for a kernel; nil: no limit.
type Resources struct {
	SpillBytes  *int64
	Registers   *int64 // per thread
	SharedBytes *int64 // per block
}

// GateSettings rule the verdict. All but Budget and OnInconclusive are fractions.
type GateSettings struct {
	Tolerance      float64
	Improvement    float64
	Confidence     float64
	Budget         time.Duration // wall time of all rounds
	OnInconclusive string        // estimate, pass or fail
}

// ProfileSettings say when a shift is worth a profile. Regression and Improvement are fractions.
type ProfileSettings struct {
	Regression  float64
	Improvement float64
	Cases       int // at most, worst first
}

// BaselineSettings say where records are kept and what they decide.
type BaselineSettings struct {
	Store               string  // dir:PATH or git:BRANCH
	Named               bool    // the configuration names the store: it is no default
	Mode                string  // auto, stored or paired
	CumulativeTolerance float64 // fraction that may be lost against the best-known level
}

// CostSettings turn machine time into money.
type CostSettings struct {
	GPUHour float64 // price of an hour, in the reader's currency; 0: not known
}

// Kernel returns the kernel of that name.
func (c *Config) Kernel(name string) (Kernel, bool) {
	if i := slices.IndexFunc(c.Kernels, func(k Kernel) bool { return k.Name == name }); i >= 0 {
		return c.Kernels[i], true
	}
	return Kernel{}, false
}

// Parse reads a configuration from src; name is what errors call it. It touches no file. Its error is an Errors.
func Parse(name string, src []byte) (*Config, error) {
	s, root, problem := parseSource(name, src)
	if problem != nil {
		return nil, Errors{problem}
	}
	sum := sha256.Sum256(src)
	c := Defaults()
	c.src, c.File, c.Dir, c.SHA256 = s, name, filepath.Dir(name), hex.EncodeToString(sum[:])
	d := &decoder{src: s}
	d.config(root, c)
	if len(d.errs) > 0 {
		return nil, d.errs.sorted()
	}
	return c, nil
}

// Defaults is a configuration without what has to be given.
func Defaults() *Config {
	return &Config{
		Device: DeviceAuto, Python: DefaultPython,
		Gate: GateSettings{
			Tolerance: 0.015, Improvement: 0.10, Confidence: 0.99,
			Budget: 5 * time.Minute, OnInconclusive: OnInconclusiveEstimate,
		},
		Profile:  ProfileSettings{Regression: 0.03, Improvement: 0.10, Cases: 3},
		Baseline: BaselineSettings{Store: "dir:.perfgate", Mode: BaselineAuto, CumulativeTolerance: 0.05},
	}
}

func defaultKernel() Kernel {
	return Kernel{Cache: CacheCold, Parity: Parity{Cases: 200, Yardstick: YardstickWarn, Matched: 0.99}}
}
