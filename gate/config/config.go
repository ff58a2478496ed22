// Package config reads perfgate.yaml strictly: whatever is unknown, of the wrong type or impossible is an error that
// shows file, line, the offending text and what is allowed. Every problem of a file is reported at once, up to ten.
//
// Keys are described in docs/config.md. Percentages become fractions (1.5% is 0.015), paths are cleaned, written with
// forward slashes and relative to the folder of the file, which they cannot leave.
package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Version is the version of the format that this package reads.
const Version = 1

// DefaultFile is the name of the file that perfgate looks for.
const DefaultFile = "perfgate.yaml"

// Devices that a configuration can ask for.
const (
	DeviceAuto = "auto" // what the sources need: a .cu needs a GPU
	DeviceCUDA = "cuda"
	DeviceCPU  = "cpu"
	// DeviceOther is an accelerator that perfgate has no clock for: benchmarks time themselves on it.
	DeviceOther = "other"
)

// States of the caches when a launch starts.
const (
	CacheCold = "cold"
	CacheHot  = "hot"
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
	Version int    `key:"version" is:"version" form:"version: 1" required:"yes" first:"yes"`
	Device  string `key:"device" is:"auto|cuda|cpu|other" default:"auto"`
	Python  string `key:"python" is:"interpreter" default:"python3"` // of adapters in Python: a path, or a program on the PATH
	// Machine says what a device: other is, and Devices are the files by which its processes open it in the sandbox.
	Machine *MachineCommands `key:"machine"`
	Devices []string         `key:"devices" is:"device"`
	// Installed are the names of packages, libraries and programs that the tree has, and that may be loaded from elsewhere.
	Installed []string `key:"installed" is:"line"`
	Watch     []string `key:"paths" is:"pattern"` // empty: everything is watched
	// Environment is that of the kernels that have none of their own; nil: they use what is installed.
	Environment *Environment `key:"environment"`
	Kernels     []Kernel     `key:"kernels" one:"a kernel" name:"Name" required:"yes"` // at least one
	Gate        GateSettings `key:"gate"`
	// Tolerances are those of some cases, in the order of the file: the last that names a case holds in place of Gate.Tolerance.
	Tolerances []CaseTolerance `key:"tolerances" one:"an entry of tolerances" name:"Cases" most:"256"`
	// Waivers let some cases be slower for a time: the last that names a case and has not lapsed holds.
	Waivers  []Waiver         `key:"waivers" one:"an entry of waivers" name:"Cases" most:"256"`
	Suite    SuiteSettings    `key:"suite"`
	Goals    []Goal           `key:"goals" one:"a goal" name:"Over" most:"64"`
	Profile  ProfileSettings  `key:"profile" aside:"yes"`
	Baseline BaselineSettings `key:"baseline"`
	Cost     CostSettings     `key:"cost" aside:"yes"`

	File   string // as given to Load or Parse
	Dir    string // folder of File, which the paths are relative to
	SHA256 string // of the source, in hex

	nodes map[string]ast.Node // of values, by path: kernels[0].sources[1]
	src   *source
}

// Kernel is a named function under test: how to build it, which cases there are, what is right.
type Kernel struct {
	Name    string   `key:"name" is:"name" required:"yes"`
	Adapter string   `key:"adapter" is:"file"`             // empty only where Build makes the library
	Sources []string `key:"sources" is:"file"`             // compiled with the adapter
	Flags   []string `key:"flags" is:"line" repeats:"yes"` // of the compiler
	Python  string   `key:"python" is:"interpreter"`       // of an adapter in Python; "" is the configuration's
	// Pin are choices that autotuners of an adapter in Python do not have.
	Pin         []kernels.Pin `key:"pin" names:"function" one:"the choice for" most:"64" ordered:"no"`
	Environment *Environment  `key:"environment"`        // nil: the configuration's
	Build       *Build        `key:"build"`              // nil: perfgate compiles adapter and sources itself
	Bench       *Bench        `key:"bench"`              // nil: the harness times the adapter
	Files       []string      `key:"files" is:"pattern"` // of what a benchmark is made of
	Cases       []string      `key:"cases" is:"rows"`    // patterns of the rows of a benchmark that are timed; empty: all
	// Params are in declared order, which is the order in the names of cases.
	Params      []Param           `key:"params" names:"param" one:"parameter" most:"32" form:"{values: [1, 2]}, {fuzz: {min: 1, max: 48}}"`
	Measure     [][]Value         `key:"measure" is:"assignments" ordered:"no"`
	Cache       string            `key:"cache" is:"cold|hot" default:"cold"`
	Epoch       int64             `key:"epoch" is:"epoch" default:"1"` // counts how often the cases have come to mean something else
	Host        bool              `key:"host-time" is:"true"`          // what a launch costs the host is a case of its own
	Parity      Parity            `key:"parity" is:"parity"`
	Resources   Resources         `key:"limits"`
	Tune        []TuningParameter `key:"tune" names:"macro" one:"values of"`                  // what perfgate tune tries; nothing else asks
	Competitors []Competitor      `key:"competitors" one:"a competitor" name:"Name" most:"3"` // measured alongside it

	at string // the path of the kernel
}

// Environment is how a side gets what it is built and run with: a folder that commands fill, in the place of what is installed.
type Environment struct {
	Fetch  string   `key:"fetch" is:"script"`                // for sh, with a network; "" where nothing is fetched
	Build  string   `key:"build" is:"script" required:"yes"` // for sh, without a network
	Inputs []string `key:"inputs" is:"pattern" required:"yes" most:"64"`
}

// Build is a command of the user that makes the adapter's shared library.
type Build struct {
	Command string `key:"command" is:"script" required:"yes"` // for sh, run in the folder of the file
	Output  string `key:"output" is:"file"`                   // path of the adapter's library that it makes
}

// Bench is a benchmark of the user's that times the cases of a kernel itself.
type Bench struct {
	Format string `key:"format" is:"format" required:"yes"`
	Build  string `diff:"build"` // command that builds it; "" where none does, or the one that makes the adapter's library
	benchmark.Spec
	Check *Check `key:"check"` // nil: nobody compares outputs
}

// Check is a command that writes what a benchmark's kernel computes, from a seed. Head's outputs are compared with base's.
type Check struct {
	Command string   `key:"command" is:"script" required:"yes"` // for sh, run in the side's tree
	ATol    *float64 `key:"atol" is:"atol"`                     // nil: by the precision and magnitude of the output
	RTol    *float64 `key:"rtol" is:"rtol"`                     // nil: by the precision of the output
}

// Param is one parameter of a kernel. It has Values, or Fuzz, or both.
type Param struct {
	Name   string
	Values []Value `key:"values" is:"value" one:"a value" most:"256"`
	Fuzz   *Fuzz   `key:"fuzz"`
}

// Fuzz is a range of integers that parity draws from, both ends included.
type Fuzz struct {
	Min        int64 `key:"min" is:"size" required:"yes"`
	Max        int64 `key:"max" is:"size" required:"yes"`
	Near       int64 `key:"near" is:"step"`                    // sizes around its multiples are favoured; 0: none
	MultipleOf int64 `key:"multiple-of" is:"step" default:"1"` // only its multiples are drawn; at least 1
	Log        bool  `key:"log" is:"true"`                     // draw evenly over magnitudes instead of over values
}

// Parity says how outputs are checked.
type Parity struct {
	Off           bool
	Cases         int        `key:"cases" is:"drawn-or-listed" default:"200"` // drawn per run
	Listed        [][]Value  `diff:"cases" ordered:"no"`                      // tried in place of drawn ones, in addition to those that are measured; empty: cases are drawn
	ATol          *float64   `key:"atol" is:"atol"`                           // nil: the default of the output's dtype
	RTol          *float64   `key:"rtol" is:"rtol"`                           // as ATol
	Yardstick     string     `key:"accuracy-regression" is:"warn|fail" default:"warn"`
	Deterministic bool       `key:"deterministic" is:"true"` // two runs that differ in any bit are a failure
	Where         *Where     `key:"where" is:"condition"`    // nil: every combination of parameters makes sense
	Metamorphic   []Relation `key:"metamorphic" is:"relation" one:"a relation" repeats:"yes"`
	Values        []string   `key:"values" is:"inputs"`                             // kinds of inputs to be tried as well as the adapter's own; empty: all of InputKinds
	Accumulate    string     `key:"accumulate" is:"f32|f16|bf16|tf32"`              // dtype that sums may be kept in; "": f32, f64 for outputs of f64
	Matched       float64    `key:"min-matched" is:"percent matched" default:"99%"` // share of an eight-bit output's elements that must be within the tolerance
}

// Resources are limits on what the compiler reports for a kernel; nil: no limit.
type Resources struct {
	SpillBytes  *int64 `key:"spill-bytes" is:"bytes"`
	Registers   *int64 `key:"registers" is:"bytes"` // per thread
	SharedBytes *int64 `key:"shared-bytes" is:"bytes"`
}

// When a competitor is measured.
const (
	WhenChanged = "changed" // in rounds that its kernel is measured in anyway, and in the first record of its kernel's code
	WhenAlways  = "always"  // in every run, for which its kernel is measured where its code is the same, too, and in every record
	WhenRecord  = "record"  // in every record, and in no run
	WhenManual  = "manual"  // where a run asks for it
)

// Competitor is an implementation that a kernel is measured alongside, for the same cases and tensors. Each takes as long in a round as base or head.
type Competitor struct {
	Name       string   `key:"name" is:"name" required:"yes"`
	Adapter    string   `key:"adapter" is:"adapter" required:"yes"` // path, or one of kernels.Against
	Sources    []string `key:"sources" is:"file"`                   // compiled with the adapter
	Flags      []string `key:"flags" is:"line" repeats:"yes"`       // of the compiler
	Python     string   `key:"python" is:"interpreter"`             // of an adapter in Python; "" is the kernel's
	MinSpeedup float64  `key:"min-speedup" is:"factor"`             // head has to be so many times as fast: 1.2; 0: nothing is asked
	When       string   `key:"when" is:"changed|always|record|manual" default:"changed"`
}

// GateSettings rule the verdict. All but Budget and OnInconclusive are fractions.
type GateSettings struct {
	Tolerance      float64       `key:"tolerance" is:"percent tolerance" default:"1.5%"`
	Improvement    float64       `key:"improvement" is:"percent change" default:"10%"`
	Confidence     float64       `key:"confidence" is:"percent confidence" default:"99%"`
	Budget         time.Duration `key:"budget" is:"budget" default:"5m"` // wall time of all rounds
	OnInconclusive string        `key:"on-inconclusive" is:"stop|pass|fail" default:"stop"`
}

// CaseTolerance is the tolerance of the cases that a pattern names, as --case does.
type CaseTolerance struct {
	Cases     string        `key:"cases" is:"cases" required:"yes"`
	Tolerance float64       `key:"tolerance" is:"percent tolerance" required:"yes"`
	Floor     time.Duration `key:"floor" is:"floor"` // a slowdown of less time passes, too; 0: none
}

// Waiver lets the cases that a pattern names be slower, until a day.
type Waiver struct {
	Cases     string  `key:"cases" is:"cases" required:"yes"`
	Reason    string  `key:"reason" is:"words" required:"yes"`
	Owner     string  `key:"owner" is:"words" required:"yes"`
	Until     string  `key:"until" is:"day" required:"yes"`    // the last day, as result.Day writes it
	Tolerance float64 `key:"tolerance" is:"percent tolerance"` // 0: they never fail by time
}

// ProfileSettings say when a shift is worth a profile. Regression and Improvement are fractions.
type ProfileSettings struct {
	Regression  float64 `key:"regression" is:"percent change" default:"3%"`
	Improvement float64 `key:"improvement" is:"percent change" default:"10%"`
	Cases       int     `key:"cases" is:"profiled" default:"3"` // at most, worst first
}

// BaselineSettings say where records are kept and what they decide.
type BaselineSettings struct {
	Store               string  `key:"store" is:"store" aside:"yes" default:"dir:.perfgate"` // dir:PATH or git:BRANCH
	Named               bool    // the configuration names the store: it is no default
	Mode                string  `key:"mode" is:"auto|stored|paired" default:"auto"`
	CumulativeTolerance float64 `key:"cumulative-tolerance" is:"percent loss" default:"5%"` // fraction that may be lost against the best-known level
}

// CostSettings turn machine time into money.
type CostSettings struct {
	GPUHour float64 `key:"gpu-hour" is:"price"` // price of an hour, in the reader's currency; 0: not known
}

// Kernel returns the kernel of that name.
func (c *Config) Kernel(name string) (Kernel, bool) {
	if i := slices.IndexFunc(c.Kernels, func(k Kernel) bool { return k.Name == name }); i >= 0 {
		return c.Kernels[i], true
	}
	return Kernel{}, false
}

// EnvironmentOf is the environment of a kernel; nil where it uses what is installed.
func (c *Config) EnvironmentOf(k Kernel) *Environment { return cmp.Or(k.Environment, c.Environment) }

// Parse reads a configuration from src; name is what errors call it. It touches no file. Its error is an Errors.
func Parse(name string, src []byte) (*Config, error) {
	s, root, problem := parseSource(name, src)
	if problem != nil {
		return nil, Errors{problem}
	}
	sum := sha256.Sum256(src)
	c := Defaults()
	c.src, c.File, c.Dir, c.SHA256, c.nodes = s, name, filepath.Dir(name), hex.EncodeToString(sum[:]), map[string]ast.Node{}
	d := &decoder{src: s, nodes: c.nodes}
	d.object(root, "", "the configuration", valueOf(c))
	if err := d.errs.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// Defaults is a configuration without what has to be given.
func Defaults() *Config {
	c := &Config{}
	setDefaults(valueOf(c))
	return c
}

// errorAt is an error about the value at a path.
func (c *Config) errorAt(path, allowed, format string, args ...any) *Error {
	return c.src.atNode(c.nodes[path], allowed, format, args...)
}

// firstOf is the first of some keys of a kernel that the file has.
func (c *Config) firstOf(k Kernel, keys ...string) string {
	for _, key := range keys {
		if c.nodes[join(k.at, key)] != nil {
			return join(k.at, key)
		}
	}
	return k.at
}

// CasesError is an Errors about the cases that a kernel's benchmark is asked for, at the place that picks them.
func (c *Config) CasesError(kernel, format string, args ...any) error {
	k, _ := c.Kernel(kernel)
	return Errors{c.errorAt(c.firstOf(k, "cases", "bench"), "", format, args...)}
}

// MeasuredError is an Errors about a case that is measured, at the place that asks for it: values are in the order of the
// kernel's parameters.
func (c *Config) MeasuredError(kernel string, values []Value, format string, args ...any) error {
	k, _ := c.Kernel(kernel)
	row := slices.IndexFunc(k.Measure, func(own []Value) bool { return slices.Equal(own, values) })
	return Errors{c.errorAt(c.firstOf(k, index("measure", row), "params", "name"), "", format, args...)}
}

// ToleranceError is an Errors about the entry of tolerances with that index.
func (c *Config) ToleranceError(i int, format string, args ...any) error {
	return Errors{c.errorAt(index("tolerances", i)+".cases", "", format, args...)}
}

// WeightError is an Errors about the entry of suite.weights with that index.
func (c *Config) WeightError(i int, format string, args ...any) error {
	return Errors{c.errorAt("suite.weights."+c.Suite.Weights[i].Cases, "", format, args...)}
}

// check judges the file as a whole.
func (c *Config) check(d *decoder, _ ast.Node, _ string, _ bool) {
	c.Baseline.Named = d.nodes["baseline.store"] != nil
	c.checkInterpreters(d)
	c.checkOther(d)
	for _, k := range c.Kernels {
		if k.Bench != nil && k.Bench.Command != "" {
			d.failAt("python", "", "python does not apply to bench.command of kernel %s: name the interpreter in that command, such as .venv/bin/python -m pytest, "+
				"and give python to the kernels that it is for", quoted(k.Name))
			break
		}
	}
	if err := c.checkCumulative(); err != nil {
		d.failAt(cumulativeKey, "at least "+percentText(c.Gate.Tolerance)+", or a smaller gate.tolerance", "%v", err)
		return
	}
	today := result.Day(time.Now())
	for i, w := range c.Waivers {
		if latest := result.LatestDay(today); w.Until > latest {
			d.failAt(join(index("waivers", i), "until"), "a day until "+latest, "the waiver of %s ends on %s, more than %d days from %s", quoted(w.Cases), w.Until, result.MaxWaiverDays, today)
		}
	}
	c.checkSuite(d)
	c.checkGoals(d)
	limit := c.CumulativeTolerance()
	for i, t := range c.Tolerances {
		at := index("tolerances", i)
		if t.Tolerance > limit {
			d.failAt(join(at, "tolerance"), "a tolerance of at most "+percentText(limit)+", or baseline: {cumulative-tolerance: "+percentText(t.Tolerance)+"}",
				"the tolerance %s of %s is larger than baseline.cumulative-tolerance (%s)", percentText(t.Tolerance), quoted(t.Cases), percentText(limit))
		}
	}
}

const cumulativeKey = "baseline.cumulative-tolerance"

// CumulativeTolerance is the fraction that may be lost against the best-known level: at least gate.tolerance where the file does not say it.
func (c *Config) CumulativeTolerance() float64 {
	if c.nodes[cumulativeKey] != nil {
		return c.Baseline.CumulativeTolerance
	}
	return max(c.Baseline.CumulativeTolerance, c.Gate.Tolerance)
}

// LineOf is the line of the file that a value begins on, by its path, such as waivers[0].cases; 0 where the file does not say it.
func (c *Config) LineOf(path string) int { return c.src.atNode(c.nodes[path], "", "").Line }

// checkCumulative returns an error where a case may lose more in one change than in all of them together. The entries of tolerances are checked where they stand.
func (c *Config) checkCumulative() error {
	if limit := c.CumulativeTolerance(); c.Gate.Tolerance > limit {
		return fmt.Errorf("cumulative-tolerance is %s, less than the tolerance of cases (%s)", percentText(limit), percentText(c.Gate.Tolerance))
	}
	return nil
}

// SetTolerance replaces gate.tolerance, as --tolerance does.
func (c *Config) SetTolerance(text string) (err error) {
	if c.Gate.Tolerance, err = ParseTolerance(text); err != nil {
		return err
	}
	return c.checkCumulative()
}
